/* SPDX-License-Identifier: MIT */
/* probe.h - finds the tables and columns of a file; versions are not consulted. */
#ifndef WL_READ_PROBE_H
#define WL_READ_PROBE_H

#include "model/build.h"
#include "read/reader.h"

enum { WL_PROBE_COLUMNS = WL_SCAN_COLUMNS };

struct wl_probe {
	struct wl_reader *reader;
	struct wl_build *build; /* its lists of tables and columns are what the probe found */
};

/* List the file's tables and columns into the build's catalogue. */
int wl_probe_run(struct wl_probe *probe, struct wl_err *reterr) WL_MUST_CHECK;

/* Index of the table, or WL_NONE. */
uint32_t wl_probe_table(const struct wl_probe *probe, const char *table);
bool wl_probe_has(const struct wl_probe *probe, const char *table, const char *column);

/* The column's declared type; NULL if the table lacks it. */
const char *wl_probe_type(const struct wl_probe *probe, const char *table, const char *column);

/*
 * The pid column of a table without globalPid or globalTid, as other programs write them; NULL if
 * there is none.
 */
const char *wl_owner_fallback(const struct wl_probe *probe, const char *table);

/*
 * A scan that tolerates absent columns: request columns by name, then read cells by the number that
 * ask returned. Asking twice for a column returns the same number.
 */
struct wl_probe_scan {
	struct wl_scan scan;
	uint32_t table; /* WL_NONE if the file lacks it */
	bool overflow;  /* more columns than a scan allows: a bug in the caller */
};

void wl_probe_scan_init(struct wl_probe_scan *query, const struct wl_probe *probe,
			const char *table);

/* The number of the column in batches, or -1 if the table lacks it. */
int wl_probe_scan_ask(struct wl_probe_scan *query, const struct wl_probe *probe, const char *column,
		      enum wl_want want);

/*
 * Run it in one part; there are no batches if the table or all columns are absent. WL_E_RETRY as
 * for read_part in reader.h: discard all rows and run it again.
 */
int wl_probe_scan_run(const struct wl_probe_scan *query, const struct wl_probe *probe,
		      wl_batch_fn *fn, void *ctx, struct wl_err *reterr) WL_MUST_CHECK;

static inline bool wl_cell_is_set(const struct wl_batch *batch, int column, size_t row)
{
	const struct wl_batch_column *c = &batch->column[column < 0 ? 0 : column];

	return column >= 0 && (c->all_ok || (!c->all_null && c->state[row] == WL_CELL_OK));
}

/* The integer in the cell, or def if it is NULL or mistyped or its column is absent. */
static inline int64_t wl_cell_int(const struct wl_batch *batch, int column, size_t row, int64_t def)
{
	return wl_cell_is_set(batch, column, row) ? batch->column[column].value[row] : def;
}

/* How many cells of the batch have a different type than requested. */
size_t wl_batch_mistyped(const struct wl_batch *batch, size_t n_columns);

/* The text in the cell as a string of the build, or WL_NONE. */
uint32_t wl_cell_string(const struct wl_batch *batch, int column, size_t row,
			struct wl_build *build);

#endif
