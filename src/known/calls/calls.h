/* SPDX-License-Identifier: MIT */
/* calls.h - the effects of CUDA functions on the host, by their names (calls.def). */
#ifndef WL_KNOWN_CALLS_H
#define WL_KNOWN_CALLS_H

#include <stdbool.h>

enum wl_call_class {
	WL_CALLS_OTHER,
	WL_CALLS_SYNC,         /* waits until the GPU is done */
	WL_CALLS_COPY,         /* copies memory */
	WL_CALLS_GRAPH_LAUNCH, /* cudaGraphLaunch, cuGraphLaunch */
	WL_CALLS_LAUNCH,       /* launches a kernel */
	WL_CALLS_ALLOC,        /* allocates, maps or registers memory, or ends that */
	WL_CALLS_LOAD,         /* loads or unloads a module or library, lazily too, or compiles */
};

/*
 * Suffixes such as _v2, _v3020, _ptsz and _ptds do not matter. A name without the
 * prefix cuda or cu is WL_CALLS_OTHER. Linear in the table: look at a name once.
 */
enum wl_call_class wl_call_class_of(const char *function);

/* One class each; a copy blocks by its name when the last word is not Async. */
bool wl_call_synchronises(const char *function);
bool wl_call_copies(const char *function);
bool wl_call_copies_blocking(const char *function);
bool wl_call_launches_graph(const char *function);

/* A kernel or a graph. */
bool wl_call_launches(const char *function);

#endif
