/* SPDX-License-Identifier: MIT */
/* verb_table.h - the virtual tables of verbs: SELECT * FROM kernels WHERE gpu = 2. */
#ifndef WL_SQL_VERB_TABLE_H
#define WL_SQL_VERB_TABLE_H

#include "sql/connection.h"

/*
 * Make a TEMP table for each verb and section, so that no table of a file can take its name. Those
 * that are there already, by a row source, are left out.
 */
int wl_sql_add_verbs(struct wl_sql *sql, struct wl_err *reterr) WL_MUST_CHECK;

/*
 * SQLite has no such table: make it where its name is what another tool calls a verb. These are
 * made when asked for, because they are many. True if it is there now.
 */
bool wl_sql_add_alias(struct wl_sql *sql, const char *name);

#endif
