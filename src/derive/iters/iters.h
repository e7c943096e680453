/* SPDX-License-Identifier: MIT */
/*
 * iters.h - the iterations of each process, found on the whole trace.
 *
 * Methods in order: ranges or kernels that the user's marker names; anchors of the
 * convention; NVTX ranges that repeat and own the GPU's time; launches of one CUDA
 * graph; the repeating sequence of kernel names. The first that works is taken and
 * said. Nothing is guessed from gaps: a process without repetition has no iterations.
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
	WL_ITER_TENANT,      /* it has none: another program on GPUs of the job */
};

/* "marker", "conventions", "nvtx", "graph", "sequence", "tenant"; "none" else. */
const char *wl_iter_method_name(enum wl_iter_method method);

/* What a step of a serving engine does; NONE where it is not known, or all do the same. */
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
	/* [own first start, next one's first start); of the last: to its last end. */
	struct wl_interval tile;
	wl_ns last_end; /* of its operations; span = last_end - tile.begin */
	/* It owns what is launched from here to there; empty where by_marker is NULL. */
	struct wl_interval host;
	uint32_t marker; /* row of the nvtx family that begins it; WL_NONE without by_marker */
	enum wl_step_kind kind;
	bool is_last; /* has no period: the length of its tile is its span */
};

/* The iterations of one kind. */
struct wl_kind_use {
	size_t n;
	wl_ns median; /* of their periods, nearest rank; 0 where there is none */
};

/* Periods of two clear lengths: a mean over all is that of no step. */
struct wl_two_lengths {
	size_t n[2]; /* periods of the shorter and the longer; 0: there is one length */
	wl_ns median[2];
};

/* Numbered ranges around several steps each: `iteration #` around chunks, `epoch #`. */
struct wl_outer_steps {
	const char *label; /* NULL: there are none */
	size_t n;
	wl_ns median; /* from the first step of one to that of the next, nearest rank */
};

/*
 * The first of two ranges of one label that own the GPU's time as steps do, and that is at
 * least ten times as long as the second: until its end the process warms up. Two are too few
 * for steps.
 */
struct wl_warm_up {
	const char *label; /* NULL: there is none */
	wl_ns end;
	wl_ns first, second; /* lengths */
};

struct wl_process_iters {
	enum wl_iter_method method;
	/* The pattern, the convention's name, the label, "graph 2", or "period of 224
	 * kernels, 99.1% repeated". */
	const char *what;
	/* What a step is, as a noun: "NVTX range `step #`", and who says so: "pithtrain
	 * naming", "marker", "" where nothing does. */
	const char *is, *by;
	bool is_guess;                 /* it may be a layer and not a step */
	bool is_joined;                /* it goes from its marker to the next one's start */
	const struct wl_iteration *at; /* by tile.begin */
	/* Indexes of at by host.begin; NULL where time on the GPU decides what an iteration owns:
	 * GRAPH, SEQUENCE, and kernels as markers. */
	const uint32_t *by_marker;
	size_t n;
	size_t n_dropped; /* markers without operations */
	wl_ns median;     /* of all periods, nearest rank; 0 where there is none */
	bool has_kinds;   /* at least two kinds of step */
	struct wl_kind_use kind[WL_N_STEP_KINDS];
	/* A fifth of the periods or more have each, the medians are 1.5 times apart or more, and
	 * those between the tenth and the ninetieth percentile of each lie far from the other's. */
	struct wl_two_lengths lengths;
	/* At least two that hold nine tenths of the steps, two each or more: the outermost. */
	struct wl_outer_steps outer;
	/* The earliest iteration with the median period of all but the first and the last; of
	 * fewer than 5 iterations, of all that have a period; WL_NONE where there is none. It
	 * is one index for all processes with the commonest number of iterations, whose
	 * period is the longest among them. */
	uint32_t steady;
	struct wl_warm_up warm_up; /* of a process without iterations */
};

/* The median that a period is compared with: of its kind, where there are kinds. */
static inline wl_ns wl_usual_period(const struct wl_process_iters *p, size_t iter)
{
	return p->has_kinds ? p->kind[p->at[iter].kind].median : p->median;
}

/* The kinds that its steps have, the most frequent first, of equals in their order; how many. */
size_t wl_step_kinds_by_count(const struct wl_process_iters *p,
			      enum wl_step_kind ret_kind[WL_N_STEP_KINDS]);

struct wl_iterations {
	const struct wl_process_iters *process; /* by process */
	size_t n_found;                         /* processes that have iterations */
	size_t n_uneven;     /* of them: those with another number of iterations than most */
	const char *problem; /* of the marker: NULL, or why it is no good, with what there is */
};

/*
 * Without NVTX only GRAPH, SEQUENCE and kernels as markers can
 * work. A marker that is malformed, or that nothing matches, is a problem, not a
 * failure: the other methods are tried. Sorts what is not in order, else linear in
 * ranges, calls and operations, for each of few labels. False when the arena is
 * exhausted.
 */
bool wl_iterations_find(const struct wl_derived *derived, struct wl_arena *arena,
			struct wl_iterations *ret) WL_MUST_CHECK;

/*
 * Iterations that were found before: each process has method, texts, at and n, and gets what
 * follows from these. first is by process: the number of the first entry that stands for the
 * same one, which may have several. False when the arena is exhausted.
 */
bool wl_iterations_known(struct wl_process_iters *process, const uint32_t *first, size_t n,
			 struct wl_arena *arena, struct wl_iterations *ret) WL_MUST_CHECK;

/* A marker that begins so names kernels: the rest is a pattern for their names. */
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

/* Processes whose iterations were found alike. */
struct wl_steps_alike {
	const struct wl_process_iters *example;
	size_t n, n_dropped;
	size_t least, most;      /* iterations */
	wl_ns shortest, longest; /* medians */
};

/* Of more kinds of steps those of the first ranks are described. */
enum { WL_MOST_ALIKE = 4 };

/* The processes that are on, by how their steps were found: how many kinds, and processes. */
size_t wl_iterations_alike(const struct wl_trace *trace, const struct wl_iterations *all,
			   const bool *process_on, struct wl_steps_alike alike[WL_MOST_ALIKE],
			   size_t *ret_n_on);

/* Steps of the processes of one kind. */
struct wl_step_sum {
	const struct wl_process_iters *example; /* one of them: method, is and is_guess */
	size_t n_processes;
	size_t n;     /* steps of the process that has most */
	wl_ns median; /* of the periods, of the process where it is longest */
};

/* The steps of most processes that are on; false where none has any. */
bool wl_iterations_sum(const struct wl_trace *trace, const struct wl_iterations *all,
		       const bool *process_on, struct wl_step_sum *ret);

/*
 * The iteration that owns an operation of the process: index of at, WL_NONE for
 * none. With by_marker that in whose host interval the launch starts (WL_NONE: not
 * launched); without, the last one that begins no later than the operation.
 * Logarithmic in the process's iterations.
 */
uint32_t wl_iteration_of(const struct wl_trace *trace, const struct wl_process_iters *iters,
			 wl_ns op_start, uint32_t launch_api_row);

/*
 * The iteration in which the host was at a time: with by_marker that whose host interval
 * is under way, WL_NONE for none. Without, where the host has no iterations, the one that
 * the GPU was in. Logarithmic.
 */
uint32_t wl_iteration_at(const struct wl_process_iters *iters, wl_ns time);

/*
 * The iteration in whose tile an operation starts, wherever it was launched; WL_NONE for none.
 * Logarithmic in iterations.
 */
uint32_t wl_iteration_around(const struct wl_process_iters *iters, wl_ns op_start);

/*
 * The iteration that the host began last, also after its host interval: what lies between two
 * is of the first. WL_NONE before all. Logarithmic in iterations.
 */
uint32_t wl_iteration_since(const struct wl_process_iters *iters, wl_ns time);

#endif
