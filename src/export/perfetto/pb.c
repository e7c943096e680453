/* SPDX-License-Identifier: MIT */
#include "export/perfetto/pb.h"

#include <assert.h>

#include <string.h>

unsigned char *wl_pb_double(unsigned char *p, uint32_t field, double v)
{
	uint64_t bits;

	static_assert(sizeof(bits) == sizeof(v), "a double of IEEE 754 takes 8 bytes");
	memcpy(&bits, &v, sizeof(bits));
	return wl_pb_fixed64(p, field, bits);
}

void wl_pb_put_head(struct wl_sink *sink, uint32_t field, size_t n)
{
	wl_sink_took(sink, wl_pb_head(wl_sink_room(sink, WL_PB_FIELD), field, n));
}

void wl_pb_put_text(struct wl_sink *sink, uint32_t field, const char *text, size_t n)
{
	wl_pb_put_head(sink, field, n);
	wl_sink_put(sink, text, n);
}

void wl_pb_put_uint(struct wl_sink *sink, uint32_t field, uint64_t v)
{
	wl_sink_took(sink, wl_pb_uint(wl_sink_room(sink, WL_PB_FIELD), field, v));
}
