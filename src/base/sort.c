#include "base/sort.h"

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

size_t wl_lower_bound(size_t n, wl_before *before, const void *ctx)
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

static void swap_u32(uint32_t *a, uint32_t *b)
{
	uint32_t t = *a;

	*a = *b;
	*b = t;
}

static uint32_t median3(uint32_t a, uint32_t b, uint32_t c)
{
	if (a > b)
		swap_u32(&a, &b);
	if (b > c)
		b = c;
	return a > b ? a : b;
}

/* Counting by bytes from the top: linear whatever the input, with the bookkeeping of four passes.
 */
static uint32_t select_by_digits(const uint32_t *v, size_t n, size_t k)
{
	uint32_t prefix = 0, mask = 0;

	for (int shift = 24; shift >= 0; shift -= 8) {
		size_t count[256] = { 0 };
		uint32_t digit = 0;

		for (size_t i = 0; i < n; i++) {
			if ((v[i] & mask) == prefix)
				count[(v[i] >> shift) & 255]++;
		}
		while (k >= count[digit])
			k -= count[digit++];
		prefix |= digit << shift;
		mask |= UINT32_C(255) << shift;
	}
	return prefix;
}

uint32_t wl_select_u32(uint32_t *v, size_t n, size_t k)
{
	size_t lo = 0, hi = n;

	/* Each round of a good pivot halves the range; after too many rounds count instead. */
	for (int rounds = 0; hi - lo > 1; rounds++) {
		uint32_t pivot = median3(v[lo], v[lo + (hi - lo) / 2], v[hi - 1]);
		size_t lt = lo, i = lo, gt = hi;

		if (rounds > 48)
			return select_by_digits(v, n, k);
		while (i < gt) {
			if (v[i] < pivot)
				swap_u32(&v[lt++], &v[i++]);
			else if (v[i] > pivot)
				swap_u32(&v[i], &v[--gt]);
			else
				i++;
		}
		if (k < lt)
			hi = lt;
		else if (k >= gt)
			lo = gt;
		else
			return pivot;
	}
	return v[k];
}

size_t wl_rank(size_t n, unsigned percent)
{
	size_t whole = n / 100 * percent + (n % 100 * percent + 99) / 100;

	return whole ? whole - 1 : 0;
}
