/* SPDX-License-Identifier: MIT */
/*
 * inner_calls.h - CUDA calls inside MPI calls.
 *
 * MPI may register its buffers in the first message. Such a call can be slow in all ranks at once,
 * without a late rank.
 */
#ifndef WL_FINDINGS_INNER_CALLS_H
#define WL_FINDINGS_INNER_CALLS_H

#include "findings/rule_state.h"

struct wl_inner_calls {
	uint32_t name;  /* a string of the trace; WL_NONE if there are none */
	wl_ns sum;      /* in calls with that name, inside MPI calls */
	wl_ns messages; /* in MPI calls */
};

/*
 * Find the calls with the name of the longest one that allocates or registers memory inside MPI
 * calls, in a GPU's process and sample. True if they take more than half of the time in MPI calls.
 */
bool wl_inner_calls_find(const struct wl_rule_state *d, const struct wl_rule_gpu *gpu,
			 struct wl_inner_calls *ret);

#endif
