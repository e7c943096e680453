/* SPDX-License-Identifier: MIT */
/*
 * iters_parts.h - declarations that the ways to find iterations share; only iters*.c
 * include it.
 *
 * A way finds, for a process, markers on the host or starts of periods on the GPU. An iteration
 * owns the operations of the process that any thread launched inside its marker, or those that
 * begin between its start and the next one.
 */
#ifndef WL_DERIVE_ITERS_PARTS_H
#define WL_DERIVE_ITERS_PARTS_H

#include "base/text/pattern.h"
#include "derive/iters/iters.h"
#include "derive/nvtx/range_names.h"

/* An operation and the start of its launch call; WL_NO_TIME for none. */
struct wl_iter_op {
	wl_ns start, end, launch;
};

/* The operations [lo, hi) of a process are on this device, in order of start. */
struct wl_iter_run {
	uint32_t device;
	size_t lo, hi;
};

/* The data of a process. */
struct wl_iter_process {
	const struct wl_iter_op *op;
	const uint8_t *is_copy; /* by operation: whether it is a copy or a set, which may be issued
				   far ahead */
	size_t n;
	const struct wl_iter_run *run;
	size_t n_runs;
	wl_ns busy;          /* union per device, summed over devices */
	const wl_ns *launch; /* start times of the calls that launched something, in order */
	const wl_ns *sum;    /* n_launches + 1: total length of what earlier calls launched */
	size_t n_launches;
};

struct wl_iter_input {
	const struct wl_derived *derived;
	const struct wl_trace *trace;
	const struct wl_range_names
		*names;                  /* NULL if there are no ranges, or no launches in them */
	const struct wl_forest *forest;  /* NULL, as names */
	struct wl_iter_process *process; /* by process */
};

/* In order of start, without overlaps. */
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
 * By process: the ranges on one thread whose name is wanted (by number of range_names). If ranges
 * overlap, the earlier counts, then the longer. NULL without memory.
 */
const struct wl_markers *wl_iter_markers(const struct wl_iter_input *in, const bool *wanted,
					 struct wl_arena *arena) WL_MUST_CHECK;

/*
 * Give the method TENANT to processes that have no steps, do not communicate, and use only GPUs of
 * processes that do, of which there are at least two: their kernels are not steps of the job. False
 * without memory.
 */
bool wl_iter_mark_tenants(const struct wl_iter_input *in, struct wl_process_iters *out,
			  struct wl_arena *scratch) WL_MUST_CHECK;

/* The result of a way in a process; method NONE if nothing was found. Texts are owned by the
 * arena. */
struct wl_steps_found {
	enum wl_iter_method method;
	struct wl_markers markers; /* if n == 0, the starts count */
	const wl_ns *start;        /* of periods, in order */
	size_t n_starts;
	const char *what, *is, *by; /* as in struct wl_process_iters; `by` may be NULL */
	bool is_guess, is_joined;
	struct wl_warm_up warm_up; /* if ranges of one label repeat, but are too few */
};

/*
 * Make the process's iterations from what was found, except kinds and the job's steady iteration.
 * ret_at is a writable ret->at. ret is unchanged if no iteration has operations. False without
 * memory.
 */
bool wl_iter_finish(const struct wl_iter_process *process, const struct wl_steps_found *found,
		    struct wl_arena *arena, struct wl_arena *scratch, struct wl_process_iters *ret,
		    struct wl_iteration **ret_at) WL_MUST_CHECK;

/* Find the median, lengths and steady iteration of the process alone; index and tmp have room for
 * n. */
void wl_iter_find_medians(struct wl_process_iters *p, uint32_t *index, uint32_t *tmp);

/* Count the iterations of each kind and find their medians; room holds n. */
void wl_iter_count_kinds(struct wl_process_iters *p, wl_ns *room);

/*
 * The commonest number of iterations among the selected processes (NULL for all), on a tie the
 * larger. room: by process.
 */
size_t wl_iter_commonest_number(const struct wl_process_iters *p, const bool *on,
				size_t n_processes, wl_ns *room);

/*
 * Find the steady iteration of the job: one index for all processes with the commonest number of
 * iterations; its period is the longest among them. Other processes keep their own index and are
 * counted. False without memory.
 */
bool wl_iter_find_steady(struct wl_process_iters *process, size_t n_processes,
			 struct wl_arena *scratch, size_t *ret_uneven) WL_MUST_CHECK;

/* "NVTX range `step #`", the text of `is`. NULL without memory. */
const char *wl_iter_say_range(const char *label, struct wl_arena *arena) WL_MUST_CHECK;

/* By process: ranges of one label that repeat and own the GPU's time. NULL without memory. */
struct wl_steps_found *wl_iter_repeated(const struct wl_iter_input *in,
					struct wl_arena *arena) WL_MUST_CHECK;

/*
 * If the exact names of the markers cycle (layers 0 to 7, then again from 0), make each cycle one
 * marker. False without memory.
 */
bool wl_iter_join_cycles(const struct wl_iter_input *in, struct wl_steps_found *found,
			 struct wl_arena *arena) WL_MUST_CHECK;

/* What names say about prefill and decode, as bits of known/calls/steps.h. */
struct wl_iter_does {
	const uint8_t *range;  /* by range_names; NULL unless both kinds occur in them */
	const uint8_t *kernel; /* by kernel_names; NULL in the same case */
};

bool wl_iter_does_find(const struct wl_iter_input *in, struct wl_arena *arena,
		       struct wl_iter_does *ret) WL_MUST_CHECK;

/*
 * Find steps of a process that last from one range to the next of its label, if the ranges of one
 * depth own the GPU's time together but not alone: forward, backward, optimizer; or schedule, then
 * prefill or decode, sampling. False without memory.
 */
bool wl_iter_siblings(const struct wl_iter_input *in, uint32_t process,
		      const struct wl_iter_does *does, struct wl_arena *arena,
		      struct wl_steps_found *ret) WL_MUST_CHECK;

/* By wanted process: steps by launches of one CUDA graph. NULL without memory. */
const struct wl_steps_found *wl_iter_graphs(const struct wl_iter_input *in, const bool *wanted,
					    struct wl_arena *arena) WL_MUST_CHECK;

/* By wanted process: steps by periods of the kernel names. NULL without memory. */
const struct wl_steps_found *wl_iter_periods(const struct wl_iter_input *in, const bool *wanted,
					     struct wl_arena *arena) WL_MUST_CHECK;

/*
 * By process: runs of the kernels whose short or demangled name matches, on the device with the
 * most of them. NULL without memory.
 */
const struct wl_steps_found *wl_iter_kernels(const struct wl_iter_input *in,
					     const struct wl_pattern *pattern,
					     struct wl_arena *arena) WL_MUST_CHECK;

/*
 * Set the kinds of the process's iterations, which are `at`. Needs links. Takes a search for each
 * range and kernel whose name says a kind. False without memory.
 */
bool wl_iter_find_kinds(const struct wl_iter_input *in, uint32_t process,
			const struct wl_iter_does *does, struct wl_process_iters *p,
			struct wl_iteration *at, struct wl_arena *scratch) WL_MUST_CHECK;

/*
 * Find the ranges around the process's steps, if any. Takes a search for each step. False without
 * memory.
 */
bool wl_iter_find_outer(const struct wl_iter_input *in, struct wl_process_iters *p,
			struct wl_arena *arena, struct wl_arena *scratch) WL_MUST_CHECK;

/* "ranges: `step #` (20), `forward` (20)": what a marker could have named. NULL without memory. */
const char *wl_iter_list_ranges(const struct wl_iter_input *in,
				struct wl_arena *arena) WL_MUST_CHECK;
const char *wl_iter_list_kernels(const struct wl_iter_input *in,
				 struct wl_arena *arena) WL_MUST_CHECK;

/*
 * Sets *ret_share to the share of busy time, between their first start and last end, that the
 * launches in the markers own. True if it is at least 80% and that stretch has at least half of the
 * process's busy time. Two passes over its operations.
 */
bool wl_iter_owns_enough(const struct wl_iter_process *process, const struct wl_markers *markers,
			 double *ret_share);

/* The marker that contains t, or n. hint starts as 0; times near the previous one are cheap. */
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
