/* SPDX-License-Identifier: MIT */
/*
 * shadow.h - TEMP tables that stand for tables of the file with private text: the same columns and
 * rows, without the environment of the traced program and without its output.
 *
 * They read by a connection of their own, because the authorizer of a connection cannot tell who
 * reads: it gets the name of a view, and a WITH clause may have the same one. So the tables
 * themselves are closed to every statement.
 *
 * An export has the environment in rows of META_DATA_CAPTURE, in one row of TARGET_INFO_SYSTEM_ENV
 * and as strings of StringIds, which also holds the output that ProcessStreams names.
 */
#ifndef WL_SQL_SHADOW_H
#define WL_SQL_SHADOW_H

#include "sql/connection.h"

/* The text that stands for a private one. */
#define WL_SQL_MASK "(hidden)"

/*
 * The text of n bytes is an environment: variables with NUL between them, as the kernel has them,
 * or one whose value is a path.
 */
bool wl_sql_is_environment(const char *text, size_t n);

/* Make the shadows of all files. Nothing where the environment is shown. */
int wl_sql_add_shadows(struct wl_sql *sql, struct wl_err *reterr) WL_MUST_CHECK;

/* Close what the shadows read by, after the connection itself. */
void wl_sql_close_shadows(struct wl_sql *sql);

/* Statements may not read the table of a file, whatever its case. */
bool wl_sql_is_hidden(const struct wl_sql *sql, const char *table);

/* Why not, and what to read instead. */
void wl_sql_hidden_reason(const struct wl_sql *sql, const char *schema, const char *table,
			  char *buf, size_t size);

#endif
