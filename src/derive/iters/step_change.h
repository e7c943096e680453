/* SPDX-License-Identifier: MIT */
/*
 * step_change.h - how the steps of a job change over time.
 *
 * The series has the period of each step in the process where it is longest, without the first step
 * and the last, which has no period. If steps have kinds, only the commonest kind is used. More
 * than WL_CHANGE_MOST periods are reduced to medians of equal blocks; the steps of the blocks at an
 * edge show where it is. If some processes are in groups of collectives, steps of the other
 * processes do not count: they are not the job's.
 */
#ifndef WL_DERIVE_STEP_CHANGE_H
#define WL_DERIVE_STEP_CHANGE_H

#include "derive/iters/change.h"

struct wl_derived;
struct wl_iterations;
struct wl_matches;
struct wl_process_iters;

/* Where a step is in a change. */
enum wl_step_side {
	WL_STEP_APART,     /* not part of it: the first step, or of another kind */
	WL_STEP_REFERENCE, /* the fast steps */
	WL_STEP_CHANGED,   /* the slower steps */
};

struct wl_step_change {
	enum wl_change_kind kind; /* NONE: only n_tested and takes_part are valid */
	size_t n_tested;          /* steps of the series; 0 if too few for an answer */
	const bool *takes_part;   /* by process: its steps are those of the job */
	size_t n;                 /* number of steps of these processes */
	const uint8_t *side;      /* by step: enum wl_step_side */
	/* The first and the last slower step, and the first and the last that they are compared
	 * with: for a drift, the quarter at its faster end is compared with all others. */
	uint32_t first, last;
	uint32_t like_first, like_last;
	bool is_faster_later; /* the fast steps come last */
	uint32_t ramp;        /* for a ramp: the step at which the slower level begins or ends */
	bool is_around;       /* the fast steps are an episode, with slow steps before and after */
	/* Median periods of both sides; for a drift, its line at both ends; for a ramp, both
	 * levels. */
	wl_ns changed, reference;
	double more; /* how much longer, relative to the reference; for a drift, to the median */
	const struct wl_series_change *found; /* of the series */
	size_t block;                         /* steps per number of the series */
};

/* Needs iterations and matches. Linear in steps. False when the arena is exhausted. */
bool wl_step_change_find(const struct wl_derived *given, struct wl_arena *arena,
			 struct wl_step_change *ret) WL_MUST_CHECK;

/* The same, from iterations and matches alone; matches may be NULL. */
bool wl_step_change_of(const struct wl_iterations *iterations, size_t n_processes,
		       const struct wl_matches *matches, struct wl_arena *arena,
		       struct wl_step_change *ret) WL_MUST_CHECK;

/* Where a step of a process is in the change; APART if there is no change. */
static inline enum wl_step_side wl_step_side_of(const struct wl_step_change *c, size_t process,
						size_t step)
{
	return c->kind != WL_CHANGE_NONE && c->takes_part[process] && step < c->n
		       ? (enum wl_step_side)c->side[step]
		       : WL_STEP_APART;
}

/* Whether a step is tested, or treated like those that are. */
static inline bool wl_step_is_tested(const struct wl_step_change *c, size_t process, size_t step)
{
	return c->n_tested && c->takes_part[process] && step < c->n &&
	       (c->kind == WL_CHANGE_NONE ? step > 0 : c->side[step] != WL_STEP_APART);
}

/* Whether a step belongs to a warm-up. */
static inline bool wl_step_change_warms_up(const struct wl_step_change *c, size_t process,
					   size_t step)
{
	return c && c->kind == WL_CHANGE_WARM_UP &&
	       wl_step_side_of(c, process, step) == WL_STEP_CHANGED;
}

/*
 * Whether the change explains a longer step: the step is on the slower side, of a change that is no
 * warm-up, and exceeds the slower period by at most that period's excess over the reference, or a
 * twentieth. Step 0 is treated like step 1. c may be NULL.
 */
bool wl_step_change_explains(const struct wl_step_change *c, const struct wl_process_iters *iters,
			     size_t process, size_t step);

#endif
