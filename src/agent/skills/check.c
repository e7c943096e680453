/* SPDX-License-Identifier: MIT */
#include "agent/skills/check.h"

#include "agent/skills/request.h"
#include "agent/skills/template.h"
#include "analysis/args.h"
#include "table/cols.h"
#include "table/filter.h"

struct checking {
	const struct wl_skill *skill;
	struct wl_skill_values values;
	struct wl_arena *arena;
};

int wl_skill_blame(const char *where, const struct wl_err *why, struct wl_err *reterr)
{
	return wl_fail(reterr, why->code, "%.200s: %.280s", where, why->msg);
}

static int check_step(struct checking *c, const struct wl_skill_step *step, struct wl_err *reterr)
{
	struct wl_verb_call request = { .args = { NULL } };
	struct wl_err why;
	int r;

	if (step->sql)
		return WL_OK;
	r = wl_skill_request_make(step, &c->values, false, &request, &why);
	if (r == WL_OK)
		r = wl_request_check(&request.is, &why);
	return r < 0 ? wl_skill_blame(step->where, &why, reterr) : WL_OK;
}

/* Make an empty table with the columns that the step fills; false if they are not known. */
static bool make_table(struct checking *c, const struct wl_skill_step *step, struct wl_table *ret)
{
	struct wl_verb_call request = { .args = { NULL } };
	struct wl_args args;
	struct wl_err err;
	bool ok;

	if (step->sql || wl_skill_request_make(step, &c->values, false, &request, &err) < 0 ||
	    !request.is.analysis)
		return false;
	ok = wl_args_init(&args, request.is.analysis, request.args, NULL, &err) == WL_OK;
	if (ok)
		wl_analysis_table(request.is.analysis, args.value, c->arena, ret);
	wl_args_release(&args);
	return ok;
}

static int check_condition(struct checking *c, const char *in, const char *when, const char *where,
			   struct wl_err *reterr)
{
	size_t i = in ? wl_skill_step_named(c->skill, in) : 0;
	struct wl_filter filter = { .root = NULL };
	struct wl_table table;
	struct wl_err why;
	const char *expr;
	int r;

	if (i >= c->skill->n_steps || !make_table(c, &c->skill->steps[i], &table))
		return WL_OK;
	expr = wl_template_fill(when, wl_skill_value_named, &c->values, true, c->arena);
	if (!expr)
		return wl_fail(reterr, WL_E_NOMEM, "%.200s: no memory for the skill", where);
	r = wl_filter_init_bare(&filter, &table, expr, c->arena, &why);
	wl_filter_release(&filter);
	return r < 0 ? wl_skill_blame(where, &why, reterr) : WL_OK;
}

/* Names in a sentence must be columns or parameters. */
static int check_sentence(struct checking *c, const struct wl_skill_rule *rule, const char *text,
			  struct wl_err *reterr)
{
	size_t i = rule->in ? wl_skill_step_named(c->skill, rule->in) : 0, n, col;
	struct wl_table table;

	if (!text || i >= c->skill->n_steps || !make_table(c, &c->skill->steps[i], &table))
		return WL_OK;
	for (const char *at = text; (at = wl_template_next(at, &n)); at += n) {
		if (!wl_skill_is_trace(at + 1, n) && !wl_cols_named(&table, at + 1, n, &col) &&
		    wl_skill_param_named(c->skill, at + 1, n) == c->skill->n_params)
			return wl_fail(reterr, WL_E_USAGE,
				       "%.200s: {%.*s} is neither a column of %s nor a parameter",
				       rule->where, (int)(n < 60 ? n : 60), at + 1,
				       c->skill->steps[i].name);
	}
	return WL_OK;
}

static int check_rule(struct checking *c, const struct wl_skill_rule *rule, struct wl_err *reterr)
{
	int r = check_condition(c, rule->in, rule->when, rule->where, reterr);

	if (r == WL_OK)
		r = check_sentence(c, rule, rule->finding, reterr);
	return r < 0 ? r : check_sentence(c, rule, rule->action, reterr);
}

static int check_conditions(struct checking *c, struct wl_err *reterr)
{
	const struct wl_skill *s = c->skill;
	int r = WL_OK;

	for (size_t i = 0; r == WL_OK && i < s->n_rules; i++)
		r = check_rule(c, &s->rules[i], reterr);
	for (size_t i = 0; r == WL_OK && i < s->n_abstentions; i++) {
		const struct wl_skill_abstention *a = &s->abstentions[i];

		if (a->condition == WL_SKILL_WHEN)
			r = check_condition(c, a->in, a->what, a->where, reterr);
	}
	for (size_t i = 0; r == WL_OK && i < s->n_expectations; i++) {
		const struct wl_skill_expectation *e = &s->expectations[i];

		if (e->expression)
			r = check_condition(c, NULL, e->expression, e->where, reterr);
	}
	return r;
}

/* The parameters that an expectation sets must fit, too. */
static int check_withs(struct checking *c, struct wl_err *reterr)
{
	const struct wl_skill *s = c->skill;

	for (size_t i = 0; i < s->n_expectations; i++) {
		const struct wl_skill_expectation *e = &s->expectations[i];
		struct wl_skill_values values;
		struct wl_err why;
		int r = WL_OK;

		wl_skill_values_init(&values, s, c->arena);
		if (e->with)
			r = wl_skill_values_list(&values, e->with, &why);
		if (r == WL_OK)
			r = wl_skill_values_end(&values, &why);
		if (r < 0)
			return wl_skill_blame(e->where, &why, reterr);
	}
	return WL_OK;
}

int wl_skill_check(const struct wl_skill *skill, struct wl_arena *arena, struct wl_err *reterr)
{
	struct checking c = { .skill = skill, .arena = arena };
	int r;

	wl_skill_values_init(&c.values, skill, arena);
	wl_skill_values_sample(&c.values);
	r = wl_skill_values_end(&c.values, reterr);
	for (size_t i = 0; r == WL_OK && i < skill->n_steps; i++)
		r = check_step(&c, &skill->steps[i], reterr);
	if (r == WL_OK)
		r = check_conditions(&c, reterr);
	return r < 0 ? r : check_withs(&c, reterr);
}
