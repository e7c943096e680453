/* SPDX-License-Identifier: MIT */
/* check.h - checks a skill as far as possible without a trace. */
#ifndef WL_AGENT_SKILL_CHECK_H
#define WL_AGENT_SKILL_CHECK_H

#include "agent/skills/skill.h"

/*
 * WL_E_USAGE if a verb refuses a call with the default parameters, or a condition names a column
 * that the verb's table does not have. SQL is not checked: its tables depend on the trace.
 */
int wl_skill_check(const struct wl_skill *skill, struct wl_arena *arena,
		   struct wl_err *reterr) WL_MUST_CHECK;

/* Fail with the error why, prefixed with the place in a file and without option names. */
int wl_skill_blame(const char *where, const struct wl_err *why, struct wl_err *reterr);

#endif
