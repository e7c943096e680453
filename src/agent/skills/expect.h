/* SPDX-License-Identifier: MIT */
/* expect.h - tests a skill's expectations on a trace. */
#ifndef WL_AGENT_EXPECT_H
#define WL_AGENT_EXPECT_H

#include "agent/skills/run.h"

/* Columns of the result, which has a row per expectation. */
extern const struct wl_col wl_skill_test_cols[];
extern const size_t wl_skill_n_test_cols;

/*
 * Run the skill once for each expectation and add its row: passed, failed, or skipped if the skill
 * abstains. A skill without expectations runs once with its defaults, unless a parameter is
 * required. asked has no view. *ret_failed counts failures.
 */
int wl_skill_test(const struct wl_skill *skill, const struct wl_skill_asked *asked,
		  struct wl_arena *arena, struct wl_table *out, size_t *ret_failed,
		  struct wl_err *reterr) WL_MUST_CHECK;

#endif
