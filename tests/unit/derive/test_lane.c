/* SPDX-License-Identifier: MIT */
#include "derive/lanes/lane.h"

#include <string.h>

#include "support/random.h"
#include "support/unit.h"

enum { N_CATS = 4 };

#define LONG_NS ((wl_ns)5000000000) /* does not fit in 32 bits */

static struct wl_budget budget;

static void make(const struct wl_lane_event *event, size_t n, struct wl_lanes *ret)
{
	struct wl_lane_builder b;

	wl_lane_builder_init(&b, N_CATS, &budget);
	for (size_t i = 0; i < n; i++)
		assert_int_not_equal(wl_lane_add(&b, &event[i], 0), WL_NONE);
	assert_true(wl_lanes_finish(&b, ret));
	assert_int_equal(ret->n_events, n);
	assert_int_equal(wl_lanes_bytes(ret), budget.used);
}

#define MAKE(event, ret) make((event), WL_COUNT(event), (ret))

static void drop(struct wl_lanes *lanes)
{
	wl_lanes_release(lanes);
	assert_int_equal(budget.used, 0);
	wl_lanes_release(lanes);
}

static void expect_event(const struct wl_lane *lane, size_t i, const struct wl_lane_event *want)
{
	assert_int_equal(lane->start[i], want->start);
	assert_int_equal(wl_lane_end(lane, i), want->end);
	assert_int_equal(lane->ref[i], want->ref);
	assert_int_equal(lane->cat[i], want->cat);
}

TEST(no_events_make_no_lane)
{
	struct wl_lane_builder zeroed = { .n_cats = 0 };
	struct wl_lanes lanes, flat;

	make(NULL, 0, &lanes);
	assert_int_equal(lanes.n, 0);
	assert_int_equal(wl_lanes_bytes(&lanes), 0);
	assert_true(wl_lanes_flatten(&lanes, &budget, &flat));
	assert_int_equal(flat.n, 0);
	wl_lanes_release(&flat);
	drop(&lanes);
	wl_lane_builder_drop(&zeroed);
}

TEST(events_that_do_not_overlap_are_one_lane)
{
	static const struct wl_lane_event event[] = {
		{ 10, 20, 7, 1 },
		{ 20, 20, 8, 2 }, /* touches both and has no length */
		{ 20, 25, 9, 3 },
		{ 40, 41, 3, 0 },
	};
	struct wl_lanes lanes;

	MAKE(event, &lanes);
	assert_int_equal(lanes.n, 1);
	assert_int_equal(lanes.lane[0].n, WL_COUNT(event));
	for (size_t i = 0; i < WL_COUNT(event); i++)
		expect_event(&lanes.lane[0], i, &event[i]);
	drop(&lanes);
}

TEST(an_event_goes_to_the_lowest_lane_that_is_free)
{
	static const struct wl_lane_event event[] = {
		{ 0, 30, 0, 0 }, { 5, 10, 1, 0 },  { 6, 8, 2, 0 },   { 8, 40, 3, 0 },
		{ 9, 9, 4, 0 },  { 10, 12, 5, 0 }, { 30, 31, 6, 0 }, { 31, 50, 7, 0 },
	};
	static const uint32_t want[] = { 0, 1, 2, 2, 3, 1, 0, 0 };
	struct wl_lane_builder b;
	struct wl_lanes lanes;
	size_t next[4] = { 0 };

	wl_lane_builder_init(&b, 1, &budget);
	for (size_t i = 0; i < WL_COUNT(event); i++)
		assert_int_equal(wl_lane_add(&b, &event[i], 0), want[i]);
	assert_true(wl_lanes_finish(&b, &lanes));
	assert_int_equal(lanes.n, 4);
	for (size_t i = 0; i < WL_COUNT(event); i++)
		expect_event(&lanes.lane[want[i]], next[want[i]]++, &event[i]);
	for (size_t l = 0; l < lanes.n; l++)
		assert_int_equal(lanes.lane[l].n, next[l]);
	wl_lane_builder_drop(&b);
	drop(&lanes);
}

TEST(of_events_that_start_together_each_has_its_lane)
{
	static const struct wl_lane_event event[] = {
		{ 5, 9, 0, 0 }, { 5, 9, 1, 1 }, { 5, 7, 2, 2 }, { 5, 5, 3, 3 }, { 5, 5, 4, 3 }
	};
	struct wl_lanes lanes;

	MAKE(event, &lanes);
	assert_int_equal(lanes.n, 4);
	for (size_t l = 0; l < 4; l++)
		expect_event(&lanes.lane[l], 0, &event[l]);
	expect_event(&lanes.lane[3], 1, &event[4]);
	drop(&lanes);
}

TEST(a_range_lies_below_the_one_that_holds_it)
{
	struct wl_lane_builder b;
	struct wl_lanes lanes;

	wl_lane_builder_init(&b, 1, &budget);
	assert_int_equal(wl_lane_add(&b, &(struct wl_lane_event){ 0, 9, 0, 0 }, 2), 2);
	assert_int_equal(wl_lane_add(&b, &(struct wl_lane_event){ 1, 3, 1, 0 }, 3), 3);
	assert_int_equal(wl_lane_add(&b, &(struct wl_lane_event){ 3, 4, 2, 0 }, 3), 3);
	assert_int_equal(wl_lane_add(&b, &(struct wl_lane_event){ 9, 9, 3, 0 }, 0), 0);
	assert_int_equal(wl_lane_add(&b, &(struct wl_lane_event){ 9, 12, 4, 0 }, 0), 0);
	assert_int_equal(wl_lane_add(&b, &(struct wl_lane_event){ 10, 11, 5, 0 }, 0), 1);
	assert_true(wl_lanes_finish(&b, &lanes));
	assert_int_equal(lanes.n, 4);
	assert_int_equal(lanes.lane[0].n, 2);
	assert_int_equal(lanes.lane[1].n, 1);
	assert_int_equal(lanes.lane[3].ref[1], 2);
	drop(&lanes);
}

TEST(a_lane_may_be_empty)
{
	struct wl_lane_builder b;
	struct wl_lanes lanes;
	wl_ns time[1] = { 0 };

	wl_lane_builder_init(&b, 1, &budget);
	assert_int_equal(wl_lane_add(&b, &(struct wl_lane_event){ 0, 9, 0, 0 }, 1), 1);
	assert_true(wl_lanes_finish(&b, &lanes));
	assert_int_equal(lanes.n, 2);
	assert_int_equal(lanes.lane[0].n, 0);
	assert_int_equal(wl_lane_from(&lanes.lane[0], 0), 0);
	assert_int_equal(wl_lane_at(&lanes.lane[0], 5), WL_NONE);
	assert_int_equal(wl_lane_longest(&lanes.lane[0], 0, 100), WL_NONE);
	assert_int_equal(wl_lane_time(&lanes.lane[0], 0, 100, time), 0);
	assert_int_equal(wl_lane_time(&lanes.lane[1], 0, 100, time), 9);
	drop(&lanes);
}

TEST(everything_overlaps_as_many_lanes_as_events)
{
	enum { N = 20000 };
	struct wl_lane_builder b;
	struct wl_lanes lanes, flat;

	wl_lane_builder_init(&b, 8, &budget);
	for (uint32_t i = 0; i < N; i++) {
		struct wl_lane_event event = { i, 2 * N - i, i, i % 8 };

		assert_int_equal(wl_lane_add(&b, &event, 0), i);
	}
	assert_true(wl_lanes_finish(&b, &lanes));
	assert_int_equal(lanes.n, N);
	assert_true(wl_lanes_bytes(&lanes) < (size_t)N * 300);
	for (uint32_t i = 0; i < N; i++) {
		assert_int_equal(lanes.lane[i].n, 1);
		assert_int_equal(lanes.lane[i].ref[0], i);
	}
	assert_true(wl_lanes_flatten(&lanes, &budget, &flat));
	assert_int_equal(flat.n_events, 1);
	wl_lanes_release(&flat);
	drop(&lanes);
}

TEST(long_events_follow_their_lanes)
{
	static const struct wl_lane_event event[] = {
		{ 0, WL_LONG - 1, 0, 0 },
		{ 1, 1 + (wl_ns)WL_LONG, 1, 1 },
		{ 2, 2 + LONG_NS, 2, 2 },
		{ 2 * LONG_NS, 2 * LONG_NS + 5, 3, 3 },
		{ 3 * LONG_NS, 5 * LONG_NS, 4, 0 },
		{ 4 * LONG_NS, 5 * LONG_NS, 5, 1 },
		{ 6 * LONG_NS, 6 * LONG_NS + WL_TIME_MAX / 2, 6, 0 },
	};
	static const size_t of[][2] = { { 0, 0 }, { 1, 0 }, { 2, 0 }, { 0, 1 },
					{ 0, 2 }, { 1, 1 }, { 0, 3 } };
	struct wl_lanes lanes;

	MAKE(event, &lanes);
	assert_int_equal(lanes.n, 3);
	for (size_t i = 0; i < WL_COUNT(event); i++)
		expect_event(&lanes.lane[of[i][0]], of[i][1], &event[i]);
	assert_int_equal(lanes.lane[0].n_long, 2);
	assert_int_equal(lanes.lane[1].n_long, 2);
	assert_int_equal(lanes.lane[2].n_long, 1);
	drop(&lanes);
}

TEST(at_finds_what_is_under_way)
{
	static const struct wl_lane_event event[] = {
		{ 10, 20, 0, 0 }, { 20, 20, 1, 0 }, { 20, 30, 2, 0 },
		{ 35, 35, 3, 0 }, { 40, 50, 4, 0 },
	};
	struct wl_lanes lanes;
	const struct wl_lane *lane;

	MAKE(event, &lanes);
	lane = &lanes.lane[0];
	assert_int_equal(wl_lane_at(lane, 9), WL_NONE);
	assert_int_equal(wl_lane_at(lane, 10), 0);
	assert_int_equal(wl_lane_at(lane, 19), 0);
	assert_int_equal(wl_lane_at(lane, 20), 2);
	assert_int_equal(wl_lane_at(lane, 30), WL_NONE);
	assert_int_equal(wl_lane_at(lane, 35), 3);
	assert_int_equal(wl_lane_at(lane, 36), WL_NONE);
	assert_int_equal(wl_lane_at(lane, 49), 4);
	assert_int_equal(wl_lane_at(lane, 50), WL_NONE);
	assert_int_equal(wl_lane_from(lane, 20), 1);
	assert_int_equal(wl_lane_from(lane, 21), 3);
	assert_int_equal(wl_lane_from(lane, 41), 5);
	drop(&lanes);
}

/* 1000 events of 1 to 13 ns, each 20 ns after the one before. */
static void make_regular(struct wl_lanes *ret)
{
	struct wl_lane_event event[1000];

	for (uint32_t i = 0; i < WL_COUNT(event); i++)
		event[i] = (struct wl_lane_event){ (wl_ns)20 * i, (wl_ns)20 * i + 1 + i * 7 % 13, i,
						   i % N_CATS };
	MAKE(event, ret);
	assert_int_equal(ret->n, 1);
}

TEST(the_longest_is_the_first_of_the_longest)
{
	WITH(struct wl_lanes, lanes, drop, make_regular(&lanes));
	uint64_t seed = 3;
	const struct wl_lane *lane;

	lane = &lanes.lane[0];
	for (int round = 0; round < 3000; round++) {
		wl_ns begin = random_between(&seed, -50, 20050);
		wl_ns end = random_between(&seed, begin - 5, round % 2 ? begin + 70 : 20100);
		uint32_t best = WL_NONE;

		for (uint32_t i = 0; i < lane->n; i++) {
			if (lane->start[i] < end && wl_lane_end(lane, i) > begin && begin < end &&
			    (best == WL_NONE || lane->dur[i] > lane->dur[best]))
				best = i;
		}
		assert_int_equal(wl_lane_longest(lane, begin, end), best);
	}
}

TEST(the_longest_may_have_no_length)
{
	static const struct wl_lane_event event[] = { { 5, 5, 0, 0 },
						      { 5, 5, 1, 1 },
						      { 9, 12, 2, 2 } };
	struct wl_lanes lanes;

	MAKE(event, &lanes);
	assert_int_equal(wl_lane_longest(&lanes.lane[0], 5, 6), 0);
	assert_int_equal(wl_lane_longest(&lanes.lane[0], 6, 9), WL_NONE);
	assert_int_equal(wl_lane_longest(&lanes.lane[0], 11, 12), 2);
	assert_int_equal(wl_lane_longest(&lanes.lane[0], 12, 13), WL_NONE);
	drop(&lanes);
}

TEST(time_is_exact_in_any_window)
{
	WITH(struct wl_lanes, lanes, drop, make_regular(&lanes));
	uint64_t seed = 4;
	const struct wl_lane *lane;

	lane = &lanes.lane[0];
	for (int round = 0; round < 3000; round++) {
		wl_ns begin = random_between(&seed, -50, 20050);
		wl_ns end = random_between(&seed, begin - 5, round % 2 ? begin + 70 : 20100);
		wl_ns want[N_CATS] = { 1, 2, 3, 4 }, got[N_CATS] = { 1, 2, 3, 4 }, sum = 0;

		for (size_t i = 0; i < lane->n; i++) {
			wl_ns from = lane->start[i] > begin ? lane->start[i] : begin;
			wl_ns to = wl_lane_end(lane, i) < end ? wl_lane_end(lane, i) : end;

			want[lane->cat[i]] += to > from ? to - from : 0;
			sum += to > from ? to - from : 0;
		}
		assert_int_equal(wl_lane_time(lane, begin, end, got), sum);
		assert_memory_equal(got, want, sizeof(got));
	}
}

TEST(what_started_first_keeps_its_time_when_flat)
{
	static const struct wl_lane_event event[] = {
		{ 0, 10, 0, 0 },  { 2, 5, 1, 1 },   { 4, 14, 2, 2 },
		{ 5, 5, 3, 3 },   { 6, 20, 4, 3 },  { 20, 20, 5, 1 },
		{ 30, 35, 6, 0 }, { 30, 35, 7, 1 }, { 40, 40 + LONG_NS, 8, 2 },
	};
	static const struct wl_lane_event want[] = {
		{ 0, 10, 0, 0 },  { 10, 14, 2, 2 }, { 14, 20, 4, 3 },
		{ 20, 20, 5, 1 }, { 30, 35, 6, 0 }, { 40, 40 + LONG_NS, 8, 2 },
	};
	struct wl_lanes lanes, flat;

	MAKE(event, &lanes);
	assert_int_equal(lanes.n, 3);
	assert_true(wl_lanes_flatten(&lanes, &budget, &flat));
	wl_lanes_release(&lanes);
	assert_int_equal(flat.n, 1);
	assert_int_equal(flat.n_events, WL_COUNT(want));
	for (size_t i = 0; i < WL_COUNT(want); i++)
		expect_event(&flat.lane[0], i, &want[i]);
	drop(&flat);
}

enum { MANY = 400000 }; /* columns of so many are mapped */

/* Events on several lanes, some of them long. */
static bool make_many(uint32_t n, size_t n_cats, struct wl_lanes *ret)
{
	struct wl_lane_builder b;
	uint64_t seed = 5;
	wl_ns t = 0;

	wl_lane_builder_init(&b, n_cats, &budget);
	for (uint32_t i = 0; i < n; i++) {
		wl_ns dur = random_below(&seed, n / 10) ? random_below(&seed, 20) : LONG_NS;

		t += random_below(&seed, 20);
		(void)wl_lane_add(
			&b, &(struct wl_lane_event){ t, t + dur, i, (uint8_t)(i % n_cats) }, 0);
	}
	return wl_lanes_finish(&b, ret);
}

TEST(many_events_are_dealt_out_in_order)
{
	struct wl_lanes lanes;
	size_t n = 0;

	assert_true(make_many(MANY, 8, &lanes));
	assert_true(lanes.n > 3);
	for (size_t l = 0; l < lanes.n; l++) {
		const struct wl_lane *lane = &lanes.lane[l];

		n += lane->n;
		for (size_t i = 0; i < lane->n; i++) {
			assert_int_equal(lane->cat[i], lane->ref[i] % 8);
			if (i == 0)
				continue;
			assert_true(lane->ref[i - 1] < lane->ref[i]);
			assert_true(wl_lane_end(lane, i - 1) <= lane->start[i]);
		}
	}
	assert_int_equal(n, lanes.n_events);
	drop(&lanes);
}

TEST(an_event_takes_few_bytes)
{
	struct wl_lanes lanes;

	assert_true(make_many(MANY, 8, &lanes));
	assert_true(wl_lanes_bytes(&lanes) <= 19 * lanes.n_events);
	drop(&lanes);
	assert_true(make_many(MANY, 15, &lanes));
	assert_true(wl_lanes_bytes(&lanes) <= 22 * lanes.n_events);
	drop(&lanes);
}

TEST(a_small_budget_fails_and_leaves_nothing)
{
	size_t peak, fails = 0;
	struct wl_lanes lanes, flat;

	budget.peak = 0;
	assert_true(make_many(3000, 8, &lanes));
	peak = budget.peak;
	drop(&lanes);
	for (size_t limit = 1000; limit < peak + peak / 8; limit += peak / 64) {
		budget.limit = limit;
		if (!make_many(3000, 8, &lanes)) {
			fails++;
		} else {
			if (wl_lanes_flatten(&lanes, &budget, &flat))
				wl_lanes_release(&flat);
			wl_lanes_release(&lanes);
		}
		assert_int_equal(budget.used, 0);
	}
	budget.limit = 0;
	assert_in_range(fails, 30, 70);
}

TEST(a_builder_that_failed_can_be_used_again)
{
	static const struct wl_lane_event event = { 1, 2, 7, 0 };
	struct wl_lane_builder b;
	struct wl_lanes lanes;

	wl_lane_builder_init(&b, 1, &budget);
	budget.limit = 64;
	assert_int_equal(wl_lane_add(&b, &event, 0), WL_NONE);
	assert_int_equal(wl_lane_add(&b, &event, 0), WL_NONE);
	assert_false(wl_lanes_finish(&b, &lanes));
	assert_int_equal(budget.used, 0);
	budget.limit = 0;
	assert_int_equal(wl_lane_add(&b, &event, 0), 0);
	assert_true(wl_lanes_finish(&b, &lanes));
	drop(&lanes);
}

TEST(a_builder_can_be_dropped_and_used_again)
{
	struct wl_lane_builder b;
	struct wl_lanes lanes;

	wl_lane_builder_init(&b, 1, &budget);
	assert_int_equal(wl_lane_add(&b, &(struct wl_lane_event){ 5, 9, 0, 0 }, 0), 0);
	wl_lane_builder_drop(&b);
	assert_int_equal(wl_lane_add(&b, &(struct wl_lane_event){ 1, 2, 7, 0 }, 0), 0);
	assert_true(wl_lanes_finish(&b, &lanes));
	assert_int_equal(lanes.lane[0].ref[0], 7);
	drop(&lanes);
}
