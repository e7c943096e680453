/* SPDX-License-Identifier: MIT */
#include "agent/skills/judge.h"

#include <stdio.h>
#include <string.h>

#include "agent/skills/check.h"
#include "agent/skills/template.h"
#include "known/kernels/labels.h"
#include "render/words/human.h"
#include "table/cols.h"
#include "table/filter.h"

enum { CODE, SEVERITY, FINDING, ACTION, TABLE, ROW, N_COLS };

const struct wl_col wl_skill_finding_cols[] = {
	[CODE] = { "code", "Code", WL_T_STR, WL_KEY, "The skill." },
	[SEVERITY] = { "severity", "Severity", WL_T_ENUM, WL_PLAIN, "As its rule says." },
	[FINDING] = { "finding", "Finding", WL_T_STR, WL_PROSE, "What was found." },
	[ACTION] = { "action", "Action", WL_T_STR, WL_PROSE, "What to do." },
	[TABLE] = { "table", "Table", WL_T_STR, WL_MINOR, "The table that the row is of." },
	[ROW] = { "row", "Row", WL_T_COUNT, WL_MINOR | WL_NUMBER,
		  "Which row of it, counted from 1." },
};
const size_t wl_skill_n_finding_cols = N_COLS;

/* Most bytes of a cell's text in a sentence: kernel names can have thousands. */
enum { MAX_CELL = 120 };

static int no_memory(const struct wl_skill_tables *t, struct wl_err *reterr)
{
	return wl_fail(reterr, WL_E_NOMEM, "%s: no memory for its findings", t->skill->name);
}

/* ---- Conditions ---- */

/* A condition on the rows of a view. */
struct condition {
	struct wl_filter filter;
	const struct wl_view *view;
	const char *where;
};

static int begin(const struct wl_skill_tables *t, size_t step, const char *expression,
		 const char *where, struct condition *ret, struct wl_err *reterr)
{
	const char *expr =
		wl_template_fill(expression, wl_skill_value_named, t->values, true, t->arena);
	struct wl_err why;

	*ret = (struct condition){ .view = t->view[step], .where = where };
	if (!expr)
		return no_memory(t, reterr);
	return wl_filter_init_bare(&ret->filter, ret->view->table, expr, t->arena, &why) < 0
		       ? wl_skill_blame(where, &why, reterr)
		       : WL_OK;
}

/* 1 if the i-th row of the view passes, 0 if not. */
static int passes(const struct condition *c, size_t i, struct wl_err *reterr)
{
	struct wl_err why;
	int r = wl_filter_match(&c->filter, c->view->rows[i], &why);

	return r < 0 ? wl_skill_blame(c->where, &why, reterr) : r;
}

int wl_skill_count_rows(const struct wl_skill_tables *t, size_t step, const char *expression,
			const char *where, size_t *ret, struct wl_err *reterr)
{
	struct condition c;
	int r = begin(t, step, expression, where, &c, reterr);

	*ret = 0;
	for (size_t i = 0; r >= 0 && i < c.view->n_rows; i++) {
		r = passes(&c, i, reterr);
		*ret += r > 0;
	}
	wl_filter_release(&c.filter);
	return r < 0 ? r : WL_OK;
}

/* ---- Findings ---- */

/* Where names in a sentence are looked up. */
struct sentence {
	const struct wl_skill_tables *tables;
	const struct wl_table *table;
	size_t row;
	char buf[WL_UNITS_BUF];
	char cut[MAX_CELL + 8];
	char unknown[WL_SKILL_NAME]; /* an unknown name in the sentence; "" */
};

static const char *cut(struct sentence *s, const char *text)
{
	size_t n = strlen(text);

	if (n <= MAX_CELL)
		return text;
	n = MAX_CELL;
	/* Do not cut inside a character. */
	while (n && ((unsigned char)text[n] & 0xc0) == 0x80)
		n--;
	(void)snprintf(s->cut, sizeof(s->cut), "%.*s...", (int)n, text);
	return s->cut;
}

/* As on screen: kernels are shown by their labels. */
static const char *cell_text(struct sentence *s, const struct wl_col *col, size_t at)
{
	const char *text =
		wl_human_cell(col, wl_table_at(s->table, s->row, at), WL_UNIT_AUTO, s->buf);
	const char *label = text;

	if ((col->flags & WL_KERNEL) && !wl_kernel_labels(&text, 1, s->tables->arena, &label))
		return text;
	return label;
}

static const char *look_up(void *ctx, const char *name, size_t n)
{
	struct sentence *s = ctx;
	size_t at;
	const struct wl_col *col = wl_cols_named(s->table, name, n, &at);

	if (col)
		return cut(s, cell_text(s, col, at));
	if (wl_skill_is_trace(name, n))
		return wl_skill_word_named(s->tables->values, name, n);
	if (wl_skill_param_named(s->tables->skill, name, n) < s->tables->skill->n_params) {
		const char *value = wl_skill_value_named(s->tables->values, name, n);

		return value ? cut(s, value) : "-";
	}
	(void)snprintf(s->unknown, sizeof(s->unknown), "%.*s", (int)(n < 60 ? n : 60), name);
	return NULL;
}

static int put_finding(const struct wl_skill_tables *t, const struct wl_skill_rule *rule,
		       size_t step, size_t i, struct wl_table *out, struct wl_err *reterr)
{
	const struct wl_view *v = t->view[step];
	struct sentence s = { .tables = t, .table = v->table, .row = v->rows[i] };
	const char *finding = wl_template_fill(rule->finding, look_up, &s, false, t->arena);
	const char *action =
		rule->action ? wl_template_fill(rule->action, look_up, &s, false, t->arena) : "";

	if (!finding || !action)
		return no_memory(t, reterr);
	if (s.unknown[0])
		return wl_fail(reterr, WL_E_USAGE,
			       "%.200s: {%s} is neither a column of %s nor a parameter",
			       rule->where, s.unknown, t->skill->steps[step].name);
	wl_table_row(out);
	wl_put_str(out, CODE, t->skill->name);
	wl_put_str(out, SEVERITY, rule->severity);
	wl_put_str(out, FINDING, finding);
	if (*action)
		wl_put_str(out, ACTION, action);
	wl_put_str(out, TABLE, t->skill->steps[step].name);
	wl_put_i64(out, ROW, (int64_t)i + 1);
	return WL_OK;
}

static int judge_one(const struct wl_skill_tables *t, const struct wl_skill_rule *rule,
		     struct wl_table *out, struct wl_err *reterr)
{
	size_t step = rule->in ? wl_skill_step_named(t->skill, rule->in) : 0, n = 0;
	struct condition c;
	int r;

	if (!t->view[step])
		return WL_OK;
	r = begin(t, step, rule->when, rule->where, &c, reterr);
	for (size_t i = 0; r >= 0 && i < c.view->n_rows; i++) {
		r = passes(&c, i, reterr);
		if (r > 0 && n++ < WL_SKILL_RULE_ROWS)
			r = put_finding(t, rule, step, i, out, reterr);
	}
	wl_filter_release(&c.filter);
	if (r >= 0 && n > WL_SKILL_RULE_ROWS) {
		const char *when = wl_template_fill(rule->when, wl_skill_value_named, t->values,
						    false, t->arena);

		wl_table_note(out, "%zu more rows of %s are %s (%s)", n - WL_SKILL_RULE_ROWS,
			      t->skill->steps[step].name, rule->severity, when ? when : rule->when);
	}
	return r < 0 ? r : WL_OK;
}

int wl_skill_judge(const struct wl_skill_tables *t, struct wl_table *out, struct wl_err *reterr)
{
	int r = WL_OK;

	for (size_t s = 0; wl_skill_severities[s]; s++) {
		for (size_t i = 0; r == WL_OK && i < t->skill->n_rules; i++) {
			/* The most severe first, then in the order of the file. */
			if (t->skill->rules[i].severity == wl_skill_severities[s])
				r = judge_one(t, &t->skill->rules[i], out, reterr);
		}
	}
	if (r == WL_OK && out->n_rows == 0)
		wl_table_note(out, "%s: below all thresholds", t->skill->name);
	return r < 0 || wl_table_ok(out) ? r : no_memory(t, reterr);
}

/* ---- Abstentions ---- */

/* Whether the condition holds; unknown for a table without data. */
static int holds(const struct wl_skill_tables *t, const struct wl_skill_abstention *a, bool *ret,
		 struct wl_err *reterr)
{
	size_t step = a->in ? wl_skill_step_named(t->skill, a->in) : 0, n;
	const struct wl_view *v = t->view[step];
	int r;

	*ret = false;
	if (a->condition == WL_SKILL_NO_ROWS) {
		*ret = !v || v->n_rows == 0;
		return WL_OK;
	}
	if (a->condition != WL_SKILL_WHEN || !v)
		return WL_OK;
	r = wl_skill_count_rows(t, step, a->what, a->where, &n, reterr);
	*ret = r == WL_OK && n > 0;
	return r;
}

int wl_skill_abstain(const struct wl_skill_tables *t, const struct wl_skill_abstention *a,
		     struct wl_err *reterr)
{
	const char *reason =
		wl_template_fill(a->reason, wl_skill_word_named, t->values, false, t->arena);

	return wl_fail(reterr, WL_E_NODATA, "%s abstains: %s", t->skill->name,
		       reason ? reason : a->reason);
}

int wl_skill_may_answer(const struct wl_skill_tables *t, struct wl_err *reterr)
{
	for (size_t i = 0; i < t->skill->n_abstentions; i++) {
		const struct wl_skill_abstention *a = &t->skill->abstentions[i];
		bool abstains;
		int r = holds(t, a, &abstains, reterr);

		if (r < 0)
			return r;
		if (abstains)
			return wl_skill_abstain(t, a, reterr);
	}
	return WL_OK;
}
