/* SPDX-License-Identifier: MIT */
/* judge.h - applies a skill's thresholds and conditions to its tables. */
#ifndef WL_AGENT_JUDGE_H
#define WL_AGENT_JUDGE_H

#include "agent/skills/values.h"

/* Tables by step; NULL if the trace has no data for it. */
struct wl_skill_tables {
	const struct wl_skill *skill;
	struct wl_skill_values *values;
	const struct wl_view *view[WL_SKILL_STEPS];
	struct wl_arena *arena;
};

enum { WL_SKILL_RULE_ROWS = 5 }; /* most findings of one rule; a note counts the rest */

/* The columns of findings that a skill can fill. */
extern const struct wl_col wl_skill_finding_cols[];
extern const size_t wl_skill_n_finding_cols;

/* Add the findings to a table of these columns. WL_E_USAGE for a condition that does not fit. */
int wl_skill_judge(const struct wl_skill_tables *tables, struct wl_table *out,
		   struct wl_err *reterr) WL_MUST_CHECK;

/* WL_E_NODATA with the reason if the skill abstains given these tables. */
int wl_skill_may_answer(const struct wl_skill_tables *tables, struct wl_err *reterr) WL_MUST_CHECK;

/* Fail with WL_E_NODATA and the reason, in which {name} is a parameter. */
int wl_skill_abstain(const struct wl_skill_tables *tables, const struct wl_skill_abstention *a,
		     struct wl_err *reterr);

/* Count the rows of a step's view that pass an expression with {parameters}. */
int wl_skill_count_rows(const struct wl_skill_tables *tables, size_t step, const char *expression,
			const char *where, size_t *ret, struct wl_err *reterr) WL_MUST_CHECK;

#endif
