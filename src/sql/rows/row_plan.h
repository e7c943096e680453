/* SPDX-License-Identifier: MIT */
/* row_plan.h - which constraints a table of rows takes, and what they ask for. */
#ifndef WL_SQL_ROW_PLAN_H
#define WL_SQL_ROW_PLAN_H

#include "sql/rows/row_index.h"

/* Hidden columns behind those of the source, in this order. */
enum { WL_ROW_WINDOW, WL_ROW_GPU, WL_ROW_TRACE };

/* xBestIndex. */
int wl_row_plan_make(const struct wl_row_source *source, sqlite3_index_info *info);

/* What a plan asks for. */
struct wl_row_asked {
	sqlite3_value *given[WL_SQL_N_ROW_PARAMS]; /* NULL: all */
	wl_ns from, to;
	struct wl_row_sought sought;
};

/* From what xFilter is given. WL_E_USAGE for a text where a column has numbers. */
int wl_row_plan_read(const struct wl_row_source *source, const char *plan, sqlite3_value **arg,
		     struct wl_row_asked *ret, struct wl_err *reterr) WL_MUST_CHECK;

#endif
