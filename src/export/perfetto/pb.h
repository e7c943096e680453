/* SPDX-License-Identifier: MIT */
/*
 * pb.h - fields of protocol buffers, written in place.
 *
 * A put writes at p and returns the end of what it wrote. Nothing is checked: the caller provides
 * room, WL_PB_FIELD bytes for each field and for the head of a text or message. The length of a
 * message comes before it, so its size is added up first, by the function of the same name ending
 * in _size. All varints are as short as they can be.
 */
#ifndef WL_EXPORT_PB_H
#define WL_EXPORT_PB_H

#include <stddef.h>
#include <stdint.h>

#include "export/sink.h"

enum { WL_PB_FIELD = 16 }; /* a tag of 5 bytes and a varint of 10 fit */

enum wl_pb_wire { WL_PB_VARINT = 0, WL_PB_FIXED64 = 1, WL_PB_BYTES = 2 };

static inline size_t wl_pb_varint_size(uint64_t v)
{
	size_t n = 1;

	while (v >= 0x80) {
		v >>= 7;
		n++;
	}
	return n;
}

static inline unsigned char *wl_pb_varint(unsigned char *p, uint64_t v)
{
	while (v >= 0x80) {
		*p++ = (unsigned char)(v | 0x80);
		v >>= 7;
	}
	*p++ = (unsigned char)v;
	return p;
}

static inline size_t wl_pb_tag_size(uint32_t field)
{
	return wl_pb_varint_size((uint64_t)field << 3);
}

static inline unsigned char *wl_pb_tag(unsigned char *p, uint32_t field, enum wl_pb_wire wire)
{
	return wl_pb_varint(p, (uint64_t)field << 3 | wire);
}

/* A number, boolean or enumerator; negative ones as two's complement in 64 bits. */
static inline size_t wl_pb_uint_size(uint32_t field, uint64_t v)
{
	return wl_pb_tag_size(field) + wl_pb_varint_size(v);
}

static inline unsigned char *wl_pb_uint(unsigned char *p, uint32_t field, uint64_t v)
{
	return wl_pb_varint(wl_pb_tag(p, field, WL_PB_VARINT), v);
}

static inline size_t wl_pb_fixed64_size(uint32_t field)
{
	return wl_pb_tag_size(field) + 8;
}

static inline unsigned char *wl_pb_fixed64(unsigned char *p, uint32_t field, uint64_t v)
{
	p = wl_pb_tag(p, field, WL_PB_FIXED64);
	for (int i = 0; i < 8; i++)
		*p++ = (unsigned char)(v >> 8 * i);
	return p;
}

/* For a message or text of n bytes: its size including the head, and the head. */
static inline size_t wl_pb_bytes_size(uint32_t field, size_t n)
{
	return wl_pb_tag_size(field) + wl_pb_varint_size(n) + n;
}

static inline unsigned char *wl_pb_head(unsigned char *p, uint32_t field, size_t n)
{
	return wl_pb_varint(wl_pb_tag(p, field, WL_PB_BYTES), n);
}

/* The same for a floating-point number. */
unsigned char *wl_pb_double(unsigned char *p, uint32_t field, double v);

/* Write a text of any length straight to the sink, without reserved room. */
void wl_pb_put_text(struct wl_sink *sink, uint32_t field, const char *text, size_t n);

/* Write the head of a message in the same way. */
void wl_pb_put_head(struct wl_sink *sink, uint32_t field, size_t n);

/* Write a number in the same way. */
void wl_pb_put_uint(struct wl_sink *sink, uint32_t field, uint64_t v);

#endif
