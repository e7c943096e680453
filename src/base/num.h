/* SPDX-License-Identifier: MIT */
/* num.h - overflow-checked arithmetic, and numbers as files write them. */
#ifndef WL_BASE_NUM_H
#define WL_BASE_NUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"

/* Each returns true and writes *ret, or returns false when the result does not fit in size_t. */

WL_MUST_CHECK static inline bool wl_add(size_t a, size_t b, size_t *ret)
{
	return !__builtin_add_overflow(a, b, ret);
}

WL_MUST_CHECK static inline bool wl_mul(size_t a, size_t b, size_t *ret)
{
	return !__builtin_mul_overflow(a, b, ret);
}

/* The same for signed 64-bit numbers. */
WL_MUST_CHECK static inline bool wl_add_i64(int64_t a, int64_t b, int64_t *ret)
{
	return !__builtin_add_overflow(a, b, ret);
}

WL_MUST_CHECK static inline bool wl_sub_i64(int64_t a, int64_t b, int64_t *ret)
{
	return !__builtin_sub_overflow(a, b, ret);
}

/* A real as the integer it is; false when it has a fraction or does not fit. */
WL_MUST_CHECK static inline bool wl_integral(double d, int64_t *ret)
{
	static const double two_to_63 = 9223372036854775808.0; /* which does not fit itself */

	if (!(d >= -two_to_63 && d < two_to_63) || d != (double)(int64_t)d)
		return false;
	*ret = (int64_t)d;
	return true;
}

/* Numbers whose bytes stand in big-endian order, as in SQLite's files. */
static inline uint32_t wl_be16(const uint8_t *p)
{
	return (uint32_t)p[0] << 8 | p[1];
}

static inline uint32_t wl_be32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

__extension__ typedef unsigned __int128 wl_u128;

/* The two halves of the 128-bit product, one upon the other. */
static inline uint64_t wl_mul_fold(uint64_t a, uint64_t b)
{
	wl_u128 product = (wl_u128)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

#endif
