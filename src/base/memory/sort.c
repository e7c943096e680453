/* SPDX-License-Identifier: MIT */
#include "base/memory/sort.h"

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

void wl_sort_all(uint32_t *index, size_t n, wl_less *less, const void *ctx)
{
	for (size_t i = 0; i < n; i++)
		index[i] = (uint32_t)i;
	wl_sort_index(index, n, index + n, less, ctx);
}

enum { DIGIT_BITS = 11 };

/* The largest key; *ret_sorted: whether they are in order. */
static uint32_t survey(const uint32_t *index, size_t n, const uint32_t *key, bool *ret_sorted)
{
	uint32_t most = 0;

	*ret_sorted = true;
	for (size_t i = 0; i < n; i++) {
		uint32_t k = key[index[i]];

		if (k < most)
			*ret_sorted = false;
		else
			most = k;
	}
	return most;
}

static void deal_digit(const uint32_t *from, uint32_t *to, size_t n, const uint32_t *key,
		       unsigned shift)
{
	const uint32_t mask = (1 << DIGIT_BITS) - 1;
	size_t at[1 << DIGIT_BITS] = { 0 }, before = 0;

	for (size_t i = 0; i < n; i++)
		at[key[from[i]] >> shift & mask]++;
	for (size_t d = 0; d <= mask; d++) {
		size_t count = at[d];

		at[d] = before;
		before += count;
	}
	for (size_t i = 0; i < n; i++)
		to[at[key[from[i]] >> shift & mask]++] = from[i];
}

/* Digit by digit, from the lowest: each pass keeps the order of those before it. */
void wl_sort_by_u32(uint32_t *index, size_t n, uint32_t *tmp, const uint32_t *key)
{
	uint32_t *from = index, *to = tmp, most;
	bool is_sorted;

	most = survey(index, n, key, &is_sorted);
	for (unsigned shift = 0; !is_sorted && shift < 32 && most >> shift; shift += DIGIT_BITS) {
		uint32_t *swap = from;

		deal_digit(from, to, n, key, shift);
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

enum { MIN_BITS = 4, MAX_BITS = 11 };

/* The numbers as unsigned ones in the same order. */
static uint64_t place_of(int64_t v)
{
	return (uint64_t)v ^ (uint64_t)1 << 63;
}

/* By how many bits numbers up to a width are shifted to leave so many. */
static unsigned shift_to(uint64_t width, unsigned bits)
{
	unsigned shift = 0;

	while (width >> shift >> bits)
		shift++;
	return shift;
}

/*
 * Numbers are counted in buckets of equal width from the least to the largest, and only those in
 * the bucket of the answer are kept. A bucket is at most an eighth of its range, so there is an end
 * after a few rounds.
 */
int64_t wl_select_i64(int64_t *at, size_t n, size_t k)
{
	for (;;) {
		uint32_t count[1 << MAX_BITS];
		uint64_t lo = UINT64_MAX, hi = 0;
		size_t n_kept = 0, bucket = 0;
		unsigned bits = MIN_BITS, shift;

		for (size_t i = 0; i < n; i++) {
			lo = place_of(at[i]) < lo ? place_of(at[i]) : lo;
			hi = place_of(at[i]) > hi ? place_of(at[i]) : hi;
		}
		if (lo == hi)
			return at[0];
		/* Few numbers have few buckets, so that these do not cost more than they. */
		while (bits < MAX_BITS && n >> (bits + 1))
			bits++;
		shift = shift_to(hi - lo, bits);
		memset(count, 0, (((hi - lo) >> shift) + 1) * sizeof(*count));
		for (size_t i = 0; i < n; i++)
			count[(place_of(at[i]) - lo) >> shift]++;
		for (; k >= count[bucket]; bucket++)
			k -= count[bucket];
		for (size_t i = 0; i < n; i++) {
			int64_t v = at[i];

			at[n_kept] = v;
			n_kept += (place_of(v) - lo) >> shift == bucket;
		}
		n = n_kept;
	}
}
