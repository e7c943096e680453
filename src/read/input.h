/* SPDX-License-Identifier: MIT */
/*
 * input.h - an open trace file: its catalogue is read on opening, its columns on demand.
 *
 * Order of calls: open; load, as often as new columns are wanted; close. The trace stays the same
 * object. A load changes it in place, so no thread may be using it meanwhile; strings taken from it
 * before stay valid until close, columns only until the next load.
 */
#ifndef WL_READ_INPUT_H
#define WL_READ_INPUT_H

#include <stdatomic.h>

#include "base/attr.h"
#include "base/err.h"
#include "model/trace.h"

struct wl_budget;
struct wl_input;
struct wl_pool;
struct wl_reader_ops;

struct wl_input_opts {
	/* Charged for the trace's columns and scratch memory; NULL: no limit. Must outlive the
	 * input. */
	struct wl_budget *budget;
	const atomic_int *cancel; /* NULL, or a flag that ends a load when set */
	/* Called occasionally during a load, by one thread at a time; total is an estimate. May be
	 * NULL. */
	void (*progress)(void *ctx, int64_t rows, int64_t total);
	void *progress_ctx;
	struct wl_pool *pool; /* borrowed; NULL reads on one thread, with the same result */
	const struct wl_reader_ops *reader; /* NULL: the fast one */
};

/*
 * WL_E_FORMAT if the file is not an Nsight Systems export, or lacks what its rows need to have an
 * owner and a name (admit.h). Call it before answering anything.
 */
int wl_input_admit(const struct wl_input *input, struct wl_err *reterr) WL_MUST_CHECK;

/* opts is copied. On success the caller must close *ret_input. */
int wl_input_open(const char *path, const struct wl_input_opts *opts, struct wl_input **ret_input,
		  struct wl_err *reterr) WL_MUST_CHECK;
void wl_input_close(struct wl_input *input);

const struct wl_trace *wl_input_trace(const struct wl_input *input);

/*
 * Make the wanted columns available. Each affected family is read whole, and all four families of
 * GPU operations are read together, because together they determine the devices. Requesting loaded
 * columns again costs nothing.
 *
 * If the file lacks a table, or has it in an unusable shape, the family stays empty; that is not an
 * error. A damaged file is an error. After a failure the trace must no longer be used, and every
 * further load fails in the same way.
 */
int wl_input_load(struct wl_input *input, const struct wl_columns *want,
		  struct wl_err *reterr) WL_MUST_CHECK;

/* Release the columns of a family that was copied elsewhere: the trace no longer has any of
 * them. */
void wl_input_drop(struct wl_input *input, enum wl_family_id family);

#endif
