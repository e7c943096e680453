/* SPDX-License-Identifier: MIT */
/* uri.h - the URI with which SQLite opens a trace without locking, creating or writing anything. */
#ifndef WL_READ_SQLITE_URI_H
#define WL_READ_SQLITE_URI_H

#include "base/attr.h"

/*
 * file:PATH?mode=ro&immutable=1 with every byte escaped that a URI could misread; free() it. NULL
 * if out of memory. Only for a file that wl_guard_take() has accepted, which ensures that it has no
 * live journal.
 */
char *wl_sqlite_uri(const char *path) WL_MUST_CHECK;

#endif
