/* SPDX-License-Identifier: MIT */
/*
 * late_stages.h - the stages of a pipeline that have more to do than the others: by their own time.
 *
 * Neighbours of a pipeline exchange in pairs and wait for each other by design: who arrives last at
 * an exchange need not be slow. So cells of a pipeline (late_suspects.h) are not judged by arrivals
 * but by the own time of the member in the step: of its kernels, of its copies, and of its host
 * calls that do not wait with the gaps before them. What the largest excess of these over the
 * median member of the part is, of an even number the lower of the two in the middle, is the
 * lateness of the cell. All members of the part are compared with each other, whether or not they
 * meet.
 */
#ifndef WL_DERIVE_LATE_STAGES_H
#define WL_DERIVE_LATE_STAGES_H

#include "derive/graph/late/no_straggler.h"
#include "derive/nvtx/meshes.h"

/*
 * Whether two that exchange in a pair are not of one stage, as far as the trace says their
 * coordinates: an all-to-all of two experts is such a pair, too.
 */
bool wl_may_be_stages(const struct wl_mesh *a, const struct wl_mesh *b);

/* Whether members of the part exchange in pairs, as stages do. */
bool wl_is_pipeline(const struct wl_matches *matches, const struct wl_late_suspects *suspects,
		    const struct wl_meshes *meshes, uint32_t part);

/*
 * The cells of the members of a part; all is how they were compared, and by.cells what is known of
 * steps. Linear in their activities. Owned by the arena; false when that is exhausted.
 */
bool wl_late_stages_find(const struct wl_late_peers *all, wl_ns run, struct wl_arena *arena,
			 struct wl_late_suspects *ret) WL_MUST_CHECK;

#endif
