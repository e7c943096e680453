/* SPDX-License-Identifier: MIT */
/* Views of trees: outline.c by itself, and with filter, order and limit through view.c. */
#include "table/outline.h"

#include <stdlib.h>
#include <string.h>

#include "support/random.h"
#include "support/unit.h"
#include "table/view.h"

enum { KIND, NAME, TIME, LABEL, N_COLS };

static const struct wl_col cols[] = {
	[KIND] = { "kind", "Kind", WL_T_ENUM, WL_PLAIN, "A kind." },
	[NAME] = { "name", "Name", WL_T_STR, WL_KEY, "A name." },
	[TIME] = { "time", "Time", WL_T_NS, WL_PLAIN, "A duration." },
	[LABEL] = { "label", "Label", WL_T_STR, WL_PLAIN, "Another text." },
};

static const struct {
	const char *name;
	int parent;
	int64_t time; /* < 0 for none */
} rows[] = {
	{ "a", -1, 50 }, { "b", -1, 90 }, { "c", 0, 10 }, { "f", 0, 30 }, { "e", 2, 5 },
	{ "d", 0, 30 },  { "g", 1, -1 },  { "h", 1, 20 }, { "i", 5, 7 },
};

static void fill(struct wl_table *t, struct wl_arena *arena)
{
	wl_table_init(t, arena, cols, N_COLS);
	wl_table_tree(t);
	for (size_t i = 0; i < WL_COUNT(rows); i++) {
		wl_table_row(t);
		if (rows[i].parent >= 0)
			wl_put_parent(t, (size_t)rows[i].parent);
		wl_put_str(t, NAME, rows[i].name);
		if (rows[i].time >= 0)
			wl_put_i64(t, TIME, rows[i].time);
	}
	assert_true(wl_table_ok(t));
}

/* The rows and their levels as digits. */
static void expect_view(const struct wl_view_opts *opts, const char *want, const char *want_levels,
			size_t want_total)
{
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, 1 << 20));
	struct wl_err err = { .code = WL_OK };
	char got[16] = "", levels[16] = "";
	struct wl_table t;
	struct wl_view v;

	fill(&t, &arena);
	if (wl_view_make(&t, opts, &arena, &v, &err) < 0)
		fail_msg("%s", err.msg);
	for (size_t i = 0; i < v.n_rows; i++) {
		got[i] = (char)('0' + v.rows[i]);
		levels[i] = (char)('0' + v.levels[i]);
	}
	assert_string_equal(got, want);
	assert_string_equal(levels, want_levels);
	assert_int_equal(v.n_total, want_total);
}

TEST(rows_come_depth_first)
{
	expect_view(&(struct wl_view_opts){ .limit = 0 }, "024358167", "012112011", 9);
}

TEST(siblings_are_sorted_within_their_parent)
{
	expect_view(&(struct wl_view_opts){ .sort = "time" }, "176058324", "011012112", 9);
	expect_view(&(struct wl_view_opts){ .sort = "-time" }, "024583176", "012121011", 9);
	expect_view(&(struct wl_view_opts){ .sort = "-name" }, "176035824", "011011212", 9);
}

TEST(a_match_keeps_its_ancestors)
{
	expect_view(&(struct wl_view_opts){ .where = "name = e" }, "024", "012", 3);
	expect_view(&(struct wl_view_opts){ .where = "time < 10" }, "02458", "01212", 5);
	expect_view(&(struct wl_view_opts){ .where = "name = a" }, "0", "0", 1);
	expect_view(&(struct wl_view_opts){ .where = "time = none" }, "16", "01", 2);
	expect_view(&(struct wl_view_opts){ .where = "name = nobody" }, "", "", 0);
}

TEST(the_limit_counts_children_and_roots)
{
	expect_view(&(struct wl_view_opts){ .limit = 1 }, "024", "012", 9);
	expect_view(&(struct wl_view_opts){ .limit = 2 }, "0243167", "0121011", 9);
	expect_view(&(struct wl_view_opts){ .limit = 3 }, "024358167", "012112011", 9);
	expect_view(&(struct wl_view_opts){ .limit = SIZE_MAX }, "024358167", "012112011", 9);
}

TEST(filter_comes_before_sort_and_limit)
{
	expect_view(&(struct wl_view_opts){ .sort = "time", .limit = 1 }, "17", "01", 9);
	expect_view(&(struct wl_view_opts){ .where = "time < 10", .sort = "time", .limit = 1 },
		    "058", "012", 5);
	expect_view(&(struct wl_view_opts){ .where = "time >= 20", .sort = "time", .limit = 2 },
		    "17053", "01011", 5);
}

TEST(the_first_strings_are_the_name)
{
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, 1 << 20));
	struct wl_err err;
	struct wl_table t;
	struct wl_view v;

	fill(&t, &arena);
	assert_int_equal(wl_view_make(&t, &(struct wl_view_opts){ .columns = "label,name" }, &arena,
				      &v, &err),
			 WL_OK);
	assert_int_equal(wl_view_level(&v, 2, NAME), 2);
	assert_int_equal(wl_view_level(&v, 2, LABEL), 0);
	assert_int_equal(wl_view_level(&v, 2, KIND), 0);
	wl_table_hide(&t, NAME);
	assert_int_equal(wl_view_make(&t, &(struct wl_view_opts){ .limit = 0 }, &arena, &v, &err),
			 WL_OK);
	assert_int_equal(wl_view_level(&v, 2, LABEL), 2);
}

TEST(a_table_that_is_no_tree_has_no_levels)
{
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, 1 << 20));
	struct wl_err err;
	struct wl_table t;
	struct wl_view v;

	wl_table_init(&t, &arena, cols, N_COLS);
	wl_table_row(&t);
	assert_int_equal(wl_view_make(&t, &(struct wl_view_opts){ .limit = 1 }, &arena, &v, &err),
			 WL_OK);
	assert_null(v.levels);
	assert_int_equal(wl_view_level(&v, 0, NAME), 0);
}

TEST(an_empty_tree_makes_an_empty_view)
{
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, 1 << 20));
	const struct wl_view_opts opts = { .where = "time > 1", .sort = "time", .limit = 5 };
	struct wl_err err;
	struct wl_table t;
	struct wl_view v;

	wl_table_init(&t, &arena, cols, N_COLS);
	wl_table_tree(&t);
	assert_int_equal(wl_view_make(&t, &opts, &arena, &v, &err), WL_OK);
	assert_int_equal(v.n_rows, 0);
	assert_int_equal(v.n_total, 0);
}

TEST(every_budget_works_or_says_no_memory)
{
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, 1 << 20));
	const struct wl_view_opts opts = { .where = "time < 10", .sort = "time", .limit = 1 };
	struct wl_table t;
	bool ok = false;

	fill(&t, &arena);
	for (size_t budget = 0; !ok; budget += 16) {
		struct wl_err err = { .code = WL_OK };
		struct wl_arena own;
		struct wl_view v;
		int r;

		wl_arena_init(&own, budget);
		r = wl_view_make(&t, &opts, &own, &v, &err);
		assert_true(r == WL_OK || r == WL_E_NOMEM);
		assert_int_equal(err.code, r);
		ok = r == WL_OK;
		if (ok)
			assert_int_equal(v.n_rows, 3);
		wl_arena_release(&own);
	}
}

enum { MANY = 100000 };

/* A tree of MANY rows: a chain, or one root with all others as its children. */
static void fill_many(struct wl_table *t, struct wl_arena *arena, bool chain)
{
	wl_table_init(t, arena, cols, N_COLS);
	wl_table_tree(t);
	for (size_t i = 0; i < MANY; i++) {
		wl_table_row(t);
		if (i)
			wl_put_parent(t, chain ? i - 1 : 0);
		wl_put_i64(t, TIME, (int64_t)i);
	}
	assert_true(wl_table_ok(t));
}

TEST(a_chain_of_100000_levels_is_one_branch)
{
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, (size_t)64 << 20));
	struct wl_err err;
	struct wl_table t;
	struct wl_view v;

	fill_many(&t, &arena, true);
	assert_int_equal(wl_view_make(&t,
				      &(struct wl_view_opts){ .where = "time = 99999ns",
							      .sort = "time",
							      .limit = 1 },
				      &arena, &v, &err),
			 WL_OK);
	assert_int_equal(v.n_rows, MANY);
	assert_int_equal(v.n_total, MANY);
	for (size_t i = 0; i < MANY; i++) {
		assert_int_equal(v.rows[i], i);
		assert_int_equal(v.levels[i], i);
	}
}

TEST(a_parent_of_100000_children_is_cut)
{
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, (size_t)64 << 20));
	struct wl_err err;
	struct wl_table t;
	struct wl_view v;

	fill_many(&t, &arena, false);
	assert_int_equal(
		wl_view_make(&t, &(struct wl_view_opts){ .sort = "time" }, &arena, &v, &err),
		WL_OK);
	assert_int_equal(v.n_rows, MANY);
	assert_int_equal(v.rows[0], 0);
	for (size_t i = 1; i < MANY; i++) {
		assert_int_equal(v.rows[i], MANY - i);
		assert_int_equal(v.levels[i], 1);
	}
	assert_int_equal(wl_view_make(&t, &(struct wl_view_opts){ .sort = "time", .limit = 20 },
				      &arena, &v, &err),
			 WL_OK);
	assert_int_equal(v.n_rows, 21);
	assert_int_equal(v.rows[20], MANY - 20);
	assert_int_equal(v.n_total, MANY);
}

/* The same in the plainest way: for each row all rows, and recursion. */
struct brute {
	const struct wl_table *t;
	const struct wl_view *flat; /* the same rows, sorted, as if they were no tree */
	bool keep[64];
	size_t limit;
	uint32_t rows[64], levels[64];
	size_t n;
};

static void brute_walk(struct brute *b, uint32_t parent, uint32_t level)
{
	size_t shown = 0;

	for (size_t i = 0; i < b->flat->n_rows; i++) {
		uint32_t row = b->flat->rows[i];

		if (!b->keep[row] || wl_table_parent(b->t, row) != parent)
			continue;
		if (b->limit && shown++ == b->limit)
			break;
		b->rows[b->n] = row;
		b->levels[b->n++] = level;
		brute_walk(b, row, level + 1);
	}
}

static void brute_keep(struct brute *b, const struct wl_view *matches)
{
	for (size_t i = 0; i < matches->n_rows; i++) {
		for (uint32_t row = matches->rows[i]; row != WL_NO_ROW;
		     row = wl_table_parent(b->t, row))
			b->keep[row] = true;
	}
}

/* The same random rows in a tree and in a table that is none. */
static void fill_random(struct wl_table *tree, struct wl_table *flat, uint64_t *seed)
{
	static const char *const names[] = { "a", "b", "c", "d" };
	uint32_t n = random_below(seed, 64);
	bool deep = random_below(seed, 2);

	wl_table_tree(tree);
	for (uint32_t i = 0; i < n; i++) {
		const char *name = names[random_below(seed, WL_COUNT(names))];
		int64_t time = random_between(seed, 0, 9);

		wl_table_row(tree);
		wl_table_row(flat);
		if (i && random_below(seed, 8))
			wl_put_parent(tree, deep ? i - 1 - random_below(seed, i < 3 ? 1 : 3)
						 : random_below(seed, i));
		wl_put_str(tree, NAME, name);
		wl_put_str(flat, NAME, name);
		wl_put_i64(tree, TIME, time);
		wl_put_i64(flat, TIME, time);
	}
}

TEST(random_trees_agree_with_brute_force)
{
	static const char *const wheres[] = { NULL, "time < 2", "name = a or time = 9" };
	static const char *const sorts[] = { NULL, "time", "name,-time" };
	uint64_t seed = 1;

	for (int round = 0; round < 3000; round++) {
		const struct wl_view_opts opts = {
			.where = wheres[random_below(&seed, WL_COUNT(wheres))],
			.sort = sorts[random_below(&seed, WL_COUNT(sorts))],
			.limit = random_below(&seed, 5),
		};
		struct wl_table tree, flat;
		struct wl_view got, matches, sorted;
		struct brute b = { .t = &tree, .flat = &sorted, .limit = opts.limit };
		struct wl_arena arena;
		struct wl_err err;
		size_t kept = 0;

		wl_arena_init(&arena, 1 << 20);
		wl_table_init(&tree, &arena, cols, N_COLS);
		wl_table_init(&flat, &arena, cols, N_COLS);
		fill_random(&tree, &flat, &seed);
		assert_int_equal(wl_view_make(&tree, &opts, &arena, &got, &err), WL_OK);
		assert_int_equal(wl_view_make(&flat, &(struct wl_view_opts){ .where = opts.where },
					      &arena, &matches, &err),
				 WL_OK);
		assert_int_equal(wl_view_make(&flat, &(struct wl_view_opts){ .sort = opts.sort },
					      &arena, &sorted, &err),
				 WL_OK);
		brute_keep(&b, &matches);
		brute_walk(&b, WL_NO_ROW, 0);
		for (size_t i = 0; i < WL_COUNT(b.keep); i++)
			kept += b.keep[i];
		assert_int_equal(got.n_total, kept);
		assert_int_equal(got.n_rows, b.n);
		assert_memory_equal(got.rows, b.rows, b.n * sizeof(*b.rows));
		assert_memory_equal(got.levels, b.levels, b.n * sizeof(*b.levels));
		wl_arena_release(&arena);
	}
}
