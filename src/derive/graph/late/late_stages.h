/* SPDX-License-Identifier: MIT */
/*
 * late_stages.h - pipeline stages that have more work than the others, judged by their own time.
 *
 * Neighbours in a pipeline exchange in pairs and wait for each other by design, so the last to
 * arrive at an exchange need not be slow. Cells of a pipeline (late_suspects.h) are therefore
 * judged not by arrivals but by the member's own time in the step: its kernels, its copies, and its
 * host calls that do not wait, with the gaps before them. The lateness of a cell is the largest
 * excess of these three over the median member of the part (the lower middle one of an even
 * number). All members of the part are compared with each other, whether or not they meet.
 */
#ifndef WL_DERIVE_LATE_STAGES_H
#define WL_DERIVE_LATE_STAGES_H

#include "derive/graph/late/no_straggler.h"
#include "derive/nvtx/meshes.h"

/*
 * Whether two members that exchange in a pair may be different stages, as far as the trace gives
 * their coordinates. An all-to-all of two experts also looks like such a pair.
 */
bool wl_may_be_stages(const struct wl_mesh *a, const struct wl_mesh *b);

/* Whether members of the part exchange in pairs, as stages do. */
bool wl_is_pipeline(const struct wl_matches *matches, const struct wl_late_suspects *suspects,
		    const struct wl_meshes *meshes, uint32_t part);

/*
 * Find the cells of the members of a part; all holds the comparison, and its by.cells the steps.
 * Linear in their activities. The arena owns the result; false when it is exhausted.
 */
bool wl_late_stages_find(const struct wl_late_peers *all, wl_ns run, struct wl_arena *arena,
			 struct wl_late_suspects *ret) WL_MUST_CHECK;

#endif
