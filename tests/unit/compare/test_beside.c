/* SPDX-License-Identifier: MIT */
#include "compare/diff/beside.h"

#include <string.h>

#include "support/unit.h"

enum { BUDGET = 1 << 20 };
enum { NAME, DEVICE, SUM, SHARE, START, NOTE };

static const struct wl_col cols[] = {
	[NAME] = { "name", "Name", WL_T_STR, WL_KEY, "A name." },
	[DEVICE] = { "device", "GPU", WL_T_COUNT, WL_KEY, "A device." },
	[SUM] = { "sum", "Sum", WL_T_NS, WL_SUM, "A sum." },
	[SHARE] = { "share", "Share", WL_T_RATIO, WL_PLAIN, "A share." },
	[START] = { "start", "Start", WL_T_TIME, WL_ANCHOR, "A point." },
	[NOTE] = { "note", "Note", WL_T_STR, WL_PLAIN, "Some text." },
};

struct two {
	struct wl_arena arena;
	struct wl_table a, b, out;
};

static void begin(struct two *x)
{
	wl_arena_init(&x->arena, BUDGET);
	wl_table_init(&x->a, &x->arena, cols, WL_COUNT(cols));
	wl_table_init(&x->b, &x->arena, cols, WL_COUNT(cols));
}

static void row(struct wl_table *t, const char *name, int64_t device, int64_t sum, double share)
{
	wl_table_row(t);
	wl_put_str(t, NAME, name);
	wl_put_i64(t, DEVICE, device);
	wl_put_i64(t, SUM, sum);
	wl_put_f64(t, SHARE, share);
	wl_put_i64(t, START, 77);
}

static void put_beside(struct two *x)
{
	struct wl_err err;

	if (wl_tables_beside(&x->a, &x->b, &x->arena, &x->out, &err) < 0)
		fail_msg("%s", err.msg);
}

static struct wl_cell at(const struct two *x, size_t r, const char *key)
{
	size_t col;

	assert_non_null(wl_table_find_col(&x->out, key, &col));
	return wl_table_at(&x->out, r, col);
}

static void rows_match_by_all_keys(void **state)
{
	struct two x;

	(void)state;
	begin(&x);
	row(&x.a, "gemm", 0, 100, 0.5);
	row(&x.a, "gemm", 1, 200, 0.5);
	row(&x.a, "old", 0, 10, 0.1);
	row(&x.b, "new", 0, 5, 0.2);
	row(&x.b, "gemm", 1, 150, 0.25);
	row(&x.b, "gemm", 0, 130, 0.5);
	put_beside(&x);
	assert_int_equal(x.out.n_rows, 4);
	assert_string_equal(at(&x, 0, "in").str, "after");
	assert_false(at(&x, 0, "sum_before").set);
	assert_int_equal(at(&x, 0, "sum_after").i64, 5);
	assert_false(at(&x, 0, "sum_change").set);
	assert_string_equal(at(&x, 1, "in").str, "both");
	assert_int_equal(at(&x, 1, "device").i64, 1);
	assert_int_equal(at(&x, 1, "sum_before").i64, 200);
	assert_int_equal(at(&x, 1, "sum_change").i64, -50);
	assert_true(at(&x, 1, "share_change").f64 == -0.25);
	assert_int_equal(at(&x, 2, "sum_change").i64, 30);
	assert_string_equal(at(&x, 3, "in").str, "before");
	assert_string_equal(at(&x, 3, "name").str, "old");
	wl_arena_release(&x.arena);
}

static void what_belongs_to_one_run_is_left_out(void **state)
{
	struct two x;
	size_t col;

	(void)state;
	begin(&x);
	put_beside(&x);
	assert_int_equal(x.out.n_rows, 0);
	assert_int_equal(x.out.n_cols, 1 + 2 + 3 + 3);
	assert_null(wl_table_find_col(&x.out, "start_before", &col));
	wl_arena_release(&x.arena);
}

static void equal_keys_pair_in_order(void **state)
{
	struct two x;

	(void)state;
	begin(&x);
	row(&x.a, "k", 0, 1, 0);
	row(&x.a, "k", 0, 2, 0);
	row(&x.b, "k", 0, 10, 0);
	put_beside(&x);
	assert_int_equal(x.out.n_rows, 2);
	assert_int_equal(at(&x, 0, "sum_change").i64, 9);
	assert_string_equal(at(&x, 1, "in").str, "before");
	assert_int_equal(at(&x, 1, "sum_before").i64, 2);
	wl_arena_release(&x.arena);
}

static void a_change_that_does_not_fit_is_left_out(void **state)
{
	struct two x;

	(void)state;
	begin(&x);
	row(&x.a, "k", 0, INT64_MIN, 0);
	row(&x.b, "k", 0, INT64_MAX, 0);
	put_beside(&x);
	assert_false(at(&x, 0, "sum_change").set);
	wl_arena_release(&x.arena);
}

static void trees_are_refused(void **state)
{
	struct two x;
	struct wl_err err;

	(void)state;
	begin(&x);
	wl_table_tree(&x.a);
	assert_int_equal(wl_tables_beside(&x.a, &x.b, &x.arena, &x.out, &err), WL_E_USAGE);
	wl_arena_release(&x.arena);
}

TEST_MAIN(beside)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_match_by_all_keys),
		cmocka_unit_test(what_belongs_to_one_run_is_left_out),
		cmocka_unit_test(equal_keys_pair_in_order),
		cmocka_unit_test(a_change_that_does_not_fit_is_left_out),
		cmocka_unit_test(trees_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
