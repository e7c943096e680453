/* SPDX-License-Identifier: MIT */
/*
 * What is drawn is what is there: random lanes in random views against sums over all
 * events, one by one. Columns add up to the lane's time to the nanosecond at every zoom,
 * finer columns add up to coarser ones, each event goes to the lowest free lane, and what
 * is flat has every moment of the events, of the one that started first.
 */
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "derive/lanes/columns.h"
#include "support/random.h"
#include "support/unit.h"

enum { MAX_EVENTS = 6000, MAX_LANES = 256, MAX_WIDTH = 300, MAX_FINER = 4 };
enum { N_SPARSE = 4000, N_DENSE = 150, N_VIEWS = 8 };

struct placed {
	struct wl_lane_event event;
	uint32_t lane;
};

/* A random row, with the lanes that its events must have. */
struct row {
	struct placed at[MAX_EVENTS]; /* in order of start, the longer first */
	size_t n, n_cats, n_lanes;
	wl_ns scale; /* times are multiples of it, but for what has no length */
	wl_ns end;   /* the last one */
};

static int by_start(const void *a, const void *b)
{
	const struct wl_lane_event *x = &((const struct placed *)a)->event;
	const struct wl_lane_event *y = &((const struct placed *)b)->event;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->end != y->end)
		return x->end > y->end ? -1 : 1;
	return x->ref < y->ref ? -1 : x->ref > y->ref;
}

/* Lanes by trying them all, and then sometimes a lower limit. */
static void place(uint64_t *seed, struct row *row, struct wl_lane_builder *b)
{
	wl_ns free_at[MAX_LANES];
	bool limits = random_below(seed, 4) == 0;

	for (size_t l = 0; l < MAX_LANES; l++)
		free_at[l] = INT64_MIN;
	row->n_lanes = 0;
	for (size_t i = 0; i < row->n; i++) {
		struct placed *p = &row->at[i];
		uint32_t lowest = limits ? random_below(seed, 3) : 0;

		p->lane = lowest;
		while (p->lane < MAX_LANES && free_at[p->lane] > p->event.start)
			p->lane++;
		assert_true(p->lane < MAX_LANES);
		free_at[p->lane] = p->event.end;
		if (p->lane >= row->n_lanes)
			row->n_lanes = p->lane + 1;
		assert_int_equal(wl_lane_add(b, &p->event, lowest), p->lane);
		if (p->event.end > row->end)
			row->end = p->event.end;
	}
}

/* Few events with gaps and overlap, at any scale of time. */
static void make_sparse(uint64_t *seed, struct row *row)
{
	static const wl_ns scales[] = { 1, 1, 1000, 3000000019, (wl_ns)1 << 45 };
	uint32_t gap = 1 + random_below(seed, 30), most = 1 + random_below(seed, 40);
	wl_ns t = random_between(seed, -1000, 1000);

	row->scale = scales[random_below(seed, WL_COUNT(scales))];
	row->n = random_below(seed, 40) ? 1 + random_below(seed, 200) : 1;
	row->n_cats = 1 + random_below(seed, WL_MAX_LANE_CATS);
	for (uint32_t i = 0; i < row->n; i++) {
		wl_ns start = t * row->scale, dur = random_below(seed, most) * row->scale;
		uint8_t cat = (uint8_t)random_below(seed, (uint32_t)row->n_cats);

		if (random_below(seed, 50) == 0)
			dur *= random_below(seed, 30);
		row->at[i].event = (struct wl_lane_event){ start, start + dur, i, cat };
		t += random_below(seed, gap);
	}
}

/* So many events that columns are snapped. */
static void make_dense(uint64_t *seed, struct row *row)
{
	uint32_t gap = 2 + random_below(seed, 3), most = 1 + random_below(seed, 6);
	wl_ns t = 0;

	row->scale = 1;
	row->n = 3000 + random_below(seed, MAX_EVENTS - 3000);
	row->n_cats = 8;
	for (uint32_t i = 0; i < row->n; i++) {
		wl_ns dur = random_below(seed, most);

		row->at[i].event =
			(struct wl_lane_event){ t, t + dur, i, (uint8_t)random_below(seed, 8) };
		t += random_below(seed, gap);
		if (random_below(seed, 700) == 0)
			t += 1000;
	}
}

/* The lanes have the events that the row says, in order, and none that overlap. */
static void check_lanes(const struct row *row, const struct wl_lanes *lanes)
{
	size_t next[MAX_LANES] = { 0 };

	assert_int_equal(lanes->n, row->n_lanes);
	assert_int_equal(lanes->n_events, row->n);
	for (size_t i = 0; i < row->n; i++) {
		const struct placed *p = &row->at[i];
		const struct wl_lane *lane = &lanes->lane[p->lane];
		size_t k = next[p->lane]++;

		assert_true(k < lane->n);
		assert_int_equal(lane->start[k], p->event.start);
		assert_int_equal(wl_lane_end(lane, k), p->event.end);
		assert_int_equal(lane->ref[k], p->event.ref);
		assert_int_equal(lane->cat[k], p->event.cat);
		assert_true(k == 0 || wl_lane_end(lane, k - 1) <= lane->start[k]);
	}
	for (size_t l = 0; l < lanes->n; l++)
		assert_int_equal(lanes->lane[l].n, next[l]);
}

/* Merged with a copy of themselves, all events are there twice, where trying all lanes puts them.
 */
static void check_merged(const struct row *row, const struct wl_lanes *lanes,
			 struct wl_budget *budget)
{
	const struct wl_lanes *both[] = { lanes, lanes };
	static wl_ns free_at[2 * MAX_LANES];
	size_t next[2 * MAX_LANES] = { 0 };
	struct wl_lanes merged;

	assert_true(wl_lanes_merge(both, WL_COUNT(both), row->n_cats, budget, &merged));
	assert_int_equal(merged.n_events, 2 * row->n);
	for (size_t l = 0; l < WL_COUNT(free_at); l++)
		free_at[l] = INT64_MIN;
	for (size_t i = 0; i < 2 * row->n; i++) {
		/* Equal events are next to each other, in any order. */
		const struct wl_lane_event *e = &row->at[i / 2].event;
		const struct wl_lane *lane;
		size_t l = 0;

		while (free_at[l] > e->start)
			l++;
		free_at[l] = e->end;
		assert_true(l < merged.n);
		lane = &merged.lane[l];
		assert_true(next[l] < lane->n);
		assert_int_equal(lane->start[next[l]], e->start);
		assert_int_equal(wl_lane_end(lane, next[l]++), e->end);
	}
	wl_lanes_release(&merged);
}

static wl_ns overlap(const struct wl_lane *lane, size_t i, wl_ns begin, wl_ns end)
{
	wl_ns from = lane->start[i] > begin ? lane->start[i] : begin;
	wl_ns to = wl_lane_end(lane, i) < end ? wl_lane_end(lane, i) : end;

	return to > from ? to - from : 0;
}

/* Where a column begins, by the definition. */
static wl_ns border(const struct wl_viewport *v, uint32_t x)
{
	return v->begin + (wl_ns)((wl_u128)x * (uint64_t)(v->end - v->begin) / v->width);
}

/* A column in which the events [lo, hi) count that start no earlier than its begin, and all before
 * lo. */
struct column {
	wl_ns begin, end;
	size_t lo, hi;
};

static struct wl_picture_column picture(const struct wl_lane *lane, const struct column *c)
{
	wl_ns sum[WL_MAX_LANE_CATS] = { 0 }, all = 0;
	struct wl_picture_column ret = { 0, 0 };
	wl_u128 share;

	for (size_t i = 0; i < c->hi; i++) {
		/* What a snapped column left counts here, though it lies before. */
		wl_ns ns = overlap(lane, i, i < c->lo ? c->begin : INT64_MIN, c->end);

		sum[lane->cat[i]] += ns;
		all += ns;
	}
	for (uint8_t k = 0; k < lane->n_cats; k++) {
		if (sum[k] > sum[ret.cat])
			ret.cat = k;
	}
	share = ((wl_u128)all * 255 + (wl_u128)(c->end - c->begin) - 1) /
		(wl_u128)(c->end - c->begin);
	ret.share = share > 255 ? 255 : (uint8_t)share;
	if (ret.share == 0 && c->hi > c->lo)
		ret.share = 1;
	return ret;
}

/* Nothing that touches a column is left out of the picture, not even what has no length. */
static void check_touched(const struct wl_lane *lane, const struct wl_viewport *v,
			  const struct wl_picture_column *drawn)
{
	for (size_t i = 0; i < lane->n; i++) {
		wl_ns last = wl_lane_end(lane, i) - (lane->dur[i] > 0);

		if (last < v->begin || lane->start[i] >= v->end)
			continue;
		for (uint32_t x = wl_viewport_column(v, lane->start[i]);
		     x <= wl_viewport_column(v, last); x++)
			assert_true(drawn[x].share > 0);
	}
}

/* The longest of all that touch the column, the first of several. */
static uint32_t longest_in(const struct wl_lane *lane, wl_ns begin, wl_ns end)
{
	uint32_t best = WL_NONE;

	for (uint32_t i = 0; i < lane->n; i++) {
		bool starts = lane->start[i] >= begin && lane->start[i] < end;

		if (!starts && overlap(lane, i, begin, end) == 0)
			continue;
		if (best == WL_NONE || wl_lane_dur(lane, i) > wl_lane_dur(lane, best))
			best = i;
	}
	return best;
}

static void check_longest(const struct wl_lane *lane, const struct wl_viewport *v)
{
	uint32_t drawn[MAX_WIDTH];

	wl_lane_draw_longest(lane, v, drawn);
	for (uint32_t x = 0; x < v->width; x++) {
		wl_ns begin = border(v, x), end = border(v, x + 1);

		assert_int_equal(drawn[x], longest_in(lane, begin, end));
		assert_int_equal(drawn[x], wl_lane_longest(lane, begin, end));
	}
}

/* Where nothing is snapped, the share is of the category's own time. */
static void check_only(const struct wl_lane *lane, const struct wl_viewport *v, uint8_t cat)
{
	static wl_ns sum[MAX_WIDTH * WL_MAX_LANE_CATS];
	struct wl_picture_column drawn[MAX_WIDTH];

	wl_lane_draw_only(lane, v, cat, drawn);
	wl_lane_columns(lane, v, sum);
	for (uint32_t x = 0; x < v->width; x++) {
		wl_ns length = border(v, x + 1) - border(v, x);
		wl_u128 share = ((wl_u128)sum[x * lane->n_cats + cat] * 255 + (wl_u128)length - 1) /
				(wl_u128)length;

		assert_int_equal(drawn[x].cat, cat);
		if (lane->n <= WL_SNAP_ABOVE)
			assert_int_equal(drawn[x].share, (uint8_t)share);
	}
}

/* Returns how many columns were snapped. */
static size_t check_drawing(const struct wl_lane *lane, const struct wl_viewport *v)
{
	struct wl_picture_column drawn[MAX_WIDTH];
	size_t next = 0, snapped = 0;

	wl_lane_draw(lane, v, drawn);
	check_touched(lane, v, drawn);
	while (next < lane->n && lane->start[next] < v->begin)
		next++;
	for (uint32_t x = 0; x < v->width; x++) {
		struct column c = { border(v, x), border(v, x + 1), next, next };
		struct wl_picture_column want;

		while (c.hi < lane->n && lane->start[c.hi] < c.end)
			c.hi++;
		if (c.hi - c.lo > 1024 && x + 1 < v->width) {
			snapped += c.hi % 64 > 0;
			c.hi = c.hi / 64 * 64;
		}
		want = picture(lane, &c);
		next = c.hi;
		if (drawn[x].cat != want.cat || drawn[x].share != want.share)
			fail_msg("column %u of %u: %u of category %u, must be %u of %u", x,
				 v->width, drawn[x].share, drawn[x].cat, want.share, want.cat);
	}
	return snapped;
}

/* All sums, of this view and of one with so many times the columns. */
static void check_sums(const struct wl_lane *lane, const struct wl_viewport *v, uint32_t finer)
{
	static wl_ns sum[MAX_WIDTH * WL_MAX_LANE_CATS];
	static wl_ns fine[MAX_FINER * MAX_WIDTH * WL_MAX_LANE_CATS];
	wl_ns total[WL_MAX_LANE_CATS] = { 0 }, time[WL_MAX_LANE_CATS] = { 0 }, all = 0;
	struct wl_viewport f = { v->begin, v->end, v->width * finer };
	size_t n_cats = lane->n_cats;

	memset(sum, 0xff, sizeof(sum));
	wl_lane_columns(lane, v, sum);
	wl_lane_columns(lane, &f, fine);
	for (uint32_t x = 0; x < v->width; x++) {
		wl_ns want[WL_MAX_LANE_CATS] = { 0 };

		for (size_t i = 0; i < lane->n; i++)
			want[lane->cat[i]] += overlap(lane, i, border(v, x), border(v, x + 1));
		for (size_t c = 0; c < n_cats; c++) {
			wl_ns parts = 0;

			assert_int_equal(sum[x * n_cats + c], want[c]);
			for (uint32_t k = 0; k < finer; k++)
				parts += fine[(x * finer + k) * n_cats + c];
			assert_int_equal(parts, want[c]);
			total[c] += want[c];
			all += want[c];
		}
	}
	assert_int_equal(wl_lane_time(lane, v->begin, v->end, time), all);
	assert_memory_equal(time, total, sizeof(time));
}

/* Anywhere, inside, around or beside the row, down to a nanosecond per column. */
static void random_view(uint64_t *seed, const struct row *row, uint32_t most_columns,
			struct wl_viewport *ret)
{
	wl_ns first = row->at[0].event.start, length = row->end - first + 2;
	wl_ns begin = first + random_between(seed, -length / 4, length), end;

	ret->width = 1 + random_below(seed, most_columns);
	switch (random_below(seed, 4)) {
	case 0:
		begin = first - random_below(seed, 2);
		end = row->end + random_below(seed, 2);
		break;
	case 1:
		end = begin + ret->width;
		break;
	default:
		end = begin + random_between(seed, 1, length / (1 + random_below(seed, 20)) + 1);
		break;
	}
	*ret = (struct wl_viewport){ begin, end, ret->width };
	if (end - begin < ret->width)
		ret->end = begin + ret->width;
}

/* Returns how many columns were snapped. */
static size_t check_views(uint64_t *seed, const struct row *row, const struct wl_lane *lane,
			  uint32_t most_columns)
{
	size_t snapped = 0;

	for (int k = 0; k < N_VIEWS; k++) {
		struct wl_viewport v;
		uint32_t finer = 1 + random_below(seed, MAX_FINER);

		random_view(seed, row, most_columns, &v);
		if (v.end - v.begin < (wl_ns)v.width * finer)
			finer = 1;
		check_sums(lane, &v, finer);
		snapped += check_drawing(lane, &v);
		check_longest(lane, &v);
		check_only(lane, &v, (uint8_t)random_below(seed, (uint32_t)lane->n_cats));
	}
	return snapped;
}

/* The event that a moment belongs to: of those under way the first, then of the lowest lane. */
static const struct placed *owner(const struct row *row, wl_ns t)
{
	const struct placed *best = NULL;

	for (size_t i = 0; i < row->n; i++) {
		const struct placed *p = &row->at[i];

		if (p->event.start > t)
			break;
		if (p->event.end > t &&
		    (!best || p->event.start < best->event.start ||
		     (p->event.start == best->event.start && p->lane < best->lane)))
			best = p;
	}
	return best;
}

static int by_number(const void *a, const void *b)
{
	wl_ns x = *(const wl_ns *)a, y = *(const wl_ns *)b;

	return x < y ? -1 : x > y;
}

/* Between two borders of events nothing changes: ask at each, and add up. */
static void check_flat(const struct row *row, const struct wl_lanes *flat)
{
	static wl_ns at[2 * MAX_EVENTS];
	wl_ns want[WL_MAX_LANE_CATS] = { 0 }, got[WL_MAX_LANE_CATS] = { 0 };
	size_t n = 0;
	const struct wl_lane *lane = &flat->lane[0];

	assert_int_equal(flat->n, 1);
	for (size_t i = 0; i < row->n; i++) {
		at[n++] = row->at[i].event.start;
		at[n++] = row->at[i].event.end;
	}
	qsort(at, n, sizeof(*at), by_number);
	for (size_t i = 0; i + 1 < n; i++) {
		const struct placed *p;
		uint32_t k;

		if (at[i] == at[i + 1])
			continue;
		p = owner(row, at[i]);
		k = wl_lane_at(lane, at[i]);
		if (k != WL_NONE && lane->dur[k] == 0)
			k = WL_NONE;
		assert_int_equal(k != WL_NONE, p != NULL);
		if (!p)
			continue;
		assert_int_equal(lane->ref[k], p->event.ref);
		assert_int_equal(lane->cat[k], p->event.cat);
		want[p->event.cat] += at[i + 1] - at[i];
	}
	(void)wl_lane_time(lane, at[0], at[n - 1], got);
	assert_memory_equal(got, want, sizeof(got));
}

/* Returns how many columns were snapped. */
static size_t check_row(uint64_t *seed, struct row *row, uint32_t most_columns)
{
	struct wl_budget budget = { 0 };
	struct wl_lane_builder b;
	struct wl_lanes lanes, flat;
	size_t snapped;

	qsort(row->at, row->n, sizeof(*row->at), by_start);
	row->end = row->at[0].event.end;
	wl_lane_builder_init(&b, row->n_cats, &budget);
	place(seed, row, &b);
	assert_true(wl_lanes_finish(&b, &lanes));
	check_lanes(row, &lanes);
	check_merged(row, &lanes, &budget);
	assert_true(wl_lanes_flatten(&lanes, &budget, &flat));
	if (row->n <= 200)
		check_flat(row, &flat);
	snapped = check_views(seed, row, &lanes.lane[random_below(seed, (uint32_t)lanes.n)],
			      most_columns);
	snapped += check_views(seed, row, &flat.lane[0], most_columns);
	wl_lanes_release(&flat);
	wl_lanes_release(&lanes);
	assert_int_equal(budget.used, 0);
	return snapped;
}

static void pictures_of_few_events_are_exact(void **state)
{
	static struct row row;
	uint64_t seed = 1;

	(void)state;
	for (int round = 0; round < random_cases(N_SPARSE); round++) {
		make_sparse(&seed, &row);
		assert_int_equal(check_row(&seed, &row, round % 16 ? 40 : MAX_WIDTH), 0);
	}
}

static void pictures_of_many_events_lose_no_time(void **state)
{
	static struct row row;
	const int n = random_cases(N_DENSE);
	uint64_t seed = 2;
	size_t snapped = 0;

	(void)state;
	for (int round = 0; round < n; round++) {
		make_dense(&seed, &row);
		snapped += check_row(&seed, &row, round % 2 ? 3 : 8);
	}
	assert_true(snapped * N_DENSE > 100 * (size_t)n);
}

TEST_MAIN(picture)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pictures_of_few_events_are_exact),
		cmocka_unit_test(pictures_of_many_events_lose_no_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
