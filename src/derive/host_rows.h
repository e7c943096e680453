/*
 * host_rows.h - what a thread does at a moment: in which kind of CUDA call, OS call
 * or profiler overhead it is.
 */
#ifndef WL_DERIVE_HOST_ROWS_H
#define WL_DERIVE_HOST_ROWS_H

#include "base/arena.h"
#include "base/attr.h"
#include "derive/launch.h"
#include "derive/outermost.h"

/* Kinds of CUDA call; a call is of the first that fits. */
enum wl_call_kind {
	WL_CALL_SYNC,  /* synchronises, or is a copy that blocks */
	WL_CALL_ALLOC, /* allocates or frees */
	WL_CALL_LOAD,  /* loads a module or library, or compiles */
	WL_CALL_OTHER,
	WL_N_CALL_KINDS
};

struct wl_host_rows {
	const struct wl_trace *trace;
	const uint8_t *flags;           /* by string, of names of calls: what host_rows.c knows */
	const bool *to_pageable;        /* by API row: a copy of it goes to pageable memory */
	struct wl_outer_lists calls;    /* by thread * WL_N_CALL_KINDS + kind */
	struct wl_outer_lists os;       /* by thread */
	struct wl_outer_lists overhead; /* by thread */
	struct wl_outer_lists flushes;  /* by process: overhead with "flush" in its name, in any
					   case: it holds up all threads */
};

/*
 * From the api, osrt and overhead columns start, dur, thread and name, and memcpys
 * dst; what is not loaded counts as not there. Owned by the arena; false when that
 * is exhausted. Linear in rows, four bytes for each.
 */
bool wl_host_rows_make(const struct wl_trace *trace, const struct wl_links *links,
		       struct wl_arena *arena, struct wl_host_rows *ret) WL_MUST_CHECK;

/* A copy call whose name lacks Async, or one that copies to pageable memory. */
bool wl_is_blocking_copy(const struct wl_host_rows *rows, size_t api_row);

#endif
