/* SPDX-License-Identifier: MIT */
#include "base/sort.h"

#include <stdlib.h>

#include <string.h>

/* End of the longest run in order that begins at lo. */
static size_t run_end(const uint32_t *v, size_t lo, size_t n, wl_less *less, const void *ctx)
{
	size_t i = lo + 1;

	while (i < n && !less(ctx, v[i], v[i - 1]))
		i++;
	return i < n ? i : n;
}

static void merge(const uint32_t *from, uint32_t *to, const size_t bound[3], wl_less *less,
		  const void *ctx)
{
	size_t a = bound[0], b = bound[1], out = bound[0];

	while (a < bound[1] && b < bound[2])
		to[out++] = less(ctx, from[b], from[a]) ? from[b++] : from[a++];
	memcpy(to + out, from + a, (bound[1] - a) * sizeof(*to));
	out += bound[1] - a;
	memcpy(to + out, from + b, (bound[2] - b) * sizeof(*to));
}

/* Natural merge sort: each pass merges neighbouring runs, and stops when one run is left. */
void wl_sort_index(uint32_t *index, size_t n, uint32_t *tmp, wl_less *less, const void *ctx)
{
	uint32_t *from = index, *to = tmp;

	while (n > 1 && run_end(from, 0, n, less, ctx) < n) {
		uint32_t *swap;

		for (size_t lo = 0; lo < n;) {
			size_t mid = run_end(from, lo, n, less, ctx);
			size_t hi = mid < n ? run_end(from, mid, n, less, ctx) : n;

			merge(from, to, (size_t[3]){ lo, mid, hi }, less, ctx);
			lo = hi;
		}
		swap = from;
		from = to;
		to = swap;
	}
	if (from != index)
		memcpy(index, from, n * sizeof(*index));
}

size_t wl_rank(size_t n, unsigned percent)
{
	size_t whole = n / 100 * percent + (n % 100 * percent + 99) / 100;

	return whole ? whole - 1 : 0;
}

static int by_value(const void *va, const void *vb)
{
	const int64_t *a = va, *b = vb;

	return (*a > *b) - (*a < *b);
}

/* Medians of a few numbers are asked for millions of times. */
static void insert_all(int64_t *at, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		int64_t v = at[i];
		size_t k = i;

		for (; k > 0 && at[k - 1] > v; k--)
			at[k] = at[k - 1];
		at[k] = v;
	}
}

void wl_sort_i64(int64_t *at, size_t n)
{
	enum { FEW = 16 };

	if (n <= FEW)
		insert_all(at, n);
	else
		qsort(at, n, sizeof(*at), by_value);
}

enum { DIGIT_BITS = 11, N_DIGITS = 1 << DIGIT_BITS };

/* As unsigned numbers in the same order. */
static unsigned digit_of(int64_t v, unsigned shift)
{
	return (unsigned)(((uint64_t)v ^ (uint64_t)1 << 63) >> shift) & (N_DIGITS - 1);
}

int64_t wl_select_i64(int64_t *at, size_t n, size_t k)
{
	/* From the highest digit on, only the numbers with the digits of the answer are kept. */
	for (unsigned shift = 66; shift > 0 && n > 1;) {
		size_t count[N_DIGITS] = { 0 }, n_kept = 0;
		unsigned digit = 0;

		shift -= DIGIT_BITS;
		for (size_t i = 0; i < n; i++)
			count[digit_of(at[i], shift)]++;
		for (; k >= count[digit]; digit++)
			k -= count[digit];
		for (size_t i = 0; i < n; i++) {
			if (digit_of(at[i], shift) == digit)
				at[n_kept++] = at[i];
		}
		n = n_kept;
	}
	return at[0];
}
