/* SPDX-License-Identifier: MIT */
#include "compare/stats/bootstrap.h"

#include <string.h>

#include "base/memory/sort.h"

/* Any seed would do; that it never changes makes results repeatable. */
static const uint64_t seed = 0x776172706c656e73;

/* splitmix64: one multiplication deep, and good from any seed. */
static uint64_t draw(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

int64_t wl_sorted_median(struct wl_sorted s)
{
	return s.at[wl_rank(s.n, 50)];
}

/* The value at a rank of a resample: which index is drawn how often is all that counts. */
static size_t find_rank(const uint32_t *times, size_t rank)
{
	size_t seen = 0, i = 0;

	for (;; i++) {
		seen += times[i];
		if (seen > rank)
			return i;
	}
}

/*
 * The median of one resample, which a state stands for; nothing is sorted. The upper half of a
 * draw times n is an index without a bias that 2,000 resamples could show. Of an even number of
 * draws it is the mean of the middle two: the lower one of a few would lie below the median of
 * the sample, and one side can have few draws and the other many.
 */
static int64_t resample(struct wl_sorted s, uint32_t *times, uint64_t state)
{
	int64_t low, high;

	memset(times, 0, s.n * sizeof(*times));
	for (size_t k = 0; k < s.draws; k++)
		times[(draw(&state) >> 32) * s.n >> 32]++;
	low = s.at[find_rank(times, (s.draws - 1) / 2)];
	high = s.at[find_rank(times, s.draws / 2)];
	return low + (high - low) / 2;
}

bool wl_bootstrap(struct wl_sorted before, struct wl_sorted after, struct wl_arena *arena,
		  struct wl_range_of_change *ret)
{
	enum { TAIL = WL_RESAMPLES / 40 }; /* 2.5% */
	/* One array of counts serves both sides in turn. */
	size_t most = before.n > after.n ? before.n : after.n;
	uint64_t state = seed;
	struct wl_arena scratch;
	int64_t *found;
	uint32_t *times;

	wl_arena_init_child(&scratch, arena);
	found = WL_NEW(&scratch, int64_t, WL_RESAMPLES);
	times = WL_NEW(&scratch, uint32_t, most);
	if (!found || !times) {
		wl_arena_release(&scratch);
		return false;
	}
	for (size_t i = 0; i < WL_RESAMPLES; i += 2) {
		/*
		 * Two states make two differences: each side has each of them once. So the interval
		 * of swapped sides is the mirror image, whatever the samples are.
		 */
		const uint64_t one = draw(&state), other = draw(&state);

		found[i] = resample(after, times, one);
		found[i + 1] = resample(after, times, other);
		if (before.n) {
			found[i] -= resample(before, times, other);
			found[i + 1] -= resample(before, times, one);
		}
	}
	wl_sort_i64(found, WL_RESAMPLES);
	*ret = (struct wl_range_of_change){ found[TAIL - 1], found[WL_RESAMPLES - TAIL] };
	wl_arena_release(&scratch);
	return true;
}
