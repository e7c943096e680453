/* SPDX-License-Identifier: MIT */
/* jit_cache.h - the work of the driver's JIT compiler, for the rules on loading. */
#ifndef WL_FINDINGS_JIT_CACHE_H
#define WL_FINDINGS_JIT_CACHE_H

#include "findings/rule_state.h"

/* Whether a detail of idle time is a compilation by the driver, as named in call_costs.h. */
bool wl_is_jit(const struct wl_rule_state *d, const char *detail);

/*
 * "; 24 compilations, 12 loads from the cache `/root/.nv/ComputeCache` (64 kB)" for the whole
 * trace; "" for other details. NULL without memory.
 */
const char *wl_say_jit_cache(struct wl_rule_state *d, const char *detail);

extern const struct wl_advice wl_jit_advice;

#endif
