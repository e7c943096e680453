/* SPDX-License-Identifier: MIT */
#include "agent/tools/asking.h"

#include <string.h>

#include "agent/tools/handles.h"
#include "analysis/args.h"
#include "base/text/nearest.h"
#include "base/text/shell.h"

/* A question under way. */
struct asking {
	const struct wl_askable *of;
	struct wl_handle *handle;
	struct wl_request request;
	const char *args[WL_MAX_PARAMS];
	const char *cursor;
	int64_t limit;
	struct wl_told told;
};

static int refuse_option(const struct wl_analysis *a, const char *key, struct wl_err *reterr)
{
	char all[256] = "", one[64];
	struct wl_nearest nearest;
	const char *meant;
	size_t used = 0;

	wl_nearest_init(&nearest, key);
	for (size_t i = 0; i < a->n_params; i++) {
		if (!wl_param_is_value(&a->params[i]))
			continue;
		wl_nearest_offer(&nearest, a->params[i].key);
		if (used < sizeof(all))
			used += (size_t)snprintf(all + used, sizeof(all) - used, "%s%s",
						 used ? ", " : "",
						 wl_param_spelling(a->params[i].key, one));
	}
	meant = wl_nearest_get(&nearest);
	return wl_fail(reterr, WL_E_USAGE, "%s has no option \"%.60s\"%s%s%s; it takes: %s",
		       a->name, key, meant ? "; did you mean " : "", meant ? meant : "",
		       meant ? "?" : "", used ? all : "none");
}

/* Options that an alias stands for; what the call says comes later and wins. */
static void take_implied(struct asking *q)
{
	const struct wl_analysis *a = q->of->analysis;

	for (size_t k = 0; q->of->alias && k < WL_MAX_IMPLIED && q->of->alias->implies[k].key;
	     k++) {
		const struct wl_implied *implied = &q->of->alias->implies[k];

		for (size_t i = 0; i < a->n_params; i++) {
			if (strcmp(a->params[i].key, implied->key) == 0 &&
			    wl_param_is_value(&a->params[i]))
				q->args[i] = implied->value;
		}
		if (strcmp(implied->key, "window") == 0 && !q->request.selection.window)
			q->request.selection.window = implied->value;
	}
}

static int take_option(struct wl_tool_call *c, struct asking *q, const char *key,
		       const struct wl_json *value, struct wl_err *reterr)
{
	const struct wl_analysis *a = q->of->analysis;

	for (size_t i = 0; i < a->n_params; i++) {
		const struct wl_param *p = &a->params[i];

		if (!wl_param_is_value(p) || !(wl_param_is_called(p->key, key) ||
					       (p->alias && wl_param_is_called(p->alias, key))))
			continue;
		return wl_call_text_of(c, key, value, p->many ? '\n' : ',', &q->args[i], reterr);
	}
	return refuse_option(a, key, reterr);
}

static int take_options(struct wl_tool_call *c, struct asking *q, struct wl_err *reterr)
{
	const struct wl_json *options = c->args ? wl_json_member(c->args, "options") : NULL, *value;
	const void *at = NULL;
	const char *key;
	int r = WL_OK;

	take_implied(q);
	if (options && wl_json_type_of(options) != WL_JSON_OBJECT &&
	    wl_json_type_of(options) != WL_JSON_NULL)
		return wl_fail(reterr, WL_E_USAGE,
			       "options: give an object, such as {\"by\": "
			       "\"name\"}");
	while (r == WL_OK && options && wl_json_next(options, &at, &key, &value))
		r = take_option(c, q, key, value, reterr);
	return r;
}

static int take_view(struct wl_tool_call *c, struct asking *q, const char *columns,
		     struct wl_err *reterr)
{
	struct wl_view_opts *view = &q->request.view;
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

/* One more option of the command line; text NULL adds nothing. NULL without memory. */
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

/* Operands stand before the trace: search PATTERN TRACE. */
static const char *begin_line(struct wl_tool_call *c, const struct asking *q)
{
	const struct wl_analysis *a = q->of->analysis;
	const char *verb = q->of->document ? q->of->document : a->name;
	const char *line = wl_call_printf(c, "warplens %s", verb);
	const char *path = wl_shell_word(q->handle->path, &c->arena);

	for (size_t i = 0; i < a->n_params; i++) {
		const char *word = a->params[i].operand && q->args[i]
					   ? wl_shell_word(q->args[i], &c->arena)
					   : NULL;

		if (line && word)
			line = wl_call_printf(c, "%s %s", line, word);
	}
	if (line && path)
		line = wl_call_printf(c, "%s %s", line, path);
	return q->of->document && line ? wl_call_printf(c, "%s --section %s", line, a->name) : line;
}

/* Whether the table has all columns of an order. */
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
	const struct wl_request *r = &q->request;
	const char *usual = r->view.usual_sort;
	const char *sort = r->view.sort                     ? r->view.sort
			   : usual && has_columns(t, usual) ? usual
							    : NULL;
	const struct {
		const char *option, *text;
	} options[] = { { "window", r->selection.window }, { "gpu", r->selection.gpu },
			{ "pid", r->selection.pid },       { "rank", r->selection.rank },
			{ "stream", r->selection.stream }, { "marker", r->marker },
			{ "where", r->view.where },        { "sort", sort },
			{ "columns", r->view.columns } };
	const char *line = begin_line(c, q);

	for (size_t i = 0; i < q->of->analysis->n_params; i++)
		line = add_param(c, line, &q->of->analysis->params[i], q->args[i]);
	for (size_t i = 0; i < WL_COUNT(options); i++)
		line = add(c, line, options[i].option, options[i].text);
	return line ? wl_call_printf(c, "%s -f json", line) : NULL;
}

static int prepare(struct wl_tool_call *c, struct asking *q, const char *columns,
		   struct wl_err *reterr)
{
	int r = wl_call_request(c, &q->request, reterr);

	q->request.analysis = q->of->analysis;
	q->request.args = q->args;
	if (r == WL_OK)
		r = take_options(c, q, reterr);
	if (r == WL_OK)
		r = take_view(c, q, columns, reterr);
	return r == WL_OK ? wl_request_check(&q->request, reterr) : r;
}

/* The note where only the case of a pattern keeps all rows out. */
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
		r = wl_call_ask(c, q.handle, &q.request, &frame, &table, reterr);
	if (r == WL_OK)
		r = wl_view_make(table, &q.request.view, &c->arena, &section.view, reterr);
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
