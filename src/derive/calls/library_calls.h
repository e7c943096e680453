/* SPDX-License-Identifier: MIT */
/*
 * library_calls.h - the call of cuDNN or cuBLAS, or the OpenACC construct, that each CUDA call
 * lies in.
 *
 * That is the innermost one: of those on the thread of the CUDA call that have begun and not
 * ended when it begins, the one that began last; then the one that ends first; then the last
 * of the tables (cuDNN, cuBLAS, OpenACC launches, data, others) and of its rows.
 */
#ifndef WL_DERIVE_LIBRARY_CALLS_H
#define WL_DERIVE_LIBRARY_CALLS_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "model/trace.h"

struct wl_derived;

/* Calls of one function, or events of one line of a program. */
struct wl_library_call {
	const char *library; /* "cuDNN", "cuBLAS" or "OpenACC" */
	const char *name;    /* "cudnnConvolutionForward", "solve.f90:54 (Enqueue Launch)" */
};

struct wl_library_calls {
	const uint32_t *of;                 /* by API row: an index of call, or WL_NONE */
	const struct wl_library_call *call; /* those that have a CUDA call in them, distinct */
	size_t n;
};

/*
 * Owned by the arena; false when that is exhausted. Linear where the rows of a thread are in
 * order, eight bytes per CUDA call.
 */
bool wl_library_calls_find(const struct wl_derived *given, struct wl_arena *arena,
			   struct wl_library_calls *ret) WL_MUST_CHECK;

#endif
