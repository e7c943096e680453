/* SPDX-License-Identifier: MIT */
#include "agent/tools/asking.h"

#include <string.h>

#include "agent/tools/handles.h"
#include "base/text/nearest.h"
#include "base/text/shell.h"
#include "session/document/verb_call.h"

/* A question in progress. */
struct asking {
	const struct wl_askable *of;
	struct wl_handle *handle;
	struct wl_verb_call call;
	const char *cursor;
	int64_t limit;
	struct wl_told told;
};

static int refuse_option(struct wl_tool_call *c, const struct wl_analysis *a, const char *key,
			 struct wl_err *reterr)
{
	const char *what = wl_call_printf(c, "%s has no option", a->name), *all[WL_MAX_PARAMS];
	char words[WL_MAX_PARAMS][64];
	size_t n = 0;

	for (size_t i = 0; i < a->n_params; i++) {
		if (wl_param_is_value(&a->params[i])) {
			all[n] = wl_param_spelling(a->params[i].key, words[n]);
			n++;
		}
	}
	return wl_nearest_refuse(what ? what : a->name, key, all, n, reterr);
}

static int take_option(struct wl_tool_call *c, struct asking *q, const char *key,
		       const struct wl_json *value, struct wl_err *reterr)
{
	const struct wl_analysis *a = q->of->analysis;
	size_t i = wl_param_named(a->params, a->n_params, key);

	if (i == a->n_params)
		return refuse_option(c, a, key, reterr);
	return wl_call_text_of(c, key, value, a->params[i].many ? '\n' : ',', &q->call.args[i],
			       reterr);
}

static int take_options(struct wl_tool_call *c, struct asking *q, struct wl_err *reterr)
{
	const struct wl_json *options = c->args ? wl_json_member(c->args, "options") : NULL, *value;
	const void *at = NULL;
	const char *key;
	int r = WL_OK;

	if (options && wl_json_type_of(options) != WL_JSON_OBJECT &&
	    wl_json_type_of(options) != WL_JSON_NULL)
		return wl_fail(reterr, WL_E_USAGE,
			       "options: give an object, such as {\"by\": "
			       "\"name\"}");
	while (r == WL_OK && options && wl_json_next(options, &at, &key, &value))
		r = take_option(c, q, key, value, reterr);
	wl_verb_call_imply(&q->call, q->of->alias);
	return r;
}

static int take_view(struct wl_tool_call *c, struct asking *q, const char *columns,
		     struct wl_err *reterr)
{
	struct wl_view_opts *view = &q->call.is.view;
	int r = wl_call_text(c, "where", &view->where, reterr);

	q->limit = WL_REPLY_ROWS;
	if (r == WL_OK)
		r = wl_call_text(c, "sort", &view->sort, reterr);
	if (r == WL_OK)
		r = wl_call_text(c, "columns", &view->columns, reterr);
	if (r == WL_OK)
		r = wl_call_text(c, "cursor", &q->cursor, reterr);
	if (r == WL_OK)
		r = wl_call_text(c, "key", &q->told.key, reterr);
	if (r == WL_OK)
		r = wl_call_i64(c, "limit", 1, WL_REPLY_MAX_ROWS, &q->limit, reterr);
	if (!view->columns && !q->told.key)
		view->columns = columns;
	view->usual_sort = q->of->analysis->sort;
	return r;
}

/* Append an option to the command line; text NULL adds nothing. NULL if memory runs out. */
static const char *add(struct wl_tool_call *c, const char *line, const char *option,
		       const char *text)
{
	const char *word = text && line ? wl_shell_word(text, &c->arena) : NULL;

	if (!text || !line)
		return line;
	return word ? wl_call_printf(c, "%s --%s %s", line, option, word) : NULL;
}

static const char *add_param(struct wl_tool_call *c, const char *line, const struct wl_param *p,
			     const char *text)
{
	if (!text || p->operand)
		return line;
	if (p->type == WL_P_BOOL)
		return strcmp(text, "true") == 0 && line
			       ? wl_call_printf(c, "%s --%s", line, p->key)
			       : line;
	while (p->many && line && strchr(text, '\n')) {
		size_t n = strcspn(text, "\n");

		line = add(c, line, p->key, wl_call_printf(c, "%.*s", (int)n, text));
		text += n + 1;
	}
	return add(c, line, p->key, text);
}

/* Operands come before the trace: search PATTERN TRACE. */
static const char *begin_line(struct wl_tool_call *c, const struct asking *q)
{
	const struct wl_analysis *a = q->of->analysis;
	const char *verb = q->of->document ? q->of->document : a->name;
	const char *line = wl_call_printf(c, "warplens %s", verb);
	const char *path = wl_shell_word(q->handle->path, &c->arena);

	for (size_t i = 0; i < a->n_params; i++) {
		const char *word = a->params[i].operand && q->call.args[i]
					   ? wl_shell_word(q->call.args[i], &c->arena)
					   : NULL;

		if (line && word)
			line = wl_call_printf(c, "%s %s", line, word);
	}
	if (line && path)
		line = wl_call_printf(c, "%s %s", line, path);
	return q->of->document && line ? wl_call_printf(c, "%s --section %s", line, a->name) : line;
}

/* Whether the table has all columns of a sort order. */
static bool has_columns(const struct wl_table *t, const char *sort)
{
	while (*sort) {
		size_t n = strcspn(sort, ",");
		const char *name = *sort == '-' ? sort + 1 : sort;
		size_t at;

		if (!wl_cols_find(t, name, n - (size_t)(name - sort), &at))
			return false;
		sort += n + (sort[n] == ',');
	}
	return true;
}

static const char *how_of(struct wl_tool_call *c, const struct asking *q, const struct wl_table *t)
{
	struct wl_request r = q->call.is;
	const char *usual = r.view.usual_sort, *line = begin_line(c, q);

	for (size_t i = 0; i < q->of->analysis->n_params; i++)
		line = add_param(c, line, &q->of->analysis->params[i], q->call.args[i]);
	if (!r.view.sort && usual && has_columns(t, usual))
		r.view.sort = usual;
	for (size_t i = 0; wl_common_keys[i]; i++)
		line = add(c, line, wl_common_keys[i], *wl_request_place(&r, wl_common_keys[i]));
	line = add(c, line, "traces", r.traces);
	return line ? wl_call_printf(c, "%s -f json", line) : NULL;
}

static int prepare(struct wl_tool_call *c, struct asking *q, const char *columns,
		   struct wl_err *reterr)
{
	int r = wl_call_request(c, &q->call.is, reterr);

	wl_verb_call_begin(&q->call, q->of->analysis, NULL);
	if (r == WL_OK)
		r = take_options(c, q, reterr);
	if (r == WL_OK)
		r = take_view(c, q, columns, reterr);
	return r == WL_OK ? wl_request_check(&q->call.is, reterr) : r;
}

/* Note that the file has changed, or that only the case of a pattern excludes all rows. */
static void note(struct wl_tool_call *c, struct asking *q, const struct wl_view *view)
{
	if (q->handle->was_reread)
		q->told.extra = "the file has changed since it was opened: this is of the new one";
	else if (view->n_total == 0 && view->n_other_case > 0)
		q->told.extra = wl_call_printf(c, "%zu rows match the filter if case is ignored",
					       view->n_other_case);
}

static bool has_calls(const struct wl_view *v)
{
	bool is_shown = false;

	for (size_t i = 0; i < v->n_cols; i++)
		is_shown = is_shown || (v->table->cols[v->cols[i]].flags & WL_SHELL);
	return is_shown && v->table->shell_cells;
}

int wl_asking_reply(struct wl_tool_call *c, const struct wl_askable *of, const char *columns,
		    struct wl_err *reterr)
{
	struct asking q = { .of = of };
	struct wl_section section = { .analysis = of->analysis->name };
	const struct wl_table *table;
	struct wl_document frame;
	int r = prepare(c, &q, columns, reterr);

	if (r == WL_OK)
		r = wl_call_trace(c, "trace", &q.handle, reterr);
	if (r == WL_OK)
		r = wl_call_ask(c, q.handle, &q.call.is, &frame, &table, reterr);
	if (r == WL_OK)
		r = wl_view_make(table, &q.call.is.view, &c->arena, &section.view, reterr);
	if (r < 0)
		return r;
	q.told.how = how_of(c, &q, table);
	if (!q.told.how)
		return wl_fail(reterr, WL_E_NOMEM, "no memory for the reply");
	if (q.cursor)
		r = wl_cursor_parse(q.cursor, q.told.how, &q.told.offset, reterr);
	if (r < 0)
		return r;
	q.told.verb = of->analysis->name;
	q.told.handle = q.handle->id;
	q.told.limit = (size_t)q.limit;
	q.told.whole = "ask with the key of a row to see it whole";
	q.told.has_calls = has_calls(&section.view);
	note(c, &q, &section.view);
	return wl_reply_table(c, &frame, &section, &q.told, reterr);
}
