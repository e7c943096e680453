#include "derive/groups.h"

#include "support/unit.h"

enum { BUDGET = 1 << 20 };

struct row {
	uint32_t a, b;
	int64_t value; /* < 0: skipped; FAIL: the run fails */
};

enum { FAIL = -2 };

struct key {
	uint32_t a, b;
};

static enum wl_visit visit(void *ctx, size_t i, void *key, int64_t *ret_value)
{
	const struct row *row = (const struct row *)ctx + i;
	struct key *k = key;

	if (row->value < 0)
		return row->value == FAIL ? WL_VISIT_FAIL : WL_VISIT_SKIP;
	*k = (struct key){ row->a, row->b };
	*ret_value = row->value;
	return WL_VISIT_TAKE;
}

static int compare(void *ctx, const void *a, const void *b)
{
	const struct key *x = a, *y = b;

	(void)ctx;
	return x->a != y->a ? (x->a > y->a) - (x->a < y->a) : (x->b > y->b) - (x->b < y->b);
}

static bool make(struct row *rows, size_t n, struct wl_arena *arena, struct wl_groups *ret)
{
	const struct wl_group_spec spec = {
		.n_rows = n, .key_size = sizeof(struct key), .visit = visit, .compare = compare
	};

	return wl_groups_make(&spec, rows, arena, ret);
}

static void groups_are_ranked_by_sum_then_as_compared(void **state)
{
	static struct row rows[] = { { 2, 1, 5 }, { 1, 9, 3 }, { 2, 1, -1 },
				     { 2, 0, 7 }, { 1, 9, 4 }, { 3, 3, 0 },
				     { 2, 1, 2 }, { 0, 0, 8 }, { 9, 9, -1 } };
	static const struct key order[] = { { 0, 0 }, { 1, 9 }, { 2, 0 }, { 2, 1 }, { 3, 3 } };
	struct wl_groups g;
	struct wl_arena arena;

	(void)state;
	wl_arena_init(&arena, BUDGET);
	assert_true(make(rows, WL_COUNT(rows), &arena, &g));
	assert_int_equal(g.n, 5);
	assert_true(g.total == 29);
	for (size_t i = 0; i < g.n; i++)
		assert_memory_equal(wl_group_key(&g, g.order[i]), &order[i], sizeof(order[i]));
	assert_int_equal(((const struct key *)wl_group_key(&g, 0))->b, 1); /* in order of sight */
	assert_int_equal(g.stats[0].n, 2);
	assert_true(g.stats[0].sum == 7 && g.stats[0].max == 5);
	wl_arena_release(&arena);
}

static void no_rows_make_no_groups(void **state)
{
	static struct row skipped[] = { { 1, 1, -1 } };
	struct wl_groups g;
	struct wl_arena arena;

	(void)state;
	wl_arena_init(&arena, BUDGET);
	assert_true(make(skipped, 0, &arena, &g));
	assert_int_equal(g.n, 0);
	assert_true(make(skipped, 1, &arena, &g));
	assert_int_equal(g.n, 0);
	assert_true(g.total == 0);
	wl_arena_release(&arena);
}

static void totals_stop_at_the_largest_number(void **state)
{
	static struct row rows[] = { { 1, 1, INT64_MAX }, { 2, 2, INT64_MAX } };
	struct wl_groups g;
	struct wl_arena arena;

	(void)state;
	wl_arena_init(&arena, BUDGET);
	assert_true(make(rows, WL_COUNT(rows), &arena, &g));
	assert_true(g.total == INT64_MAX);
	wl_arena_release(&arena);
}

static void a_failed_visit_and_a_small_budget_fail(void **state)
{
	static struct row rows[] = { { 1, 1, 1 }, { 2, 2, 2 }, { 3, 3, FAIL } };
	struct wl_groups g;
	struct wl_arena arena;
	size_t budget = 0;
	bool ok = false;

	(void)state;
	wl_arena_init(&arena, BUDGET);
	assert_false(make(rows, 3, &arena, &g));
	wl_arena_release(&arena);
	for (; !ok; budget += 16) {
		wl_arena_init(&arena, budget);
		ok = make(rows, 2, &arena, &g);
		assert_int_equal(wl_arena_budget(&arena)->used, arena.used); /* nothing is left */
		wl_arena_release(&arena);
	}
	assert_in_range(budget, 64, 4096);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(groups_are_ranked_by_sum_then_as_compared),
		cmocka_unit_test(no_rows_make_no_groups),
		cmocka_unit_test(totals_stop_at_the_largest_number),
		cmocka_unit_test(a_failed_visit_and_a_small_budget_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
