/* SPDX-License-Identifier: MIT */
/* bind.h - gives the parameters of a statement their values. */
#ifndef WL_SQL_BIND_H
#define WL_SQL_BIND_H

#include "sql/connection.h"

/*
 * Bind the values by name and mark those that the statement has. WL_E_USAGE for a parameter
 * without a value, with the nearest name, and for one without a name.
 */
int wl_sql_bind(struct wl_sql *sql, sqlite3_stmt *stmt, const struct wl_sql_bound *bound,
		struct wl_err *reterr) WL_MUST_CHECK;

#endif
