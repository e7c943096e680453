/* SPDX-License-Identifier: MIT */
/* shape.h - the storage of a table's rows, from SQLite's own schema. */
#ifndef WL_READ_SHAPE_H
#define WL_READ_SHAPE_H

#include "read/reader.h"

struct wl_shape_column {
	uint32_t field;   /* its position in a record */
	bool is_rowid;    /* an alias: the record has NULL there */
	bool is_real;     /* of REAL affinity: integers in the record stand for reals */
	bool has_default; /* other than NULL, for records that end before it */
};

struct wl_shape {
	uint32_t root; /* page of the table's tree; 0: not known, and the columns say nothing */
	struct wl_shape_column column[WL_SCAN_COLUMNS]; /* as in the scan */
};

/*
 * Asks an open reader of wl_reader_sqlite. A table or column that the schema does not know
 * by this spelling is no failure: the root is 0, and SQLite reports the fault on reading.
 */
int wl_sqlite_shape(struct wl_reader *reader, const struct wl_scan *scan, struct wl_shape *ret,
		    struct wl_err *reterr) WL_MUST_CHECK;

#endif
