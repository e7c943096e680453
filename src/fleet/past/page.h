/* SPDX-License-Identifier: MIT */
/* page.h - tables of the report that the other answers do not have, and the pictures of its page.
 */
#ifndef WL_FLEET_PAGE_H
#define WL_FLEET_PAGE_H

#include "fleet/past/past.h"
#include "table/chart.h"
#include "table/table.h"

enum wl_page_table {
	WL_PAGE_SERIES,   /* a row per run: its step and what was judged */
	WL_PAGE_LATE,     /* the ranks of the newest run of each series that others wait for most */
	WL_PAGE_COVERAGE, /* how much of the traces of these runs the figures could use */
	WL_N_PAGE_TABLES
};

enum { WL_PAGE_SERIES_COLS = 9, WL_PAGE_LATE_COLS = 9, WL_PAGE_COVERAGE_COLS = 6 };

extern const struct wl_col wl_page_series_cols[WL_PAGE_SERIES_COLS];
extern const struct wl_col wl_page_late_cols[WL_PAGE_LATE_COLS];
extern const struct wl_col wl_page_coverage_cols[WL_PAGE_COVERAGE_COLS];

/* What a page draws above a table; NULL for nothing. */
const struct wl_chart *wl_page_chart(enum wl_page_table table);

/*
 * Fill the three tables, with n_ranks ranks of each newest run; 0: all. Verdicts are those that are
 * stored.
 */
int wl_page_fill(const struct wl_store *store, const struct wl_past *past, size_t n_ranks,
		 struct wl_arena *arena, struct wl_table *const table[WL_N_PAGE_TABLES],
		 struct wl_err *reterr) WL_MUST_CHECK;

#endif
