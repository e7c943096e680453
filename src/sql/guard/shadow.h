/* SPDX-License-Identifier: MIT */
/*
 * shadow.h - TEMP tables that stand for tables of the file with private text: the same columns and
 * rows, without the environment of the traced program, its output, and secrets among its arguments.
 *
 * They read by a connection of their own, because the authorizer of a connection does not see which
 * view reads: it gets the name of a view, and a WITH clause may have the same one. So the tables
 * themselves are closed to every statement.
 */
#ifndef WL_SQL_SHADOW_H
#define WL_SQL_SHADOW_H

#include "sql/connection.h"

/* Make the shadows of all files. Nothing where the environment is shown. */
int wl_sql_add_shadows(struct wl_sql *sql, struct wl_err *reterr) WL_MUST_CHECK;

/* Close what the shadows read by, after the connection itself. */
void wl_sql_close_shadows(struct wl_sql *sql);

#endif
