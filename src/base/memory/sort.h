/* SPDX-License-Identifier: MIT */
/* sort.h - sorting of indexes, bounds in sorted arrays, and ranks. */
#ifndef WL_BASE_SORT_H
#define WL_BASE_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* True when the thing numbered a must come before the thing numbered b. */
typedef bool wl_less(const void *ctx, uint32_t a, uint32_t b);

/*
 * Sort n indexes; equal ones keep their order. tmp has room for n. Runs that are
 * already in order are kept, so nearly sorted input costs nearly linear time;
 * O(n log n) at worst.
 */
void wl_sort_index(uint32_t *index, size_t n, uint32_t *tmp, wl_less *less, const void *ctx);

/*
 * Make *index the numbers below n, sorted. It has room for 2 * n: what then stands behind the first
 * n means nothing.
 */
void wl_sort_all(uint32_t *index, size_t n, wl_less *less, const void *ctx);

/*
 * The same by a key of each thing, which is looked up with the index. Linear, and without a call
 * for each comparison.
 */
void wl_sort_by_u32(uint32_t *index, size_t n, uint32_t *tmp, const uint32_t *key);

/* True when the thing numbered i lies before what is looked for. */
typedef bool wl_before(const void *ctx, size_t i);

/*
 * How many of n things lie before; those that do must come first. Logarithmic. Inline, so
 * that the question is, too: a call for each step took most of the time.
 */
static inline size_t wl_lower_bound(size_t n, wl_before *before, const void *ctx)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (before(ctx, mid))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Sort n numbers, ascending. */
void wl_sort_i64(int64_t *at, size_t n);

/*
 * The number that would be at index k < n if they were sorted. Linear; the order in at is then
 * undefined.
 */
int64_t wl_select_i64(int64_t *at, size_t n, size_t k);

/* Nearest rank of a percentile in [1, 100] among n > 0 sorted values, as an index from 0. */
size_t wl_rank(size_t n, unsigned percent);

#endif
