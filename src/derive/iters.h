/*
 * iters.h - the iterations of each process, found on the whole trace.
 *
 * Methods in order: ranges that the user's marker names; anchors of the convention;
 * an NVTX label that repeats and owns the GPU's time; the repeating sequence of
 * kernel names. The first that works is taken and said. Nothing is guessed from
 * gaps: a process without repetition has no iterations.
 */
#ifndef WL_DERIVE_ITERS_H
#define WL_DERIVE_ITERS_H

#include "base/arena.h"
#include "base/attr.h"
#include "derive/forest.h"
#include "derive/launch.h"
#include "derive/scope.h"

struct wl_derived;

#define WL_ITERATION_COLUMNS                                                                       \
	WL_FOREST_COLUMNS, WL_LINK_COLUMNS, WL_KERNELS_START, WL_KERNELS_DUR, WL_KERNELS_PLACE,    \
		WL_KERNELS_NAME

enum wl_iter_method {
	WL_ITER_NONE,
	WL_ITER_MARKER,      /* --marker */
	WL_ITER_CONVENTIONS, /* the convention's anchor */
	WL_ITER_NVTX,        /* a repeated label */
	WL_ITER_SEQUENCE,    /* the period of the kernel names */
};

/* "marker", "conventions", "nvtx", "sequence"; "none" else. */
const char *wl_iter_method_name(enum wl_iter_method method);

struct wl_iteration {
	/* [own first start, next one's first start); of the last: to its last end. */
	struct wl_interval tile;
	wl_ns last_end;  /* of its operations; span = last_end - tile.begin */
	uint32_t marker; /* row of the nvtx family; WL_NONE for SEQUENCE */
	bool is_last;    /* has no period: the length of its tile is its span */
};

struct wl_process_iters {
	enum wl_iter_method method;
	/* The pattern, the convention's name, the label, or "period of 224 kernels, 99.1 %
	 * repeated". */
	const char *what;
	const struct wl_iteration *at; /* by tile.begin */
	const uint32_t *by_marker;     /* indexes of at by start of the marker; NULL for SEQUENCE */
	size_t n;
	size_t n_dropped; /* markers without operations */
	wl_ns median;     /* of all periods, nearest rank; 0 where there is none */
	/* The earliest iteration with the median period of all but the first and the last;
	 * of fewer than 5 iterations, of all that have a period; WL_NONE where there is none. */
	uint32_t steady;
};

struct wl_iterations {
	const struct wl_process_iters *process; /* by process */
	size_t n_found;                         /* processes that have iterations */
	const char *problem; /* of the marker: NULL, or why the pattern is no good */
};

/*
 * Uses WL_ITERATION_COLUMNS; without NVTX only SEQUENCE can work. A malformed
 * marker is a problem, not a failure. Sorts what is not in order, else linear in
 * ranges, calls and operations, for each of few labels. False when the arena is
 * exhausted.
 */
bool wl_iterations_find(struct wl_derived *derived, struct wl_arena *arena,
			struct wl_iterations *ret) WL_MUST_CHECK;

/* What to say where no process has any. */
extern const char wl_no_iterations[];

/*
 * How the iterations of the processes that are on were found, in sentences for
 * people: the way, what it found, how many markers were dropped, what to doubt.
 * NULL ends; owned by the arena; NULL itself when that is exhausted.
 */
const char *const *wl_iterations_notes(const struct wl_trace *trace,
				       const struct wl_iterations *all, const bool *process_on,
				       struct wl_arena *arena) WL_MUST_CHECK;

/*
 * The iteration that owns an operation of the process: index of at, WL_NONE for
 * none. With markers that whose range the launch starts in (WL_NONE: not
 * launched); with SEQUENCE the last one that begins no later than the
 * operation. Logarithmic in the process's iterations.
 */
uint32_t wl_iteration_of(const struct wl_trace *trace, const struct wl_process_iters *iters,
			 wl_ns op_start, uint32_t launch_api_row);

/*
 * The iteration in which the host was at a time: with markers that whose range is under
 * way, WL_NONE for none. With SEQUENCE, where the host has no iterations, the one that
 * the GPU was in. Logarithmic likewise.
 */
uint32_t wl_iteration_at(const struct wl_trace *trace, const struct wl_process_iters *iters,
			 wl_ns time);

#endif
