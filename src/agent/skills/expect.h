/* SPDX-License-Identifier: MIT */
/* expect.h - holds a skill's expectations against a trace. */
#ifndef WL_AGENT_EXPECT_H
#define WL_AGENT_EXPECT_H

#include "agent/skills/run.h"

/* A row per expectation. */
extern const struct wl_col wl_skill_test_cols[];
extern const size_t wl_skill_n_test_cols;

/*
 * Run the skill once for each expectation and add its row: passed, failed, or skipped where the
 * skill abstains. A skill without expectations is run once with its defaults, if none of its
 * parameters is required. asked has no view. *ret_failed counts.
 */
int wl_skill_test(const struct wl_skill *skill, const struct wl_skill_asked *asked,
		  struct wl_arena *arena, struct wl_table *out, size_t *ret_failed,
		  struct wl_err *reterr) WL_MUST_CHECK;

#endif
