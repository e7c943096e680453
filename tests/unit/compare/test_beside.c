/* SPDX-License-Identifier: MIT */
#include "compare/diff/beside.h"

#include <stdlib.h>
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

TEST(rows_match_by_all_keys)
{
	struct two x;

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

TEST(what_belongs_to_one_run_is_left_out)
{
	struct two x;
	size_t col;

	begin(&x);
	put_beside(&x);
	assert_int_equal(x.out.n_rows, 0);
	assert_int_equal(x.out.n_cols, 1 + 2 + 3 + 3);
	assert_null(wl_table_find_col(&x.out, "start_before", &col));
	wl_arena_release(&x.arena);
}

TEST(equal_keys_pair_in_order)
{
	struct two x;

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

TEST(a_change_that_does_not_fit_is_left_out)
{
	struct two x;

	begin(&x);
	row(&x.a, "k", 0, INT64_MIN, 0);
	row(&x.b, "k", 0, INT64_MAX, 0);
	put_beside(&x);
	assert_false(at(&x, 0, "sum_change").set);
	wl_arena_release(&x.arena);
}

/* A row of a tree: its sum is its number, from 1 on. */
static void node(struct wl_table *t, const char *name, int parent)
{
	row(t, name, 0, (int64_t)t->n_rows + 1, 0);
	if (parent >= 0)
		wl_put_parent(t, (size_t)parent);
}

static void expect_node(const struct two *x, size_t r, const char *name, uint32_t parent,
			const char *in)
{
	assert_string_equal(at(x, r, "name").str, name);
	assert_string_equal(at(x, r, "in").str, in);
	assert_int_equal(wl_table_parent(&x->out, r), parent);
}

TEST(nodes_of_trees_match_by_their_paths)
{
	struct two x;

	begin(&x);
	wl_table_tree(&x.a);
	wl_table_tree(&x.b);
	node(&x.a, "main", -1);
	node(&x.a, "load", 0);
	node(&x.a, "read", 1);
	node(&x.a, "old", -1);
	node(&x.b, "idle", -1);
	node(&x.b, "read", 0); /* the name of another path */
	node(&x.b, "main", -1);
	node(&x.b, "step", 2);
	node(&x.b, "load", 2);
	put_beside(&x);
	assert_int_equal(x.out.n_rows, 7);
	expect_node(&x, 0, "idle", WL_NO_ROW, "after");
	expect_node(&x, 1, "read", 0, "after");
	expect_node(&x, 2, "main", WL_NO_ROW, "both");
	expect_node(&x, 3, "step", 2, "after");
	expect_node(&x, 4, "load", 2, "both");
	expect_node(&x, 5, "read", 4, "before");
	expect_node(&x, 6, "old", WL_NO_ROW, "before");
	assert_int_equal(at(&x, 4, "sum_before").i64, 2);
	assert_int_equal(at(&x, 4, "sum_after").i64, 5);
	assert_int_equal(at(&x, 4, "sum_change").i64, 3);
	wl_arena_release(&x.arena);
}

TEST(equal_siblings_pair_once)
{
	struct two x;

	begin(&x);
	wl_table_tree(&x.a);
	wl_table_tree(&x.b);
	node(&x.a, "same", -1);
	node(&x.b, "same", -1);
	node(&x.b, "same", -1);
	node(&x.b, "below", 1);
	put_beside(&x);
	assert_int_equal(x.out.n_rows, 3);
	expect_node(&x, 0, "same", WL_NO_ROW, "both");
	expect_node(&x, 1, "same", WL_NO_ROW, "after");
	expect_node(&x, 2, "below", 1, "after");
	wl_arena_release(&x.arena);
}

/* All rows of random trees are there once, below their parents, and their sums are kept. */
TEST(random_trees_keep_their_rows)
{
	static const char *const names[] = { "a", "b", "c", "d", "e" };
	unsigned seed = 1;

	for (int turn = 0; turn < 200; turn++) {
		struct two x;
		struct wl_table *const sides[] = { &x.a, &x.b };
		int64_t want[2] = { 0, 0 }, got[2] = { 0, 0 };

		begin(&x);
		for (size_t s = 0; s < 2; s++) {
			int n = rand_r(&seed) % 30;

			wl_table_tree(sides[s]);
			for (int i = 0; i < n; i++) {
				node(sides[s], names[rand_r(&seed) % 5],
				     rand_r(&seed) % (i + 1) - 1);
				want[s] += i + 1;
			}
		}
		put_beside(&x);
		for (size_t r = 0; r < x.out.n_rows; r++) {
			struct wl_cell before = at(&x, r, "sum_before"),
				       after = at(&x, r, "sum_after");
			uint32_t parent = wl_table_parent(&x.out, r);

			got[0] += before.set ? before.i64 : 0;
			got[1] += after.set ? after.i64 : 0;
			assert_true(before.set || after.set);
			assert_true(parent == WL_NO_ROW || parent < r);
			if (before.set &&
			    wl_table_parent(&x.a, (size_t)before.i64 - 1) != WL_NO_ROW)
				assert_int_equal(at(&x, parent, "sum_before").i64,
						 wl_table_parent(&x.a, (size_t)before.i64 - 1) + 1);
			if (after.set && wl_table_parent(&x.b, (size_t)after.i64 - 1) != WL_NO_ROW)
				assert_int_equal(at(&x, parent, "sum_after").i64,
						 wl_table_parent(&x.b, (size_t)after.i64 - 1) + 1);
		}
		assert_int_equal(got[0], want[0]);
		assert_int_equal(got[1], want[1]);
		wl_arena_release(&x.arena);
	}
}
