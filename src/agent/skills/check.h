/* SPDX-License-Identifier: MIT */
/* check.h - what can be checked of a skill without a trace. */
#ifndef WL_AGENT_SKILL_CHECK_H
#define WL_AGENT_SKILL_CHECK_H

#include "agent/skills/skill.h"

/*
 * WL_E_USAGE where a call is refused by its verb with the defaults, or a condition names a column
 * that the verb's table does not have. SQL is not looked at: its tables depend on the trace.
 */
int wl_skill_check(const struct wl_skill *skill, struct wl_arena *arena,
		   struct wl_err *reterr) WL_MUST_CHECK;

/* Fail as a reason says, with the place in a file in front. Options are not named there. */
int wl_skill_blame(const char *where, const struct wl_err *why, struct wl_err *reterr);

#endif
