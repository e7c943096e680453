/* SPDX-License-Identifier: MIT */
/* rows.h - decodes leaf pages into batches of cells. */
#ifndef WL_READ_PAGES_ROWS_H
#define WL_READ_PAGES_ROWS_H

#include "read/pages/leaves.h"
#include "read/shape.h"

struct wl_rows {
	const char *path; /* for messages */
	const struct wl_db_file *db;
	const struct wl_scan *scan;
	const struct wl_shape *shape;
	const struct wl_leaves *leaves;
	const atomic_int *cancel;
	struct wl_budget *budget;      /* of the buffers */
	_Atomic int64_t overflow_left; /* bytes that may still be read from overflow pages */
	_Atomic(const char *) why;     /* why the table must be left to SQLite; NULL at first */
};

/*
 * Hand over the rows of the leaves [begin, end). WL_E_RETRY, with the reason in rows->why, if the
 * pages contain something that must be left to SQLite. Threads may read different leaves in
 * parallel.
 */
int wl_rows_read(struct wl_rows *rows, size_t begin, size_t end, wl_batch_fn *fn, void *ctx,
		 struct wl_err *reterr) WL_MUST_CHECK;

#endif
