/* SPDX-License-Identifier: MIT */
/* secret_file.h - a password or token in a file that only its user can open. */
#ifndef WL_BASE_SECRET_FILE_H
#define WL_BASE_SECRET_FILE_H

#include <stddef.h>

#include "base/attr.h"
#include "base/err.h"

/*
 * The first line of the file, without its end; at most cap - 1 bytes. WL_E_USAGE where the file is
 * no regular one, belongs to another user, can be opened by others, or its line is empty, too long
 * or not text; WL_E_IO where it cannot be read. No message holds what the file has.
 */
int wl_secret_read(const char *path, char *ret, size_t cap, struct wl_err *reterr) WL_MUST_CHECK;

#endif
