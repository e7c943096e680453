/* SPDX-License-Identifier: MIT */
/* varint.h - numbers of one to ten bytes in LEB128: small ones are short. */
#ifndef WL_BASE_VARINT_H
#define WL_BASE_VARINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WL_MAX_VARINT = 10 };

/* Write to a buffer with room for WL_MAX_VARINT; returns how many bytes it took. */
static inline size_t wl_varint_put(unsigned char *to, uint64_t value)
{
	size_t n = 0;

	while (value >= 0x80) {
		to[n++] = (unsigned char)(value | 0x80);
		value >>= 7;
	}
	to[n++] = (unsigned char)value;
	return n;
}

/* Read from *at, which moves behind it; false where it does not end before end, or is too long. */
static inline bool wl_varint_get(const unsigned char **at, const unsigned char *end, uint64_t *ret)
{
	uint64_t value = 0;
	unsigned shift = 0;

	for (const unsigned char *p = *at; p < end && shift < 64; p++, shift += 7) {
		value |= (uint64_t)(*p & 0x7f) << shift;
		if (*p < 0x80) {
			*at = p + 1;
			*ret = value;
			return true;
		}
	}
	return false;
}

/* Small numbers of either sign become small ones: 0, -1, 1, -2 are 0, 1, 2, 3. */
static inline uint64_t wl_zigzag(int64_t value)
{
	return (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0);
}

static inline int64_t wl_unzigzag(uint64_t value)
{
	return (int64_t)(value >> 1 ^ (value & 1 ? UINT64_MAX : 0));
}

#endif
