/* SPDX-License-Identifier: MIT */
/* harden.h - hardens SQLite connections to untrusted databases. */
#ifndef WL_READ_SQLITE_HARDEN_H
#define WL_READ_SQLITE_HARDEN_H

#include "base/attr.h"
#include "base/err.h"

struct sqlite3;

/*
 * Make the connection defensive: the file's schema is not trusted, and its triggers do not run.
 * WL_E_IO if the library found at run time is too old for that or does not support it.
 */
int wl_sqlite_harden(struct sqlite3 *db, struct wl_err *reterr) WL_MUST_CHECK;

#endif
