/* SPDX-License-Identifier: MIT */
/* limits.h - a connection that a hostile file or text can do little with. */
#ifndef WL_SQL_LIMITS_H
#define WL_SQL_LIMITS_H

#include "sql/connection.h"

/*
 * Switch off what a schema could use, limit texts, depths and programs, and stop statements that
 * wl_sql_must_stop() ends. For every connection to a trace that was just opened. WL_E_IO where
 * the library cannot, WL_E_NOMEM.
 */
int wl_sql_limit(sqlite3 *db, struct wl_sql *sql, struct wl_err *reterr) WL_MUST_CHECK;

#endif
