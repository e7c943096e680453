/* SPDX-License-Identifier: MIT */
/*
 * host_rows.h - the activity of a thread at a moment: the kind of CUDA call, OS call
 * or profiler overhead that it is in.
 */
#ifndef WL_DERIVE_HOST_ROWS_H
#define WL_DERIVE_HOST_ROWS_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "derive/calls/blocking.h"
#include "derive/rows/outermost.h"

/* Kinds of CUDA call; a call is of the first that fits. */
enum wl_call_kind {
	WL_CALL_SYNC,  /* blocks (blocking.h) */
	WL_CALL_ALLOC, /* allocates, maps or registers memory, or ends that (calls.def) */
	WL_CALL_LOAD,  /* loads or unloads a module or library, or compiles (calls.def) */
	WL_CALL_OTHER,
	WL_N_CALL_KINDS
};

struct wl_host_rows {
	const struct wl_trace *trace;
	const uint8_t *kind;            /* by string, of names of calls: ALLOC, LOAD or OTHER */
	const uint8_t *blocks;          /* by API row: enum wl_blocks */
	struct wl_outer_lists calls;    /* by thread * WL_N_CALL_KINDS + kind */
	struct wl_outer_lists os;       /* by thread */
	struct wl_outer_lists overhead; /* by thread */
	struct wl_outer_lists flushes;  /* by process: overhead with "flush" in its name, in any
					   case: it holds up all threads */
};

/*
 * From the api and overhead columns start, dur, thread and name; no thread is in a call of
 * the operating system. Owned by the arena, but for what blocking holds; false when that is
 * exhausted. Linear in rows, four bytes for each.
 */
bool wl_host_calls_make(const struct wl_trace *trace, const struct wl_blocking *blocking,
			struct wl_arena *arena, struct wl_host_rows *ret) WL_MUST_CHECK;

/* Add the calls of the operating system, from the same columns of osrt. */
bool wl_host_os_make(struct wl_host_rows *rows, struct wl_arena *arena) WL_MUST_CHECK;

#endif
