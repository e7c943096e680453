/* SPDX-License-Identifier: MIT */
/*
 * Queries of a lane. Any sum is made of whole blocks, whose sums are known, and the few events
 * between the nearest block border and the place in question.
 */
#include "derive/lanes/lane.h"

#include <string.h>

#include "derive/lanes/lane_parts.h"

wl_ns wl_lane_long_dur(const struct wl_lane *lane, size_t i)
{
	size_t lo = 0, hi = lane->n_long;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (lane->long_at[mid] < i)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lane->long_dur[lo];
}

/* The first of [lo, hi) that is at or after t; hi for none. */
static size_t bound(const wl_ns *at, size_t lo, size_t hi, wl_ns t)
{
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (at[mid] < t)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* The same, if the answer is likely to be near guess, which lies in [lo, hi). */
static size_t bound_near(const wl_ns *at, size_t lo, size_t hi, size_t guess, wl_ns t)
{
	size_t step = 1;

	if (at[guess] < t) {
		size_t from = guess + 1;

		/*
		 * Galloping costs a logarithm of the distance to the guess, not of the lane.
		 * Subtractions instead of sums keep indexes from wrapping.
		 */
		for (lo = from; step <= hi - from && at[from + step - 1] < t; step *= 2)
			lo = from + step;
		hi = step <= hi - from ? from + step - 1 : hi;
	} else {
		for (hi = guess; step <= guess - lo && at[guess - step] >= t; step *= 2)
			hi = guess - step;
		lo = step <= guess - lo ? guess - step + 1 : lo;
	}
	return bound(at, lo, hi, t);
}

size_t wl_lane_from(const struct wl_lane *lane, wl_ns t)
{
	return bound(lane->start, 0, lane->n, t);
}

size_t wl_lane_gallop(const struct wl_lane *lane, size_t from, wl_ns t)
{
	return from < lane->n ? bound_near(lane->start, from, lane->n, from, t) : from;
}

struct wl_lane_place wl_lane_guess(const struct wl_lane *lane, size_t block, wl_ns t)
{
	size_t n = wl_lane_blocks(lane->n);
	const wl_ns *first = lane->first;
	struct wl_lane_place ret;

	if (block + 1 < n)
		block = bound_near(first, block + 1, n, block + 1, t) - 1;
	ret = (struct wl_lane_place){ block, block * WL_LANE_BLOCK };
	if (block + 1 < n) {
		uint64_t length = (uint64_t)(first[block + 1] - first[block]);

		/* t is no later than the next block begins. */
		ret.guess += (uint64_t)(t - first[block] - 1) / (length / WL_LANE_BLOCK + 1);
	}
	return ret;
}

size_t wl_lane_bound_near(const struct wl_lane *lane, size_t from, const struct wl_lane_place *p,
			  wl_ns t)
{
	size_t lo = p->block * WL_LANE_BLOCK;
	size_t hi = lane->n - lo < WL_LANE_BLOCK ? lane->n : lo + WL_LANE_BLOCK;

	lo = lo < from ? from : lo;
	return bound_near(lane->start, lo, hi, p->guess < lo ? lo : p->guess, t);
}

uint32_t wl_lane_at(const struct wl_lane *lane, wl_ns t)
{
	size_t i = wl_lane_from(lane, t + 1);

	if (i == 0)
		return WL_NONE;
	i--;
	return t < wl_lane_end(lane, i) || lane->start[i] == t ? (uint32_t)i : WL_NONE;
}

size_t wl_lane_longest_of(const struct wl_lane *lane, size_t i, size_t j)
{
	size_t best = i;

	while (i < j) {
		bool is_block = i % WL_LANE_BLOCK == 0 && j - i >= WL_LANE_BLOCK;
		size_t k = is_block ? lane->longest[i / WL_LANE_BLOCK] : i;

		if (wl_lane_dur(lane, k) > wl_lane_dur(lane, best))
			best = k;
		i += is_block ? WL_LANE_BLOCK : 1;
	}
	return best;
}

uint32_t wl_lane_longest(const struct wl_lane *lane, wl_ns begin, wl_ns end)
{
	size_t i, j;

	if (begin >= end)
		return WL_NONE;
	i = wl_lane_from(lane, begin);
	j = wl_lane_gallop(lane, i, end);
	if (i > 0 && wl_lane_end(lane, i - 1) > begin)
		i--;
	return i < j ? (uint32_t)wl_lane_longest_of(lane, i, j) : WL_NONE;
}

void wl_lane_sums_before(const struct wl_lane *lane, size_t i, wl_ns *ret)
{
	/*
	 * The nearest border, before or after i: at most half a block of events is added or
	 * subtracted.
	 */
	size_t block = (i + WL_LANE_BLOCK / 2) / WL_LANE_BLOCK, border = block * WL_LANE_BLOCK;

	memcpy(ret, lane->before + block * lane->n_cats, lane->n_cats * sizeof(*ret));
	if (border > lane->n)
		border = lane->n;
	for (size_t k = border; k < i; k++)
		ret[lane->cat[k]] += wl_lane_dur(lane, k);
	for (size_t k = i; k < border; k++)
		ret[lane->cat[k]] -= wl_lane_dur(lane, k);
}

/* The time per category before t, in ret[n_cats]. */
static void sums_until(const struct wl_lane *lane, wl_ns t, wl_ns *ret)
{
	size_t i = wl_lane_from(lane, t);

	wl_lane_sums_before(lane, i, ret);
	if (i > 0 && wl_lane_end(lane, i - 1) > t)
		ret[lane->cat[i - 1]] -= wl_lane_end(lane, i - 1) - t;
}

wl_ns wl_lane_time(const struct wl_lane *lane, wl_ns begin, wl_ns end, wl_ns *ret)
{
	wl_ns until_begin[WL_MAX_LANE_CATS], until_end[WL_MAX_LANE_CATS], sum = 0;

	if (begin >= end)
		return 0;
	sums_until(lane, begin, until_begin);
	sums_until(lane, end, until_end);
	for (size_t c = 0; c < lane->n_cats; c++) {
		ret[c] += until_end[c] - until_begin[c];
		sum += until_end[c] - until_begin[c];
	}
	return sum;
}
