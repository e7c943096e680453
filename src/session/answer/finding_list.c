/* SPDX-License-Identifier: MIT */
#include "session/answer/finding_list.h"

#include <string.h>

#include "analysis/analysis.h"
#include "known/saves_kinds.h"

/* Not set where the run has no such column. */
static struct wl_cell cell_of(const struct wl_table *t, size_t row, const char *key)
{
	size_t col;

	return wl_table_find_col(t, key, &col) ? wl_table_at(t, row, col)
					       : (struct wl_cell){ .set = false };
}

/* Empty where it is not set. */
static const char *copy_text(const struct wl_table *t, size_t row, const char *key,
			     struct wl_arena *arena)
{
	const struct wl_cell cell = cell_of(t, row, key);

	return wl_arena_strdup(arena, cell.set ? cell.str : "");
}

/* The text in two. */
static bool copy_claim(const struct wl_table *t, size_t row, struct wl_listed_finding *to,
		       struct wl_arena *arena)
{
	size_t col, n;
	const char *text;
	char *claim;

	to->claim = to->beyond = "";
	if (!wl_table_find_col(t, "finding", &col) || !wl_table_at(t, row, col).set)
		return true;
	text = wl_table_parts(t, row, col, 1, &n);
	claim = WL_NEW(arena, char, n + 1);
	if (claim)
		memcpy(claim, text, n);
	to->claim = claim;
	to->beyond = wl_arena_strdup(arena, wl_table_beyond(t, row, col, 1));
	return to->claim && to->beyond;
}

static void copy_figures(const struct wl_table *t, size_t row, struct wl_listed_finding *to)
{
	const struct wl_cell saving = cell_of(t, row, "saving"), share = cell_of(t, row, "share");
	const struct wl_cell replayed = cell_of(t, row, "replayed"), at = cell_of(t, row, "at");
	const struct wl_cell saves = cell_of(t, row, "saves_share");
	const struct wl_cell part_time = cell_of(t, row, "part_time");
	const struct wl_cell device = cell_of(t, row, "device"),
			     look_at = cell_of(t, row, "look_at");

	to->saving = saving.set ? saving.i64 : -1;
	to->replayed = replayed.set ? replayed.i64 : WL_NO_TIME;
	to->part_time = part_time.set ? part_time.i64 : WL_NO_TIME;
	to->at = at.set ? at.i64 : WL_NO_TIME;
	to->share = share.set ? share.f64 : -1;
	to->saves_share = saves.set ? saves.f64 : -1;
	/*
	 * look_at names the device that shows the finding best, which need not be the one that
	 * loses the time.
	 */
	to->device = look_at.set  ? (uint32_t)look_at.i64
		     : device.set ? (uint32_t)device.i64
				  : WL_NONE;
}

/* Prose that is minor: what findings prints below a finding, but for the command. */
static bool is_line(const struct wl_table *t, size_t row, size_t col)
{
	const uint32_t flags = t->cols[col].flags;

	return (flags & WL_PROSE) && (flags & WL_MINOR) && !(flags & WL_SHELL) &&
	       wl_table_at(t, row, col).set;
}

static bool is_about(const struct wl_table *t, size_t row, const char *kind)
{
	const struct wl_cell time = cell_of(t, row, "saves");
	const struct wl_cell error = cell_of(t, row, "saves_error");

	return time.set &&
	       wl_saves_is_about(wl_saves_kind_named(kind), time.i64, error.set ? error.i64 : -1);
}

static bool copy_lines(const struct wl_table *t, size_t row, struct wl_listed_finding *to,
		       struct wl_arena *arena)
{
	struct wl_finding_line *line = WL_NEW(arena, struct wl_finding_line, t->n_cols);

	to->fixing = copy_text(t, row, "fixing", arena);
	to->saves_kind = copy_text(t, row, "saves_kind", arena);
	to->saves_about = to->saves_kind && is_about(t, row, to->saves_kind);
	to->part = copy_text(t, row, "part", arena);
	if (!line || !to->fixing || !to->saves_kind || !to->part)
		return false;
	for (size_t i = 0; i < t->n_cols; i++) {
		if (!is_line(t, row, i))
			continue;
		line[to->n_lines].title = wl_arena_strdup(arena, t->cols[i].title);
		line[to->n_lines].text = wl_arena_strdup(arena, wl_table_at(t, row, i).str);
		if (!line[to->n_lines].title || !line[to->n_lines].text)
			return false;
		to->n_lines++;
	}
	to->line = line;
	return true;
}

static struct wl_listed_finding *copy_rows(const struct wl_view *view, struct wl_arena *arena)
{
	const struct wl_table *t = view->table;
	struct wl_listed_finding *all = WL_NEW(arena, struct wl_listed_finding, view->n_rows + 1);

	for (size_t i = 0; all && i < view->n_rows; i++) {
		const size_t row = view->rows[i];

		all[i] = (struct wl_listed_finding){ .code = copy_text(t, row, "code", arena),
						     .severity =
							     copy_text(t, row, "severity", arena),
						     .action = copy_text(t, row, "action", arena),
						     .text = copy_text(t, row, "finding", arena),
						     .evidence =
							     copy_text(t, row, "evidence", arena) };
		copy_figures(t, row, &all[i]);
		if (!all[i].code || !all[i].severity || !all[i].action || !all[i].text ||
		    !all[i].evidence || !copy_claim(t, row, &all[i], arena) ||
		    !copy_lines(t, row, &all[i], arena))
			return NULL;
	}
	return all;
}

void wl_finding_list_load(struct wl_columns *columns)
{
	struct wl_wanted wanted = { .from = 0 };
	struct wl_columns all;

	wl_analysis_want(wl_analysis_get("findings"), NULL, &wanted);
	all = wl_wanted_columns(&wanted);
	wl_columns_join(columns, &all);
}

int wl_finding_list(struct wl_session *session, const struct wl_request *selection,
		    struct wl_arena *arena, const struct wl_listed_finding **ret, size_t *ret_n,
		    struct wl_err *reterr)
{
	struct wl_request request = *selection;
	struct wl_document doc;
	struct wl_arena scratch;
	int r;

	*ret = NULL;
	*ret_n = 0;
	request.analysis = wl_analysis_get("findings");
	request.document = NULL;
	request.visitor = NULL;
	/* The whole document is dropped again; only the texts of the list are copied out of it. */
	wl_arena_init_on(&scratch, wl_arena_budget(arena));
	r = wl_session_run(session, &request, &scratch, &doc, reterr);
	if (r == WL_OK) {
		const struct wl_view *view = &doc.sections[0].view;

		*ret = copy_rows(view, arena);
		*ret_n = *ret ? view->n_rows : 0;
		if (!*ret)
			r = wl_fail(reterr, WL_E_NOMEM, "no memory for findings");
	} else if (r == WL_E_NODATA) {
		r = WL_OK; /* an empty trace has none */
	}
	wl_arena_release(&scratch);
	return r;
}
