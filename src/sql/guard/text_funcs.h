/* SPDX-License-Identifier: MIT */
/*
 * text_funcs.h - SQLite's own functions of texts, with bounded work.
 *
 * SQLite looks at the clock between the steps of a statement, and a function is one step. Some of
 * its functions compare each place of one text with another text, which takes minutes for two texts
 * of a megabyte. These have the same results, except that they fail with a message where the work
 * would be too much, and with SQLITE_INTERRUPT where the run must stop.
 */
#ifndef WL_SQL_TEXT_FUNCS_H
#define WL_SQL_TEXT_FUNCS_H

#include "sql/connection.h"

/* instr, replace, trim, ltrim and rtrim with a set, like and glob. Returns a code of SQLite. */
int wl_sql_bound_texts(sqlite3 *db, struct wl_sql *sql) WL_MUST_CHECK;

#endif
