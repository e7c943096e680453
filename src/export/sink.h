/*
 * sink.h - where the bytes of an exported file go: buffered, counted, compressed if wanted.
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
#include "base/gz.h"

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

/* Write what is still in the buffer and release; the stream stays open. */
void wl_sink_finish(struct wl_sink *sink);

#endif
