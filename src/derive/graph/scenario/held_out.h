/* SPDX-License-Identifier: MIT */
/*
 * held_out.h - how well replays predict: steps replayed with the lengths of other steps.
 *
 * Step k is replayed with the lengths, transfers and host gaps of step j, while everything
 * before it keeps its measured times; what it takes then is compared with what step j took.
 * Steps are those with the commonest sequence of operations, without the first, the last and
 * those that stand out; at most 25, evenly spaced, in all ordered pairs. The naive error is
 * that of taking what step k took for what step j took.
 */
#ifndef WL_DERIVE_HELD_OUT_H
#define WL_DERIVE_HELD_OUT_H

#include "derive/graph/scenario/scenario.h"

enum wl_held_out_verdict {
	WL_HELD_OUT_GOOD,
	WL_HELD_OUT_FEW,     /* fewer than 3 steps can be compared: not validated */
	WL_HELD_OUT_UNSHOWN, /* no better than the naive error, and that is above 0.2%: the same */
	WL_HELD_OUT_POOR,    /* p50 above 2%: a warning */
	WL_HELD_OUT_BAD,     /* p50 above 5%: no answer */
};

struct wl_held_out {
	size_t n_steps, n_pairs;
	double p50, p90;             /* relative errors */
	double naive_p50, naive_p90; /* the same of the naive ones */
	enum wl_held_out_verdict verdict;
};

/*
 * At most 600 replays of one step. w is of the whole trace, and is left without changes.
 * False when the arena is exhausted.
 */
bool wl_held_out_find(struct wl_whatif *w, struct wl_arena *arena,
		      struct wl_held_out *ret) WL_MUST_CHECK;

/* How far the replays of a trace can be trusted: the three numbers that every answer prints. */
struct wl_fidelity {
	size_t n_moved, n_activities; /* by a replay without changes: 0 is right */
	struct wl_held_out held_out;
	double rigid; /* share of the critical path: above 25% savings are lower bounds */
	enum wl_refusal refused; /* why replays have no answer at all; 0: they have */
};

/*
 * w is of the whole trace, and is left without changes. Where late ranks were judged already
 * (late_verdict.h), what was found then. False when the arena is exhausted.
 */
bool wl_fidelity_find(struct wl_whatif *w, struct wl_arena *arena,
		      struct wl_fidelity *ret) WL_MUST_CHECK;

/* Savings are at least what a replay gives: too much of the path keeps its time. */
static inline bool wl_fidelity_is_low(const struct wl_fidelity *f)
{
	return f->rigid > 0.25;
}

/* The error of a time that a replay gives: p90 of the held-out errors; -1 where none is known. */
double wl_fidelity_error(const struct wl_fidelity *fidelity);

/* How far to trust a saving of a result, and its error in time; -1 of bounds, and where none is
 * known. */
struct wl_forecasted {
	enum wl_forecast forecast;
	wl_ns error;
};

/* A lower bound whose error is as large as itself counts as a prediction. */
struct wl_forecasted wl_fidelity_forecast(const struct wl_fidelity *fidelity,
					  const struct wl_whatif_result *result, wl_ns saving);

#endif
