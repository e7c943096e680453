/* SPDX-License-Identifier: MIT */
/*
 * reader.h - the interface of a reader of database files.
 *
 * A reader lists tables and delivers cells, column by column, in batches. Only the loader
 * interprets the tables. Every implementation delivers the same cells in the same order for the
 * same file, so one can be used to test another.
 *
 * The rules for cells:
 *  - INT takes integers, and reals without a fraction that fit in 64 bits;
 *  - TEXT takes text;
 *  - BYTES takes text and blobs, delivered as for TEXT;
 *  - PRESENT takes anything, and says only that it is not NULL;
 *  - a value of another type is MISTYPED, which loaders treat as NULL and count.
 * Rows come in the order of their rowid.
 */
#ifndef WL_READ_READER_H
#define WL_READ_READER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/err.h"

struct wl_budget;

enum wl_want { WL_WANT_INT, WL_WANT_TEXT, WL_WANT_BYTES, WL_WANT_PRESENT };

enum wl_cell_state { WL_CELL_NULL, WL_CELL_OK, WL_CELL_MISTYPED };

enum { WL_BATCH_ROWS = 256, WL_SCAN_COLUMNS = 32 };

/*
 * Limits in bytes: a batch with more text is delivered before it is full, and a larger record is
 * refused, so that a file cannot make us allocate more than any trace needs.
 */
enum { WL_BATCH_TEXT = 1 << 20, WL_MAX_RECORD = 64 << 20 };

struct wl_batch_column {
	int64_t value[WL_BATCH_ROWS]; /* INT: the value; TEXT, BYTES: offset into the batch's text
				       */
	uint32_t len[WL_BATCH_ROWS];  /* TEXT, BYTES: length in bytes */
	uint8_t state[WL_BATCH_ROWS]; /* enum wl_cell_state; value is 0 unless OK */
	bool all_ok, all_null;        /* all cells are OK or NULL: then state need not be read */
};

struct wl_batch {
	size_t n; /* rows */
	const struct wl_batch_column *column;
	const char *text; /* bytes of all TEXT cells, neither terminated nor checked */
};

/* The columns to deliver; at most WL_SCAN_COLUMNS, all of which exist in the table. */
struct wl_scan {
	const char *table;
	const char *column[WL_SCAN_COLUMNS];
	enum wl_want want[WL_SCAN_COLUMNS];
	size_t n_columns;
};

/* Called for each batch, or for each column of each table; a negative result ends the call. */
typedef int wl_batch_fn(void *ctx, const struct wl_batch *batch, struct wl_err *reterr);
typedef int wl_list_fn(void *ctx, const char *table, const char *column, const char *type,
		       struct wl_err *reterr);

enum { WL_SCAN_PARTS = 64 };

/*
 * A running scan. Its parts are consecutive in the table, and several threads may read different
 * parts in parallel. An implementation's own struct begins with it.
 */
struct wl_scanning {
	size_t n_parts;              /* 1 .. WL_SCAN_PARTS */
	int64_t rows[WL_SCAN_PARTS]; /* of each part; -1 if it is only known after reading */
};

/* An open reader. An implementation's own struct begins with it. */
struct wl_reader {
	const struct wl_reader_ops *ops;
};

struct wl_reader_ops {
	const char *name;

	/*
	 * Open the file for reading; it is never written to, and nothing is created beside it.
	 * cancel may be NULL; when it becomes non-zero, running calls end with WL_E_CANCELED.
	 * Buffers are charged to budget, which must outlive the reader, unless it is NULL. A file
	 * that is not a database, is truncated, or has rows pending in a journal beside it is
	 * refused.
	 */
	int (*open)(const char *path, const atomic_int *cancel, struct wl_budget *budget,
		    struct wl_reader **ret_reader, struct wl_err *reterr);
	void (*close)(struct wl_reader *reader);

	/* Every ordinary table, with its columns in order. Views and virtual tables do not count.
	 */
	int (*list)(struct wl_reader *reader, wl_list_fn *fn, void *ctx, struct wl_err *reterr);

	/* An estimate of the rows, for progress; 0 if and only if there are none. Cheap. */
	int (*estimate)(struct wl_reader *reader, const char *table, int64_t *ret_rows,
			struct wl_err *reterr);

	/* The exact number of rows; may read the whole table. */
	int (*count)(struct wl_reader *reader, const char *table, int64_t *ret_rows,
		     struct wl_err *reterr);

	/*
	 * Begin a scan in at most max_parts parts; end it after success. The scan must not move in
	 * memory until then.
	 */
	int (*begin)(struct wl_reader *reader, const struct wl_scan *scan, size_t max_parts,
		     struct wl_scanning **ret_scanning, struct wl_err *reterr);

	/*
	 * Deliver the batches of one part. WL_E_RETRY: the reader found something unexpected and
	 * will read the table in another way; the caller that began the scan discards all rows,
	 * ends it and begins again. That happens at most once per table.
	 */
	int (*read_part)(struct wl_scanning *scanning, size_t part, wl_batch_fn *fn, void *ctx,
			 struct wl_err *reterr);
	void (*end)(struct wl_scanning *scanning);

	/* Fails with WL_E_IO if the file has changed since it was opened. */
	int (*check)(struct wl_reader *reader, struct wl_err *reterr);

	/*
	 * Why tables were not read in the reader's own way, one line each; NULL if all were. Valid
	 * until the next call on the reader.
	 */
	const char *(*detours)(struct wl_reader *reader);
};

extern const struct wl_reader_ops wl_reader_sqlite; /* opens anything that SQLite can */
extern const struct wl_reader_ops wl_reader_pages;  /* fast; leaves the rest to wl_reader_sqlite */

#endif
