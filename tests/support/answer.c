/* SPDX-License-Identifier: MIT */
#include "support/answer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/unit.h"

void answer_within(struct answer *a, const struct question *q, size_t budget)
{
	answer_on(a, q, budget, NULL);
}

/* As a session does: nothing is there that the analysis did not declare. */
static int run(struct answer *a, const struct question *q, struct wl_pool *pool)
{
	const struct wl_analysis *analysis = wl_analysis_get(q->analysis);
	struct wl_wanted wanted = { .from = 0 };
	struct wl_derived derived;

	wl_analysis_want(analysis, a->args.value, &wanted);
	if (!wl_derivations_find(&a->derivations, wanted.from, pool))
		return wl_no_memory(analysis, &a->err);
	derived = wl_derivations_view(&a->derivations, wanted.from, pool);
	if (!wl_scoped_find(&derived, q->scope, wanted.from, &a->arena))
		return wl_no_memory(analysis, &a->err);
	return wl_analysis_run(analysis,
			       &(struct wl_run){ .trace = q->trace,
						 .scope = q->scope,
						 .arg = a->args.value,
						 .derived = &derived,
						 .arena = &a->arena,
						 .pool = pool },
			       &a->table, &a->err);
}

void answer_on(struct answer *a, const struct question *q, size_t budget, struct wl_pool *pool)
{
	const struct wl_analysis *analysis = wl_analysis_get(q->analysis);
	const struct wl_derived_opts opts = { .marker = q->marker };

	a->err = (struct wl_err){ .code = WL_OK };
	wl_arena_init(&a->arena, budget);
	wl_derivations_init(&a->derivations, q->trace, &opts, NULL, wl_arena_budget(&a->arena));
	a->status = wl_args_init(&a->args, analysis, q->args, q->docs, &a->err);
	if (a->status == WL_OK)
		a->status = run(a, q, pool);
	assert_int_equal(a->status, (int)a->err.code);
}

void answer_release(struct answer *a)
{
	wl_args_release(&a->args);
	wl_derivations_release(&a->derivations);
	wl_arena_release(&a->arena);
}

void answer_get(struct answer *a, const struct question *q)
{
	answer_within(a, q, ANSWER_BUDGET);
	if (a->status < 0)
		fail_msg("%s: %s", q->analysis, a->err.msg);
}

void asked_init(struct asked *x, const char *analysis)
{
	memset(x, 0, sizeof(*x));
	mem_init(&x->mem);
	x->q = (struct question){ .analysis = analysis, .scope = &x->scope.scope };
}

void asked_release(struct asked *x)
{
	answer_release(&x->a);
	mem_release(&x->mem);
}

/* Seal the trace, or forget the answer before. */
static void prepare(struct asked *x)
{
	if (x->q.trace) {
		answer_release(&x->a);
		return;
	}
	x->q.trace = mem_seal(&x->mem);
	mem_scope_whole(&x->scope, x->q.trace);
}

void ask(struct asked *x, const char *const *args)
{
	struct question q;

	prepare(x);
	q = x->q;
	q.args = args;
	answer_get(&x->a, &q);
}

void ask_window(struct asked *x, wl_ns begin, wl_ns end)
{
	prepare(x);
	mem_scope_window(&x->scope, x->q.trace, begin, end);
	answer_get(&x->a, &x->q);
}

const char *ask_in_vain(struct asked *x)
{
	prepare(x);
	answer_within(&x->a, &x->q, ANSWER_BUDGET);
	assert_int_equal(x->a.status, WL_E_NODATA);
	return x->a.err.msg;
}

static struct wl_cell cell(const struct answer *a, size_t row, const char *column)
{
	size_t index = 0;

	assert_in_range(row + 1, 1, a->table.n_rows);
	if (!wl_table_find_col(&a->table, column, &index))
		fail_msg("no column %s", column);
	return wl_table_at(&a->table, row, index);
}

bool answer_is_set(const struct answer *a, size_t row, const char *column)
{
	return cell(a, row, column).set;
}

int64_t answer_i64(const struct answer *a, size_t row, const char *column)
{
	assert_true(answer_is_set(a, row, column));
	return cell(a, row, column).i64;
}

double answer_f64(const struct answer *a, size_t row, const char *column)
{
	assert_true(answer_is_set(a, row, column));
	return cell(a, row, column).f64;
}

const char *answer_str(const struct answer *a, size_t row, const char *column)
{
	assert_true(answer_is_set(a, row, column));
	return cell(a, row, column).str;
}

void expect_i64(const struct answer *a, size_t row, const char *column, int64_t want)
{
	int64_t got = answer_i64(a, row, column);

	if (got != want)
		fail_msg("%s of row %zu is %lld, not %lld", column, row, (long long)got,
			 (long long)want);
}

static void expect_cell(const struct answer *a, size_t row, const char *column, const char *want)
{
	size_t index = 0;
	enum wl_type type;

	if (!wl_table_find_col(&a->table, column, &index))
		fail_msg("no column %s", column);
	type = a->table.cols[index].type;
	if (type != WL_T_STR && type != WL_T_ENUM) {
		char *end;
		int64_t number = strtoll(want, &end, 10);

		assert_true(end > want && *end == '\0');
		expect_i64(a, row, column, number);
	} else if (strcmp(answer_str(a, row, column), want) != 0) {
		fail_msg("%s of row %zu is \"%s\", not \"%s\"", column, row,
			 answer_str(a, row, column), want);
	}
}

void expect_cells(const struct answer *a, size_t row, const char *wanted)
{
	char text[2000], *rest = text;

	assert_true((size_t)snprintf(text, sizeof(text), "%s", wanted) < sizeof(text));
	for (char *part = text; part; part = rest) {
		char *equals = strchr(part, '=');

		rest = strstr(part, "; ");
		if (rest) {
			*rest = '\0';
			rest += 2;
		}
		assert_non_null(equals);
		*equals = '\0';
		expect_cell(a, row, part, equals + 1);
	}
}

bool answer_has_note(const struct answer *a, const char *words)
{
	for (const struct wl_note *n = a->table.notes; n; n = n->next) {
		if (strstr(n->text, words))
			return true;
	}
	return false;
}

static bool same_cell(const struct wl_col *col, struct wl_cell a, struct wl_cell b)
{
	if (!a.set || !b.set)
		return a.set == b.set;
	return wl_type_is_text(col->type) ? strcmp(a.str, b.str) == 0 : a.i64 == b.i64;
}

bool answer_equals(const struct answer *a, const struct answer *b)
{
	const struct wl_table *x = &a->table, *y = &b->table;
	const struct wl_note *n = x->notes, *o = y->notes;

	if (x->cols != y->cols || x->n_rows != y->n_rows || x->hidden != y->hidden ||
	    x->is_tree != y->is_tree || x->n_notes != y->n_notes || x->n_coverage != y->n_coverage)
		return false;
	for (size_t i = 0; i < x->n_rows; i++) {
		if (wl_table_parent(x, i) != wl_table_parent(y, i))
			return false;
		for (size_t c = 0; c < x->n_cols; c++) {
			if (!same_cell(&x->cols[c], wl_table_at(x, i, c), wl_table_at(y, i, c)))
				return false;
		}
	}
	for (; n && o; n = n->next, o = o->next) {
		if (strcmp(n->text, o->text) != 0)
			return false;
	}
	for (size_t i = 0; i < x->n_coverage; i++) {
		if (strcmp(x->coverage[i].name, y->coverage[i].name) != 0 ||
		    x->coverage[i].have != y->coverage[i].have ||
		    x->coverage[i].of != y->coverage[i].of)
			return false;
	}
	return !n && !o;
}
