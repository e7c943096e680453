/* SPDX-License-Identifier: MIT */
/*
 * host_functions.h - which streams wait for which functions of the host: of cudaLaunchHostFunc, and
 * host nodes of CUDA graphs.
 *
 * A function is on its stream from when the stream begins to wait for it until it goes on, and
 * runs on a thread of CUDA's. Both rows have the correlation id of the launch; that of the thread
 * gives the name. Functions of a stream do not overlap: of those that do the one that began first
 * counts.
 */
#ifndef WL_DERIVE_HOST_FUNCTIONS_H
#define WL_DERIVE_HOST_FUNCTIONS_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "derive/rows/slices.h"
#include "model/trace.h"

struct wl_derived;

struct wl_host_function {
	wl_ns begin, end;
	const char *name; /* NULL where its thread has no row */
};

/* A stream that waits for some, in order of time. */
struct wl_waiting_stream {
	uint32_t place;
	struct wl_slice functions;
};

struct wl_host_functions {
	size_t n; /* functions; 0 where none was recorded, and nothing else is there then */
	const struct wl_host_function *function;
	const struct wl_waiting_stream *stream;
	size_t n_streams;
	const uint32_t *of_place; /* number of its stream; WL_NONE */
};

/* False when the arena is exhausted. Linear in functions, but for sorting those of threads. */
bool wl_host_functions_find(const struct wl_derived *given, struct wl_arena *arena,
			    struct wl_host_functions *ret) WL_MUST_CHECK;

/*
 * The function that a stream waits for at a time. If it waits for none: the function that began
 * first of those that other streams of its process and device wait for; of equal ones that of the
 * lower context and stream. NULL: none. *until is lowered to where the answer changes. Logarithmic
 * for each such stream.
 */
const struct wl_host_function *wl_host_function_at(const struct wl_host_functions *all,
						   const struct wl_trace *t, uint32_t place,
						   wl_ns at, wl_ns *until);

/* How much of [begin, end) any of n streams waits for one. */
wl_ns wl_host_functions_time(const struct wl_host_functions *all, const uint32_t *place, size_t n,
			     wl_ns begin, wl_ns end);

/* The last function of a stream that begins before t; NULL for none. Logarithmic. */
const struct wl_host_function *wl_host_function_before(const struct wl_host_functions *all,
						       uint32_t place, wl_ns t);

#endif
