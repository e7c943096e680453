/* SPDX-License-Identifier: MIT */
#include "derive/rows/groups.h"

#include <stdlib.h>

#include "base/process/pool.h"
#include "support/random.h"
#include "support/unit.h"

enum { BUDGET = 1 << 20 };

struct row {
	uint32_t a, b;
	int64_t value; /* < 0: skipped */
};

struct rows {
	const struct row *row;
	uint64_t base; /* of codes: a * base + b */
};

static void codes(void *ctx, size_t row, size_t n, uint64_t *code, int64_t *value)
{
	const struct rows *r = ctx;

	for (size_t i = 0; i < n; i++) {
		const struct row *at = &r->row[row + i];

		code[i] = at->value < 0 ? WL_NO_CODE : at->a * r->base + at->b;
		if (value)
			value[i] = at->value;
	}
}

static int compare(void *ctx, uint64_t a, uint64_t b)
{
	(void)ctx;
	return (a > b) - (a < b);
}

/* Codes that are few, and codes that are many. */
static const uint64_t bases[] = { 10, UINT64_C(1) << 40 };

static bool make_on(const struct row *rows, size_t n, uint64_t base, struct wl_pool *pool,
		    struct wl_arena *arena, struct wl_groups *ret)
{
	const struct wl_group_spec spec = {
		.n_rows = n, .n_codes = 10 * base, .codes = codes, .compare = compare, .pool = pool
	};

	return wl_groups_make(&spec, &(struct rows){ rows, base }, arena, ret);
}

static bool make(const struct row *rows, size_t n, uint64_t base, struct wl_arena *arena,
		 struct wl_groups *ret)
{
	return make_on(rows, n, base, NULL, arena, ret);
}

TEST(groups_are_ranked_by_sum_then_as_compared)
{
	static const struct row rows[] = { { 2, 1, 5 }, { 1, 9, 3 }, { 2, 1, -1 },
					   { 2, 0, 7 }, { 1, 9, 4 }, { 3, 3, 0 },
					   { 2, 1, 2 }, { 0, 0, 8 }, { 9, 9, -1 } };
	static const struct row order[] = {
		{ 0, 0, 8 }, { 1, 9, 7 }, { 2, 0, 7 }, { 2, 1, 7 }, { 3, 3, 0 }
	};
	struct wl_groups g;
	struct wl_arena arena;

	for (size_t b = 0; b < WL_COUNT(bases); b++) {
		wl_arena_init(&arena, BUDGET);
		assert_true(make(rows, WL_COUNT(rows), bases[b], &arena, &g));
		assert_int_equal(g.n, 5);
		assert_true(g.total == 29);
		for (size_t i = 0; i < g.n; i++) {
			assert_true(g.code[g.order[i]] == order[i].a * bases[b] + order[i].b);
			assert_true(g.stats[g.order[i]].sum == order[i].value);
		}
		assert_int_equal(g.stats[g.order[3]].n, 2);
		assert_true(g.stats[g.order[3]].max == 5);
		wl_arena_release(&arena);
	}
}

TEST(no_rows_make_no_groups)
{
	static const struct row skipped[] = { { 1, 1, -1 } };
	struct wl_groups g;
	struct wl_arena arena;

	for (size_t b = 0; b < WL_COUNT(bases); b++) {
		wl_arena_init(&arena, BUDGET);
		assert_true(make(skipped, 0, bases[b], &arena, &g));
		assert_int_equal(g.n, 0);
		assert_true(make(skipped, 1, bases[b], &arena, &g));
		assert_int_equal(g.n, 0);
		assert_true(g.total == 0);
		wl_arena_release(&arena);
	}
}

TEST(totals_stop_at_the_largest_number)
{
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, BUDGET));
	static const struct row rows[] = { { 1, 1, INT64_MAX }, { 2, 2, INT64_MAX } };
	struct wl_groups g;

	assert_true(make(rows, WL_COUNT(rows), 10, &arena, &g));
	assert_true(g.total == INT64_MAX);
}

TEST(a_small_budget_fails)
{
	static const struct row rows[] = { { 1, 1, 1 }, { 2, 2, 2 } };
	struct wl_groups g;
	struct wl_arena arena;

	for (size_t b = 0; b < WL_COUNT(bases); b++) {
		size_t budget = 0;
		bool ok = false;

		for (; !ok; budget += 16) {
			wl_arena_init(&arena, budget);
			ok = make(rows, 2, bases[b], &arena, &g);
			/* Nothing is left. */
			assert_int_equal(wl_arena_budget(&arena)->used, arena.used);
			wl_arena_release(&arena);
		}
		assert_in_range(budget, 64, 16384);
	}
}

/* More rows than a task has, and more than a block. */
TEST(groups_do_not_depend_on_threads_or_how_codes_are_numbered)
{
	enum { N = 200000 };
	struct row *rows = malloc(N * sizeof(*rows));
	struct wl_groups first;
	struct wl_arena arena;
	uint64_t seed = 1;

	assert_non_null(rows);
	for (size_t i = 0; i < N; i++)
		rows[i] = (struct row){ random_below(&seed, 10), random_below(&seed, 10),
					random_below(&seed, 9)
						? random_below(&seed, 1 << 20)
						: random_between(&seed, -1, 1ll << 40) };
	wl_arena_init(&arena, 1 << 26);
	assert_true(make(rows, N, bases[0], &arena, &first));
	assert_int_equal(first.n, 100);
	for (unsigned n_threads = 1; n_threads <= 4; n_threads++) {
		struct wl_pool *pool = wl_pool_new(n_threads);
		uint64_t base = bases[n_threads % 2];
		struct wl_groups g;

		assert_true(make_on(rows, N, base, pool, &arena, &g));
		assert_int_equal(g.n, first.n);
		for (size_t i = 0; i < g.n; i++) {
			uint64_t code = first.code[first.order[i]];

			assert_true(g.code[g.order[i]] == code / 10 * base + code % 10);
			assert_memory_equal(&g.stats[g.order[i]], &first.stats[first.order[i]],
					    sizeof(*g.stats));
		}
		wl_pool_free(pool);
	}
	wl_arena_release(&arena);
	free(rows);
}
