/* SPDX-License-Identifier: MIT */
/* launching.h - how long a thread is in calls that launch what a GPU does. */
#ifndef WL_FINDINGS_LAUNCHING_H
#define WL_FINDINGS_LAUNCHING_H

#include "findings/rule_state.h"

/*
 * In the sample: of the thread that is in such calls for longest. Calls that wait for the GPU do
 * not count. The rule declares LINKS and BLOCKING. False without memory.
 */
bool wl_launching_find(const struct wl_rule_state *d, const struct wl_rule_gpu *gpu,
		       wl_ns *ret) WL_MUST_CHECK;

#endif
