/* SPDX-License-Identifier: MIT */
/*
 * iters_parts.h - declarations that the ways to find iterations share; only iters*.c
 * include it.
 *
 * A way finds, for a process, markers on the host or starts of periods on the GPU. An
 * iteration owns the operations of the process, of any thread, whose launch call starts
 * inside its marker; or those that begin between its start and the next one.
 */
#ifndef WL_DERIVE_ITERS_PARTS_H
#define WL_DERIVE_ITERS_PARTS_H

#include "base/text/pattern.h"
#include "derive/iters/iters.h"
#include "derive/nvtx/range_names.h"

/* An operation and when its launch call started; WL_NO_TIME for none. */
struct wl_iter_op {
	wl_ns start, end, launch;
};

/* The operations [lo, hi) of a process are on this device, in order of start. */
struct wl_iter_run {
	uint32_t device;
	size_t lo, hi;
};

/* What is known of a process. */
struct wl_iter_process {
	const struct wl_iter_op *op;
	const uint8_t *is_copy; /* by operation: a copy or a set, which may be issued far ahead */
	size_t n;
	const struct wl_iter_run *run;
	size_t n_runs;
	wl_ns busy;          /* union per device, added over devices */
	const wl_ns *launch; /* starts of the calls that launched something, in order */
	const wl_ns *sum;    /* n_launches + 1: lengths of what the calls before launched */
	size_t n_launches;
};

struct wl_iter_input {
	const struct wl_derived *derived;
	const struct wl_trace *trace;
	const struct wl_range_names *names; /* NULL: no ranges, or no launches to put into them */
	const struct wl_forest *forest;     /* NULL, as names */
	struct wl_iter_process *process;    /* by process */
};

/* In order of start, none overlaps the next. */
struct wl_marker {
	wl_ns start, end;
	uint32_t row; /* of the nvtx family: the range that begins it */
};

struct wl_markers {
	struct wl_marker *at;
	size_t n;
};

/* Collect the operations of all processes, and their launches. False without memory. */
bool wl_iter_input_fill(struct wl_iter_input *in, struct wl_arena *arena) WL_MUST_CHECK;

/*
 * By process: the ranges, on one thread, whose name is wanted (by number of
 * range_names). Of those that overlap the earlier counts, then the longer. NULL
 * without memory.
 */
const struct wl_markers *wl_iter_markers(const struct wl_iter_input *in, const bool *wanted,
					 struct wl_arena *arena) WL_MUST_CHECK;

/*
 * Give the method TENANT to processes without steps that do not communicate and use only GPUs of
 * processes that do, where there are two of these: their kernels are no steps of the job. False
 * without memory.
 */
bool wl_iter_mark_tenants(const struct wl_iter_input *in, struct wl_process_iters *out,
			  struct wl_arena *scratch) WL_MUST_CHECK;

/* What a way found in a process; method NONE for nothing. Texts are owned by the arena. */
struct wl_steps_found {
	enum wl_iter_method method;
	struct wl_markers markers; /* n == 0: the starts count */
	const wl_ns *start;        /* of periods, in order */
	size_t n_starts;
	const char *what, *is, *by; /* as in struct wl_process_iters; by may be NULL */
	bool is_guess, is_joined;
	struct wl_warm_up warm_up; /* where ranges of one label repeat, but are too few */
};

/*
 * The process's iterations of what was found, but for kinds and the job's steady one; ret_at
 * is ret->at, to be written to. ret is left alone if no iteration has operations.
 * False without memory.
 */
bool wl_iter_finish(const struct wl_iter_process *process, const struct wl_steps_found *found,
		    struct wl_arena *arena, struct wl_arena *scratch, struct wl_process_iters *ret,
		    struct wl_iteration **ret_at) WL_MUST_CHECK;

/* Median, lengths and steady iteration of the process alone; index and tmp have room for n. */
void wl_iter_find_medians(struct wl_process_iters *p, uint32_t *index, uint32_t *tmp);

/* How many iterations are of each kind, and their medians; room for n. */
void wl_iter_count_kinds(struct wl_process_iters *p, wl_ns *room);

/*
 * How many iterations most processes have, of those that are on, NULL for all; of equals the
 * larger number. room: by process.
 */
size_t wl_iter_commonest_number(const struct wl_process_iters *p, const bool *on,
				size_t n_processes, wl_ns *room);

/*
 * The steady iteration of the job: one index for all processes with the commonest number of
 * iterations; its period is the longest of theirs. The others keep their own and are
 * counted. False without memory.
 */
bool wl_iter_find_steady(struct wl_process_iters *process, size_t n_processes,
			 struct wl_arena *scratch, size_t *ret_uneven) WL_MUST_CHECK;

/* "NVTX range `step #`", for is. NULL without memory. */
const char *wl_iter_say_range(const char *label, struct wl_arena *arena) WL_MUST_CHECK;

/* By process: ranges of one label that repeat and own the GPU's time. NULL without memory. */
struct wl_steps_found *wl_iter_repeated(const struct wl_iter_input *in,
					struct wl_arena *arena) WL_MUST_CHECK;

/*
 * Where the exact names of the markers cycle, as layer 0 to 7 and again from 0, make each
 * cycle one marker. False without memory.
 */
bool wl_iter_join_cycles(const struct wl_iter_input *in, struct wl_steps_found *found,
			 struct wl_arena *arena) WL_MUST_CHECK;

/* What names say of prefill and decode: bits of known/calls/steps.h. */
struct wl_iter_does {
	const uint8_t *range;  /* by range_names; NULL where they do not say both */
	const uint8_t *kernel; /* by kernel_names; NULL, as range */
};

bool wl_iter_does_find(const struct wl_iter_input *in, struct wl_arena *arena,
		       struct wl_iter_does *ret) WL_MUST_CHECK;

/*
 * Steps of a process from one range to the next of its label, where the ranges of one
 * depth own the GPU's time together and none alone: forward, backward, optimizer; or
 * schedule, then prefill or decode, sampling. False without memory.
 */
bool wl_iter_siblings(const struct wl_iter_input *in, uint32_t process,
		      const struct wl_iter_does *does, struct wl_arena *arena,
		      struct wl_steps_found *ret) WL_MUST_CHECK;

/* By process, of those that are wanted: launches of one CUDA graph. NULL without memory. */
const struct wl_steps_found *wl_iter_graphs(const struct wl_iter_input *in, const bool *wanted,
					    struct wl_arena *arena) WL_MUST_CHECK;

/* By process, of those that are wanted: periods of the kernel names. NULL without memory. */
const struct wl_steps_found *wl_iter_periods(const struct wl_iter_input *in, const bool *wanted,
					     struct wl_arena *arena) WL_MUST_CHECK;

/*
 * By process: runs of the kernels whose short or demangled name matches, of the device
 * with most of them. NULL without memory.
 */
const struct wl_steps_found *wl_iter_kernels(const struct wl_iter_input *in,
					     const struct wl_pattern *pattern,
					     struct wl_arena *arena) WL_MUST_CHECK;

/*
 * Give the process's iterations, which at is, their kinds. Only with links; for each range
 * and kernel whose name says a kind a search. False without memory.
 */
bool wl_iter_find_kinds(const struct wl_iter_input *in, uint32_t process,
			const struct wl_iter_does *does, struct wl_process_iters *p,
			struct wl_iteration *at, struct wl_arena *scratch) WL_MUST_CHECK;

/*
 * The ranges around the process's steps, where there are any. A search for each step. False
 * without memory.
 */
bool wl_iter_find_outer(const struct wl_iter_input *in, struct wl_process_iters *p,
			struct wl_arena *arena, struct wl_arena *scratch) WL_MUST_CHECK;

/* "ranges: `step #` (20), `forward` (20)": what a marker could have named. NULL without memory. */
const char *wl_iter_list_ranges(const struct wl_iter_input *in,
				struct wl_arena *arena) WL_MUST_CHECK;
const char *wl_iter_list_kernels(const struct wl_iter_input *in,
				 struct wl_arena *arena) WL_MUST_CHECK;

/*
 * What share of the busy time between its first start and its last end the launches in
 * the markers own, in *ret_share; true when that is at least 80% and the stretch at
 * least half of all the process's busy time. Two passes over its operations.
 */
bool wl_iter_owns_enough(const struct wl_iter_process *process, const struct wl_markers *markers,
			 double *ret_share);

/* The marker that t is inside of, or n. hint begins as 0; times near the last one are cheap. */
size_t wl_marker_at(const struct wl_markers *markers, wl_ns t, size_t *hint);

/* The union of intervals that come in order of start, as a running sum. */
struct wl_busy {
	wl_ns sum, until;
};

static inline void wl_busy_add(struct wl_busy *b, wl_ns start, wl_ns end)
{
	if (end <= b->until)
		return;
	b->sum += end - (start > b->until ? start : b->until);
	b->until = end;
}

#endif
