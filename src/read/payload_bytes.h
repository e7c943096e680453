/* SPDX-License-Identifier: MIT */
/*
 * payload_bytes.h - access to the bytes of a binary NVTX payload, raw or as hexadecimal digits:
 * domain, layout, size and a number of unknown use, 64 bits each, then the payload up to the end of
 * the cell.
 */
#ifndef WL_READ_PAYLOAD_BYTES_H
#define WL_READ_PAYLOAD_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "model/trace.h"

struct wl_payload_bytes {
	const char *at; /* of the cell */
	size_t begin;   /* offset of the payload in the cell */
	size_t n;       /* bytes of the payload */
	bool is_hex;
	uint64_t domain, schema;
};

/* The value of a hexadecimal digit; -1 for another character. */
static inline int wl_payload_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/*
 * A little-endian number of 1 to 8 bytes, inside the payload's n bytes; WL_NO_U64 if a character is
 * not a digit.
 */
static inline uint64_t wl_payload_number(const struct wl_payload_bytes *b, size_t at, size_t size)
{
	uint64_t v = 0;

	for (size_t i = size; i-- > 0;) {
		size_t byte = b->begin + at + i;
		const char *p = b->at + (b->is_hex ? 2 * byte : byte);

		if (!b->is_hex) {
			v = v << 8 | (unsigned char)*p;
			continue;
		}
		if (wl_payload_digit(p[0]) < 0 || wl_payload_digit(p[1]) < 0)
			return WL_NO_U64;
		v = v << 8 | (uint64_t)(wl_payload_digit(p[0]) * 16 + wl_payload_digit(p[1]));
	}
	return v;
}

/* Find the payload in a cell; false if the cell is shorter than its header says. */
WL_MUST_CHECK static inline bool wl_payload_open(const char *cell, size_t len,
						 struct wl_payload_bytes *ret)
{
	enum { WL_PAYLOAD_HEADER = 32 };

	for (int is_hex = 0; is_hex < 2; is_hex++) {
		size_t n = is_hex ? len / 2 : len;
		struct wl_payload_bytes b = { .at = cell, .is_hex = is_hex };
		uint64_t size;

		if (n < WL_PAYLOAD_HEADER)
			continue;
		size = wl_payload_number(&b, 16, 8);
		if (size > n - WL_PAYLOAD_HEADER)
			continue;
		*ret = (struct wl_payload_bytes){ .at = cell,
						  .begin = n - (size_t)size,
						  .n = (size_t)size,
						  .is_hex = is_hex,
						  .domain = wl_payload_number(&b, 0, 8),
						  .schema = wl_payload_number(&b, 8, 8) };
		return true;
	}
	return false;
}

#endif
