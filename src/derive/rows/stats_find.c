/* SPDX-License-Identifier: MIT */
/* stats_find.c - computes statistics from values stored group by group. */
#include <math.h>

#include "base/memory/bound.h"
#include "base/memory/select.h"
#include "base/memory/sort.h"
#include "base/num.h"
#include "base/process/pool.h"
#include "derive/rows/stats_parts.h"

/* Tasks get groups with about this many values in total. */
enum { TASK_VALUES = 1 << 16 };

static const unsigned percents[] = { 50, 90, 99 };

/* The large values of a group, which come last in its order. */
static const struct wl_large *find_large(const struct wl_grouped *l, uint32_t group, size_t *ret_n)
{
	size_t lo = WL_BELOW_BY(wl_large, group, l->large, l->n_large, group);

	*ret_n = WL_UPTO_BY(wl_large, group, l->large, l->n_large, group) - lo;
	return *ret_n ? l->large + lo : NULL;
}

/* Sums of fewer than 2^32 values below 2^32: nothing can overflow. */
struct sums {
	uint64_t sum;
	uint64_t squares_low, squares_high; /* halves of the squares */
	uint32_t min, max;
};

static struct sums add_small(const uint32_t *v, size_t n)
{
	struct sums s = { .min = UINT32_MAX };

	for (size_t i = 0; i < n; i++) {
		uint64_t square = (uint64_t)v[i] * v[i];

		s.sum += v[i];
		s.squares_low += (uint32_t)square;
		s.squares_high += square >> 32;
		s.min = v[i] < s.min ? v[i] : s.min;
		s.max = v[i] > s.max ? v[i] : s.max;
	}
	return s;
}

static int64_t round_deviation(double variance)
{
	double deviation = sqrt(variance);

	/* Only a saturated sum, and thus a wrong mean, can exceed 64 bits. */
	return deviation < 0x1p63 ? (int64_t)llround(deviation) : INT64_MAX;
}

/* Exact up to the root: n * squares and the square of the sum fit in 128 bits. */
static void measure_small(struct wl_stats *s, const struct sums *sums)
{
	wl_u128 squares = ((wl_u128)sums->squares_high << 32) + sums->squares_low;
	wl_u128 spread = squares * s->n - (wl_u128)sums->sum * sums->sum;

	s->sum = sums->sum > INT64_MAX ? INT64_MAX : (int64_t)sums->sum;
	s->min = sums->min;
	s->max = sums->max;
	if (s->n > 1)
		s->stddev = round_deviation((double)spread / (double)s->n / (double)(s->n - 1));
}

/* For values beyond 32 bits, whose squares would need more than 128 bits: two passes. */
static void measure_large(struct wl_stats *s, const uint32_t *v, const struct wl_large *large,
			  size_t n_large)
{
	double mean, squares = 0;

	s->min = large[0].value;
	s->max = large[n_large - 1].value;
	for (size_t i = 0; i < s->n; i++) {
		if (v[i] == UINT32_MAX)
			continue;
		s->sum = wl_add_up(s->sum, v[i]);
		s->min = v[i] < s->min ? v[i] : s->min;
	}
	for (size_t i = 0; i < n_large; i++)
		s->sum = wl_add_up(s->sum, large[i].value);
	mean = (double)s->sum / (double)s->n;
	for (size_t i = 0; i < s->n; i++) {
		if (v[i] != UINT32_MAX)
			squares += ((double)v[i] - mean) * ((double)v[i] - mean);
	}
	for (size_t i = 0; i < n_large; i++)
		squares += ((double)large[i].value - mean) * ((double)large[i].value - mean);
	if (s->n > 1)
		s->stddev = round_deviation(squares / (double)(s->n - 1));
}

static void find_percentiles(struct wl_stats *s, uint32_t *v, const struct wl_large *large,
			     size_t n_large)
{
	int64_t *ret[] = { &s->p50, &s->p90, &s->p99 };
	size_t rank[WL_COUNT(percents)], n_small = 0;
	uint32_t small[WL_COUNT(percents)];

	for (size_t i = 0; i < WL_COUNT(percents); i++) {
		/*
		 * Large values come last, so ranks below s->n - n_large belong to small values;
		 * ranks ascend, so these come first.
		 */
		rank[i] = wl_rank(s->n, percents[i]);
		n_small += rank[i] < s->n - n_large;
	}
	wl_select_u32(v, s->n, rank, n_small, small);
	for (size_t i = 0; i < WL_COUNT(percents); i++)
		*ret[i] = i < n_small ? small[i] : large[rank[i] - (s->n - n_large)].value;
}

static void find_group(const struct wl_grouped *l, uint32_t group, struct wl_stats *s)
{
	const struct wl_large *large;
	size_t n_large;
	uint32_t *v;
	int64_t n;

	*s = (struct wl_stats){ .n = l->bound[group + 1] - l->bound[group] };
	if (s->n == 0)
		return;
	v = l->value + l->bound[group];
	large = find_large(l, group, &n_large);
	if (large) {
		measure_large(s, v, large, n_large);
	} else {
		struct sums sums = add_small(v, s->n);

		measure_small(s, &sums);
	}
	n = (int64_t)s->n;
	/* Rounded half up, without a sum that could overflow. */
	s->avg = s->sum / n + (s->sum % n >= n - s->sum % n);
	find_percentiles(s, v, large, n_large);
}

struct finding {
	const struct wl_grouped *layout;
	struct wl_stats *stats;
};

struct wanted {
	const size_t *bound;
	size_t at;
};

static bool begins_before(const void *ctx, size_t group)
{
	const struct wanted *w = ctx;

	return w->bound[group] < w->at;
}

/*
 * A group that begins at a multiple of TASK_VALUES belongs to the later task. Both tasks use the
 * same bound, so that each group belongs to exactly one.
 */
static size_t first_group(const struct wl_grouped *l, size_t task)
{
	return wl_lower_bound(l->n_groups, begins_before,
			      &(struct wanted){ l->bound, task * TASK_VALUES });
}

/* A group belongs to the task whose range of values it begins in. */
static bool find_task(void *ctx, size_t task, struct wl_arena *arena)
{
	const struct finding *f = ctx;
	size_t end = first_group(f->layout, task + 1);

	(void)arena;
	for (size_t i = first_group(f->layout, task); i < end; i++)
		find_group(f->layout, (uint32_t)i, &f->stats[i]);
	return true;
}

bool wl_grouped_find(const struct wl_grouped *layout, struct wl_pool *pool, struct wl_arena *arena,
		     struct wl_stats *ret)
{
	struct finding f = { layout, ret };

	return wl_pool_map(pool, layout->bound[layout->n_groups] / TASK_VALUES + 1, find_task, &f,
			   arena);
}
