/* SPDX-License-Identifier: MIT */
/*
 * skew.h - processes whose operations begin before their launch calls: clocks that disagree.
 *
 * Where most of a process's operations do, the clocks of host and GPU are apart by
 * more than a launch takes, and no host time may be compared with GPU time.
 */
#ifndef WL_DERIVE_SKEW_H
#define WL_DERIVE_SKEW_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "derive/calls/launch.h"
#include "model/trace.h"

/*
 * By process: true if more than half of its operations with a launch begin before
 * it. Needs the columns of the links and the places of operations. NULL when the
 * arena is exhausted. Linear.
 */
const bool *wl_skew_find(const struct wl_trace *trace, const struct wl_links *links,
			 struct wl_arena *arena) WL_MUST_CHECK;

/*
 * How long before their launches those operations of a process begin that do, on average; 0 for
 * none. The clocks are apart by more: a launch takes time. Linear.
 */
wl_ns wl_skew_mean(const struct wl_trace *trace, const struct wl_links *links, uint32_t process);

#endif
