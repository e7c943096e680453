/* SPDX-License-Identifier: MIT */
/*
 * gz.h - a streaming compressor: a gzip file, or raw DEFLATE handed to a function.
 *
 * The same puts give the same bytes: the header of a file holds no time and no name.
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

/* A function that takes the compressed bytes, piece by piece, during put and finish. */
typedef void wl_gz_sink_fn(void *ctx, const void *bytes, size_t n);

/* The same bytes without header and sum (RFC 1951), handed to a function. NULL without memory. */
struct wl_gz *wl_gz_open_raw(wl_gz_sink_fn *sink, void *ctx) WL_MUST_CHECK;

/* Write errors stay in the stream. */
void wl_gz_put(struct wl_gz *gz, const void *bytes, size_t n);
uint64_t wl_gz_finish(struct wl_gz *gz); /* the size of all that came out */
void wl_gz_close(struct wl_gz *gz);      /* accepts NULL */

#endif
