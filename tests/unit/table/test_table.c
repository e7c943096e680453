/* SPDX-License-Identifier: MIT */
#include "table/table.h"

#include <math.h>
#include <string.h>

#include "support/unit.h"

enum { NAME, SIZE, SHARE, FLAG, NEVER, N_COLS };

static const struct wl_col cols[] = {
	[NAME] = { "name", "Name", WL_T_STR, WL_KEY, "A name." },
	[SIZE] = { "size", "Size", WL_T_BYTES, WL_SUM, "A size." },
	[SHARE] = { "share", "Share", WL_T_RATIO, WL_PLAIN, "A ratio." },
	[FLAG] = { "flag", "Flag", WL_T_BOOL, WL_PLAIN, "A flag." },
	[NEVER] = { "never", "Never", WL_T_NS, WL_PLAIN, "Nobody puts it." },
};

/* n rows; every third lacks its size. */
static void fill(struct wl_table *t, int64_t n)
{
	for (int64_t i = 0; i < n; i++) {
		wl_table_row(t);
		wl_put_str(t, NAME, i % 2 ? "odd" : "even");
		if (i % 3)
			wl_put_i64(t, SIZE, i);
		wl_put_ratio(t, SHARE, i, n);
	}
	wl_table_note(t, "%d rows", (int)n);
}

TEST(rows_survive_growth)
{
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, 1 << 20));
	enum { ROWS = 10 * WL_CHUNK_ROWS + 7 };
	struct wl_table t;

	wl_table_init(&t, &arena, cols, N_COLS);
	fill(&t, ROWS);
	assert_true(wl_table_ok(&t));
	assert_int_equal(t.n_rows, ROWS);
	for (size_t row = 0; row < ROWS; row++) {
		assert_string_equal(wl_table_at(&t, row, NAME).str, row % 2 ? "odd" : "even");
		assert_int_equal(wl_table_at(&t, row, SIZE).set, row % 3 != 0);
		if (row % 3)
			assert_int_equal(wl_table_at(&t, row, SIZE).i64, row);
		assert_true(wl_table_at(&t, row, SHARE).f64 == (double)row / ROWS);
		assert_false(wl_table_at(&t, row, NEVER).set);
	}
}

TEST(growing_copies_no_cell)
{
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, (size_t)64 << 20));
	struct wl_table t;
	size_t bytes;

	wl_table_init(&t, &arena, cols, N_COLS);
	fill(&t, 100000);
	assert_true(wl_table_ok(&t));
	bytes = arena.used / t.n_rows;
	assert_in_range(bytes, 1, 32); /* three columns of 8 bytes and a bit */
}

/* Every budget from nothing to enough: either it works or it says so, and nothing leaks. */
TEST(every_budget_works_or_fails_for_good)
{
	enum { ROWS = WL_CHUNK_ROWS + 1 };
	bool ok = false;

	for (size_t budget = 0; !ok; budget += 16) {
		struct wl_arena arena;
		struct wl_table t;

		wl_arena_init(&arena, budget);
		wl_table_init(&t, &arena, cols, N_COLS);
		fill(&t, ROWS);
		ok = wl_table_ok(&t);
		if (ok)
			assert_int_equal(t.n_rows, ROWS);
		wl_put_i64(&t, SIZE, 1);
		wl_table_row(&t);
		assert_true(ok || !wl_table_ok(&t));
		assert_true(arena.used <= budget);
		wl_arena_release(&arena);
	}
}

TEST(what_is_not_finite_or_null_is_unset)
{
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, 1 << 20));
	struct wl_table t;

	wl_table_init(&t, &arena, cols, N_COLS);
	wl_table_row(&t);
	wl_put_f64(&t, SHARE, (double)NAN);
	assert_false(wl_table_at(&t, 0, SHARE).set);
	wl_put_f64(&t, SHARE, 0.5);
	assert_true(wl_table_at(&t, 0, SHARE).set);
	wl_put_f64(&t, SHARE, (double)INFINITY);
	assert_false(wl_table_at(&t, 0, SHARE).set);
	wl_put_ratio(&t, SHARE, 1, 0);
	assert_false(wl_table_at(&t, 0, SHARE).set);
	wl_put_ratio(&t, SHARE, 1, 4);
	assert_true(wl_table_at(&t, 0, SHARE).f64 == 0.25);
	wl_put_str(&t, NAME, NULL);
	assert_false(wl_table_at(&t, 0, NAME).set);
}

TEST(a_hidden_column_is_not_found)
{
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, 1 << 20));
	struct wl_table t;
	size_t i = 99;

	wl_table_init(&t, &arena, cols, N_COLS);
	assert_ptr_equal(wl_table_find_col(&t, "size", &i), &cols[SIZE]);
	assert_int_equal(i, SIZE);
	wl_table_hide(&t, SIZE);
	assert_null(wl_table_find_col(&t, "size", &i));
	assert_null(wl_table_find_col(&t, "siz", &i));
	assert_null(wl_table_find_col(&t, "sizes", &i));
	assert_null(wl_table_find_col(&t, "", &i));
}

TEST(notes_and_coverage_keep_their_order)
{
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, 1 << 20));
	struct wl_table t;

	wl_table_init(&t, &arena, cols, N_COLS);
	wl_table_note(&t, "first %s", "note");
	wl_table_note(&t, "second");
	wl_table_cover(&t, "kernels", 3, 4);
	assert_int_equal(t.n_notes, 2);
	assert_string_equal(t.notes->text, "first note");
	assert_string_equal(t.notes->next->text, "second");
	assert_null(t.notes->next->next);
	assert_int_equal(t.n_coverage, 1);
	assert_string_equal(t.coverage[0].name, "kernels");
	assert_int_equal(t.coverage[0].have, 3);
}

/* n rows, the child of row i - 1 where i is not a multiple of 300, and else a root. */
static void fill_tree(struct wl_table *t, size_t n)
{
	wl_table_tree(t);
	for (size_t i = 0; i < n; i++) {
		wl_table_row(t);
		wl_put_str(t, NAME, "node");
		if (i % 300)
			wl_put_parent(t, i - 1);
	}
}

TEST(parents_survive_growth)
{
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, 1 << 20));
	enum { ROWS = 10 * WL_CHUNK_ROWS + 7 };
	struct wl_table t;

	wl_table_init(&t, &arena, cols, N_COLS);
	fill_tree(&t, ROWS);
	assert_true(wl_table_ok(&t));
	for (size_t row = 0; row < ROWS; row++) {
		struct wl_cell parent = wl_tree_at(&t, row, WL_TREE_PARENT);

		assert_int_equal(wl_table_parent(&t, row), row % 300 ? row - 1 : WL_NO_ROW);
		assert_int_equal(wl_tree_at(&t, row, WL_TREE_ID).i64, row + 1);
		assert_int_equal(parent.set, row % 300 != 0);
		assert_true(!parent.set || parent.i64 == (int64_t)row);
	}
}

TEST(the_last_parent_counts)
{
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, 1 << 20));
	struct wl_table t;

	wl_table_init(&t, &arena, cols, N_COLS);
	wl_table_tree(&t);
	for (int i = 0; i < 3; i++)
		wl_table_row(&t);
	wl_put_parent(&t, 0);
	wl_put_parent(&t, 1);
	assert_int_equal(wl_table_parent(&t, 0), WL_NO_ROW);
	assert_int_equal(wl_table_parent(&t, 2), 1);
}

TEST(only_trees_pay_for_parents)
{
	enum { ROWS = 100000 };
	size_t used[2];

	for (int tree = 0; tree < 2; tree++) {
		struct wl_arena arena;
		struct wl_table t;

		wl_arena_init(&arena, (size_t)64 << 20);
		wl_table_init(&t, &arena, cols, N_COLS);
		if (tree)
			fill_tree(&t, ROWS);
		for (int i = 0; !tree && i < ROWS; i++) {
			wl_table_row(&t);
			wl_put_str(&t, NAME, "node");
		}
		assert_true(wl_table_ok(&t));
		assert_int_equal(t.parents != NULL, tree);
		assert_int_equal(wl_table_parent(&t, 301), tree ? 300 : WL_NO_ROW);
		used[tree] = arena.used / ROWS;
		wl_arena_release(&arena);
	}
	assert_in_range(used[1] - used[0], 4, 5); /* bytes per row */
}

TEST(every_budget_of_a_tree_works_or_fails_for_good)
{
	enum { ROWS = WL_CHUNK_ROWS + 1 };
	bool ok = false;

	for (size_t budget = 0; !ok; budget += 16) {
		struct wl_arena arena;
		struct wl_table t;

		wl_arena_init(&arena, budget);
		wl_table_init(&t, &arena, cols, N_COLS);
		fill_tree(&t, ROWS);
		ok = wl_table_ok(&t);
		if (ok)
			assert_int_equal(t.n_rows, ROWS);
		else
			wl_put_parent(&t, ROWS); /* the numbers are wrong after a failure */
		assert_int_equal(wl_table_ok(&t), ok);
		assert_true(arena.used <= budget);
		wl_arena_release(&arena);
	}
}

TEST(types_have_names_and_units)
{
	for (int type = WL_T_STR; type <= WL_T_BOOL; type++)
		assert_non_null(wl_type_name((enum wl_type)type));
	assert_string_equal(wl_type_unit(WL_T_NS), "ns");
	assert_null(wl_type_unit(WL_T_COUNT));
}
