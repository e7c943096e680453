/* SPDX-License-Identifier: MIT */
#include "export/sink.h"

#include <string.h>

bool wl_sink_init(struct wl_sink *sink, FILE *out, bool gzip)
{
	sink->out = out;
	sink->gz = NULL;
	sink->n_bytes = 0;
	sink->n = 0;
	if (gzip)
		sink->gz = wl_gz_open(out);
	return !gzip || sink->gz;
}

/* Bypass the buffer, which is empty or being flushed. */
static void pass_on(struct wl_sink *sink, const void *bytes, size_t n)
{
	if (sink->gz)
		wl_gz_put(sink->gz, bytes, n);
	else
		(void)fwrite(bytes, 1, n, sink->out);
}

void wl_sink_flush(struct wl_sink *sink)
{
	pass_on(sink, sink->buffer, sink->n);
	sink->n = 0;
}

void wl_sink_put(struct wl_sink *sink, const void *bytes, size_t n)
{
	sink->n_bytes += n;
	if (n > WL_SINK_BYTES - sink->n) {
		wl_sink_flush(sink);
		if (n >= WL_SINK_BYTES) {
			pass_on(sink, bytes, n);
			return;
		}
	}
	memcpy(sink->buffer + sink->n, bytes, n);
	sink->n += n;
}

uint64_t wl_sink_finish(struct wl_sink *sink)
{
	uint64_t n = sink->n_bytes;

	wl_sink_flush(sink);
	if (sink->gz)
		n = wl_gz_finish(sink->gz);
	wl_gz_close(sink->gz);
	sink->gz = NULL;
	return n;
}
