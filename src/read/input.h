/* SPDX-License-Identifier: MIT */
/*
 * input.h - a trace file that is open: its catalogue is read, its columns come on demand.
 *
 * Order of calls: open; load, as often as new columns are wanted; close. The
 * trace is the same object throughout. A load changes it in place, so no thread may
 * be using it meanwhile; strings taken from it before stay valid until close,
 * columns only until the next load.
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
	/* What the trace is charged to, columns and scratch; NULL: without limit. It must outlive
	 * the input. */
	struct wl_budget *budget;
	const atomic_int *cancel; /* NULL, or a flag that ends a load when set */
	/* Called now and then during a load, from one thread at a time; total is a guess. May be
	 * NULL. */
	void (*progress)(void *ctx, int64_t rows, int64_t total);
	void *progress_ctx;
	struct wl_pool *pool; /* borrowed; NULL reads on one thread, with the same result */
	const struct wl_reader_ops *reader; /* NULL: the fast one */
};

/*
 * WL_E_FORMAT when the file is no export of Nsight Systems, or lacks what its rows need to have an
 * owner and a name (admit.h). To be asked before anything is answered.
 */
int wl_input_admit(const struct wl_input *input, struct wl_err *reterr) WL_MUST_CHECK;

/* opts is copied. On success *ret_input must be closed. */
int wl_input_open(const char *path, const struct wl_input_opts *opts, struct wl_input **ret_input,
		  struct wl_err *reterr) WL_MUST_CHECK;
void wl_input_close(struct wl_input *input);

const struct wl_trace *wl_input_trace(const struct wl_input *input);

/*
 * Make the wanted columns available. A family that is touched is read whole, and
 * with any family of GPU operations all four are, because together they show
 * which devices there are. Asking again for what is there costs nothing.
 *
 * A table that the file does not have, or has in a shape that cannot be used,
 * leaves its family empty; that is not an error. A damaged file is. After a
 * failure the trace must not be used any more, and every further load fails alike.
 */
int wl_input_load(struct wl_input *input, const struct wl_columns *want,
		  struct wl_err *reterr) WL_MUST_CHECK;

/* Release the columns of a family that was copied elsewhere: the trace has none of them then. */
void wl_input_drop(struct wl_input *input, enum wl_family_id family);

#endif
