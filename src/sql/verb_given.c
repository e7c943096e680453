/* SPDX-License-Identifier: MIT */
#include "sql/verb_given.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

const struct wl_sql_param *wl_sql_param_of(const struct wl_sql_shape *s, int column)
{
	size_t i = (size_t)column - s->n_cols;

	return column >= 0 && (size_t)column >= s->n_cols && i < s->n_params ? &s->params[i] : NULL;
}

const struct wl_sql_param *wl_sql_twin_of(const struct wl_sql_shape *s, int column)
{
	const char *key = column >= 0 && (size_t)column < s->n_cols
				  ? wl_sql_shape_col(s, (size_t)column)->key
				  : NULL;

	for (size_t i = 0; key && i < s->n_params; i++) {
		const struct wl_sql_param *p = &s->params[i];
		size_t n = strlen(key);

		if (p->kind >= WL_SQL_PARAM_GPU && p->kind <= WL_SQL_PARAM_STREAM &&
		    strncmp(p->name, key, n) == 0 && strcmp(p->name + n, "_option") == 0)
			return p;
	}
	return NULL;
}

void wl_sql_givens_forget(struct wl_sql_givens *givens)
{
	for (int i = 0; i < givens->n; i++)
		sqlite3_value_free(givens->at[i].value);
	givens->n = 0;
}

/* The text that the command line would have; false where it is too long for one. */
static bool spell(sqlite3_value *value, bool is_switch, char to[WL_SQL_GIVEN_TEXT])
{
	char number[WL_UNITS_BUF];
	const char *text = number;

	switch (sqlite3_value_type(value)) {
	case SQLITE_INTEGER:
		if (is_switch)
			text = sqlite3_value_int64(value) ? "true" : "false";
		else
			(void)wl_fmt_i64(number, sqlite3_value_int64(value));
		break;
	case SQLITE_FLOAT:
		(void)wl_fmt_f64(number, sqlite3_value_double(value));
		break;
	default:
		text = (const char *)sqlite3_value_text(value);
		break;
	}
	return text && snprintf(to, WL_SQL_GIVEN_TEXT, "%s", text) < WL_SQL_GIVEN_TEXT;
}

static bool is_given(const struct wl_sql_givens *givens, const struct wl_sql_shape *s,
		     const struct wl_sql_param *p)
{
	for (int i = 0; i < givens->n; i++) {
		if (wl_sql_param_of(s, givens->at[i].column) == p)
			return true;
	}
	return false;
}

/* The parameter has a value already; rows that want two of them are none. */
static bool is_given_before(struct wl_sql_givens *givens, const struct wl_sql_shape *s,
			    const struct wl_sql_param *p, const char *text)
{
	for (int i = 0; i < givens->n; i++) {
		if (wl_sql_param_of(s, givens->at[i].column) != p)
			continue;
		givens->is_contradiction =
			givens->is_contradiction || strcmp(givens->at[i].text, text) != 0;
		return true;
	}
	return false;
}

int wl_sql_givens_take(struct wl_sql_givens *givens, const struct wl_sql_shape *s,
		       const char *columns, int argc, sqlite3_value **argv, struct wl_err *reterr)
{
	wl_sql_givens_forget(givens);
	givens->is_contradiction = false;
	for (int i = 0; i < argc; i++) {
		struct wl_sql_given *g = &givens->at[givens->n];
		const struct wl_sql_param *p;
		char *end;

		*g = (struct wl_sql_given){ .column = (int)strtol(columns, &end, 10) };
		columns = end + 1;
		if (sqlite3_value_type(argv[i]) == SQLITE_NULL)
			continue;
		p = wl_sql_param_of(s, g->column);
		if (!spell(argv[i],
			   p && p->kind == WL_SQL_PARAM_OPTION &&
				   s->analysis->params[p->option].type == WL_P_BOOL,
			   g->text))
			return wl_fail(reterr, WL_E_USAGE, "%s: the value of %s is too long",
				       s->name, p ? p->name : "a column");
		if (p && is_given_before(givens, s, p, g->text))
			continue;
		g->value = sqlite3_value_dup(argv[i]);
		givens->n++;
		if (!g->value)
			return wl_fail(reterr, WL_E_NOMEM, "%s: no memory", s->name);
	}
	return WL_OK;
}

static void set_selection(struct wl_selection *s, enum wl_sql_param_kind kind, const char *text)
{
	if (kind == WL_SQL_PARAM_WINDOW)
		s->window = text;
	else if (kind == WL_SQL_PARAM_GPU)
		s->gpu = text;
	else if (kind == WL_SQL_PARAM_RANK)
		s->rank = text;
	else if (kind == WL_SQL_PARAM_PID)
		s->pid = text;
	else if (kind == WL_SQL_PARAM_STREAM)
		s->stream = text;
}

/* Values of columns select where the run does not fill the column; else SQLite compares. */
static void add_twins(struct wl_sql_givens *givens, const struct wl_sql_shape *s,
		      struct wl_sql_call *call)
{
	size_t n_tree = s->n_cols - s->analysis->n_cols;
	uint64_t unfilled = 0;

	for (int i = 0; i < givens->n; i++) {
		struct wl_sql_given *g = &givens->at[i];
		const struct wl_sql_param *p = wl_sql_twin_of(s, g->column);

		if (!p || is_given(givens, s, p))
			continue;
		if (!unfilled)
			unfilled = wl_sql_call_unfilled(call);
		g->is_selection = (unfilled >> ((size_t)g->column - n_tree) & 1) != 0;
		if (g->is_selection)
			set_selection(&call->selection, p->kind, g->text);
	}
}

const char *wl_sql_givens_call(struct wl_sql_givens *givens, const struct wl_sql_shape *s,
			       struct wl_sql_call *call)
{
	const char *trace = NULL;

	*call = (struct wl_sql_call){ .shape = s };
	for (size_t i = 0; s->alias && i < s->n_params; i++) {
		const char *implied = wl_sql_shape_implied(s, &s->params[i]);

		if (implied && s->params[i].kind == WL_SQL_PARAM_OPTION)
			call->args[s->params[i].option] = implied;
		else if (implied)
			set_selection(&call->selection, s->params[i].kind, implied);
	}
	for (int i = 0; i < givens->n; i++) {
		const struct wl_sql_param *p = wl_sql_param_of(s, givens->at[i].column);

		if (p && p->kind == WL_SQL_PARAM_OPTION)
			call->args[p->option] = givens->at[i].text;
		else if (p && p->kind == WL_SQL_PARAM_TRACE)
			trace = givens->at[i].text;
		else if (p)
			set_selection(&call->selection, p->kind, givens->at[i].text);
	}
	add_twins(givens, s, call);
	return trace;
}
