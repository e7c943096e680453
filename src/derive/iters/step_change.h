/* SPDX-License-Identifier: MIT */
/*
 * step_change.h - how the steps of a job change over time.
 *
 * The series is the period of each step, of the process where it is longest, without the first step
 * and the last, which has none; where steps have kinds, of the commonest one. More than
 * WL_CHANGE_MOST become medians of equal blocks; the steps of the blocks at an edge say where it
 * is. Steps of processes that are in no group of collectives do not count where those of others
 * are: they are not the job's.
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
	WL_STEP_APART,     /* no part of it: the first one, or of another kind */
	WL_STEP_REFERENCE, /* as fast as steps can be */
	WL_STEP_CHANGED,   /* slower than those */
};

struct wl_step_change {
	enum wl_change_kind kind; /* NONE: the rest is not valid, but for n_tested and takes_part */
	size_t n_tested;          /* steps of the series; 0: they are too few for an answer */
	const bool *takes_part;   /* by process: its steps are those of the job */
	size_t n;                 /* steps of these processes */
	const uint8_t *side;      /* by step: enum wl_step_side */
	/* The first and the last that take longer, and of those that they are compared with: of a
	 * drift the quarter at its faster end, and all others. */
	uint32_t first, last;
	uint32_t like_first, like_last;
	bool is_faster_later; /* the fast steps come last */
	uint32_t ramp;        /* of a ramp: the step at which the slower level begins or ends */
	bool is_around;       /* fast steps are an episode: the slow ones are before and after it */
	/* Median periods of both; of a drift its line at both ends, of a ramp both levels. */
	wl_ns changed, reference;
	double more; /* how much longer: over the reference, of a drift the median */
	const struct wl_series_change *found; /* of the series */
	size_t block;                         /* steps that a number of the series stands for */
};

/* Given iterations and matches. Linear in steps. False when the arena is exhausted. */
bool wl_step_change_find(const struct wl_derived *given, struct wl_arena *arena,
			 struct wl_step_change *ret) WL_MUST_CHECK;

/* The same of iterations and matches by themselves; matches may be NULL. */
bool wl_step_change_of(const struct wl_iterations *iterations, size_t n_processes,
		       const struct wl_matches *matches, struct wl_arena *arena,
		       struct wl_step_change *ret) WL_MUST_CHECK;

/* Where a step of a process is in the change; APART where there is none. */
static inline enum wl_step_side wl_step_side_of(const struct wl_step_change *c, size_t process,
						size_t step)
{
	return c->kind != WL_CHANGE_NONE && c->takes_part[process] && step < c->n
		       ? (enum wl_step_side)c->side[step]
		       : WL_STEP_APART;
}

/* Whether a step is one of those that are tested, or goes with them. */
static inline bool wl_step_is_tested(const struct wl_step_change *c, size_t process, size_t step)
{
	return c->n_tested && c->takes_part[process] && step < c->n &&
	       (c->kind == WL_CHANGE_NONE ? step > 0 : c->side[step] != WL_STEP_APART);
}

/* Whether a step is one of a warm-up. */
static inline bool wl_step_change_warms_up(const struct wl_step_change *c, size_t process,
					   size_t step)
{
	return c && c->kind == WL_CHANGE_WARM_UP &&
	       wl_step_side_of(c, process, step) == WL_STEP_CHANGED;
}

/*
 * Whether the change explains that a step takes longer: it is one of those, of no warm-up, and its
 * period exceeds theirs by no more than theirs exceed the reference, or a twentieth. Step 0 goes
 * with step 1. c may be NULL.
 */
bool wl_step_change_explains(const struct wl_step_change *c, const struct wl_process_iters *iters,
			     size_t process, size_t step);

#endif
