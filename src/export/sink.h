/* SPDX-License-Identifier: MIT */
/*
 * sink.h - the output of an export: buffered, counted, optionally compressed.
 *
 * Errors are sticky in the stream. Writers need no check per event: the owner of the stream checks
 * once, at the end (wl_file_commit() does).
 */
#ifndef WL_EXPORT_SINK_H
#define WL_EXPORT_SINK_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/attr.h"
#include "base/file/gz.h"

enum { WL_SINK_BYTES = 1 << 16 };

struct wl_sink {
	FILE *out;
	struct wl_gz *gz; /* NULL: no compression */
	uint64_t n_bytes; /* written so far, before compression */
	size_t n;         /* in the buffer */
	unsigned char buffer[WL_SINK_BYTES];
};

/* The stream must outlive the sink. False when memory for the compressor is exhausted. */
bool wl_sink_init(struct wl_sink *sink, FILE *out, bool gzip) WL_MUST_CHECK;
void wl_sink_put(struct wl_sink *sink, const void *bytes, size_t n);

/*
 * Write the rest of the buffer and release the sink; the stream stays open. Returns the number of
 * bytes that went into the stream: for a compressed file, its size on disk.
 */
uint64_t wl_sink_finish(struct wl_sink *sink);

/* Write out the buffer. Only for wl_sink_room(). */
void wl_sink_flush(struct wl_sink *sink);

/*
 * Return space for n bytes, at most WL_SINK_BYTES, to write in place; report their end with
 * wl_sink_took() before putting anything else.
 */
static inline unsigned char *wl_sink_room(struct wl_sink *sink, size_t n)
{
	if (n > WL_SINK_BYTES - sink->n)
		wl_sink_flush(sink);
	return sink->buffer + sink->n;
}

static inline void wl_sink_took(struct wl_sink *sink, const unsigned char *end)
{
	size_t n = (size_t)(end - sink->buffer);

	sink->n_bytes += n - sink->n;
	sink->n = n;
}

#endif
