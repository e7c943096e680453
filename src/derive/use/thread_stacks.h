/* SPDX-License-Identifier: MIT */
/*
 * thread_stacks.h - the call stack of each thread at each time, from samples, calls and scheduling.
 *
 * Defined in docs/definitions/stacks.md.
 */
#ifndef WL_DERIVE_THREAD_STACKS_H
#define WL_DERIVE_THREAD_STACKS_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "derive/rows/slices.h"
#include "model/trace.h"

struct wl_derived;

/* What is known about a thread at a time. */
enum wl_stack_state {
	WL_STACK_OF_NONE, /* nothing */
	WL_STACK_OF_CALL, /* in a CUDA call with a stack */
	WL_STACK_OF_OS,   /* in an OS call with a stack */
	WL_STACK_OF_CPU,  /* within reach of a sample */
	/* Off its CPU; these may have no stack. */
	WL_STACK_OF_RUNNABLE,
	WL_STACK_OF_BLOCKED,
	WL_STACK_OF_OFF,
	WL_N_STACK_STATES
};

struct wl_stack_piece {
	wl_ns begin, end;
	uint32_t stack; /* index of the trace's stacks, or WL_NONE */
	uint32_t state; /* enum wl_stack_state */
};

/* From the first to the last nanosecond with anything known; begin == end: nothing known. */
struct wl_stack_extent {
	wl_ns begin, end;
};

/*
 * Time within reach of a sample is computed on demand: traces have millions of samples, and few
 * other pieces.
 */
struct wl_thread_stacks {
	const struct wl_trace *trace;
	const struct wl_slice *of; /* by thread: its pieces */
	/* All except CPU, by thread, then time. They do not overlap and are not empty. Gaps between
	 * them are CPU or NONE. */
	const struct wl_stack_piece *piece;
	const struct wl_slice *of_samples;    /* by thread: its periodic samples */
	const uint32_t *sample;               /* rows of these, by thread, then time */
	const struct wl_stack_extent *extent; /* by thread */
	const wl_ns *reach;                   /* by process: the longest reach of a sample */
	size_t n_threads;
};

/*
 * Owned by the arena; false when that is exhausted. Linear in samples, scheduling rows and calls.
 */
bool wl_thread_stacks_find(const struct wl_derived *given, struct wl_arena *arena,
			   struct wl_thread_stacks *ret) WL_MUST_CHECK;

/* Called for the pieces of a thread in [begin, end), cut at its edges and including NONE: they are
 * contiguous and fill it. */
typedef void wl_stack_piece_fn(void *ctx, const struct wl_stack_piece *piece);

/* Logarithmic in the thread's pieces and samples, linear in those visited. */
void wl_thread_stacks_visit(const struct wl_thread_stacks *stacks, uint32_t thread, wl_ns begin,
			    wl_ns end, wl_stack_piece_fn *take, void *ctx);

/* The index in sample of the thread's first one taken at the time or later. Logarithmic. */
size_t wl_thread_samples_from(const struct wl_thread_stacks *stacks, uint32_t thread, wl_ns time);

#endif
