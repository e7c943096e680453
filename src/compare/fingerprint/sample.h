/* SPDX-License-Identifier: MIT */
/*
 * sample.h - the iterations of a trace that a comparison uses.
 *
 * Iterations of several processes are taken together by their index. An index is in the
 * sample when it is neither the first nor the last of any process, stands out in none
 * (unless more than a quarter do), and lies in the window whole in all. Of more than WL_FP_STEPS
 * that many are kept, at even distances.
 */
#ifndef WL_COMPARE_SAMPLE_H
#define WL_COMPARE_SAMPLE_H

#include "compare/fingerprint/fingerprint.h"

struct wl_sample {
	size_t n_steps;
	size_t n_members;     /* processes that count */
	const uint32_t *lane; /* by member: its lane of the ledger */
	const uint32_t *tile; /* by member * n_steps + step: tile of the lane */
	/* By process of the trace: by iteration the step, WL_NONE for none; NULL: no member. */
	const uint32_t *const *step_of;
	size_t n_left_out, n_thinned;
	bool has_outliers; /* more than a quarter stand out, and none of them is left out */
	bool is_uneven;    /* processes have different numbers of iterations */
};

/* Linear in tiles and iterations. Owned by the arena; false when that is exhausted. */
bool wl_sample_find(const struct wl_trace *trace, const struct wl_iterations *iterations,
		    const struct wl_ledger *ledger, struct wl_arena *arena,
		    struct wl_sample *ret) WL_MUST_CHECK;

static inline const struct wl_tile *wl_sample_tile(const struct wl_sample *s,
						   const struct wl_ledger *ledger, size_t member,
						   size_t step)
{
	return &ledger->lane[s->lane[member]].tile[s->tile[member * s->n_steps + step]];
}

#endif
