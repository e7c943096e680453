/* SPDX-License-Identifier: MIT */
/* bytes.h - writes the numbers of a binary answer, little endian. */
#ifndef WL_SERVE_BYTES_H
#define WL_SERVE_BYTES_H

#include <stdint.h>
#include <string.h>

/* Each writes a number and returns where the next one goes. */

static inline char *wl_put_uint(char *to, uint64_t v, int bytes)
{
	for (int i = 0; i < bytes; i++)
		*to++ = (char)(unsigned char)(v >> (8 * i));
	return to;
}

static inline char *wl_put_u16(char *to, uint16_t v)
{
	return wl_put_uint(to, v, 2);
}

static inline char *wl_put_u32(char *to, uint32_t v)
{
	return wl_put_uint(to, v, 4);
}

static inline char *wl_put_u64(char *to, uint64_t v)
{
	return wl_put_uint(to, v, 8);
}

/* A whole number as a double, as JavaScript has it: exact up to 2^53. */
static inline char *wl_put_double(char *to, int64_t v)
{
	double d = (double)v;
	uint64_t bits;

	memcpy(&bits, &d, sizeof(bits));
	return wl_put_u64(to, bits);
}

#endif
