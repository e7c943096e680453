/* SPDX-License-Identifier: MIT */
/*
 * iters.h - the iterations of each process, found on the whole trace.
 *
 * Methods in order: ranges or kernels that the user's marker names; anchors of the convention; NVTX
 * ranges that repeat and own the GPU's time; launches of one CUDA graph; the repeating sequence of
 * kernel names. The first that works is used and reported. Nothing is guessed from gaps: a process
 * without repetition has no iterations.
 */
#ifndef WL_DERIVE_ITERS_H
#define WL_DERIVE_ITERS_H

#include <string.h>

#include "base/attr.h"
#include "base/memory/arena.h"
#include "derive/calls/launch.h"
#include "derive/nvtx/forest.h"
#include "derive/rows/scope.h"

struct wl_derived;

enum wl_iter_method {
	WL_ITER_NONE,
	WL_ITER_MARKER,      /* --marker */
	WL_ITER_CONVENTIONS, /* the convention's anchor */
	WL_ITER_NVTX,        /* ranges that repeat */
	WL_ITER_GRAPH,       /* launches of one CUDA graph */
	WL_ITER_SEQUENCE,    /* the period of the kernel names */
	WL_ITER_TENANT,      /* no iterations: another program on GPUs of the job */
};

/* "marker", "conventions", "nvtx", "graph", "sequence", "tenant"; "none" otherwise. */
const char *wl_iter_method_name(enum wl_iter_method method);

/* What a step of a serving engine does; NONE if unknown, or if all steps do the same. */
enum wl_step_kind {
	WL_STEP_NONE,
	WL_STEP_PREFILL,
	WL_STEP_DECODE,
	WL_STEP_MIXED, /* both */
	WL_N_STEP_KINDS
};

/* "prefill", "decode", "mixed"; "" for NONE. */
const char *wl_step_kind_name(enum wl_step_kind kind);

struct wl_iteration {
	/* [own first start, next iteration's first start); the last tile ends with its last
	 * operation. */
	struct wl_interval tile;
	wl_ns last_end; /* of its operations; span = last_end - tile.begin */
	/* It owns what is launched in this interval; empty if by_marker is NULL. */
	struct wl_interval host;
	uint32_t marker; /* row of the nvtx family that begins the iteration; WL_NONE without
			    by_marker */
	enum wl_step_kind kind;
	bool is_last; /* it has no period: the length of its tile is its span */
};

/* The iterations of one kind. */
struct wl_kind_use {
	size_t n;
	wl_ns median; /* of their periods, nearest rank; 0 if they have none */
};

/* Periods of two clearly different lengths: no step is as long as their mean. */
struct wl_two_lengths {
	size_t n[2]; /* numbers of shorter and longer periods; 0 if there is one length */
	wl_ns median[2];
};

/* Numbered ranges around several steps each: `iteration #` around chunks, `epoch #`. */
struct wl_outer_steps {
	const char *label; /* NULL if there are none */
	size_t n;
	wl_ns median; /* median time from the first step of one to that of the next, nearest rank */
};

/*
 * The first of two ranges of one label that own the GPU's time as steps do, if it is at least ten
 * times as long as the second: the process warms up until its end. Two ranges are too few for
 * steps.
 */
struct wl_warm_up {
	const char *label; /* NULL if there is none */
	wl_ns end;
	wl_ns first, second; /* lengths */
};

struct wl_process_iters {
	enum wl_iter_method method;
	/* The pattern, the convention's name, the label, "graph 2", or "period of 224
	 * kernels, 99.1% repeated". */
	const char *what;
	/* The definition of a step, as a noun ("NVTX range `step #`"), and its source: "pithtrain
	 * naming", "marker", or "" if there is none. */
	const char *is, *by;
	bool is_guess;                 /* it may be a layer and not a step */
	bool is_joined;                /* it lasts from its marker to the start of the next */
	const struct wl_iteration *at; /* by tile.begin */
	/* Indexes of `at` by host.begin; NULL if time on the GPU decides what an iteration owns:
	 * GRAPH, SEQUENCE, and kernels as markers. */
	const uint32_t *by_marker;
	size_t n;
	size_t n_dropped; /* markers without operations */
	wl_ns median;     /* of all periods, nearest rank; 0 if there are none */
	bool has_kinds;   /* at least two kinds of step */
	struct wl_kind_use kind[WL_N_STEP_KINDS];
	/* At least a fifth of the periods have each length, the medians differ by a factor of at
	 * least 1.5, and the ranges from the tenth to the ninetieth percentile lie far apart. */
	struct wl_two_lengths lengths;
	/* The outermost ranges, at least two, that hold nine tenths of the steps, at least two
	 * steps each. */
	struct wl_outer_steps outer;
	/* The earliest iteration with the median period of all but the first and the last; with
	 * fewer than 5 iterations, of all that have a period; WL_NONE if there is none. All
	 * processes with the commonest number of iterations share one index; its period is the
	 * longest among them. */
	uint32_t steady;
	struct wl_warm_up warm_up; /* of a process without iterations */
};

/* The median that a period is compared with: that of its kind, if there are kinds. */
static inline wl_ns wl_usual_period(const struct wl_process_iters *p, size_t iter)
{
	return p->has_kinds ? p->kind[p->at[iter].kind].median : p->median;
}

/* The kinds of its steps, the most frequent first, on a tie in the order of the enum. Returns their
 * number. */
size_t wl_step_kinds_by_count(const struct wl_process_iters *p,
			      enum wl_step_kind ret_kind[WL_N_STEP_KINDS]);

struct wl_iterations {
	const struct wl_process_iters *process; /* by process */
	size_t n_found;                         /* processes that have iterations */
	size_t n_uneven;     /* of these, those with a different number of iterations than most */
	const char *problem; /* why the marker is unusable, with the possible names; else NULL */
};

/*
 * Without NVTX only GRAPH, SEQUENCE and kernels as markers can work. A marker that is malformed or
 * matches nothing is a problem, not a failure: the other methods are tried. Sorts what is not in
 * order; otherwise linear in ranges, calls and operations for each of a few labels. False when the
 * arena is exhausted.
 */
bool wl_iterations_find(const struct wl_derived *derived, struct wl_arena *arena,
			struct wl_iterations *ret) WL_MUST_CHECK;

/*
 * Complete iterations that were found before: each process has method, texts, `at` and n, and gets
 * the rest. `first` has, by process, the number of the first entry for the same process, which may
 * have several entries. False when the arena is exhausted.
 */
bool wl_iterations_known(struct wl_process_iters *process, const uint32_t *first, size_t n,
			 struct wl_arena *arena, struct wl_iterations *ret) WL_MUST_CHECK;

/* A marker with this prefix names kernels: the rest is a pattern for their names. */
#define WL_MARKER_KERNEL "kernel:"

static inline bool wl_marker_is_kernel(const char *marker)
{
	return strncmp(marker, WL_MARKER_KERNEL, sizeof(WL_MARKER_KERNEL) - 1) == 0;
}

/* The pattern of a marker (base/text/pattern.h). */
static inline const char *wl_marker_pattern(const char *marker)
{
	return marker + (wl_marker_is_kernel(marker) ? sizeof(WL_MARKER_KERNEL) - 1 : 0);
}

/* Processes whose iterations were found in the same way. */
struct wl_steps_alike {
	const struct wl_process_iters *example;
	size_t n, n_dropped;
	size_t least, most;      /* iterations */
	wl_ns shortest, longest; /* medians */
};

/* If there are more kinds of steps, those of the first ranks are described. */
enum { WL_MOST_ALIKE = 4 };

/* Group the selected processes by how their steps were found: the number of groups, and the
 * processes. */
size_t wl_iterations_alike(const struct wl_trace *trace, const struct wl_iterations *all,
			   const bool *process_on, struct wl_steps_alike alike[WL_MOST_ALIKE],
			   size_t *ret_n_on);

/* Steps of the processes of one kind. */
struct wl_step_sum {
	const struct wl_process_iters
		*example; /* one of the processes: its method, is and is_guess */
	size_t n_processes;
	size_t n;     /* number of steps of the process with the most */
	wl_ns median; /* median period, of the process in which it is longest */
};

/* The steps of most selected processes; false if none has any. */
bool wl_iterations_sum(const struct wl_trace *trace, const struct wl_iterations *all,
		       const bool *process_on, struct wl_step_sum *ret);

/*
 * The iteration that owns an operation of the process: index of `at`, WL_NONE for none. With
 * by_marker, the one in whose host interval the launch starts (WL_NONE: not launched); without, the
 * last one that begins no later than the operation. Logarithmic in the process's iterations.
 */
uint32_t wl_iteration_of(const struct wl_trace *trace, const struct wl_process_iters *iters,
			 wl_ns op_start, uint32_t launch_api_row);

/*
 * The iteration in which the host was at a time. With by_marker, the one whose host interval
 * contains the time; WL_NONE for none. Without, the host has no iterations, and the GPU's iteration
 * is returned. Logarithmic.
 */
uint32_t wl_iteration_at(const struct wl_process_iters *iters, wl_ns time);

/*
 * The iteration in whose tile an operation starts, regardless of its launch; WL_NONE for none.
 * Logarithmic in iterations.
 */
uint32_t wl_iteration_around(const struct wl_process_iters *iters, wl_ns op_start);

/*
 * The iteration that the host began last, even after its host interval: the time between two
 * iterations belongs to the earlier one. WL_NONE before the first. Logarithmic in iterations.
 */
uint32_t wl_iteration_since(const struct wl_process_iters *iters, wl_ns time);

#endif
