/* SPDX-License-Identifier: MIT */
/*
 * bound.h - binary searches of sorted numbers, and of structs by a number of theirs.
 *
 * For an order of several members, or one that is computed, see wl_lower_bound (sort.h).
 */
#ifndef WL_BASE_BOUND_H
#define WL_BASE_BOUND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Inline, so that the size of an element is a constant. */
#define WL_DEFINE_BOUND(name, number, value)                                                       \
	static inline size_t name(const void *at, size_t size, size_t offset, size_t n, value v,   \
				  bool or_equal)                                                   \
	{                                                                                          \
		size_t lo = 0, hi = n;                                                             \
                                                                                                   \
		while (lo < hi) {                                                                  \
			size_t mid = lo + (hi - lo) / 2;                                           \
			const void *here = (const char *)at + mid * size + offset;                 \
			number x = *(const number *)here;                                          \
                                                                                                   \
			if (x < v || (or_equal && x == v))                                         \
				lo = mid + 1;                                                      \
			else                                                                       \
				hi = mid;                                                          \
		}                                                                                  \
		return lo;                                                                         \
	}
WL_DEFINE_BOUND(wl_bound_u32, uint32_t, uint64_t)
WL_DEFINE_BOUND(wl_bound_u64, uint64_t, uint64_t)
WL_DEFINE_BOUND(wl_bound_i64, int64_t, int64_t)

#define WL_BOUND_OF(x)                                                                             \
	_Generic((x), uint32_t : wl_bound_u32, uint64_t : wl_bound_u64, int64_t : wl_bound_i64)

/* How many of n numbers, which ascend, are below v; upto: below v or v. Logarithmic. */
#define WL_BELOW(at, n, v) WL_BOUND_OF (*(at))(at, sizeof(*(at)), 0, n, v, false)
#define WL_UPTO(at, n, v)  WL_BOUND_OF (*(at))(at, sizeof(*(at)), 0, n, v, true)

/* The same of n structs, by a member. */
#define WL_BELOW_BY(type, member, at, n, v)                                                        \
	WL_BOUND_OF(((const struct type *)(at))->member)                                           \
	(at, sizeof(struct type), offsetof(struct type, member), n, v, false)
#define WL_UPTO_BY(type, member, at, n, v)                                                         \
	WL_BOUND_OF(((const struct type *)(at))->member)                                           \
	(at, sizeof(struct type), offsetof(struct type, member), n, v, true)

#endif
