/* SPDX-License-Identifier: MIT */
#include "derive/iters/change.h"

#include <math.h>

#include "base/memory/sort.h"

enum {
	LEAST = 4,         /* least numbers of a stretch and of the rest on either side */
	MOVES = 3,         /* most places that an end of a stretch moves */
	SHORTEST_RUN = 3,  /* fewest numbers of an episode */
	RARE = 200,        /* rare: 1 of this many random orders */
	SMALL_PERCENT = 3, /* changes below this do not count */
	NEARER = 4,        /* a ramp must fit better than what it replaces by 1/NEARER */
	/* Slopes are in 1/1024 ns: 63 steps of a series are exact to 1/16 ns. */
	SLOPE_BITS = 10,
	N_SLOPES = WL_CHANGE_MOST * (WL_CHANGE_MOST - 1) / 2,
};

static const wl_ns largest_value = (wl_ns)1 << 46;
static const double least_z = 2.81;

/* Differences of ranks that are closer than this are equal: they are fractions of 2 n^2. */
static const double same_rank = 1e-9;

static const double limits[] = {
#define WL_CHANGE_LIMIT(n, limit) [(n)-WL_CHANGE_FEWEST] = (limit),
#include "derive/iters/change_limits.def"
#undef WL_CHANGE_LIMIT
};

const char *wl_change_kind_name(enum wl_change_kind kind)
{
	static const char *const names[] = {
		[WL_CHANGE_NONE] = "none",       [WL_CHANGE_LEVEL] = "level",
		[WL_CHANGE_EPISODE] = "episode", [WL_CHANGE_WARM_UP] = "warm-up",
		[WL_CHANGE_DRIFT] = "drift",     [WL_CHANGE_RAMP] = "ramp"
	};

	return names[kind];
}

wl_ns wl_middle(wl_ns *at, size_t n)
{
	if (n == 0)
		return 0;
	wl_sort_i64(at, n);
	return at[(n - 1) / 2] + (at[n / 2] - at[(n - 1) / 2]) / 2;
}

/* A series, with scratch for its values and its slopes. */
struct series {
	const wl_ns *at;
	size_t n;
	wl_ns *room, *slope;
};

/* The median of the values inside a stretch, or outside it. */
static wl_ns median_of(const struct series *s, size_t begin, size_t end, bool is_inside)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++) {
		if ((begin <= i && i < end) == is_inside)
			s->room[n++] = s->at[i];
	}
	return wl_middle(s->room, n);
}

/* The total distance of the values [from, to) from a level. */
static wl_ns off(const struct series *s, size_t from, size_t to, wl_ns level)
{
	wl_ns sum = 0;

	for (size_t i = from; i < to; i++)
		sum += s->at[i] > level ? s->at[i] - level : level - s->at[i];
	return sum;
}

static wl_ns off_levels(const struct series *s, const struct wl_series_change *c)
{
	return off(s, 0, c->begin, c->outside) + off(s, c->begin, c->end, c->inside) +
	       off(s, c->end, s->n, c->outside);
}

/* By place: twice the sum of the ranks before it; equal values share a rank. */
static void sum_ranks(const struct series *s, int64_t sum[WL_CHANGE_MOST + 1])
{
	sum[0] = 0;
	for (size_t i = 0; i < s->n; i++) {
		int64_t rank = 1;

		for (size_t k = 0; k < s->n; k++)
			rank += 2 * (s->at[k] < s->at[i]) + (s->at[k] == s->at[i]);
		sum[i + 1] = sum[i] + rank;
	}
}

/* The stretch whose ranks differ most from the others', on a tie the one that begins first. */
static void find_stretch(const struct series *s, struct wl_series_change *ret)
{
	int64_t sum[WL_CHANGE_MOST + 1], all;
	size_t n = s->n;

	sum_ranks(s, sum);
	all = sum[n];
	ret->ranks = -1;
	for (size_t begin = 0; begin + LEAST <= n; begin += begin ? 1 : LEAST) {
		for (size_t end = begin + LEAST; end <= n; end++) {
			size_t m = end - begin;
			double inside, outside, value;

			if (m == n || (end < n && n - end < LEAST))
				continue;
			inside = (double)(sum[end] - sum[begin]) / (2 * (double)m);
			outside = (double)(all - sum[end] + sum[begin]) / (2 * (double)(n - m));
			value = fabs(inside - outside) *
				sqrt((double)m * (double)(n - m) / (double)n);
			if (value > ret->ranks + same_rank) {
				ret->ranks = value;
				ret->begin = begin;
				ret->end = end;
			}
		}
	}
}

/* Move one end of the stretch to where the differences are least, on a tie to the nearest place. */
static size_t move_end(const struct series *s, const struct wl_series_change *c, bool is_begin)
{
	size_t from = is_begin ? c->begin : c->end, best = from;
	wl_ns least = INT64_MAX;

	for (int i = 0; i <= 2 * MOVES; i++) {
		/* 0, -1, 1, -2, 2, ... */
		size_t at = from + (size_t)(i % 2 ? -(i + 1) / 2 : i / 2);
		struct wl_series_change moved = *c;
		wl_ns sum;

		moved.begin = is_begin ? at : c->begin;
		moved.end = is_begin ? c->end : at;
		if (at == 0 || at >= s->n || moved.begin >= moved.end)
			continue;
		sum = off_levels(s, &moved);
		if (sum < least) {
			least = sum;
			best = at;
		}
	}
	return best;
}

/* The medians of the stretch and of the rest, and the kind of change. */
static void find_levels(const struct series *s, struct wl_series_change *c)
{
	c->inside = median_of(s, c->begin, c->end, true);
	c->outside = median_of(s, c->begin, c->end, false);
	if (c->begin && c->end < s->n)
		c->kind = WL_CHANGE_EPISODE;
	else if (c->begin == 0 && c->inside > c->outside && 4 * c->end <= s->n)
		c->kind = WL_CHANGE_WARM_UP;
	else
		c->kind = WL_CHANGE_LEVEL;
}

static bool is_small(wl_ns by, wl_ns of)
{
	return by == 0 || 100 * by < SMALL_PERCENT * of;
}

static bool are_alike(const struct wl_series_change *c)
{
	wl_ns low = c->inside < c->outside ? c->inside : c->outside;

	return is_small(c->inside + c->outside - 2 * low, low);
}

static void find_level(const struct series *s, struct wl_series_change *c)
{
	find_stretch(s, c);
	if (c->ranks <= limits[s->n - WL_CHANGE_FEWEST] + same_rank)
		return;
	find_levels(s, c);
	if (are_alike(c)) {
		c->kind = WL_CHANGE_NONE;
		return;
	}
	c->begin = c->begin ? move_end(s, c, true) : 0;
	c->end = c->end < s->n ? move_end(s, c, false) : s->n;
	find_levels(s, c);
}

static double score(const struct series *s)
{
	double n = (double)s->n;
	int64_t sum = 0;

	for (size_t i = 0; i < s->n; i++) {
		for (size_t k = i + 1; k < s->n; k++)
			sum += (s->at[k] > s->at[i]) - (s->at[k] < s->at[i]);
	}
	sum -= (sum > 0) - (sum < 0);
	return (double)sum / sqrt(n * (n - 1) * (2 * n + 5) / 18);
}

static wl_ns median_slope(const struct series *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++) {
		for (size_t k = i + 1; k < s->n; k++)
			s->slope[n++] = (s->at[k] - s->at[i]) * (1 << SLOPE_BITS) / (wl_ns)(k - i);
	}
	return wl_middle(s->slope, n);
}

/* The rise of a line with this slope over some steps. */
static wl_ns rise(wl_ns slope, size_t steps)
{
	return slope * (wl_ns)steps / (1 << SLOPE_BITS);
}

/* Find the line of a drift and the total distance of all values from it. */
static bool find_drift(const struct series *s, struct wl_series_change *c, wl_ns *ret_off)
{
	wl_ns slope, by;

	c->z = score(s);
	if (fabs(c->z) < least_z)
		return false;
	slope = median_slope(s);
	by = rise(slope, s->n - 1);
	if (is_small(by < 0 ? -by : by, c->median))
		return false;
	for (size_t i = 0; i < s->n; i++)
		s->room[i] = s->at[i] - rise(slope, i);
	c->outside = wl_middle(s->room, s->n);
	*ret_off = off(&(struct series){ s->room, s->n, NULL, NULL }, 0, s->n, c->outside);
	c->inside = c->outside + by;
	c->begin = 0;
	c->end = s->n;
	c->kind = WL_CHANGE_DRIFT;
	return true;
}

/* Whether at most 1 of 200 random orders of n values has its k marked values in one run. */
static bool is_rare_run(size_t n, size_t k)
{
	double orders = 1;

	for (size_t i = 0; i < k; i++)
		orders *= (double)(n - i) / (double)(i + 1);
	return RARE * (double)(n - k + 1) <= orders * (1 + same_rank);
}

static bool stands_out(wl_ns value, wl_ns median, wl_ns deviation)
{
	double by = (double)(value - median);

	/* The same rule as for outlier steps (outliers.c). */
	return by > 3.5 * 1.4826 * (double)deviation && 20 * by > (double)median;
}

static void find_episode(const struct series *s, struct wl_series_change *c)
{
	size_t n_out = 0, first = 0, last = 0;
	wl_ns deviation;

	for (size_t i = 0; i < s->n; i++)
		s->room[i] = s->at[i] > c->median ? s->at[i] - c->median : c->median - s->at[i];
	deviation = wl_middle(s->room, s->n);
	for (size_t i = 0; i < s->n; i++) {
		if (!stands_out(s->at[i], c->median, deviation))
			continue;
		first = n_out ? first : i;
		last = i;
		n_out++;
	}
	if (n_out < SHORTEST_RUN || last - first + 1 != n_out || 2 * n_out > s->n ||
	    !is_rare_run(s->n, n_out))
		return;
	c->begin = first;
	c->end = last + 1;
	find_levels(s, c);
	/* A run up to the end of the series counts, too: it was not accepted as a level. */
	if (first > 0)
		c->kind = WL_CHANGE_EPISODE;
}

/* The total distance of the values of a ramp from the straight line between its levels. */
static wl_ns off_ramp(const struct series *s, const struct wl_series_change *c)
{
	wl_ns by = c->inside - c->outside, steps = (wl_ns)(c->end - c->begin + 1), sum = 0;

	for (size_t i = c->begin; i < c->end; i++) {
		wl_ns level = c->outside + by / steps * (wl_ns)(i - c->begin + 1) +
			      by % steps * (wl_ns)(i - c->begin + 1) / steps;

		sum += s->at[i] > level ? s->at[i] - level : level - s->at[i];
	}
	return sum;
}

/*
 * The ramp that fits best, on a tie the one that begins first, then ends first. At least 4 numbers
 * are at the faster level, which is the reference, and one is at the slower.
 */
static wl_ns find_ramp(const struct series *s, struct wl_series_change *ret)
{
	wl_ns least = INT64_MAX;

	for (size_t begin = 1; begin + LEAST < s->n; begin++) {
		wl_ns before = median_of(s, 0, begin, true), off_before = off(s, 0, begin, before);

		for (size_t end = begin + LEAST; end < s->n; end++) {
			struct wl_series_change c = { .begin = begin,
						      .end = end,
						      .inside = median_of(s, end, s->n, true),
						      .outside = before };
			size_t faster = c.inside > before ? begin : s->n - end;
			wl_ns sum = off_before + off(s, end, s->n, c.inside) + off_ramp(s, &c);

			if (faster < LEAST || are_alike(&c) || sum >= least)
				continue;
			c.kind = WL_CHANGE_RAMP;
			c.median = ret->median;
			c.ranks = ret->ranks;
			*ret = c;
			least = sum;
		}
	}
	return least;
}

/* Replace a level or a drift by a ramp if that fits better. Its reference is then the whole level
 * before it, and nothing else. */
static void find_shape(const struct series *s, struct wl_series_change *c, wl_ns off_other)
{
	struct wl_series_change ramp = *c;
	wl_ns least = find_ramp(s, &ramp);

	if (least < INT64_MAX && least <= off_other - off_other / NEARER)
		*c = ramp;
}

static void judge(const struct series *s, struct wl_series_change *ret)
{
	struct wl_series_change drift;
	wl_ns off_line = 0, off_found = 0;

	ret->median = median_of(s, 0, s->n, true);
	drift = *ret;
	find_level(s, ret);
	off_found = off_levels(s, ret);
	if (find_drift(s, &drift, &off_line) &&
	    (ret->kind == WL_CHANGE_NONE || off_line < off_found)) {
		drift.ranks = ret->ranks;
		*ret = drift;
		off_found = off_line;
	}
	if (ret->kind == WL_CHANGE_LEVEL || ret->kind == WL_CHANGE_DRIFT)
		find_shape(s, ret, off_found);
	ret->z = drift.z;
	if (ret->kind == WL_CHANGE_NONE)
		find_episode(s, ret);
}

bool wl_change_find(const wl_ns *value, size_t n, struct wl_arena *arena,
		    struct wl_series_change *ret)
{
	struct wl_arena scratch;
	struct series s = { .at = value, .n = n };

	*ret = (struct wl_series_change){ .kind = WL_CHANGE_NONE };
	if (n < WL_CHANGE_FEWEST || n > WL_CHANGE_MOST)
		return true;
	for (size_t i = 0; i < n; i++) {
		if (value[i] < 0 || value[i] >= largest_value)
			return true;
	}
	wl_arena_init_child(&scratch, arena);
	s.room = WL_NEW(&scratch, wl_ns, n);
	s.slope = WL_NEW(&scratch, wl_ns, N_SLOPES);
	if (s.room && s.slope)
		judge(&s, ret);
	wl_arena_release(&scratch);
	return s.room && s.slope;
}
