/*
 * iters_parts.h - what the ways to find iterations share; only derive/iters*.c
 * include it.
 *
 * A marker is a range whose operations are an iteration: those of the process, of
 * any thread, whose launch call starts inside it.
 */
#ifndef WL_DERIVE_ITERS_PARTS_H
#define WL_DERIVE_ITERS_PARTS_H

#include "derive/iters.h"
#include "derive/range_names.h"

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
	size_t n;
	const struct wl_iter_run *run;
	size_t n_runs;
	wl_ns busy;          /* union per device, added over devices */
	const wl_ns *launch; /* starts of the calls that launched something, in order */
	const wl_ns *sum;    /* n_launches + 1: lengths of what the calls before launched */
	size_t n_launches;
};

struct wl_iter_input {
	struct wl_derived *derived;
	const struct wl_trace *trace;
	const struct wl_range_names *names; /* NULL: no ranges, or no launches to put into them */
	const struct wl_forest *forest;     /* NULL likewise */
	struct wl_iter_process *process;    /* by process */
};

/* In order of start, none overlaps the next. */
struct wl_marker {
	wl_ns start, end;
	uint32_t row; /* of the nvtx family */
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
 * By process: the instances of the label that repeats and owns the GPU's time,
 * and the label; n == 0 where there is none. NULL without memory.
 */
struct wl_repeated {
	struct wl_markers markers;
	const char *label;
};

const struct wl_repeated *wl_iter_repeated(const struct wl_iter_input *in,
					   struct wl_arena *arena) WL_MUST_CHECK;

/* Starts of the periods of a process's kernel names, in order; n == 0 for none. */
struct wl_periods {
	wl_ns *start;
	size_t n;
	const char *what; /* owned by the arena */
};

/* By process, of those that are wanted. NULL without memory. */
const struct wl_periods *wl_iter_periods(const struct wl_iter_input *in, const bool *wanted,
					 struct wl_arena *arena) WL_MUST_CHECK;

/* The marker that t is inside of, or n. hint begins as 0; what is near the last one is cheap. */
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
