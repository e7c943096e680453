/* SPDX-License-Identifier: MIT */
/*
 * A plan is a text, a letter and the number of a column for each value: p of a parameter, > and <
 * for bounds of the start, = of a column that is looked up, and those of wl_sql_comparison() for a
 * value that is only looked at.
 */
#include "sql/rows/row_plan.h"

#include <stdlib.h>

#include "sql/guard/mismatch.h"

/* Rows of a table that nothing narrows, to compare plans by. */
enum { ALL_ROWS = 100000 };

static bool is_equal(const struct sqlite3_index_constraint *c)
{
	return c->op == SQLITE_INDEX_CONSTRAINT_EQ;
}

static bool is_from(const struct sqlite3_index_constraint *c)
{
	return c->op == SQLITE_INDEX_CONSTRAINT_GE || c->op == SQLITE_INDEX_CONSTRAINT_GT;
}

static bool is_to(const struct sqlite3_index_constraint *c)
{
	return c->op == SQLITE_INDEX_CONSTRAINT_LE || c->op == SQLITE_INDEX_CONSTRAINT_LT;
}

/* The letter by which a constraint can be taken; 0 for none. */
static char letter_of(const struct wl_row_source *s, const struct sqlite3_index_constraint *c)
{
	int n_cols = (int)s->rows.n_cols;

	if (c->iColumn >= n_cols)
		return wl_sql_is_given(c->op) ? 'p' : 0;
	if (c->iColumn < 0 || wl_type_is_text(s->rows.cols[c->iColumn].type))
		return 0;
	if (is_equal(c))
		return s->lookup && s->lookup[c->iColumn].get ? '=' : '?';
	if (c->iColumn == s->start_col && (is_from(c) || is_to(c)))
		return is_from(c) ? '>' : '<';
	return wl_sql_comparison(c->op);
}

/* What is known of a plan before it is written. */
struct sketch {
	uint64_t sought;         /* columns that can be looked up */
	sqlite3_int64 n_sought;  /* rows that a look-up gives */
	sqlite3_int64 n_bounded; /* rows within the bounds */
	bool has_from, has_to;
	bool must_wait; /* a parameter is not known yet, and rows cannot be asked for it later */
};

static struct sketch draw(const struct wl_row_source *s, const sqlite3_index_info *info)
{
	struct sketch k = { .n_sought = ALL_ROWS, .n_bounded = ALL_ROWS };

	for (int i = 0; i < info->nConstraint; i++) {
		const struct sqlite3_index_constraint *c = &info->aConstraint[i];
		char letter = letter_of(s, c);
		uint64_t bit = letter == '=' ? UINT64_C(1) << c->iColumn : 0;

		if (!c->usable) {
			k.must_wait =
				k.must_wait ||
				(letter == 'p' && c->iColumn - (int)s->rows.n_cols != WL_ROW_TRACE);
			continue;
		}
		k.has_from = k.has_from || letter == '>';
		k.has_to = k.has_to || letter == '<';
		if (bit & ~k.sought) {
			sqlite3_int64 n = s->lookup[c->iColumn].n_alike;

			/* Each further column leaves a quarter. */
			k.n_sought = ((k.n_sought < n ? k.n_sought : n) + 3) / (k.sought ? 4 : 1);
			k.sought |= bit;
		}
	}
	k.n_bounded /= k.has_from ? 10 : 1;
	k.n_bounded /= k.has_to ? 10 : 1;
	return k;
}

int wl_row_plan_make(const struct wl_row_source *s, sqlite3_index_info *info)
{
	const struct sketch k = draw(s, info);
	bool is_lookup = k.sought && k.n_sought <= k.n_bounded;
	sqlite3_str *plan;
	int n = 0;

	if (k.must_wait)
		return SQLITE_CONSTRAINT;
	plan = sqlite3_str_new(NULL);
	for (int i = 0; i < info->nConstraint; i++) {
		const struct sqlite3_index_constraint *c = &info->aConstraint[i];
		char letter = '\0';

		if (c->usable)
			letter = letter_of(s, c);

		if (!letter)
			continue;
		/* Rows come by one of the two; SQLite compares the others. */
		if (is_lookup ? letter == '>' || letter == '<' : letter == '=')
			letter = '?';
		info->aConstraintUsage[i].argvIndex = ++n;
		/* Bounds and look-ups are rough: SQLite compares once more. */
		info->aConstraintUsage[i].omit = letter == 'p';
		sqlite3_str_appendf(plan, "%c%d", letter, c->iColumn);
	}
	info->idxStr = sqlite3_str_finish(plan);
	info->needToFreeIdxStr = 1;
	info->estimatedRows = is_lookup ? k.n_sought : k.n_bounded;
	info->estimatedCost = (double)info->estimatedRows + (is_lookup ? 2 : 0);
	return n == 0 || info->idxStr ? SQLITE_OK : SQLITE_NOMEM;
}

/* ---- Reading one ---- */

static wl_ns bound(sqlite3_value *value, wl_ns unknown)
{
	return sqlite3_value_type(value) == SQLITE_INTEGER ? sqlite3_value_int64(value) : unknown;
}

/* A number that is no integer, and NULL, are in no row. */
static void seek_value(struct wl_row_sought *s, int column, sqlite3_value *value)
{
	int type = sqlite3_value_numeric_type(value);
	double real = type == SQLITE_FLOAT ? sqlite3_value_double(value) : 0;
	int64_t number = 0;

	if (type == SQLITE_INTEGER)
		number = sqlite3_value_int64(value);
	else if (type == SQLITE_FLOAT && real >= -9223372036854775808.0 &&
		 real < 9223372036854775808.0 && (double)(int64_t)real == real)
		number = (int64_t)real;
	else
		s->is_none = true;
	if (s->columns >> column & 1 && s->value[column] != number)
		s->is_none = true;
	s->columns |= UINT64_C(1) << column;
	s->value[column] = number;
}

int wl_row_plan_read(const struct wl_row_source *source, const char *plan, sqlite3_value **arg,
		     struct wl_row_asked *ret, struct wl_err *reterr)
{
	ret->from = -WL_TIME_MAX;
	ret->to = WL_TIME_MAX;
	ret->sought.columns = 0;
	ret->sought.is_none = false;
	for (size_t i = 0; i < WL_SQL_N_ROW_PARAMS; i++)
		ret->given[i] = NULL;
	while (plan && *plan) {
		char letter = *plan, *end;
		int column = (int)strtol(plan + 1, &end, 10);
		sqlite3_value *value = *arg++;

		plan = end;
		if (letter == 'p') {
			ret->given[column - (int)source->rows.n_cols] = value;
			continue;
		}
		/* The caller names the table. */
		if (wl_sql_is_mismatch(&source->rows.cols[column], letter, value))
			return wl_sql_refuse_mismatch(NULL, &source->rows.cols[column], value,
						      reterr);
		if (letter == '>' && bound(value, ret->from) > ret->from)
			ret->from = bound(value, ret->from);
		else if (letter == '<' && bound(value, ret->to) < ret->to)
			ret->to = bound(value, ret->to);
		else if (letter == '=')
			seek_value(&ret->sought, column, value);
	}
	return WL_OK;
}
