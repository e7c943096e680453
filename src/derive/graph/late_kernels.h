/* SPDX-License-Identifier: MIT */
/* late_kernels.h - how a straggler's kernels differ from those of the others. */
#ifndef WL_DERIVE_LATE_KERNELS_H
#define WL_DERIVE_LATE_KERNELS_H

#include "derive/graph/late.h"
#include "derive/graph/positions.h"

/*
 * Sets reason, factor, kernel, n_own and n_others of the straggler, as if kernels were why it is
 * late. What it has more, in launches or in larger grids, is more work if that is at least
 * half of what its kernels take longer. Else it is the GPU if one factor explains at least 80 %
 * of it: the time-weighted median of its kernels' lengths beside the others'. Linear in
 * kernels. False when the scratch arena is exhausted.
 */
bool wl_late_kernels_find(const struct wl_compared_by *by, const struct wl_positions *positions,
			  struct wl_arena *scratch, struct wl_straggler *straggler) WL_MUST_CHECK;

#endif
