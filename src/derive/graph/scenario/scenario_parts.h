/* SPDX-License-Identifier: MIT */
/* scenario_parts.h - internals of scenario.c: how scenarios change a replay. */
#ifndef WL_DERIVE_SCENARIO_PARTS_H
#define WL_DERIVE_SCENARIO_PARTS_H

#include "derive/graph/scenario/scenario.h"

/* The i-th position of the window. */
static inline uint32_t wl_window_at(const struct wl_window_plan *w, uint32_t i)
{
	return w->at ? w->at[i] : i + 1;
}

/*
 * Provide the arrays of w->changes, zeroed when a run first asks for them. False when the arena is
 * exhausted.
 */
bool wl_change_gaps(struct wl_whatif *w) WL_MUST_CHECK;
bool wl_change_lengths(struct wl_whatif *w) WL_MUST_CHECK;
bool wl_change_launches(struct wl_whatif *w) WL_MUST_CHECK;   /* sent */
bool wl_change_ends(struct wl_whatif *w) WL_MUST_CHECK;       /* lone */
bool wl_change_candidates(struct wl_whatif *w) WL_MUST_CHECK; /* drop, after */

/* The operation before it on its stream, if that must end first; else 0. */
uint32_t wl_stream_before(const struct wl_replay_plan *plan, uint32_t position);

/* Set a position's own length, or the gap before a call. Counts changed positions. */
void wl_set_length(struct wl_whatif *w, uint32_t position, wl_ns length);
void wl_set_gap(struct wl_whatif *w, uint32_t position, wl_ns gap);

/*
 * The same, for activities that are set to the measured times of others: if an earlier scenario has
 * made one shorter than that, it stays shorter.
 */
void wl_even_length(struct wl_whatif *w, uint32_t position, wl_ns length);
void wl_even_gap(struct wl_whatif *w, uint32_t position, wl_ns gap);

/*
 * Let operations start sooner by the time that launch calls have lost (launch_lags.h). Call it
 * after all changes of lengths and gaps; both arrays must exist.
 */
void wl_follow_launches(struct wl_whatif *w);

/* The length of a position with the changes so far. */
wl_ns wl_changed_length(const struct wl_whatif *w, uint32_t position);

/* The activities by step, found on first use; NULL when memory is exhausted. */
const struct wl_step_lists *wl_whatif_steps(struct wl_whatif *w) WL_MUST_CHECK;

/*
 * By call: it only waits again for what its thread has already waited for, and the next call is an
 * MPI call, not a launch. Messages need what it waits for, so it still waits in a replay in which
 * the first wait does not. The arena owns the result; NULL when it is exhausted.
 */
const bool *wl_waits_for_messages(const struct wl_whatif *w, struct wl_arena *arena) WL_MUST_CHECK;

/* Whether a copy reads or writes pageable memory. */
bool wl_copy_is_pageable(const struct wl_trace *trace, uint32_t row);

/* If an operation waited only for its launch, let it start as soon as a launch can reach the
 * GPU. */
void wl_drop_lag(struct wl_whatif *w, uint32_t position);

/* The same, and let its launch reach the GPU instantly. */
void wl_drop_latency(struct wl_whatif *w, uint32_t position);

int wl_apply_no_straggler(struct wl_whatif *w, const struct wl_asked *ask, struct wl_err *reterr);
int wl_apply_slow_steps(struct wl_whatif *w, const struct wl_asked *ask, struct wl_err *reterr);
int wl_apply_rank(struct wl_whatif *w, const struct wl_asked *ask, struct wl_err *reterr);
int wl_apply_kernel(struct wl_whatif *w, const struct wl_asked *ask, struct wl_err *reterr);
int wl_apply_category(struct wl_whatif *w, const struct wl_asked *ask, struct wl_err *reterr);
int wl_apply_class(struct wl_whatif *w, const struct wl_asked *ask, struct wl_err *reterr);
int wl_apply_comm_free(struct wl_whatif *w, const struct wl_asked *ask, struct wl_err *reterr);
int wl_apply_no_wait(struct wl_whatif *w, const struct wl_asked *ask, struct wl_err *reterr);
int wl_apply_overlap(struct wl_whatif *w, const struct wl_asked *ask, struct wl_err *reterr);
int wl_apply_launch_free(struct wl_whatif *w, const struct wl_asked *ask, struct wl_err *reterr);
int wl_apply_host_free(struct wl_whatif *w, const struct wl_asked *ask, struct wl_err *reterr);
int wl_apply_no_sync(struct wl_whatif *w, const struct wl_asked *ask, struct wl_err *reterr);
int wl_apply_copies_free(struct wl_whatif *w, const struct wl_asked *ask, struct wl_err *reterr);
int wl_apply_pinned(struct wl_whatif *w, const struct wl_asked *ask, struct wl_err *reterr);
int wl_apply_data(struct wl_whatif *w, const struct wl_asked *ask, struct wl_err *reterr);
int wl_apply_slow_iterations(struct wl_whatif *w, const struct wl_asked *ask,
			     struct wl_err *reterr);
int wl_apply_step_change(struct wl_whatif *w, const struct wl_asked *ask, struct wl_err *reterr);
int wl_apply_alloc_in_loop(struct wl_whatif *w, const struct wl_asked *ask, struct wl_err *reterr);
int wl_apply_module_load(struct wl_whatif *w, const struct wl_asked *ask, struct wl_err *reterr);
int wl_apply_blocking_copy(struct wl_whatif *w, const struct wl_asked *ask, struct wl_err *reterr);
int wl_apply_host_starved(struct wl_whatif *w, const struct wl_asked *ask, struct wl_err *reterr);
int wl_apply_overlap_mpi(struct wl_whatif *w, const struct wl_asked *ask, struct wl_err *reterr);
int wl_apply_host_callback(struct wl_whatif *w, const struct wl_asked *ask, struct wl_err *reterr);
int wl_apply_tiny_reads(struct wl_whatif *w, const struct wl_asked *ask, struct wl_err *reterr);
int wl_apply_layout_change(struct wl_whatif *w, const struct wl_asked *ask, struct wl_err *reterr);
int wl_apply_tiny_kernels(struct wl_whatif *w, const struct wl_asked *ask, struct wl_err *reterr);
int wl_apply_exposed_copy(struct wl_whatif *w, const struct wl_asked *ask, struct wl_err *reterr);
int wl_apply_exposed_comm(struct wl_whatif *w, const struct wl_asked *ask, struct wl_err *reterr);

/*
 * Find w->n_steps and w->whole for the steps that begin in the window of their process; NULL for
 * all. False when the arena is exhausted.
 */
bool wl_whole_steps_find(struct wl_whatif *w, const struct wl_interval *window) WL_MUST_CHECK;

/*
 * The saving per step of the last replayed run: the time from the end of the first step to the end
 * of the last, measured less replayed, divided by the steps between; at most the saving divided by
 * these, and at least 0 if the run does not get longer. For a single step, the whole saving.
 */
wl_ns wl_whole_steps_saving(const struct wl_whatif *w, wl_ns saving);

/*
 * The part of the saving between the start of the first step and the end of the last one; savings
 * before, as in a start-up, or after do not belong to steps. With fewer than two steps, all of it.
 */
wl_ns wl_whole_steps_inside(const struct wl_whatif *w, wl_ns saving);

/* A call that ends this soon after a blocking call of another thread seems to be held by it. */
enum { WL_HELD_NS = 50000 };

/* Call once before wl_held_time(). Sorts calls. False when the arena is exhausted. */
bool wl_held_begin(struct wl_whatif *w) WL_MUST_CHECK;

/*
 * The part of a call's time in the last replayed run that is in excess of the blocking call
 * of another thread of its process that seems to hold it. Both take at least WL_WAKE_NS; the
 * blocking call began first, waited for an operation, and ended at most WL_HELD_NS earlier.
 */
wl_ns wl_held_time(const struct wl_whatif *w, uint32_t call, wl_ns spent);

/* Find where the time of the last replayed run goes along its critical path; sets spent and held.

 */
void wl_whatif_walk(const struct wl_whatif *w, struct wl_whatif_result *ret);

#endif
