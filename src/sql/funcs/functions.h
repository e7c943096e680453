/* SPDX-License-Identifier: MIT */
/* functions.h - descriptions of the SQL functions of the program. */
#ifndef WL_SQL_FUNCTIONS_H
#define WL_SQL_FUNCTIONS_H

#include <stddef.h>

enum wl_sql_function_kind { WL_SQL_SCALAR, WL_SQL_AGGREGATE, WL_SQL_TABLE };

/* For help, completion and descriptions. */
struct wl_sql_function {
	const char *name;
	enum wl_sql_function_kind kind;
	const char *call; /* "union_ns(start, end [, until])" */
	const char *help; /* one sentence */
};

extern const struct wl_sql_function wl_sql_functions[];
extern const size_t wl_sql_n_functions;

#endif
