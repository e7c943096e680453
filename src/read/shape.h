/* SPDX-License-Identifier: MIT */
/* shape.h - how a table's rows are stored, from SQLite's own schema. */
#ifndef WL_READ_SHAPE_H
#define WL_READ_SHAPE_H

#include "read/reader.h"

struct wl_shape_column {
	uint32_t field;   /* its position in a record */
	bool is_rowid;    /* an alias: the record has NULL there */
	bool is_real;     /* has REAL affinity: integers in the record are reals */
	bool has_default; /* its default is not NULL; for records that end before it */
};

struct wl_shape {
	uint32_t root; /* root page of the tree; 0: unknown, and the columns are not valid */
	struct wl_shape_column column[WL_SCAN_COLUMNS]; /* as in the scan */
};

/*
 * Queries an open reader of wl_reader_sqlite. A table or column that the schema does not have in
 * this spelling is not an error: the root is 0, and SQLite reports the fault on reading.
 */
int wl_sqlite_shape(struct wl_reader *reader, const struct wl_scan *scan, struct wl_shape *ret,
		    struct wl_err *reterr) WL_MUST_CHECK;

#endif
