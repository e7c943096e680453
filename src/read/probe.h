/* SPDX-License-Identifier: MIT */
/* probe.h - finds the tables and columns of a file; versions are not consulted. */
#ifndef WL_READ_PROBE_H
#define WL_READ_PROBE_H

#include "model/build.h"
#include "read/reader.h"

enum { WL_PROBE_COLUMNS = WL_SCAN_COLUMNS };

struct wl_probe {
	struct wl_reader *reader;
	struct wl_build *build; /* its table and column lists are the probe's memory */
};

/* List the file's tables and columns into the build's catalogue. */
int wl_probe_run(struct wl_probe *probe, struct wl_err *reterr) WL_MUST_CHECK;

/* Index of the table, or WL_NONE. */
uint32_t wl_probe_table(const struct wl_probe *probe, const char *table);
bool wl_probe_has(const struct wl_probe *probe, const char *table, const char *column);

/* How the column is declared; NULL when the table lacks it. */
const char *wl_probe_type(const struct wl_probe *probe, const char *table, const char *column);

/*
 * The column with the pid of a table that has no globalPid or globalTid, as other programs write
 * them; NULL when there is none.
 */
const char *wl_owner_fallback(const struct wl_probe *probe, const char *table);

/*
 * A scan that tolerates absent columns: ask for columns by name, then read cells
 * by the number that ask returned. Asking twice for one column gives one number.
 */
struct wl_probe_scan {
	struct wl_scan scan;
	uint32_t table; /* WL_NONE when the file does not have it */
	bool overflow;  /* more columns than a scan takes: a bug of the caller */
};

void wl_probe_scan_init(struct wl_probe_scan *query, const struct wl_probe *probe,
			const char *table);

/* The number of the column in batches, or -1 when the table lacks it. */
int wl_probe_scan_ask(struct wl_probe_scan *query, const struct wl_probe *probe, const char *column,
		      enum wl_want want);

/*
 * Run it in one part; zero batches when the table or all columns are absent. WL_E_RETRY
 * as read_part of reader.h: forget all rows and run it again.
 */
int wl_probe_scan_run(const struct wl_probe_scan *query, const struct wl_probe *probe,
		      wl_batch_fn *fn, void *ctx, struct wl_err *reterr) WL_MUST_CHECK;

static inline bool wl_cell_is_set(const struct wl_batch *batch, int column, size_t row)
{
	const struct wl_batch_column *c = &batch->column[column < 0 ? 0 : column];

	return column >= 0 && (c->all_ok || (!c->all_null && c->state[row] == WL_CELL_OK));
}

/* The integer in the cell, or def when it is NULL, mistyped or its column absent. */
static inline int64_t wl_cell_int(const struct wl_batch *batch, int column, size_t row, int64_t def)
{
	return wl_cell_is_set(batch, column, row) ? batch->column[column].value[row] : def;
}

/* How many cells of the batch are of another type than was asked for. */
size_t wl_batch_mistyped(const struct wl_batch *batch, size_t n_columns);

/* The text in the cell as a string of the build, or WL_NONE. */
uint32_t wl_cell_string(const struct wl_batch *batch, int column, size_t row,
			struct wl_build *build);

#endif
