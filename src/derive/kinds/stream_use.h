/* SPDX-License-Identifier: MIT */
/*
 * stream_use.h - the use of each stream inside a scope: its class and purpose.
 *
 * A stream is classified by the kinds of work on it, never by their amounts: a barrier on the
 * compute stream does not change the stream's purpose.
 */
#ifndef WL_DERIVE_STREAM_USE_H
#define WL_DERIVE_STREAM_USE_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "derive/rows/scope.h"
#include "derive/rows/streams.h"

struct wl_derived;

/* A graph replay that was recorded as a whole counts as a compute kernel. */
enum wl_stream_class {
	WL_STREAM_COPY,    /* no kernel and no graph replay */
	WL_STREAM_COMPUTE, /* some kernel computes */
	WL_STREAM_COMM,    /* every kernel communicates */
	WL_N_STREAM_CLASSES
};

const char *wl_stream_class_name(enum wl_stream_class class); /* "copy", ... */

struct wl_stream_use {
	size_t n_ops; /* with a part in the window */
	size_t n_kernels, n_graphs;
	size_t n_comm;    /* kernels that communicate */
	uint32_t purpose; /* their purpose according to NVTX: text of wl_stages; WL_NONE for none */
	bool has_mixed_ones;        /* their purposes differ, or some have none */
	wl_ns busy;                 /* the length of the union of the parts */
	wl_ns kernel_sum, comm_sum; /* total lengths of the parts of kernels, and of communication
				       kernels; saturate at INT64_MAX */
};

/*
 * By stream, owned by the arena; NULL when that is exhausted. Without NVTX and links nothing has a
 * purpose. Linear in operations; devices are processed in parallel.
 */
const struct wl_stream_use *wl_stream_use_find(const struct wl_derived *derived,
					       const struct wl_scope *scope,
					       const struct wl_streams *streams,
					       struct wl_arena *arena) WL_MUST_CHECK;

enum wl_stream_class wl_stream_class_of(const struct wl_stream_use *use);

#endif
