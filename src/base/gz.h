/*
 * gz.h - bytes as a gzip file, made as they come.
 *
 * The same puts give the same bytes: the header holds no time and no name.
 * Order of calls: open; put, as often as wanted; finish; close. Takes about 450 KB, however
 * much goes through.
 */
#ifndef WL_BASE_GZ_H
#define WL_BASE_GZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/attr.h"

struct wl_gz;

/* NULL without memory. The stream must outlive it and is neither flushed nor closed. */
struct wl_gz *wl_gz_open(FILE *out) WL_MUST_CHECK;

/* Write errors stay in the stream. */
void wl_gz_put(struct wl_gz *gz, const void *bytes, size_t n);
uint64_t wl_gz_finish(struct wl_gz *gz); /* the size of the gzip file */
void wl_gz_close(struct wl_gz *gz);      /* accepts NULL */

#endif
