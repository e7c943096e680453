/* SPDX-License-Identifier: MIT */
/* late_kernels.h - how the kernels of stragglers differ from those of the others in slow steps. */
#ifndef WL_DERIVE_LATE_KERNELS_H
#define WL_DERIVE_LATE_KERNELS_H

#include "derive/graph/late/late.h"
#include "derive/graph/late/no_straggler.h"

/* A member and the steps in which it is slow. */
struct wl_late_in {
	uint32_t member;
	const bool *slow; /* by step */
};

struct wl_late_kernels {
	double factor; /* time-weighted median, over names, of the ratios of medians */
	bool is_alike; /* nearly all kernels have this factor, as far as medians can tell */
	double excess; /* excess of all kernels over their counterparts */
	double more;   /* part of it from kernels that others do not have, or with larger grids */
	double base;   /* time of the counterparts */
	struct wl_late_kernel kernel[2]; /* those with the largest excess by median */
	double of_first;                 /* factor of the first kernel */
	uint32_t n_slower;        /* names whose median is longer, as far as medians can tell */
	bool are_slower;          /* nearly all time is in kernels with these names */
	uint64_t n_own, n_others; /* kernels in slow steps; n_others: of the median member among the
				     others */
};

/*
 * Compares the kernels of n members, each with its references. Linear in the kernels of slow steps
 * and their counterparts, which it sorts by name. False when the arena is exhausted.
 */
bool wl_late_kernels_find(const struct wl_late_peers *all, const struct wl_late_in *in, size_t n,
			  struct wl_arena *arena, struct wl_late_kernels *ret) WL_MUST_CHECK;

#endif
