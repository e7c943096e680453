/* SPDX-License-Identifier: MIT */
/*
 * lanes_dump.c - random lanes in random views, and what the program says of them, as lines of
 * JSON: a lane, then its views. columns.test.mjs repeats all of it in JavaScript.
 *
 * Times stay within what a double holds: a view is below 2^53 ns, a column below 2^45.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/num.h"
#include "derive/lanes/levels.h"
#include "support/random.h"

enum { N_SPARSE = 2000, N_DENSE = 60, N_VIEWS = 16, SUMS_EVERY = 4 };
enum { MAX_EVENTS = 6000, MAX_WIDTH = 300 };

/* What a lane is made of. */
struct recipe {
	size_t n, n_cats;
	wl_ns scale;        /* times are multiples of it */
	uint32_t gap, most; /* between two starts, and of a length; in multiples */
	uint32_t pause;     /* one of so many is far from the next; 0: none */
	uint32_t stretch;   /* one of so many is much longer; 0: none */
	wl_ns begin;
	uint32_t most_columns; /* of its views */
	bool has_levels;
};

static void put_i64s(const char *key, const wl_ns *values, size_t n)
{
	printf("\"%s\":[", key);
	for (size_t i = 0; i < n; i++)
		printf("%s%" PRId64, i ? "," : "", values[i]);
	printf("]");
}

static void put_lane(const struct wl_lane *lane)
{
	printf("{\"categories\":%zu,", lane->n_cats);
	put_i64s("start", lane->start, lane->n);
	printf(",\"dur\":[");
	for (size_t i = 0; i < lane->n; i++)
		printf("%s%" PRId64, i ? "," : "", wl_lane_dur(lane, i));
	printf("],\"cat\":[");
	for (size_t i = 0; i < lane->n; i++)
		printf("%s%u", i ? "," : "", lane->cat[i]);
	if (lane->level)
		printf("],\"level\":[");
	for (size_t i = 0; lane->level && i < lane->n; i++)
		printf("%s%u", i ? "," : "", lane->level[i]);
	printf("]}\n");
}

static void put_picture(const struct wl_lane *lane, const struct wl_viewport *v)
{
	struct wl_picture_column drawn[MAX_WIDTH];

	wl_lane_draw(lane, v, drawn);
	printf(",\"cat\":[");
	for (uint32_t x = 0; x < v->width; x++)
		printf("%s%u", x ? "," : "", drawn[x].cat);
	printf("],\"share\":[");
	for (uint32_t x = 0; x < v->width; x++)
		printf("%s%u", x ? "," : "", drawn[x].share);
	printf("]");
}

static void put_levels(const struct wl_lane *lane, const struct wl_viewport *v)
{
	struct wl_picture_column drawn[MAX_WIDTH];

	if (!lane->level)
		return;
	wl_lane_draw_levels(lane, v, drawn);
	printf(",\"levels\":[");
	for (uint32_t x = 0; x < v->width; x++)
		printf("%s[%u,%u]", x ? "," : "", drawn[x].cat, drawn[x].share);
	printf("]");
}

static void put_only(const struct wl_lane *lane, const struct wl_viewport *v, uint8_t cat)
{
	struct wl_picture_column drawn[MAX_WIDTH];

	wl_lane_draw_only(lane, v, cat, drawn);
	printf(",\"only\":[%u", cat);
	for (uint32_t x = 0; x < v->width; x++)
		printf(",%u", drawn[x].share);
	printf("]");
}

static void put_longest(const struct wl_lane *lane, const struct wl_viewport *v)
{
	uint32_t longest[MAX_WIDTH];

	wl_lane_draw_longest(lane, v, longest);
	printf(",\"longestOf\":[");
	for (uint32_t x = 0; x < v->width; x++)
		printf("%s%" PRIu32, x ? "," : "", longest[x]);
	printf("]");
}

/* An event of a lane, -1 for none. */
static long long number_of(uint32_t event)
{
	return event == WL_NONE ? -1 : (long long)event;
}

static void put_view(uint64_t *seed, const struct wl_lane *lane, const struct wl_viewport *v,
		     bool with_sums)
{
	static wl_ns sum[MAX_WIDTH * WL_MAX_LANE_CATS];
	wl_ns time[WL_MAX_LANE_CATS] = { 0 };
	wl_ns at = random_between(seed, v->begin - 1, v->end);

	printf("{\"begin\":%" PRId64 ",\"end\":%" PRId64 ",\"width\":%" PRIu32, v->begin, v->end,
	       v->width);
	put_picture(lane, v);
	put_levels(lane, v);
	put_only(lane, v, (uint8_t)random_below(seed, (uint32_t)lane->n_cats));
	put_longest(lane, v);
	(void)wl_lane_time(lane, v->begin, v->end, time);
	printf(",");
	put_i64s("time", time, lane->n_cats);
	printf(",\"longest\":%lld", number_of(wl_lane_longest(lane, v->begin, v->end)));
	printf(",\"at\":[%" PRId64 ",%lld,%" PRIu32 "]", at, number_of(wl_lane_at(lane, at)),
	       wl_viewport_column(v, at));
	if (with_sums) {
		wl_lane_columns(lane, v, sum);
		printf(",");
		put_i64s("sums", sum, v->width * lane->n_cats);
	}
	printf("}\n");
}

/* Anywhere, inside, around or beside the lane, down to a nanosecond per column. */
static struct wl_viewport random_view(uint64_t *seed, const struct wl_lane *lane, uint32_t most)
{
	wl_ns first = lane->start[0], last = wl_lane_end(lane, lane->n - 1);
	wl_ns length = last - first + 2, begin = first + random_between(seed, -length / 4, length);
	struct wl_viewport v = { .begin = begin, .width = 1 + random_below(seed, most) };

	switch (random_below(seed, 4)) {
	case 0:
		v.begin = first - random_below(seed, 2);
		v.end = last + random_below(seed, 2);
		break;
	case 1:
		v.end = begin + v.width;
		break;
	default:
		v.end = begin + random_between(seed, 1, length / (1 + random_below(seed, 20)) + 1);
		break;
	}
	if (v.end - v.begin < v.width)
		v.end = v.begin + v.width;
	return v;
}

static bool one_in(uint64_t *seed, uint32_t n)
{
	return n > 0 && random_below(seed, n) == 0;
}

/* Or a level, often that of nothing. */
static uint8_t category(uint64_t *seed, const struct recipe *r)
{
	if (!r->has_levels)
		return (uint8_t)random_below(seed, (uint32_t)r->n_cats);
	return one_in(seed, 3) ? 1 : (uint8_t)(1 + random_below(seed, UINT8_MAX));
}

/* Events go to the lowest free lane; those that overlap are left to other lanes. */
static bool fill(uint64_t *seed, const struct recipe *r, struct wl_budget *budget,
		 struct wl_lanes *ret)
{
	struct wl_lane_builder b;
	wl_ns t = r->begin, last_start = INT64_MIN;

	if (r->has_levels)
		wl_lane_builder_init_levels(&b, r->n_cats, budget);
	else
		wl_lane_builder_init(&b, r->n_cats, budget);
	for (uint32_t i = 0; i < r->n; i++) {
		wl_ns dur = random_below(seed, r->most);
		struct wl_lane_event event;

		if (one_in(seed, r->stretch))
			dur *= random_below(seed, 30);
		/* Of events that start together the longer comes first: here, only one has a
		 * length. */
		if (t == last_start)
			dur = 0;
		last_start = t;
		event = (struct wl_lane_event){ t * r->scale, (t + dur) * r->scale, i,
						category(seed, r) };
		(void)wl_lane_add(&b, &event, 0);
		t += random_below(seed, r->gap);
		if (one_in(seed, r->pause))
			t += 1000;
	}
	return wl_lanes_finish(&b, ret);
}

static void dump(uint64_t *seed, const struct recipe *r)
{
	struct wl_budget budget = { 0 };
	struct wl_lanes lanes;
	const struct wl_lane *lane;

	if (!fill(seed, r, &budget, &lanes))
		exit(EXIT_FAILURE);
	lane = &lanes.lane[random_below(seed, (uint32_t)lanes.n)];
	put_lane(lane);
	for (int k = 0; k < N_VIEWS; k++) {
		struct wl_viewport v = random_view(seed, lane, r->most_columns);

		put_view(seed, lane, &v, k % SUMS_EVERY == 0);
	}
	wl_lanes_release(&lanes);
}

/* Few events with gaps and overlap, at any scale of time. */
static struct recipe sparse(uint64_t *seed, int round)
{
	static const wl_ns scales[] = { 1, 1, 1000, 3000000019 };

	return (struct recipe){ .n = random_below(seed, 40) ? 1 + random_below(seed, 200) : 1,
				.n_cats = 1 + random_below(seed, WL_MAX_LANE_CATS),
				.scale = scales[random_below(seed, WL_COUNT(scales))],
				.gap = 1 + random_below(seed, 30),
				.most = 1 + random_below(seed, 40),
				.stretch = 50,
				.begin = random_between(seed, -1000, 1000),
				.most_columns = round % 16 ? 40 : MAX_WIDTH,
				.has_levels = round % 3 == 0 };
}

/* So many events that columns are snapped. */
static struct recipe dense(uint64_t *seed, int round)
{
	return (struct recipe){ .n = 3000 + random_below(seed, MAX_EVENTS - 3000),
				.n_cats = 8,
				.scale = 1,
				.gap = 2 + random_below(seed, 3),
				.most = 1 + random_below(seed, 6),
				.pause = 700,
				.most_columns = round % 2 ? 3 : 8,
				.has_levels = round % 3 == 0 };
}

int main(void)
{
	uint64_t seed = 3;

	for (int round = 0; round < N_SPARSE; round++) {
		struct recipe r = sparse(&seed, round);

		dump(&seed, &r);
	}
	for (int round = 0; round < N_DENSE; round++) {
		struct recipe r = dense(&seed, round);

		dump(&seed, &r);
	}
	return ferror(stdout) ? EXIT_FAILURE : EXIT_SUCCESS;
}
