/* SPDX-License-Identifier: MIT */
/* uri.h - the name by which SQLite opens a trace so that nothing is locked, created or written. */
#ifndef WL_READ_SQLITE_URI_H
#define WL_READ_SQLITE_URI_H

#include "base/attr.h"

/*
 * file:PATH?mode=ro&immutable=1 with every byte escaped that a URI could misread; free() it. NULL
 * without memory. Only for a file that wl_guard_take() has passed: no journal of it is live.
 */
char *wl_sqlite_uri(const char *path) WL_MUST_CHECK;

#endif
