/* SPDX-License-Identifier: MIT */
/*
 * inner_calls.h - calls of CUDA inside calls of MPI.
 *
 * MPI may register its buffers in the first message. Such a call can be slow in all ranks at
 * once, without one that is late.
 */
#ifndef WL_FINDINGS_INNER_CALLS_H
#define WL_FINDINGS_INNER_CALLS_H

#include "findings/rule_state.h"

struct wl_inner_calls {
	uint32_t name;  /* a string of the trace; WL_NONE: there are none */
	wl_ns sum;      /* in calls of that name, inside calls of MPI */
	wl_ns messages; /* in calls of MPI */
};

/*
 * The calls that allocate or register memory inside calls of MPI, of the process of a GPU in its
 * sample, by the name of the longest. True where they take more than half of the calls of MPI.
 */
bool wl_inner_calls_find(const struct wl_rule_state *d, const struct wl_rule_gpu *gpu,
			 struct wl_inner_calls *ret);

#endif
