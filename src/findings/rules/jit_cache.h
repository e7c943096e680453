/* SPDX-License-Identifier: MIT */
/* jit_cache.h - what the driver's compiler did, for the rules about loading. */
#ifndef WL_FINDINGS_JIT_CACHE_H
#define WL_FINDINGS_JIT_CACHE_H

#include "findings/rule_state.h"

/* Whether a detail of idle time is a compilation of the driver, as call_costs.h names it. */
bool wl_is_jit(const struct wl_rule_state *d, const char *detail);

/*
 * "; 24 compilations, 12 loads from the cache `/root/.nv/ComputeCache` (64 kB)" of the whole trace;
 * "" for another detail. NULL without memory.
 */
const char *wl_say_jit_cache(struct wl_rule_state *d, const char *detail);

extern const struct wl_advice wl_jit_advice;

#endif
