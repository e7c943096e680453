/* SPDX-License-Identifier: MIT */
/* launching.h - the time that a thread spends in calls that launch GPU work. */
#ifndef WL_FINDINGS_LAUNCHING_H
#define WL_FINDINGS_LAUNCHING_H

#include "findings/rule_state.h"

/*
 * The time in the sample, for the thread that spends most in such calls. Calls that wait for the
 * GPU do not count. The rule must declare LINKS and BLOCKING. False without memory.
 */
bool wl_launching_find(const struct wl_rule_state *d, const struct wl_rule_gpu *gpu,
		       wl_ns *ret) WL_MUST_CHECK;

#endif
