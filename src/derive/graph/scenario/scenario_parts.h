/* SPDX-License-Identifier: MIT */
/* scenario_parts.h - the inside of scenario.c: what scenarios do to a replay. */
#ifndef WL_DERIVE_SCENARIO_PARTS_H
#define WL_DERIVE_SCENARIO_PARTS_H

#include "derive/graph/scenario/scenario.h"

/* The i-th position of the window. */
static inline uint32_t wl_window_at(const struct wl_window_plan *w, uint32_t i)
{
	return w->at ? w->at[i] : i + 1;
}

/*
 * The arrays of w->changes, all 0 when a run first asks for one. False when the arena is
 * exhausted.
 */
bool wl_change_gaps(struct wl_whatif *w) WL_MUST_CHECK;
bool wl_change_lengths(struct wl_whatif *w) WL_MUST_CHECK;
bool wl_change_launches(struct wl_whatif *w) WL_MUST_CHECK;   /* sent */
bool wl_change_ends(struct wl_whatif *w) WL_MUST_CHECK;       /* lone */
bool wl_change_candidates(struct wl_whatif *w) WL_MUST_CHECK; /* drop, after */

/* The operation before it on its stream, if that must end first; 0. */
uint32_t wl_stream_before(const struct wl_replay_plan *plan, uint32_t position);

/* Set the length of its own, or the gap before a call, of a position. Counts what differs. */
void wl_set_length(struct wl_whatif *w, uint32_t position, wl_ns length);
void wl_set_gap(struct wl_whatif *w, uint32_t position, wl_ns gap);

/*
 * The same, for what becomes like others as measured: where a scenario before this one has made it
 * shorter than those, it stays so.
 */
void wl_even_length(struct wl_whatif *w, uint32_t position, wl_ns length);
void wl_even_gap(struct wl_whatif *w, uint32_t position, wl_ns gap);

/*
 * Let operations start sooner by what launch calls have lost (launch_lags.h); after all changes of
 * lengths and gaps, for both of which there is room.
 */
void wl_follow_launches(struct wl_whatif *w);

/* Its length as changed so far. */
wl_ns wl_changed_length(const struct wl_whatif *w, uint32_t position);

/* The activities by step, found when they are first asked for; NULL without memory. */
const struct wl_step_lists *wl_whatif_steps(struct wl_whatif *w) WL_MUST_CHECK;

/*
 * By call: it only waits again for what its thread waited for before it, and then comes a call of
 * MPI and no launch. Messages need what it waits for, so that it waits on in a replay in which the
 * first wait does not. Owned by the arena; NULL when that is exhausted.
 */
const bool *wl_waits_for_messages(const struct wl_whatif *w, struct wl_arena *arena) WL_MUST_CHECK;

/* Whether a copy reads or writes pageable memory. */
bool wl_copy_is_pageable(const struct wl_trace *trace, uint32_t row);

/* Where it waited for its launch only: it starts as soon as a launch can reach the GPU. */
void wl_drop_lag(struct wl_whatif *w, uint32_t position);

/* The same, and its launch takes no time to reach the GPU. */
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
 * Find w->n_steps and w->whole, of the steps that begin in the window of their process; NULL for
 * all. False when the arena is exhausted.
 */
bool wl_whole_steps_find(struct wl_whatif *w, const struct wl_interval *window) WL_MUST_CHECK;

/*
 * What the run that was just replayed saves of a step: from the end of the first to that of the
 * last one, as measured less as replayed, over the steps between; at most the saving over these,
 * and at least 0 where the run does not get longer. Of a single step the whole saving.
 */
wl_ns wl_whole_steps_saving(const struct wl_whatif *w, wl_ns saving);

/*
 * What of the saving lies between the begin of the first step and the end of the last one: what is
 * saved before, as of a start-up, or after is none of the steps'. Without two steps all of it.
 */
wl_ns wl_whole_steps_inside(const struct wl_whatif *w, wl_ns saving);

/* A call that ends this soon after the blocking call of another thread seems to be held by it. */
enum { WL_HELD_NS = 50000 };

/* Before wl_held_time(), once. Sorts calls. False when the arena is exhausted. */
bool wl_held_begin(struct wl_whatif *w) WL_MUST_CHECK;

/*
 * Of time that the run that was just replayed spends in a call: what it spends longer than the
 * blocking call of another thread of its process that seems to hold it. Both take at least
 * WL_WAKE_NS; that one began first, waited for an operation, and ended up to WL_HELD_NS before.
 */
wl_ns wl_held_time(const struct wl_whatif *w, uint32_t call, wl_ns spent);

/* Where the time of the run goes that was just replayed, along its critical path; sets spent and
 * held.
 */
void wl_whatif_walk(const struct wl_whatif *w, struct wl_whatif_result *ret);

#endif
