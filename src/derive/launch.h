/*
 * launch.h - which API call launched a GPU operation.
 *
 * Correlation ids are unique per process only, so operations and calls are
 * joined on (process, id). Several operations may share one call (a CUDA graph);
 * an operation may have none. Of several calls with one id the one whose name
 * launches or copies counts, then the longest, then the first.
 */
#ifndef WL_DERIVE_LAUNCH_H
#define WL_DERIVE_LAUNCH_H

#include "base/arena.h"
#include "base/attr.h"
#include "model/trace.h"

/* The API calls that can be joined, one per (process, id), in that order. */
struct wl_launches {
	const uint32_t *api; /* rows of the api family */
	size_t n;
};

/*
 * Needs api start, dur, thread, corr and name. Costs a sort of the calls, which
 * are nearly in order. False when the arena is exhausted.
 */
bool wl_launches_find(const struct wl_trace *trace, struct wl_arena *arena,
		      struct wl_launches *ret) WL_MUST_CHECK;

/*
 * For each row of an operation family its API row, or WL_NONE. Needs place and
 * corr. The array is owned by the arena; NULL when that is exhausted. Costs a
 * sort of the operations and a merge.
 */
const uint32_t *wl_launch_links(const struct wl_trace *trace, const struct wl_launches *launches,
				enum wl_family_id family, struct wl_arena *arena) WL_MUST_CHECK;

#endif
