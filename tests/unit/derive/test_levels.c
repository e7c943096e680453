/* SPDX-License-Identifier: MIT */
#include "derive/lanes/levels.h"

#include <string.h>

#include "support/random.h"
#include "support/unit.h"

TEST(a_level_is_a_part_of_the_top)
{
	assert_int_equal(wl_level_of(0, 100), 1);
	assert_int_equal(wl_level_of(-5, 100), 1);
	assert_int_equal(wl_level_of(50, 100), 128);
	assert_int_equal(wl_level_of(100, 100), 255);
	assert_int_equal(wl_level_of(101, 100), 255);
	assert_int_equal(wl_level_of(1, 1000000), 2);
	assert_int_equal(wl_level_of(INT64_MAX - 1, INT64_MAX), 255);
	assert_int_equal(wl_level_of(INT64_MAX / 2, INT64_MAX), 128);
}

enum { N = 300, SPAN = 2000 };

/* By ns its level; 0 where no sample holds. */
static void fill(uint64_t *seed, struct wl_budget *budget, uint8_t *at, struct wl_lanes *ret)
{
	struct wl_lane_builder b;
	wl_ns t = random_below(seed, 20);

	memset(at, 0, SPAN);
	wl_lane_builder_init_levels(&b, 3, budget);
	for (uint32_t i = 0; i < N; i++) {
		wl_ns end = t + 1 + random_below(seed, 8);
		uint8_t level = (uint8_t)(random_below(seed, 4) ? 1 + random_below(seed, 255) : 1);

		if (end > SPAN)
			break;
		assert_int_equal(wl_lane_add(&b, &(struct wl_lane_event){ t, end, i, level }, 0),
				 0);
		for (; t < end; t++)
			at[t] = level;
		t += random_below(seed, 3) ? 0 : random_below(seed, 12);
	}
	assert_true(wl_lanes_finish(&b, ret));
}

static struct wl_picture_column look(const uint8_t *at, wl_ns begin, wl_ns end)
{
	struct wl_picture_column ret = { 0, 0 };
	unsigned sum = 0, n = 0;

	for (wl_ns t = begin < 0 ? 0 : begin; t < end && t < SPAN; t++) {
		sum += at[t];
		n += at[t] > 0;
		ret.cat = at[t] > ret.cat ? at[t] : ret.cat;
	}
	if (n)
		ret.share = (uint8_t)((2 * sum + n) / (2 * n));
	if (ret.share == 1 && ret.cat > 1)
		ret.share = 2;
	return ret;
}

TEST(columns_have_the_mean_and_the_highest_level)
{
	static uint8_t at[SPAN];
	uint64_t seed = 7;

	for (int round = 0; round < 200; round++) {
		struct wl_picture_column drawn[64];
		struct wl_budget budget = { 0 };
		struct wl_lanes lanes;

		fill(&seed, &budget, at, &lanes);
		for (int k = 0; k < 20; k++) {
			struct wl_viewport v = { .begin = random_between(&seed, -50, SPAN),
						 .width = 1 + random_below(&seed, 64) };

			v.end = v.begin + v.width + random_below(&seed, SPAN);
			wl_lane_picture(&lanes.lane[0], &v, drawn);
			for (uint32_t x = 0; x < v.width; x++) {
				struct wl_picture_column want =
					look(at, wl_viewport_at(&v, x), wl_viewport_at(&v, x + 1));

				assert_int_equal(drawn[x].share, want.share);
				assert_int_equal(drawn[x].cat, want.cat);
			}
		}
		wl_lanes_release(&lanes);
	}
}

TEST(the_longest_times_do_not_overflow)
{
	struct wl_budget budget = { 0 };
	struct wl_lane_builder b;
	struct wl_lanes lanes;
	struct wl_picture_column all;
	const wl_ns far = (wl_ns)1 << 61;

	wl_lane_builder_init_levels(&b, 8, &budget);
	(void)wl_lane_add(&b, &(struct wl_lane_event){ -far, far, 0, 255 }, 0);
	assert_true(wl_lanes_finish(&b, &lanes));
	wl_lane_draw_levels(&lanes.lane[0], &(struct wl_viewport){ -far, far, 1 }, &all);
	assert_int_equal(all.share, 255);
	assert_int_equal(all.cat, 255);
	wl_lanes_release(&lanes);
}
