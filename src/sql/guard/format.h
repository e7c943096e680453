/* SPDX-License-Identifier: MIT */
/*
 * format.h - printf and format, which fail where their text is too long.
 *
 * SQLite's own are NULL then, as if a value were missing.
 */
#ifndef WL_SQL_FORMAT_H
#define WL_SQL_FORMAT_H

#include <sqlite3.h>

#include "base/attr.h"

/* Returns a code of SQLite. */
int wl_sql_bound_format(sqlite3 *db) WL_MUST_CHECK;

#endif
