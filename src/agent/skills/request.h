/* SPDX-License-Identifier: MIT */
/* request.h - the request that a step of a skill makes to a session. */
#ifndef WL_AGENT_SKILL_REQUEST_H
#define WL_AGENT_SKILL_REQUEST_H

#include "agent/skills/calls.h"
#include "agent/skills/values.h"

/*
 * Fill in what the step says; what *ret selects already stays where it says nothing. Options whose
 * parameters are absent are left out. WL_E_USAGE where the step selects that, too.
 */
int wl_skill_request_make(const struct wl_skill_step *step, struct wl_skill_values *values,
			  bool for_people, struct wl_verb_call *ret,
			  struct wl_err *reterr) WL_MUST_CHECK;

#endif
