/* SPDX-License-Identifier: MIT */
/* rows.h - converts the rows of an SQLite statement to the columns of a batch. */
#ifndef WL_READ_SQLITE_ROWS_H
#define WL_READ_SQLITE_ROWS_H

#include <sqlite3.h>

#include "base/attr.h"
#include "base/memory/vec.h"
#include "read/reader.h"

/*
 * Take the statement's current row, whose columns are those of the scan. The value of a text or
 * blob is its offset in text. False if out of memory.
 */
bool wl_sqlite_row_take(sqlite3_stmt *stmt, const struct wl_scan *scan, size_t row,
			struct wl_batch_column *column, struct wl_vec *text) WL_MUST_CHECK;

/* Call this after all n rows are taken: sets all_ok and all_null of each column. */
void wl_sqlite_rows_end(struct wl_batch_column *column, size_t n_columns, size_t n);

#endif
