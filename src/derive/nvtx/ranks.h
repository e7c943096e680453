/* SPDX-License-Identifier: MIT */
/*
 * ranks.h - the rank of each process: from the convention's patterns if one matches, else as the
 * trace records it.
 */
#ifndef WL_DERIVE_RANKS_H
#define WL_DERIVE_RANKS_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "derive/nvtx/range_names.h"
#include "model/trace.h"

struct wl_derived;

struct wl_ranks {
	const int64_t *of; /* by process; -1 if unknown */
};

/*
 * The first range of a process that matches a pattern counts; of several at once, the lowest rank.
 * Without NVTX, patterns find nothing. False when the arena is exhausted.
 */
bool wl_ranks_find(const struct wl_derived *derived, struct wl_arena *arena,
		   struct wl_ranks *ret) WL_MUST_CHECK;

/* Whether the rank of any process is known. */
bool wl_ranks_any(const struct wl_ranks *ranks, const struct wl_trace *trace);

#endif
