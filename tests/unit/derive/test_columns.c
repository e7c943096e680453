/* SPDX-License-Identifier: MIT */
#include "derive/lanes/columns.h"

#include <string.h>

#include "support/unit.h"

enum { N_CATS = 3, MAX_WIDTH = 64 };

static struct wl_budget budget;

/* A lane of events that do not overlap, what is drawn of it, and its exact columns. */
struct drawn {
	struct wl_lanes lanes;
	struct wl_picture_column at[MAX_WIDTH];
	wl_ns sum[MAX_WIDTH][N_CATS];
};

static void draw(const struct wl_lane_event *event, size_t n, const struct wl_viewport *v,
		 struct drawn *ret)
{
	static const struct wl_lane_event below = { WL_TIME_MAX, WL_TIME_MAX, 0, 0 };
	struct wl_lane_builder b;

	memset(ret, 0xff, sizeof(*ret));
	wl_lane_builder_init(&b, N_CATS, &budget);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(wl_lane_add(&b, &event[i], 0), 0);
	assert_int_equal(wl_lane_add(&b, &below, 1), 1); /* so that the first may be empty */
	assert_true(wl_lanes_finish(&b, &ret->lanes));
	wl_lane_draw(&ret->lanes.lane[0], v, ret->at);
	wl_lane_columns(&ret->lanes.lane[0], v, ret->sum[0]);
	wl_lanes_release(&ret->lanes);
}

#define DRAW(event, v, ret) draw((event), WL_COUNT(event), (v), (ret))

static void expect(const struct drawn *drawn, uint32_t x, unsigned cat, unsigned share)
{
	if (drawn->at[x].cat != cat || drawn->at[x].share != share)
		fail_msg("column %u is %u of category %u", x, drawn->at[x].share, drawn->at[x].cat);
}

TEST(columns_cut_the_view_into_nearly_equal_parts)
{
	static const struct wl_viewport v[] = {
		{ 0, 10, 3 },
		{ -7, 100, 64 },
		{ 5, 69, 64 },
		{ 0, 1, 1 },
		{ -WL_TIME_MAX, WL_TIME_MAX, 1 },
		{ -WL_TIME_MAX, WL_TIME_MAX, 1600 },
		{ -WL_TIME_MAX, WL_TIME_MAX - 1, 4095 },
	};

	for (size_t k = 0; k < WL_COUNT(v); k++) {
		wl_ns least = (v[k].end - v[k].begin) / v[k].width;

		assert_int_equal(wl_viewport_at(&v[k], 0), v[k].begin);
		assert_int_equal(wl_viewport_at(&v[k], v[k].width), v[k].end);
		for (uint32_t x = 0; x < v[k].width; x++) {
			wl_ns at = wl_viewport_at(&v[k], x), next = wl_viewport_at(&v[k], x + 1);

			assert_in_range(next - at, least, least + 1);
			assert_int_equal(wl_viewport_column(&v[k], at), x);
			assert_int_equal(wl_viewport_column(&v[k], next - 1), x);
		}
		assert_int_equal(wl_viewport_column(&v[k], v[k].begin - 1), 0);
		assert_int_equal(wl_viewport_column(&v[k], v[k].end), v[k].width - 1);
	}
}

TEST(the_widest_view_has_exact_columns)
{
	struct wl_viewport v = { -WL_TIME_MAX, WL_TIME_MAX - 3, UINT32_MAX };

	for (uint32_t x = UINT32_MAX - 1; x > 1000; x /= 3) {
		wl_ns at = wl_viewport_at(&v, x);

		assert_int_equal(wl_viewport_column(&v, at), x);
		assert_int_equal(wl_viewport_column(&v, at - 1), x - 1);
	}
	assert_int_equal(wl_viewport_at(&v, UINT32_MAX), v.end);
}

TEST(an_empty_lane_is_blank)
{
	struct wl_viewport v = { 0, 100, 10 };
	struct drawn d;

	draw(NULL, 0, &v, &d);
	for (uint32_t x = 0; x < 10; x++) {
		expect(&d, x, 0, 0);
		assert_int_equal(d.sum[x][0] + d.sum[x][1] + d.sum[x][2], 0);
	}
}

TEST(a_column_has_the_category_with_the_most_time)
{
	static const struct wl_lane_event event[] = {
		{ 0, 2, 0, 2 },   { 2, 5, 0, 1 },   { 6, 8, 0, 2 }, /* column 0: 4 of 2, 3 of 1 */
		{ 10, 12, 0, 2 }, { 12, 14, 0, 1 },                 /* column 1: as much */
		{ 20, 35, 0, 1 },                                   /* columns 2 and 3 */
	};
	struct wl_viewport v = { 0, 50, 5 };
	struct drawn d;

	DRAW(event, &v, &d);
	expect(&d, 0, 2, (255 * 7 + 9) / 10);
	expect(&d, 1, 1, 102);
	expect(&d, 2, 1, 255);
	expect(&d, 3, 1, 128);
	expect(&d, 4, 0, 0);
	assert_int_equal(d.sum[0][2], 4);
	assert_int_equal(d.sum[0][1], 3);
	assert_int_equal(d.sum[3][1], 5);
}

TEST(one_nanosecond_is_seen_in_the_widest_view)
{
	static const struct wl_lane_event event[] = { { 12345, 12346, 0, 2 } };
	struct wl_viewport v = { -WL_TIME_MAX, WL_TIME_MAX, MAX_WIDTH };
	struct drawn d;

	DRAW(event, &v, &d);
	for (uint32_t x = 0; x < MAX_WIDTH; x++)
		expect(&d, x, x == 32 ? 2 : 0, x == 32);
	assert_int_equal(d.sum[32][2], 1);
}

TEST(an_event_of_no_length_is_seen)
{
	static const struct wl_lane_event event[] = { { 0, 0, 0, 0 },
						      { 19, 19, 0, 1 },
						      { 40, 40, 0, 1 } };
	struct wl_viewport v = { 0, 40, 4 };
	struct drawn d;

	DRAW(event, &v, &d);
	expect(&d, 0, 0, 1);
	expect(&d, 1, 0, 1);
	expect(&d, 2, 0, 0);
	expect(&d, 3, 0, 0); /* what begins with the end of the view lies outside */
}

TEST(the_longest_time_there_is_fills_the_view)
{
	static const struct wl_lane_event event[] = { { -WL_TIME_MAX, WL_TIME_MAX - 1, 0, 1 } };
	struct wl_viewport wide = { -WL_TIME_MAX, WL_TIME_MAX, 3 };
	struct wl_viewport one = { -WL_TIME_MAX, WL_TIME_MAX, 1 };
	struct drawn d;

	DRAW(event, &wide, &d);
	expect(&d, 0, 1, 255);
	expect(&d, 1, 1, 255);
	expect(&d, 2, 1, 255); /* all but 1 ns: rounded up */
	DRAW(event, &one, &d);
	expect(&d, 0, 1, 255);
	assert_int_equal(d.sum[0][1], 2 * WL_TIME_MAX - 1);
}

TEST(half_of_the_longest_column_is_half)
{
	static const struct wl_lane_event event[] = { { -WL_TIME_MAX, 0, 0, 1 } };
	struct wl_viewport v = { -WL_TIME_MAX, WL_TIME_MAX, 1 };
	struct drawn d;

	DRAW(event, &v, &d);
	expect(&d, 0, 1, 128);
}

TEST(a_long_event_is_cut_at_the_view)
{
	static const struct wl_lane_event event[] = { { 0, 20000000000, 0, 2 } };
	struct wl_viewport inside = { 5000000000, 6000000000, 4 };
	struct wl_viewport end = { 19999999990, 20000000010, 10 };
	struct drawn d;

	DRAW(event, &inside, &d);
	for (uint32_t x = 0; x < 4; x++) {
		expect(&d, x, 2, 255);
		assert_int_equal(d.sum[x][2], 250000000);
	}
	DRAW(event, &end, &d);
	expect(&d, 4, 2, 255);
	expect(&d, 5, 0, 0);
}

TEST(a_view_beside_the_events_is_blank)
{
	static const struct wl_lane_event event[] = { { 100, 200, 0, 1 }, { 300, 400, 0, 1 } };
	static const struct wl_viewport v[] = {
		{ 0, 100, 7 }, { 200, 300, 7 }, { 210, 217, 7 }, { 400, 500, 7 }
	};
	struct drawn d;

	for (size_t k = 0; k < WL_COUNT(v); k++) {
		DRAW(event, &v[k], &d);
		for (uint32_t x = 0; x < 7; x++)
			expect(&d, x, 0, 0);
	}
}

TEST(the_finest_view_has_a_nanosecond_per_column)
{
	static const struct wl_lane_event event[] = { { 3, 4, 0, 0 },
						      { 4, 6, 0, 1 },
						      { 7, 9, 0, 2 } };
	static const unsigned cat[] = { 0, 0, 0, 0, 1, 1, 0, 2, 2, 0 };
	static const unsigned share[] = { 0, 0, 0, 255, 255, 255, 0, 255, 255, 0 };
	struct wl_viewport v = { 0, 10, 10 };
	struct drawn d;

	DRAW(event, &v, &d);
	for (uint32_t x = 0; x < 10; x++)
		expect(&d, x, cat[x], share[x]);
}

/* 4096 events of 1 ns, each 2 ns after the one before. */
TEST(many_events_per_column_keep_their_time)
{
	static struct wl_lane_event event[4096];
	struct wl_viewport one = { 1, 8192, 1 }, two = { 0, 8192, 2 };
	struct drawn d;

	for (size_t i = 0; i < WL_COUNT(event); i++)
		event[i] = (struct wl_lane_event){ 2 * (wl_ns)i, 2 * (wl_ns)i + 1, 0, 1 };
	DRAW(event, &one, &d);
	assert_int_equal(d.sum[0][1], 4095);
	expect(&d, 0, 1, 128);
	DRAW(event, &two, &d);
	assert_int_equal(d.sum[0][1], 2048);
	assert_int_equal(d.sum[1][1], 2048);
	expect(&d, 0, 1, 128);
	expect(&d, 1, 1, 128);
}

/* What a snapped column leaves goes to the next: never lost, and never more than all of it. */
TEST(a_snapped_border_moves_back_to_a_block)
{
	static struct wl_lane_event event[1100];
	struct wl_viewport v = { 0, (wl_ns)1100 * 3, 2 };
	struct drawn d;

	for (size_t i = 0; i < WL_COUNT(event); i++)
		event[i] = (struct wl_lane_event){ (wl_ns)i, (wl_ns)i + 1, 0, 2 };
	DRAW(event, &v, &d);
	assert_int_equal(d.sum[0][2], 1100);
	assert_int_equal(d.sum[1][2], 0);
	/* 1088 is the last border of a block, so that 12 events are drawn in the next column. */
	expect(&d, 0, 2, (255 * 1088 + 1649) / 1650);
	expect(&d, 1, 2, (255 * 12 + 1649) / 1650);
}
