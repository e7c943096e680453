/* SPDX-License-Identifier: MIT */
#include "derive/lanes/levels.h"

#include "derive/lanes/lane_parts.h"

enum { NOTHING = 1, STEPS = UINT8_MAX - NOTHING };

uint8_t wl_level_of(int64_t value, int64_t top)
{
	wl_u128 level;

	if (value <= 0)
		return NOTHING;
	if (value >= top)
		return UINT8_MAX;
	level = NOTHING + (2 * (wl_u128)value * STEPS + (wl_u128)top) / (2 * (wl_u128)top);
	return (uint8_t)(level > NOTHING ? level : NOTHING + 1); /* small values differ from 0 */
}

/* The total time for which samples before sample i hold, and their sum of level times ns. */
struct sums {
	wl_ns time;
	wl_u128 area;
};

static struct sums sums_before(const struct wl_lane *lane, size_t i)
{
	size_t block = i / WL_LANE_BLOCK;
	struct sums s = { lane->before[(block + 1) * lane->n_cats - 1], lane->area[block] };

	for (size_t k = block * WL_LANE_BLOCK; k < i; k++) {
		wl_ns dur = wl_lane_dur(lane, k);

		s.time += dur;
		s.area += (wl_u128)lane->level[k] * (uint64_t)dur;
	}
	return s;
}

/* The same up to a time; i is the first sample that starts then or later. */
static struct sums sums_until(const struct wl_lane *lane, size_t i, wl_ns t)
{
	struct sums s = sums_before(lane, i);

	if (i > 0 && wl_lane_end(lane, i - 1) > t) {
		wl_ns later = wl_lane_end(lane, i - 1) - t;

		s.time -= later;
		s.area -= (wl_u128)lane->level[i - 1] * (uint64_t)later;
	}
	return s;
}

/* The same for a mean. */
static uint8_t mean_of(wl_u128 area, wl_u128 time)
{
	uint8_t mean = (uint8_t)((2 * area + time) / (2 * time));

	return mean == NOTHING && area > NOTHING * time ? NOTHING + 1 : mean;
}

/* The highest level of samples [i, j). Linear in blocks. */
static uint8_t peak_of(const struct wl_lane *lane, size_t i, size_t j)
{
	uint8_t most = 0;

	while (i < j) {
		bool is_whole = i % WL_LANE_BLOCK == 0 && j - i >= WL_LANE_BLOCK;
		uint8_t level = is_whole ? lane->peak[i / WL_LANE_BLOCK] : lane->level[i];

		most = level > most ? level : most;
		i += is_whole ? WL_LANE_BLOCK : 1;
	}
	return most;
}

void wl_lane_draw_levels(const struct wl_lane *lane, const struct wl_viewport *v,
			 struct wl_picture_column *ret)
{
	size_t i = wl_lane_from(lane, v->begin);
	struct sums before = sums_until(lane, i, v->begin);
	wl_ns begin = v->begin;

	for (uint32_t x = 0; x < v->width; x++) {
		wl_ns end = wl_viewport_at(v, x + 1);
		size_t j = wl_lane_gallop(lane, i, end);
		size_t first = i > 0 && wl_lane_end(lane, i - 1) > begin ? i - 1 : i;
		struct sums until = sums_until(lane, j, end);
		wl_u128 time = (wl_u128)(until.time - before.time);
		wl_u128 area = until.area - before.area;

		ret[x] = (struct wl_picture_column){ 0, 0 };
		if (time > 0)
			ret[x] = (struct wl_picture_column){ peak_of(lane, first, j),
							     mean_of(area, time) };
		before = until;
		begin = end;
		i = j;
	}
}
