/* SPDX-License-Identifier: MIT */
#include "agent/skills/expect.h"

#include <stdio.h>
#include <string.h>

#include "agent/skills/judge.h"

enum { EXPECTATION, RESULT, WHY, ROWS, N_COLS };

const struct wl_col wl_skill_test_cols[] = {
	[EXPECTATION] = { "expectation", "Expectation", WL_T_STR, WL_KEY | WL_PROSE,
			  "As the file has it." },
	[RESULT] = { "result", "Result", WL_T_ENUM, WL_PLAIN, "passed, failed or skipped." },
	[WHY] = { "why", "Why", WL_T_STR, WL_PROSE, "What was seen instead, or why it abstains." },
	[ROWS] = { "rows", "Rows", WL_T_COUNT, WL_PLAIN, "Rows of the first table." },
};
const size_t wl_skill_n_test_cols = N_COLS;

/* One expectation being tested. */
struct testing {
	const struct wl_skill *skill;
	const struct wl_skill_asked *asked;
	const struct wl_skill_expectation *e;
	struct wl_skill_values values;
	struct wl_skill_answer answer;
	struct wl_arena arena; /* of the answer */
	char seen[512];
};

static bool compare(int64_t a, const char *op, int64_t b)
{
	bool equal = strcmp(op, "=") == 0 || strcmp(op, "==") == 0;

	if (equal || strcmp(op, "!=") == 0)
		return equal == (a == b);
	if (op[1] == '=' && a == b)
		return true;
	return op[0] == '<' ? a < b : a > b;
}

static const struct wl_view *first_view(const struct testing *t)
{
	const struct wl_document *d = &t->answer.document;

	return d->n_sections && !d->sections[0].missing ? &d->sections[0].view : NULL;
}

static int count(struct testing *t, size_t *ret, struct wl_err *reterr)
{
	struct wl_skill_tables tables = { .skill = t->skill,
					  .values = &t->values,
					  .view = { first_view(t) },
					  .arena = &t->arena };

	return wl_skill_count_rows(&tables, 0, t->e->expression, t->e->where, ret, reterr);
}

/* Whether the outcome is the expected one. */
static int judge(struct testing *t, bool *ret, struct wl_err *reterr)
{
	const struct wl_view *v = first_view(t);
	size_t n_rows = v ? v->n_rows : 0, n = 0;
	int r = t->e->expression && v ? count(t, &n, reterr) : WL_OK;

	switch (t->e->check) {
	case WL_SKILL_ROWS:
		(void)snprintf(t->seen, sizeof(t->seen), "%zu rows", n_rows);
		*ret = compare((int64_t)n_rows, t->e->op, t->e->number);
		break;
	case WL_SKILL_FINDINGS:
		(void)snprintf(t->seen, sizeof(t->seen), "%zu findings", t->answer.n_findings);
		*ret = compare((int64_t)t->answer.n_findings, t->e->op, t->e->number);
		break;
	case WL_SKILL_EVERY:
	case WL_SKILL_SOME:
	case WL_SKILL_NONE:
		(void)snprintf(t->seen, sizeof(t->seen), "%zu of %zu rows", n, n_rows);
		*ret = t->e->check == WL_SKILL_EVERY  ? n == n_rows
		       : t->e->check == WL_SKILL_SOME ? n > 0
						      : n == 0;
		break;
	case WL_SKILL_ABSTAINS:
		(void)snprintf(t->seen, sizeof(t->seen), "it answers with %zu rows", n_rows);
		*ret = false;
		break;
	}
	return r;
}

static int give_values(struct testing *t, struct wl_err *reterr)
{
	int r = WL_OK;

	wl_skill_values_init(&t->values, t->skill, &t->arena);
	if (t->e->with)
		r = wl_skill_values_list(&t->values, t->e->with, reterr);
	return r < 0 ? r : wl_skill_values_end(&t->values, reterr);
}

static void put(struct wl_table *out, const struct testing *t, const char *result, const char *why,
		size_t n_rows, bool answered)
{
	wl_table_row(out);
	wl_put_str(out, EXPECTATION, t->e->text);
	wl_put_str(out, RESULT, result);
	if (why)
		wl_put_copy(out, WHY, why);
	if (answered)
		wl_put_i64(out, ROWS, (int64_t)n_rows);
}

static int test_one(struct testing *t, struct wl_table *out, size_t *failed, struct wl_err *reterr)
{
	struct wl_err why;
	bool passed = false;
	int r = give_values(t, &why);

	if (r == WL_OK)
		r = wl_skill_run(t->skill, &t->values, t->asked, &t->arena, &t->answer, &why);
	if (r == WL_E_NODATA) {
		bool expected = t->e->check == WL_SKILL_ABSTAINS;

		put(out, t, expected ? "passed" : "skipped", why.msg, 0, false);
		return WL_OK;
	}
	if (r == WL_OK)
		r = judge(t, &passed, &why);
	if (r == WL_E_NOMEM || r == WL_E_CANCELED || r == WL_E_IO)
		return wl_fail(reterr, why.code, "%s", why.msg);
	*failed += !passed;
	put(out, t, passed ? "passed" : "failed",
	    r < 0    ? why.msg
	    : passed ? NULL
		     : t->seen,
	    first_view(t) ? first_view(t)->n_rows : 0, r == WL_OK);
	return WL_OK;
}

static bool needs_values(const struct wl_skill *skill)
{
	for (size_t i = 0; i < skill->n_params; i++) {
		if (skill->params[i].is_required)
			return true;
	}
	return false;
}

int wl_skill_test(const struct wl_skill *skill, const struct wl_skill_asked *asked,
		  struct wl_arena *arena, struct wl_table *out, size_t *ret_failed,
		  struct wl_err *reterr)
{
	const struct wl_skill_expectation runs = { .text = "it runs with its defaults",
						   .check = WL_SKILL_ROWS,
						   .op = ">=",
						   .where = skill->name };
	size_t n = skill->n_expectations;
	int r = WL_OK;

	*ret_failed = 0;
	if (n == 0 && needs_values(skill)) {
		wl_table_note(out,
			      "%s has required parameters and no expectations: only the file was "
			      "checked",
			      skill->name);
		return WL_OK;
	}
	for (size_t i = 0; r == WL_OK && i < (n ? n : 1); i++) {
		struct testing t = { .skill = skill,
				     .asked = asked,
				     .e = n ? &skill->expectations[i] : &runs };

		wl_arena_init_child(&t.arena, arena);
		r = test_one(&t, out, ret_failed, reterr);
		wl_skill_answer_release(&t.answer);
		wl_arena_release(&t.arena);
	}
	return r;
}
