/* SPDX-License-Identifier: MIT */
/* extras.h - functions and row sources on a connection, and their descriptions. */
#ifndef WL_SQL_EXTRAS_H
#define WL_SQL_EXTRAS_H

#include "base/memory/vec.h"
#include "sql/connection.h"

/*
 * Register them and make their tables, before the authorizer. The tables are TEMP, so that no table
 * of a file takes their names.
 */
int wl_sql_add_extras(struct wl_sql *sql, struct wl_err *reterr) WL_MUST_CHECK;

/* After the connection is closed. */
void wl_sql_release_extras(struct wl_sql *sql);

/*
 * Add the row sources (where there are events) and the functions that give rows to a vector of
 * struct wl_sql_table, whose failure is sticky; the arena owns what they point to.
 */
void wl_sql_list_extras(struct wl_vec *tables, bool has_events, struct wl_arena *arena);

/* Whether a TEMP table of this name is one of them. */
bool wl_sql_is_extra(const char *name);

#endif
