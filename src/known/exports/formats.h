/* SPDX-License-Identifier: MIT */
/* formats.h - the formats that nsys exports a report to besides SQLite, none of which is read. */
#ifndef WL_KNOWN_FORMATS_H
#define WL_KNOWN_FORMATS_H

#include <stddef.h>

#include "base/err.h"

/*
 * "Apache Parquet", "HDF5", ...; NULL for anything else. By the first n bytes of a file, and by
 * the ending of a name: of a file, or of a directory that has one file for each table.
 */
const char *wl_format_of_bytes(const char *bytes, size_t n);
const char *wl_format_of_name(const char *name);

/* The answer to a file or directory of such a format: WL_E_FORMAT, and what to do. */
int wl_format_refuse(const char *path, const char *format, struct wl_err *reterr);

#endif
