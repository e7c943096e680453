/* SPDX-License-Identifier: MIT */
/*
 * sink.h - the output of an export: buffered, counted, optionally compressed.
 *
 * Errors are sticky in the stream, so that writers need no checks per event: who owns
 * the stream looks once, at the end (wl_file_commit() does).
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
	struct wl_gz *gz; /* NULL: as they are */
	uint64_t n_bytes; /* put so far, before compression */
	size_t n;         /* in the buffer */
	unsigned char buffer[WL_SINK_BYTES];
};

/* The stream must outlive the sink. False without memory for the compressor. */
bool wl_sink_init(struct wl_sink *sink, FILE *out, bool gzip) WL_MUST_CHECK;
void wl_sink_put(struct wl_sink *sink, const void *bytes, size_t n);

/*
 * Write what is still in the buffer and release; the stream stays open. Returns how many
 * bytes went into the stream: of a compressed file what it takes on the disk.
 */
uint64_t wl_sink_finish(struct wl_sink *sink);

/* Hand what is in the buffer on. Only for wl_sink_room(). */
void wl_sink_flush(struct wl_sink *sink);

/*
 * Room for n bytes, no more than WL_SINK_BYTES, to be written in place; report with
 * wl_sink_took() where they ended, before anything else is put.
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
