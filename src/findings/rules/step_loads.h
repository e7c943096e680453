/* SPDX-License-Identifier: MIT */
/* step_loads.h - finds the call that loads or compiles code in all slow steps and in no others. */
#ifndef WL_FINDINGS_STEP_LOADS_H
#define WL_FINDINGS_STEP_LOADS_H

#include "findings/rule_state.h"

struct wl_step_loads {
	const char *name;  /* of several, the one with most time; NULL for none */
	bool but_in_first; /* step 0 has such calls, too, as most programs have */
};

/*
 * Find such a call if each of n steps of a GPU's process makes one, and no other step does except
 * the first. Steps must be ascending. False when memory is exhausted.
 */
bool wl_step_loads_find(const struct wl_rule_state *d, size_t gpu, const uint32_t *step, size_t n,
			struct wl_step_loads *ret) WL_MUST_CHECK;

#endif
