/* SPDX-License-Identifier: MIT */
/* rows.h - cells of a statement of SQLite as columns of a batch. */
#ifndef WL_READ_SQLITE_ROWS_H
#define WL_READ_SQLITE_ROWS_H

#include <sqlite3.h>

#include "base/attr.h"
#include "base/memory/vec.h"
#include "read/reader.h"

/*
 * Take the row that the statement stands on, its columns being those of the scan. Values of texts
 * and blobs are where they begin in text. False when memory is exhausted.
 */
bool wl_sqlite_row_take(sqlite3_stmt *stmt, const struct wl_scan *scan, size_t row,
			struct wl_batch_column *column, struct wl_vec *text) WL_MUST_CHECK;

/* All n rows are taken: say what all cells of a column are. */
void wl_sqlite_rows_end(struct wl_batch_column *column, size_t n_columns, size_t n);

#endif
