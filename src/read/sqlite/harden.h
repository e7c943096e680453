/* SPDX-License-Identifier: MIT */
/* harden.h - what every connection to a database of others needs of SQLite. */
#ifndef WL_READ_SQLITE_HARDEN_H
#define WL_READ_SQLITE_HARDEN_H

#include "base/attr.h"
#include "base/err.h"

struct sqlite3;

/*
 * Make the connection defensive: the schema of the file is not trusted, and its triggers do not
 * run. WL_E_IO where the library that was found at run time is too old for that, or does not do it.
 */
int wl_sqlite_harden(struct sqlite3 *db, struct wl_err *reterr) WL_MUST_CHECK;

#endif
