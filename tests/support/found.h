/* SPDX-License-Identifier: MIT */
/* found.h - a trace in memory that a test fills, and the steps that are found in it. */
#ifndef WL_TESTS_FOUND_H
#define WL_TESTS_FOUND_H

#include "derive/iters/iters.h"
#include "support/mem.h"

struct found {
	struct mem m;
	struct wl_derivations derivations;
	struct wl_derived derived;
	unsigned corr; /* the last correlation id given */
	const struct wl_trace *trace;
	const struct wl_iterations *all;
	const struct wl_process_iters *p; /* of the first process */
};

/* Order of calls: begin, the puts, find, end. */
void found_begin(struct found *f);
void found_find(struct found *f, const struct wl_derived_opts *opts);
void found_end(struct found *f);

/* A kernel of length 10 at start + 20, launched by a call at start on a thread. */
void found_launch(struct found *f, wl_ns start, unsigned tid, const char *name);

/* A push/pop range on thread 1. */
void found_range(struct found *f, wl_ns start, wl_ns end, const char *name);

#endif
