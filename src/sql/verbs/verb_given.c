/* SPDX-License-Identifier: MIT */
#include "sql/verbs/verb_given.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/units.h"
#include "sql/guard/mismatch.h"

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

		if (strncmp(p->name, key, n) == 0 && strcmp(p->name + n, "_option") == 0)
			return p;
	}
	return NULL;
}

bool wl_sql_is_selector(const struct wl_sql_param *p)
{
	return p->kind == WL_SQL_PARAM_SELECTOR;
}

/* As SQLite compares an integer with a real: by value, without rounding. */
static bool is_integer(double f64, int64_t i64)
{
	return f64 >= -9223372036854775808.0 && f64 < 9223372036854775808.0 &&
	       (int64_t)f64 == i64 && f64 == (double)(int64_t)f64;
}

bool wl_sql_given_is(const struct wl_sql_given *g, const struct wl_sql_shape *s,
		     const struct wl_sql_result *r, size_t row)
{
	enum wl_type type;
	struct wl_cell cell = wl_sql_result_cell(r, s, row, (size_t)g->column, &type);
	bool is_real = sqlite3_value_numeric_type(g->value) == SQLITE_FLOAT;

	if (!cell.set)
		return false;
	if (wl_type_is_real(type))
		return is_real ? cell.f64 == sqlite3_value_double(g->value)
			       : is_integer(cell.f64, sqlite3_value_int64(g->value));
	return is_real ? is_integer(sqlite3_value_double(g->value), cell.i64)
		       : cell.i64 == sqlite3_value_int64(g->value);
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

/* A value for a column of the rows: to be compared, or in truth for the parameter of its name. */
static int place(struct wl_sql_given *g, const struct wl_sql_shape *s, sqlite3_value *value,
		 char how, struct wl_err *reterr)
{
	const struct wl_sql_param *twin = wl_sql_twin_of(s, g->column);
	const struct wl_col *col = wl_sql_shape_col(s, (size_t)g->column);

	g->is_compared = twin && !wl_type_is_text(col->type);
	if (!wl_sql_is_mismatch(col, how, value))
		return WL_OK;
	/* "window" > '1ms' means the column, "window" <> 'steady' the parameter. */
	if (!twin || (how != '=' && wl_sql_has_unit(col, value)))
		return wl_sql_refuse_mismatch(s->name, col, value, reterr);
	if (how != '=')
		return wl_sql_fail_vain(col->key, reterr);
	g->column = (int)(s->n_cols + (size_t)(twin - s->params));
	g->is_compared = false;
	return WL_OK;
}

static int take(struct wl_sql_givens *givens, const struct wl_sql_shape *s,
		struct wl_sql_given given, sqlite3_value *value, struct wl_err *reterr)
{
	struct wl_sql_given *g = &givens->at[givens->n];
	const struct wl_sql_param *p;

	*g = given;
	p = wl_sql_param_of(s, g->column);
	if (!spell(value,
		   p && p->kind == WL_SQL_PARAM_OPTION &&
			   s->analysis->params[p->option].type == WL_P_BOOL,
		   g->text))
		return wl_fail(reterr, WL_E_USAGE, "%s: the value of %s is too long", s->name,
			       p ? p->name : "a column");
	if (p && is_given_before(givens, s, p, g->text))
		return WL_OK;
	g->value = sqlite3_value_dup(value);
	givens->n++;
	return g->value ? WL_OK : wl_fail(reterr, WL_E_NOMEM, "%s: no memory", s->name);
}

int wl_sql_givens_take(struct wl_sql_givens *givens, const struct wl_sql_shape *s,
		       const char *columns, int argc, sqlite3_value **argv, struct wl_err *reterr)
{
	int r = WL_OK;

	wl_sql_givens_forget(givens);
	givens->is_contradiction = false;
	for (int i = 0; r == WL_OK && i < argc; i++) {
		struct wl_sql_given g = { .column = -1 };
		char *end, how;

		g.column = (int)strtol(columns, &end, 10);
		how = *end;
		columns = end + 1;
		if (sqlite3_value_type(argv[i]) == SQLITE_NULL)
			continue;
		if (!wl_sql_param_of(s, g.column))
			r = place(&g, s, argv[i], how, reterr);
		if (r == WL_OK && (how == '=' || how == '!'))
			r = take(givens, s, g, argv[i], reterr);
	}
	return r;
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

		if (!p || !wl_sql_is_selector(p) || is_given(givens, s, p))
			continue;
		if (!unfilled)
			unfilled = wl_sql_call_unfilled(call);
		g->is_selection = (unfilled >> ((size_t)g->column - n_tree) & 1) != 0;
		g->is_compared = g->is_compared && !g->is_selection;
		if (g->is_selection)
			*wl_verb_call_place(&call->ask, p->key) = g->text;
	}
}

const char *wl_sql_givens_call(struct wl_sql_givens *givens, const struct wl_sql_shape *s,
			       struct wl_sql_call *call)
{
	const char *trace = NULL;

	*call = (struct wl_sql_call){ .shape = s };
	wl_verb_call_begin(&call->ask, s->document ? NULL : s->analysis, s->document);
	call->ask.is.section = s->document ? s->analysis->name : NULL;
	for (int i = 0; i < givens->n; i++) {
		const struct wl_sql_param *p = wl_sql_param_of(s, givens->at[i].column);

		if (p && p->key)
			*wl_verb_call_place(&call->ask, p->key) = givens->at[i].text;
		else if (p)
			trace = givens->at[i].text;
	}
	wl_verb_call_imply(&call->ask, s->alias);
	add_twins(givens, s, call);
	return trace;
}

int wl_sql_givens_try(struct wl_sql *sql, struct wl_sql_givens *givens,
		      const struct wl_sql_shape *s, const struct wl_sql_given *given,
		      struct wl_err *reterr)
{
	const struct wl_sql_param *twin = wl_sql_twin_of(s, given->column);
	const struct wl_sql_result *result;
	struct wl_sql_call call;

	if (!twin || !wl_sql_is_selector(twin))
		return WL_OK;
	(void)wl_sql_givens_call(givens, s, &call);
	*wl_verb_call_place(&call.ask, twin->key) = given->text;
	return wl_sql_result_get(sql, &call, &result, reterr);
}
