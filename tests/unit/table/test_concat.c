/* SPDX-License-Identifier: MIT */
#include "table/concat.h"

#include <string.h>

#include "support/unit.h"
#include "table/view.h"

enum { KIND, NAME, SIZE, SHARE, N_COLS };

static const struct wl_col cols[] = {
	[KIND] = { "kind", "Kind", WL_T_ENUM, WL_KEY, "A kind." },
	[NAME] = { "name", "Name", WL_T_STR, WL_KEY, "A name." },
	[SIZE] = { "size", "Size", WL_T_BYTES, WL_SUM, "A size." },
	[SHARE] = { "share", "Share", WL_T_RATIO, WL_PLAIN, "A ratio." },
};

/* Two tables in one arena, and what becomes of them. */
struct pair {
	struct wl_arena arena;
	struct wl_table a, b, out;
};

static void init(struct pair *p, size_t budget)
{
	wl_arena_init(&p->arena, budget);
	wl_table_init(&p->a, &p->arena, cols, N_COLS);
	wl_table_init(&p->b, &p->arena, cols, N_COLS);
}

static void join(struct pair *p)
{
	const struct wl_concat_part parts[] = { { .label = "a.sqlite", .table = &p->a },
						{ .label = "b.sqlite", .table = &p->b } };

	wl_concat(parts, WL_COUNT(parts), &p->arena, &p->out);
}

static void put(struct wl_table *t, const char *name, int64_t size)
{
	wl_table_row(t);
	wl_put_str(t, KIND, "leaf");
	wl_put_str(t, NAME, name);
	wl_put_i64(t, SIZE, size);
	wl_put_ratio(t, SHARE, size, 8);
}

static const char *text(const struct wl_table *t, size_t row, size_t col)
{
	return wl_table_at(t, row, col).str;
}

static void expect_notes(const struct wl_table *t, const char *const *want, size_t n)
{
	const struct wl_note *note = t->notes;

	assert_int_equal(t->n_notes, n);
	for (size_t i = 0; i < n; i++, note = note->next)
		assert_string_equal(note->text, want[i]);
}

TEST(rows_follow_each_other_with_their_trace_in_front)
{
	struct pair p;

	init(&p, 1 << 20);
	put(&p.a, "x", 1);
	put(&p.a, "y", 2);
	put(&p.b, "z", 4);
	wl_table_row(&p.b); /* no cell is set */
	join(&p);
	assert_true(wl_table_ok(&p.out));
	assert_int_equal(p.out.n_cols, N_COLS + 1);
	assert_string_equal(p.out.cols[0].key, "trace");
	assert_int_equal(p.out.cols[0].flags & WL_KEY, WL_KEY);
	for (size_t i = 0; i < N_COLS; i++)
		assert_string_equal(p.out.cols[i + 1].key, cols[i].key);
	assert_int_equal(p.out.n_rows, 4);
	assert_string_equal(text(&p.out, 0, 0), "a.sqlite");
	assert_string_equal(text(&p.out, 1, 0), "a.sqlite");
	assert_string_equal(text(&p.out, 2, 0), "b.sqlite");
	assert_string_equal(text(&p.out, 3, 0), "b.sqlite");
	assert_string_equal(text(&p.out, 1, NAME + 1), "y");
	assert_string_equal(text(&p.out, 2, KIND + 1), "leaf");
	assert_int_equal(wl_table_at(&p.out, 2, SIZE + 1).i64, 4);
	assert_true(wl_table_at(&p.out, 2, SHARE + 1).f64 == 0.5);
	for (size_t col = 1; col <= N_COLS; col++)
		assert_false(wl_table_at(&p.out, 3, col).set);
	assert_false(p.out.is_tree);
	assert_int_equal(p.out.hidden, 0);
	wl_arena_release(&p.arena);
}

TEST(many_rows_keep_their_order)
{
	enum { ROWS = 3 * WL_CHUNK_ROWS + 5 };
	struct pair p;

	init(&p, (size_t)8 << 20);
	for (int64_t i = 0; i < ROWS; i++) {
		put(&p.a, "x", i);
		put(&p.b, "y", ROWS + i);
	}
	join(&p);
	assert_int_equal(p.out.n_rows, 2 * ROWS);
	for (size_t i = 0; i < p.out.n_rows; i++) {
		assert_int_equal(wl_table_at(&p.out, i, SIZE + 1).i64, i);
		assert_string_equal(text(&p.out, i, 0), i < ROWS ? "a.sqlite" : "b.sqlite");
	}
	wl_arena_release(&p.arena);
}

TEST(parents_stay_within_their_trace)
{
	const struct wl_view_opts by_name = { .sort = "-name" };
	static const char *const want[] = { "root2", "leaf2", "root1", "leaf1" };
	struct wl_err err = { .code = WL_OK };
	struct wl_view view;
	struct pair p;

	init(&p, 1 << 20);
	wl_table_tree(&p.a);
	wl_table_tree(&p.b);
	put(&p.a, "root1", 1);
	put(&p.a, "leaf1", 1);
	wl_put_parent(&p.a, 0);
	put(&p.b, "root2", 1);
	put(&p.b, "leaf2", 1);
	wl_put_parent(&p.b, 0);
	join(&p);
	assert_true(p.out.is_tree);
	assert_int_equal(wl_table_parent(&p.out, 0), WL_NO_ROW);
	assert_int_equal(wl_table_parent(&p.out, 1), 0);
	assert_int_equal(wl_table_parent(&p.out, 2), WL_NO_ROW);
	assert_int_equal(wl_table_parent(&p.out, 3), 2);
	/* People see the name indented, not the trace. */
	assert_int_equal(wl_view_make(&p.out, &by_name, &p.arena, &view, &err), WL_OK);
	assert_int_equal(view.name_col, NAME + 1);
	assert_int_equal(view.n_rows, WL_COUNT(want));
	for (size_t i = 0; i < WL_COUNT(want); i++) {
		assert_string_equal(text(&p.out, view.rows[i], NAME + 1), want[i]);
		assert_int_equal(wl_view_level(&view, i, NAME + 1), i % 2);
		assert_int_equal(wl_view_level(&view, i, 0), 0);
	}
	wl_arena_release(&p.arena);
}

TEST(a_column_is_hidden_where_all_hide_it)
{
	struct pair p;
	size_t col;

	init(&p, 1 << 20);
	wl_table_hide(&p.a, KIND);
	wl_table_hide(&p.a, SHARE);
	wl_table_hide(&p.b, SHARE);
	put(&p.a, "x", 1);
	put(&p.b, "y", 1);
	join(&p);
	assert_int_equal(p.out.hidden, UINT64_C(1) << (SHARE + 1));
	assert_non_null(wl_table_find_col(&p.out, "kind", &col));
	assert_null(wl_table_find_col(&p.out, "share", &col));
	assert_non_null(wl_table_find_col(&p.out, "trace", &col));
	wl_arena_release(&p.arena);
}

TEST(what_several_say_is_said_once)
{
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, 1 << 20));
	static const char *const want[] = {
		"t2: coverage: joined 1 of 4, the lowest of 2 traces",
		"all say so",
		"t0, t1: two say so",
		"t0, t1, t2 and 1 more: not t4",
		"t4: alone",
	};
	static const char *const labels[] = { "t0", "t1", "t2", "t3", "t4" };
	struct wl_table tables[WL_COUNT(labels)], out;
	struct wl_concat_part parts[WL_COUNT(labels)];

	for (size_t i = 0; i < WL_COUNT(labels); i++) {
		wl_table_init(&tables[i], &arena, cols, N_COLS);
		parts[i] = (struct wl_concat_part){ .label = labels[i], .table = &tables[i] };
		wl_table_note(&tables[i], "all say so");
		if (i < 2)
			wl_table_note(&tables[i], "two say so");
		wl_table_note(&tables[i], i < 4 ? "not t4" : "alone");
	}
	wl_table_cover(&tables[1], "joined", 3, 4);
	wl_table_cover(&tables[2], "joined", 1, 4);
	wl_table_cover(&tables[3], "joined", 4, 4);
	wl_concat(parts, WL_COUNT(parts), &arena, &out);
	expect_notes(&out, want, WL_COUNT(want));
}

TEST(a_limit_counts_the_rows_of_each_trace)
{
	const struct wl_view_opts opts[] = { { .limit = 2 }, { .limit = 1, .sort = "size" } };
	static const char *const want[] = { "xyvw", "wz" };
	struct wl_err err = { .code = WL_OK };
	struct wl_view view;
	struct pair p;

	init(&p, 1 << 20);
	put(&p.a, "x", 1);
	put(&p.a, "y", 2);
	put(&p.a, "z", 4);
	put(&p.b, "v", 3);
	put(&p.b, "w", 6);
	put(&p.b, "u", 5);
	join(&p);
	for (size_t i = 0; i < WL_COUNT(opts); i++) {
		assert_int_equal(wl_view_make(&p.out, &opts[i], &p.arena, &view, &err), WL_OK);
		assert_int_equal(view.n_rows, strlen(want[i]));
		assert_int_equal(view.n_total, 6);
		for (size_t k = 0; k < view.n_rows; k++)
			assert_int_equal(*text(&p.out, view.rows[k], NAME + 1), want[i][k]);
	}
	wl_arena_release(&p.arena);
}

TEST(a_limit_counts_the_roots_of_each_trace)
{
	const struct wl_view_opts one = { .limit = 1 };
	struct wl_err err = { .code = WL_OK };
	struct wl_view view;
	struct pair p;

	init(&p, 1 << 20);
	wl_table_tree(&p.a);
	wl_table_tree(&p.b);
	put(&p.a, "root", 1);
	put(&p.a, "other", 1);
	put(&p.b, "root", 1);
	put(&p.b, "leaf", 1);
	wl_put_parent(&p.b, 0);
	join(&p);
	assert_int_equal(wl_view_make(&p.out, &one, &p.arena, &view, &err), WL_OK);
	assert_int_equal(view.n_rows, 3);
	assert_int_equal(view.rows[0], 0);
	assert_int_equal(view.rows[1], 2);
	assert_int_equal(view.rows[2], 3);
	wl_arena_release(&p.arena);
}

TEST(notes_name_their_trace)
{
	static const char *const want[] = { "a.sqlite: 5% odd", "a.sqlite: second",
					    "b.sqlite: third" };
	struct pair p;

	init(&p, 1 << 20);
	wl_table_note(&p.a, "5%% odd");
	wl_table_note(&p.a, "second");
	wl_table_note(&p.b, "third");
	join(&p);
	expect_notes(&p.out, want, WL_COUNT(want));
	wl_arena_release(&p.arena);
}

TEST(coverage_adds_up_and_is_noted_where_it_is_incomplete)
{
	static const char *const want[] = { "b.sqlite: coverage: joined operations 3 of 4",
					    "b.sqlite: coverage: huge 9,223,372,036,854,775,806 of "
					    "9,223,372,036,854,775,807" };
	struct pair p;

	init(&p, 1 << 20);
	wl_table_cover(&p.a, "joined_operations", 6, 6);
	wl_table_cover(&p.b, "joined_operations", 3, 4);
	wl_table_cover(&p.a, "huge", INT64_MAX, INT64_MAX);
	wl_table_cover(&p.b, "huge", INT64_MAX - 1, INT64_MAX);
	wl_table_cover(&p.b, "ranges", 2, 2);
	join(&p);
	assert_int_equal(p.out.n_coverage, 3);
	assert_string_equal(p.out.coverage[0].name, "joined_operations");
	assert_int_equal(p.out.coverage[0].have, 9);
	assert_int_equal(p.out.coverage[0].of, 10);
	assert_int_equal(p.out.coverage[1].have, INT64_MAX);
	assert_int_equal(p.out.coverage[1].of, INT64_MAX);
	assert_string_equal(p.out.coverage[2].name, "ranges");
	assert_int_equal(p.out.coverage[2].of, 2);
	expect_notes(&p.out, want, WL_COUNT(want));
	wl_arena_release(&p.arena);
}

TEST(a_trace_without_data_is_noted_in_its_turn)
{
	static const char *const want[] = { "none: nothing recorded", "a: its own" };
	struct wl_concat_part parts[] = { { .label = "none", .missing = "nothing recorded" },
					  { .label = "a" } };
	struct pair p;

	init(&p, 1 << 20);
	put(&p.a, "x", 1);
	wl_table_note(&p.a, "its own");
	wl_table_hide(&p.a, SHARE);
	parts[1].table = &p.a;
	wl_concat(parts, WL_COUNT(parts), &p.arena, &p.out);
	assert_int_equal(p.out.n_rows, 1);
	assert_string_equal(text(&p.out, 0, 0), "a");
	assert_int_equal(p.out.hidden, UINT64_C(1) << (SHARE + 1));
	expect_notes(&p.out, want, WL_COUNT(want));
	wl_arena_release(&p.arena);
}

TEST(tables_without_rows_give_one_without_rows)
{
	struct pair p;

	init(&p, 1 << 20);
	join(&p);
	assert_true(wl_table_ok(&p.out));
	assert_int_equal(p.out.n_rows, 0);
	assert_int_equal(p.out.n_cols, N_COLS + 1);
	assert_int_equal(p.out.n_notes, 0);
	wl_arena_release(&p.arena);
}

/* The tables are there; what joining them may take grows from nothing to enough. */
TEST(every_budget_works_or_fails_for_good)
{
	bool ok = false;
	struct pair p;

	init(&p, 1 << 20);
	wl_table_tree(&p.a);
	for (int64_t i = 0; i <= WL_CHUNK_ROWS; i++) {
		put(&p.a, "x", i);
		if (i)
			wl_put_parent(&p.a, 0);
	}
	put(&p.b, "y", 1);
	wl_table_note(&p.b, "a note");
	wl_table_cover(&p.b, "ranges", 1, 2);
	assert_true(wl_table_ok(&p.a) && wl_table_ok(&p.b));
	for (size_t budget = 0; !ok; budget += 16) {
		const struct wl_concat_part parts[] = { { .label = "a", .table = &p.a },
							{ .label = "b", .table = &p.b } };
		struct wl_arena small;

		wl_arena_init(&small, budget);
		wl_concat(parts, WL_COUNT(parts), &small, &p.out);
		ok = wl_table_ok(&p.out);
		if (ok) {
			assert_int_equal(p.out.n_rows, WL_CHUNK_ROWS + 2);
			assert_int_equal(p.out.n_notes, 2);
		}
		wl_arena_release(&small);
		assert_in_range(budget, 0, 1 << 20);
	}
	wl_arena_release(&p.arena);
}
