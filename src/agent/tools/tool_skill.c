/* SPDX-License-Identifier: MIT */
/* tool_skill.c - the tool that runs skills: built-in ones, the user's own, and verbs. */
#include <string.h>

#include "agent/skills/run.h"
#include "agent/skills/store.h"
#include "agent/tools/call.h"
#include "agent/tools/handles.h"
#include "agent/tools/reply.h"
#include "agent/tools/schema.h"
#include "base/text/shell.h"

enum { SECONDS = 20, TEXT_BYTES = 8 << 20 };

/* A skill being run. */
struct running {
	struct wl_handle *handle;
	struct wl_skill skill;
	struct wl_skill_values values;
	struct wl_skill_asked asked;
	struct wl_skill_answer answer;
	const char *section, *cursor;
	int64_t limit;
};

static int take_skill(struct wl_tool_call *c, struct running *r, struct wl_err *reterr)
{
	const char *name;
	int status = wl_call_text(c, "name", &name, reterr);

	if (status == WL_OK && !name)
		return wl_fail(reterr, WL_E_USAGE, "name: say which skill; describe lists verbs");
	return status < 0 ? status
			  : wl_skill_find(name, c->opts->skills, &c->arena, &r->skill, reterr);
}

static int take_values(struct wl_tool_call *c, struct running *r, struct wl_err *reterr)
{
	const struct wl_json *params = c->args ? wl_json_member(c->args, "params") : NULL, *value;
	const void *at = NULL;
	const char *key;
	int status = WL_OK;

	wl_skill_values_init(&r->values, &r->skill, &c->arena);
	if (params && wl_json_type_of(params) != WL_JSON_OBJECT &&
	    wl_json_type_of(params) != WL_JSON_NULL)
		return wl_fail(reterr, WL_E_USAGE,
			       "params: give an object, such as {\"limit\": 5}");
	while (status == WL_OK && params && wl_json_next(params, &at, &key, &value)) {
		const char *text = NULL;

		status = wl_call_text_of(c, key, value, ',', &text, reterr);
		if (status == WL_OK && text)
			status = wl_skill_values_set(&r->values, key, text, reterr);
	}
	return status < 0 ? status : wl_skill_values_end(&r->values, reterr);
}

static int take(struct wl_tool_call *c, struct running *r, struct wl_err *reterr)
{
	int status = wl_call_only(c, "name params section limit cursor " WL_CALL_SELECTION, reterr);

	if (status == WL_OK)
		status = take_skill(c, r, reterr);
	if (status == WL_OK)
		status = take_values(c, r, reterr);
	if (status == WL_OK)
		status = wl_call_text(c, "section", &r->section, reterr);
	if (status == WL_OK)
		status = wl_call_text(c, "cursor", &r->cursor, reterr);
	if (status == WL_OK)
		status = wl_call_i64(c, "limit", 1, WL_REPLY_MAX_ROWS, &r->limit, reterr);
	if (status == WL_OK)
		status = wl_call_request(c, &r->asked.selection, reterr);
	return status < 0 ? status : wl_call_trace(c, "trace", &r->handle, reterr);
}

static int run(struct wl_tool_call *c, struct running *r, struct wl_err *reterr)
{
	r->asked.session = r->handle->trace.session;
	r->asked.database = r->handle->trace.database;
	r->asked.label = r->handle->path;
	r->asked.budget = c->opts->budget;
	r->asked.limits = (struct wl_sql_limits){ .time_ns = SECONDS * INT64_C(1000000000),
						  .rows = WL_REPLY_MAX_ROWS,
						  .bytes = TEXT_BYTES,
						  .cancel = c->how.cancel };
	return wl_skill_run(&r->skill, &r->values, &r->asked, &c->arena, &r->answer, reterr);
}

/* ---- The reply ---- */

/* The table asked for, or else the first that the trace has data for. */
static int pick(const struct running *r, const struct wl_section **ret, struct wl_err *reterr)
{
	const struct wl_document *d = &r->answer.document;
	char all[256] = "";
	size_t used = 0;

	for (size_t i = 0; i < d->n_sections; i++) {
		const struct wl_section *s = &d->sections[i];
		bool is_it = r->section ? strcmp(s->analysis, r->section) == 0 : !s->missing;

		if (is_it && s->missing)
			return wl_fail(reterr, WL_E_NODATA, "%s: %s", s->analysis, s->missing);
		if (is_it) {
			*ret = s;
			return WL_OK;
		}
		if (used < sizeof(all))
			used += (size_t)snprintf(all + used, sizeof(all) - used, "%s%s",
						 i ? ", " : "", s->analysis);
	}
	return wl_fail(reterr, WL_E_USAGE, "section: %s has %s", r->skill.name, all);
}

/* Names the other tables and counts the findings. NULL if memory runs out. */
static const char *name_others(struct wl_tool_call *c, const struct running *r,
			       const struct wl_section *shown)
{
	const struct wl_document *d = &r->answer.document;
	const char *text = "";

	for (size_t i = 0; text && i < d->n_sections; i++) {
		if (&d->sections[i] != shown && !d->sections[i].missing)
			text = wl_call_printf(c, "%s%s%s", text, *text ? ", " : "other sections: ",
					      d->sections[i].analysis);
	}
	if (text && r->answer.n_findings)
		text = wl_call_printf(c, "%s; %zu finding%s (section findings)", text,
				      r->answer.n_findings, r->answer.n_findings == 1 ? "" : "s");
	return text;
}

/* The first finding says more than the first row. */
static const char *first_finding(const struct running *r)
{
	const struct wl_document *d = &r->answer.document;
	const struct wl_table *t;
	struct wl_cell cell;
	size_t col;

	if (r->answer.n_findings == 0)
		return NULL;
	t = d->sections[d->n_sections - 1].view.table;
	if (!wl_table_find_col(t, "finding", &col))
		return NULL;
	cell = wl_table_at(t, 0, col);
	return cell.set ? cell.str : NULL;
}

static const char *add(struct wl_tool_call *c, const char *line, const char *option,
		       const char *text)
{
	const char *word = line && text ? wl_shell_word(text, &c->arena) : NULL;

	return text && line ? word ? wl_call_printf(c, "%s --%s %s", line, option, word) : NULL
			    : line;
}

static const char *how_of(struct wl_tool_call *c, const struct running *r,
			  const struct wl_section *shown)
{
	const struct wl_selection *s = &r->asked.selection.selection;
	const char *path = wl_shell_word(r->handle->path, &c->arena);
	const char *line =
		path ? wl_call_printf(c, "warplens skill run %s %s", r->skill.name, path) : NULL;

	for (size_t i = 0; line && i < r->skill.n_params; i++) {
		const struct wl_param *p = &r->skill.params[i].is;

		if (r->values.text[i] && r->values.text[i] != p->def)
			line = add(c, line, "param",
				   wl_call_printf(c, "%s=%s", p->key, r->values.text[i]));
	}
	line = add(c, line, "window", s->window);
	line = add(c, line, "gpu", s->gpu);
	line = add(c, line, "pid", s->pid);
	line = add(c, line, "rank", s->rank);
	line = add(c, line, "stream", s->stream);
	line = add(c, line, "marker", r->asked.selection.marker);
	if (r->answer.document.n_sections > 1)
		line = add(c, line, "section", shown->analysis);
	return line ? wl_call_printf(c, "%s -f json", line) : NULL;
}

static int reply(struct wl_tool_call *c, struct running *r, struct wl_err *reterr)
{
	const struct wl_section *shown = NULL;
	struct wl_told told = { .verb = r->skill.name,
				.handle = r->handle->id,
				.limit = (size_t)r->limit };
	struct wl_section section;
	int status = pick(r, &shown, reterr);

	if (status < 0 || !shown)
		return status;
	section = *shown;
	section.view.chosen_cols = true; /* the skill chose the columns */
	told.how = how_of(c, r, shown);
	told.extra = name_others(c, r, shown);
	told.answer = first_finding(r);
	if (!told.how || !told.extra)
		return wl_fail(reterr, WL_E_NOMEM, "no memory for the reply");
	if (!*told.extra)
		told.extra = NULL;
	if (r->cursor)
		status = wl_cursor_parse(r->cursor, told.how, &told.offset, reterr);
	return status < 0 ? status
			  : wl_reply_table(c, &r->answer.document, &section, &told, reterr);
}

int wl_tool_skill(struct wl_tool_call *c, struct wl_err *reterr)
{
	struct running *r = WL_NEW(&c->arena, struct running, 1);
	int status;

	if (!r)
		return wl_fail(reterr, WL_E_NOMEM, "no memory for the reply");
	r->limit = WL_REPLY_ROWS;
	status = take(c, r, reterr);
	if (status == WL_OK)
		status = run(c, r, reterr);
	if (status == WL_OK)
		status = reply(c, r, reterr);
	wl_skill_answer_release(&r->answer);
	return status;
}

/* ---- Schema ---- */

void wl_schema_skill_input(struct wl_jsonw *w)
{
	wl_schema_begin(w);
	wl_schema_put(w, "name", "string", "Name of the skill: nccl_anomaly.");
	wl_schema_put(w, "params", "object",
		      "Its parameters: {\"threshold\": 2}. One that it does not have is refused "
		      "with those that it has.");
	wl_schema_put(w, "section", "string",
		      "Which of its tables, or \"findings\" for its thresholds; by default the "
		      "first.");
	wl_schema_selection(w);
	wl_schema_range(w, "limit", 1, WL_REPLY_MAX_ROWS, "Rows; 50 by default.");
	wl_schema_put(w, "cursor", "string", "next_cursor of the reply before, for further rows.");
	wl_schema_end(w, "name", true);
}
