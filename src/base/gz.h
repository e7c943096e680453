/*
 * gz.h - bytes as a gzip file, made as they come.
 *
 * The same bytes in give the same bytes out: the header holds no time and no name.
 * Order of calls: open; put, as often as wanted; finish; close.
 */
#ifndef WL_BASE_GZ_H
#define WL_BASE_GZ_H

#include <stddef.h>
#include <stdio.h>

#include "base/attr.h"

struct wl_gz;

/* NULL without memory. The stream must outlive it and is neither flushed nor closed. */
struct wl_gz *wl_gz_open(FILE *out) WL_MUST_CHECK;

/* Write errors stay in the stream. */
void wl_gz_put(struct wl_gz *gz, const void *bytes, size_t n);
void wl_gz_finish(struct wl_gz *gz);
void wl_gz_close(struct wl_gz *gz); /* accepts NULL */

#endif
