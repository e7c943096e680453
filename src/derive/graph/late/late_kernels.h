/* SPDX-License-Identifier: MIT */
/* late_kernels.h - how kernels of stragglers differ from those of the others, in slow steps. */
#ifndef WL_DERIVE_LATE_KERNELS_H
#define WL_DERIVE_LATE_KERNELS_H

#include "derive/graph/late/late.h"
#include "derive/graph/late/no_straggler.h"

/* A member in the steps in which it is slow. */
struct wl_late_in {
	uint32_t member;
	const bool *slow; /* by step */
};

struct wl_late_kernels {
	double factor; /* of medians by name: the time-weighted median over names */
	bool is_alike; /* as far as medians can tell, nearly all kernels have that factor */
	double excess; /* of all kernels, over their counterparts */
	double more;   /* of that: of kernels that others do not have, or with larger grids */
	double base;   /* time of the counterparts */
	struct wl_late_kernel kernel[2]; /* of most excess by median */
	double of_first;                 /* factor of the first one */
	uint32_t n_slower;        /* names whose median is longer, as far as medians can tell */
	bool are_slower;          /* nearly all time is in kernels of these */
	uint64_t n_own, n_others; /* kernels there; of the others the median member */
};

/*
 * Of n members, each compared with its references. Linear in kernels of slow steps and their
 * counterparts, which it sorts by name. False when the arena is exhausted.
 */
bool wl_late_kernels_find(const struct wl_late_peers *all, const struct wl_late_in *in, size_t n,
			  struct wl_arena *arena, struct wl_late_kernels *ret) WL_MUST_CHECK;

#endif
