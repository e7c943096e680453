/* SPDX-License-Identifier: MIT */
#include "session/open/join.h"

#include <assert.h>
#include <string.h>

#include "base/file/file.h"
#include "session/open/regrouped.h"

int wl_join_missing(const struct wl_request *request, const char *path, const char *why,
		    struct wl_arena *arena, struct wl_document *ret_document, struct wl_err *reterr)
{
	const char *name = request->analysis ? request->analysis->name : request->document->name;
	struct wl_section *section = WL_NEW(arena, struct wl_section, 1);
	struct wl_fact *fact = WL_NEW(arena, struct wl_fact, 1);
	const char *missing = wl_arena_strdup(arena, why);

	if (!section || !fact || !missing)
		return wl_fail(reterr, WL_E_NOMEM, "%s: no memory for the answer", name);
	*fact = (struct wl_fact){ .key = "path", .str = path };
	*section = (struct wl_section){ .analysis = name, .missing = missing };
	*ret_document = (struct wl_document){ .name = name,
					      .trace = fact,
					      .n_trace = 1,
					      .n_devices = -1,
					      .sections = section,
					      .n_sections = 1,
					      .single = true };
	return WL_OK;
}

static const char *path_of(const struct wl_document *doc)
{
	return doc->trace[0].str;
}

/* There are few traces: a person named them. */
static bool base_names_differ(const struct wl_document *docs, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < i; k++) {
			if (strcmp(wl_path_name(path_of(&docs[i])),
				   wl_path_name(path_of(&docs[k]))) == 0)
				return false;
		}
	}
	return true;
}

const char *wl_join_label(const struct wl_document *docs, size_t n, size_t i)
{
	return base_names_differ(docs, n) ? wl_path_name(path_of(&docs[i])) : path_of(&docs[i]);
}

/* Returns how many parts have a table. */
static size_t make_parts(const struct wl_document *docs, size_t n, struct wl_concat_part *parts)
{
	bool short_names = base_names_differ(docs, n);
	size_t n_tables = 0;

	for (size_t i = 0; i < n; i++) {
		const struct wl_section *s = &docs[i].sections[0];
		const char *path = path_of(&docs[i]);

		assert(docs[i].single && docs[i].n_sections == 1);
		parts[i] =
			(struct wl_concat_part){ .label = short_names ? wl_path_name(path) : path,
						 .table = s->missing ? NULL : s->view.table,
						 .missing = s->missing };
		n_tables += !s->missing;
	}
	return n_tables;
}

static int note_members(const struct wl_request *request, const struct wl_document *members,
			size_t n, struct wl_table *out, struct wl_err *reterr)
{
	struct wl_concat_part *parts = WL_NEW(out->arena, struct wl_concat_part, n);

	if (!parts)
		return wl_no_memory(request->analysis, reterr);
	if (make_parts(members, n, parts) > 1)
		wl_regrouped_note(parts, n, request->analysis->joined_chart, out);
	return WL_OK;
}

int wl_join(const struct wl_request *request, const struct wl_document *docs,
	    const struct wl_document *members, size_t n, struct wl_arena *arena,
	    struct wl_document *ret_document, struct wl_err *reterr)
{
	struct wl_concat_part *parts = WL_NEW(arena, struct wl_concat_part, n);
	struct wl_section *section = WL_NEW(arena, struct wl_section, 1);
	struct wl_table *table = WL_NEW(arena, struct wl_table, 1);
	int r;

	if (!parts || !section || !table)
		return wl_no_memory(request->analysis, reterr);
	/* No trace has data: the reason of the first is as good as any. */
	if (make_parts(docs, n, parts) == 0)
		return wl_fail(reterr, WL_E_NODATA, "%s: %.200s: %s", docs[0].name, parts[0].label,
			       parts[0].missing);
	wl_concat(parts, n, arena, table);
	r = members && wl_table_ok(table) ? note_members(request, members, n, table, reterr)
					  : WL_OK;
	if (r < 0)
		return r;
	if (!wl_table_ok(table))
		return wl_no_memory(request->analysis, reterr);
	/* All parts answer the same request, so the first one stands for name and frame. */
	*section = (struct wl_section){ .analysis = docs[0].sections[0].analysis,
					.look = request->analysis->look == WL_LOOK_LIST
							? WL_LOOK_LISTS
							: WL_LOOK_TABLE,
					.chart = request->analysis->joined_chart };
	r = wl_view_make(table, &request->view, arena, &section->view, reterr);
	if (r < 0)
		return r;
	wl_view_note_none(&section->view, table);
	*ret_document = docs[0];
	ret_document->traces = docs;
	ret_document->n_traces = n;
	ret_document->sections = section;
	return WL_OK;
}
