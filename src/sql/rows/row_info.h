/* SPDX-License-Identifier: MIT */
/* row_info.h - what a table of rows is called, and its columns. */
#ifndef WL_SQL_ROW_INFO_H
#define WL_SQL_ROW_INFO_H

#include "table/table.h"

/* For help, completion and descriptions. */
struct wl_sql_rows {
	const char *name, *help;
	const struct wl_col *cols;
	size_t n_cols;
};

/* The hidden columns behind those of each. */
enum { WL_SQL_N_ROW_PARAMS = 3 };

extern const struct wl_col wl_sql_row_params[WL_SQL_N_ROW_PARAMS];

#endif
