/* SPDX-License-Identifier: MIT */
#include "base/file/gz.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>

#define ZLIB_CONST /* input is not written to */
#include <zlib.h>

enum {
	/* Level 6 makes timelines 5% smaller and takes more than twice the time. */
	LEVEL = 3,
	GZIP_WINDOW = 15 + 16, /* the largest window; 16 asks for gzip's header and sum */
	RAW_WINDOW = -15,      /* the minus asks for neither */
	MEMORY = 9,
	OUT_BYTES = 1 << 16,
};

struct wl_gz {
	z_stream z;
	wl_gz_sink_fn *sink;
	void *ctx;
	uint64_t n_bytes;
	unsigned char buffer[OUT_BYTES];
};

static struct wl_gz *open_for(wl_gz_sink_fn *sink, void *ctx, int window)
{
	struct wl_gz *gz = calloc(1, sizeof(*gz));

	if (!gz)
		return NULL;
	gz->sink = sink;
	gz->ctx = ctx;
	if (deflateInit2(&gz->z, LEVEL, Z_DEFLATED, window, MEMORY, Z_DEFAULT_STRATEGY) != Z_OK) {
		free(gz);
		return NULL;
	}
	return gz;
}

static void put_in_file(void *ctx, const void *bytes, size_t n)
{
	(void)fwrite(bytes, 1, n, (FILE *)ctx);
}

struct wl_gz *wl_gz_open(FILE *out)
{
	return open_for(put_in_file, out, GZIP_WINDOW);
}

struct wl_gz *wl_gz_open_raw(wl_gz_sink_fn *sink, void *ctx)
{
	return open_for(sink, ctx, RAW_WINDOW);
}

/* Compress what next_in holds. With a buffer that is never left full it cannot fail. */
static void run(struct wl_gz *gz, int flush)
{
	int r;

	do {
		size_t n;

		gz->z.next_out = gz->buffer;
		gz->z.avail_out = OUT_BYTES;
		r = deflate(&gz->z, flush);
		assert(r == Z_OK || r == Z_STREAM_END || r == Z_BUF_ERROR);
		n = OUT_BYTES - gz->z.avail_out;
		gz->sink(gz->ctx, gz->buffer, n);
		gz->n_bytes += n;
	} while (gz->z.avail_out == 0 || (flush == Z_FINISH && r != Z_STREAM_END));
}

void wl_gz_put(struct wl_gz *gz, const void *bytes, size_t n)
{
	const unsigned char *at = bytes;

	while (n > 0) {
		uInt part = n < UINT_MAX ? (uInt)n : UINT_MAX;

		gz->z.next_in = at;
		gz->z.avail_in = part;
		run(gz, Z_NO_FLUSH);
		at += part;
		n -= part;
	}
}

uint64_t wl_gz_finish(struct wl_gz *gz)
{
	gz->z.next_in = NULL;
	gz->z.avail_in = 0;
	run(gz, Z_FINISH);
	return gz->n_bytes;
}

void wl_gz_close(struct wl_gz *gz)
{
	if (!gz)
		return;
	(void)deflateEnd(&gz->z);
	free(gz);
}
