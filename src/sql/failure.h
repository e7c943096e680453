/* SPDX-License-Identifier: MIT */
/* failure.h - what SQLite refuses, as a status and a sentence with the name that was meant. */
#ifndef WL_SQL_FAILURE_H
#define WL_SQL_FAILURE_H

#include "sql/connection.h"

/* The failure as the message of a virtual table; returns SQLITE_ERROR. */
int wl_sql_vtab_fail(struct wl_sql *sql, sqlite3_vtab *vtab, const struct wl_err *err);

/* The sentence for what SQLite returned, from the connection's message and what was kept of it. */
int wl_sql_fail(struct wl_sql *sql, int code, struct wl_err *reterr);

/* The run was stopped: at its time, or by its flag. */
int wl_sql_stopped(const struct wl_sql *sql, struct wl_err *reterr) WL_MUST_CHECK;

/* Run statements of our own, which must not fail. */
int wl_sql_exec(struct wl_sql *sql, const char *text, struct wl_err *reterr) WL_MUST_CHECK;

#endif
