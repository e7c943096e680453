/* SPDX-License-Identifier: MIT */
/*
 * held_out.h - how well replays predict: steps replayed with the lengths of other steps.
 *
 * Step k is replayed with the lengths, transfers and host gaps of step j, while everything before
 * it keeps its measured times; the resulting time is compared with the time of step j. Only steps
 * with the most common sequence of operations are used, without the first, the last and outliers:
 * at most 25, evenly spaced, in all ordered pairs. The naive error is the error of predicting step
 * j by the time of step k.
 */
#ifndef WL_DERIVE_HELD_OUT_H
#define WL_DERIVE_HELD_OUT_H

#include "derive/graph/scenario/scenario.h"

enum wl_held_out_verdict {
	WL_HELD_OUT_GOOD,
	WL_HELD_OUT_FEW,     /* fewer than 3 comparable steps: not validated */
	WL_HELD_OUT_UNSHOWN, /* no better than a naive error above 0.2%: not validated */
	WL_HELD_OUT_POOR,    /* p50 above 2%: a warning */
	WL_HELD_OUT_BAD,     /* p50 above 5%: no answer */
};

struct wl_held_out {
	size_t n_steps, n_pairs;
	double p50, p90;             /* relative errors */
	double naive_p50, naive_p90; /* percentiles of the naive errors */
	enum wl_held_out_verdict verdict;
};

/*
 * Runs at most 600 replays of one step. w must cover the whole trace; on return it has no changes.
 * False when the arena is exhausted.
 */
bool wl_held_out_find(struct wl_whatif *w, struct wl_arena *arena,
		      struct wl_held_out *ret) WL_MUST_CHECK;

/* How far the replays of a trace can be trusted: the three numbers that every answer prints. */
struct wl_fidelity {
	size_t n_moved,
		n_activities; /* activities moved by a replay without changes; 0 is correct */
	struct wl_held_out held_out;
	double rigid; /* share of the critical path; above 25%, savings are lower bounds */
	enum wl_refusal refused; /* why replays have no answer at all; 0 if they have one */
};

/*
 * w must cover the whole trace; on return it has no changes. If late ranks were already judged
 * (late_verdict.h), the earlier result is used. False when the arena is exhausted.
 */
bool wl_fidelity_find(struct wl_whatif *w, struct wl_arena *arena,
		      struct wl_fidelity *ret) WL_MUST_CHECK;

/* Whether savings are lower bounds because too much of the path keeps its time. */
static inline bool wl_fidelity_is_low(const struct wl_fidelity *f)
{
	return f->rigid > 0.25;
}

/* The error of a time computed by a replay: p90 of the held-out errors; -1 if unknown. */
double wl_fidelity_error(const struct wl_fidelity *fidelity);

/* How far to trust the saving of a result, and its error in time; -1 for bounds and if unknown. */
struct wl_forecasted {
	enum wl_forecast forecast;
	wl_ns error;
};

/* A lower bound with an error as large as itself counts as a prediction. */
struct wl_forecasted wl_fidelity_forecast(const struct wl_fidelity *fidelity,
					  const struct wl_whatif_result *result, wl_ns saving);

#endif
