/* SPDX-License-Identifier: MIT */
/* request.h - makes the request of a skill's step to a session. */
#ifndef WL_AGENT_SKILL_REQUEST_H
#define WL_AGENT_SKILL_REQUEST_H

#include "agent/skills/calls.h"
#include "agent/skills/values.h"

/*
 * Fill in the step's options. *ret keeps what it already selects, unless the step selects the same:
 * then WL_E_USAGE. Options whose parameters are absent are left out.
 */
int wl_skill_request_make(const struct wl_skill_step *step, struct wl_skill_values *values,
			  bool for_people, struct wl_verb_call *ret,
			  struct wl_err *reterr) WL_MUST_CHECK;

#endif
