/* SPDX-License-Identifier: MIT */
#include "derive/rows/stats.h"

#include <math.h>
#include <stdlib.h>

#include "support/random.h"
#include "support/unit.h"

enum { MAX_ROWS = 2000, N_GROUPS = 7 };

struct row {
	uint32_t group;
	int64_t value;
	enum wl_visit visit;
};

struct rows {
	struct row row[MAX_ROWS];
	size_t n;
};

static enum wl_visit visit(void *ctx, size_t i, uint32_t *ret_group, int64_t *ret_value)
{
	const struct row *r = &((const struct rows *)ctx)->row[i];

	*ret_group = r->group;
	*ret_value = r->value;
	return r->visit;
}

static int by_value(const void *va, const void *vb)
{
	const int64_t *a = va, *b = vb;

	return (*a > *b) - (*a < *b);
}

static void expect_near(int64_t got, long double want)
{
	/* Rounding to an integer, and what doubles lose on very large numbers. */
	long double slack = 0.5L + fabsl(want) * 1e-12L;

	if (fabsl((long double)got - want) > slack)
		fail_msg("%lld is not %Lf", (long long)got, want);
}

/* All of one group, sorted, the slow way. */
static void expect_group(const struct rows *rows, uint32_t group, const struct wl_stats *s)
{
	static int64_t v[MAX_ROWS];
	long double sum = 0, mean, squares = 0;
	size_t n = 0;

	for (size_t i = 0; i < rows->n; i++) {
		if (rows->row[i].visit == WL_VISIT_TAKE && rows->row[i].group == group)
			v[n++] = rows->row[i].value;
	}
	assert_int_equal(s->n, n);
	if (n == 0)
		return;
	qsort(v, n, sizeof(*v), by_value);
	for (size_t i = 0; i < n; i++)
		sum += (long double)v[i];
	mean = sum / (long double)n;
	for (size_t i = 0; i < n; i++)
		squares += ((long double)v[i] - mean) * ((long double)v[i] - mean);
	assert_int_equal(s->sum, (int64_t)sum);
	assert_int_equal(s->min, v[0]);
	assert_int_equal(s->max, v[n - 1]);
	assert_int_equal(s->p50, v[(50 * n + 99) / 100 - 1]);
	assert_int_equal(s->p90, v[(90 * n + 99) / 100 - 1]);
	assert_int_equal(s->p99, v[(99 * n + 99) / 100 - 1]);
	expect_near(s->avg, mean);
	expect_near(s->stddev, n > 1 ? sqrtl(squares / (long double)(n - 1)) : 0);
}

static void block(void *ctx, size_t row, size_t n, uint32_t *group, int64_t *value)
{
	const struct row *r = ((const struct rows *)ctx)->row + row;

	for (size_t i = 0; i < n; i++) {
		group[i] = r[i].visit == WL_VISIT_TAKE ? r[i].group : WL_NONE;
		if (value)
			value[i] = r[i].value;
	}
}

/* Visited one by one and in blocks; with a group more, which is empty. */
static void expect_all(struct rows *rows, size_t n_groups)
{
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, 1 << 20));
	const struct wl_stats *stats;
	size_t n = 99;

	stats = wl_stats_by_group(rows->n, visit, rows, &arena, &n);
	assert_non_null(stats);
	assert_int_equal(n, n_groups);
	for (uint32_t g = 0; g < n_groups; g++)
		expect_group(rows, g, &stats[g]);
	stats = wl_stats_by_block(
		&(struct wl_block_spec){
			.n_rows = rows->n, .n_groups = n_groups + 1, .block = block, .ctx = rows },
		&arena);
	assert_non_null(stats);
	for (uint32_t g = 0; g <= n_groups; g++)
		expect_group(rows, g, &stats[g]);
}

/* Around zero, around the largest 32-bit number, and far above it. */
static int64_t random_value(uint64_t *seed, uint32_t shape)
{
	switch (shape % 5) {
	case 0:
		return random_below(seed, 5);
	case 1:
		return random_below(seed, UINT32_MAX);
	case 2:
		return (int64_t)UINT32_MAX - 3 + random_below(seed, 6);
	case 3:
		return random_between(seed, 0, (int64_t)1 << 50);
	default:
		return random_below(seed, 2) ? 17 : (int64_t)1 << 40;
	}
}

TEST(statistics_equal_the_naive_ones)
{
	static struct rows rows;
	uint64_t seed = 1;

	for (uint32_t round = 0; round < 200; round++) {
		uint32_t n_groups = 1 + random_below(&seed, N_GROUPS);

		rows.n = n_groups + random_below(&seed, round % 4 ? 50 : MAX_ROWS - N_GROUPS);
		for (size_t i = 0; i < rows.n; i++) {
			rows.row[i].group = i < n_groups ? n_groups - 1 - (uint32_t)i
							 : random_below(&seed, n_groups);
			rows.row[i].visit = i >= n_groups && random_below(&seed, 4) == 0
						    ? WL_VISIT_SKIP
						    : WL_VISIT_TAKE;
			rows.row[i].value = random_value(&seed, round);
		}
		expect_all(&rows, n_groups);
	}
}

TEST(nothing_has_no_groups)
{
	struct rows *rows = calloc(1, sizeof(*rows));

	assert_non_null(rows);
	expect_all(rows, 0);
	rows->n = 3;
	for (size_t i = 0; i < rows->n; i++)
		rows->row[i].visit = WL_VISIT_SKIP;
	expect_all(rows, 0);
	free(rows);
}

TEST(a_group_that_is_jumped_over_is_empty)
{
	static struct rows rows = { .row = { { 2, 5, WL_VISIT_TAKE } }, .n = 1 };

	expect_all(&rows, 3);
}

TEST(one_value_is_all_of_its_statistics)
{
	static const int64_t values[] = {
		0, 1, UINT32_MAX - 1, UINT32_MAX, (int64_t)UINT32_MAX + 1, INT64_MAX
	};
	struct wl_arena arena;

	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		static struct rows rows = { .n = 1 };
		const struct wl_stats *s;
		size_t n;

		rows.row[0].value = values[i];
		wl_arena_init(&arena, 1 << 16);
		s = wl_stats_by_group(1, visit, &rows, &arena, &n);
		assert_non_null(s);
		assert_int_equal(s->n, 1);
		assert_int_equal(s->sum, values[i]);
		assert_int_equal(s->min, values[i]);
		assert_int_equal(s->max, values[i]);
		assert_int_equal(s->avg, values[i]);
		assert_int_equal(s->p50, values[i]);
		assert_int_equal(s->p99, values[i]);
		assert_int_equal(s->stddev, 0);
		wl_arena_release(&arena);
	}
}

TEST(halves_are_rounded_up)
{
	static struct rows rows = { .row = { { 0, 1, WL_VISIT_TAKE }, { 0, 2, WL_VISIT_TAKE } },
				    .n = 2 };
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, 1 << 16));
	const struct wl_stats *s;
	size_t n;

	s = wl_stats_by_group(rows.n, visit, &rows, &arena, &n);
	assert_non_null(s);
	assert_int_equal(s->avg, 2);
	assert_int_equal(s->p50, 1); /* nearest rank, not the mean of two */
	assert_int_equal(s->p90, 2);
}

TEST(deviations_of_huge_values_are_not_lost)
{
	static struct rows rows = {
		.row = { { 0, 0, WL_VISIT_TAKE }, { 0, (int64_t)1 << 62, WL_VISIT_TAKE } }, .n = 2
	};

	expect_all(&rows, 1);
}

TEST(sums_stop_at_the_largest_number)
{
	static struct rows rows = { .row = { { 0, INT64_MAX, WL_VISIT_TAKE },
					     { 0, 1, WL_VISIT_TAKE },
					     { 0, INT64_MAX, WL_VISIT_TAKE } },
				    .n = 3 };
	struct wl_arena arena;
	const struct wl_stats *s;
	size_t n;

	wl_arena_init(&arena, 1 << 16);
	s = wl_stats_by_group(rows.n, visit, &rows, &arena, &n);
	assert_non_null(s);
	assert_int_equal(s->sum, INT64_MAX);
	assert_int_equal(s->min, 1);
	assert_int_equal(s->max, INT64_MAX);
	assert_int_equal(s->p50, INT64_MAX);
	assert_in_range(s->avg, 1, INT64_MAX);
	assert_in_range(s->stddev, 0, INT64_MAX);
	wl_arena_release(&arena);
	assert_int_equal(wl_add_up(INT64_MAX, INT64_MAX), INT64_MAX);
	assert_int_equal(wl_add_up(INT64_MAX - 1, 1), INT64_MAX);
	assert_int_equal(wl_add_up(3, 4), 7);
}

TEST(a_visit_that_fails_ends_the_run)
{
	static struct rows rows = { .row = { { 0, 1, WL_VISIT_TAKE }, { 0, 1, WL_VISIT_FAIL } },
				    .n = 2 };
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, 1 << 16));
	size_t n;

	assert_null(wl_stats_by_group(rows.n, visit, &rows, &arena, &n));
}

TEST(every_byte_budget_is_kept)
{
	static struct rows rows = { .n = 300 };
	struct wl_arena arena;
	const struct wl_stats *s = NULL;
	uint64_t seed = 3;
	size_t budget, n;

	for (size_t i = 0; i < rows.n; i++)
		rows.row[i] = (struct row){ random_below(&seed, 3), random_value(&seed, 2),
					    WL_VISIT_TAKE };
	for (budget = 0; !s; budget++) {
		wl_arena_init(&arena, budget);
		s = wl_stats_by_group(rows.n, visit, &rows, &arena, &n);
		assert_in_range(arena.used, 0, budget);
		for (uint32_t g = 0; s && g < 3; g++)
			expect_group(&rows, g, &s[g]);
		wl_arena_release(&arena);
	}
	assert_in_range(budget, 300 * sizeof(uint32_t), 20000);
}
