/* SPDX-License-Identifier: MIT */
#include "table/view.h"

#include <string.h>

#include "support/unit.h"

enum { DEVICE, NAME, TIME, SHARE, HIDDEN, N_COLS };

static const struct wl_col cols[] = {
	[DEVICE] = { "device", "GPU", WL_T_COUNT, WL_KEY, "A device." },
	[NAME] = { "name", "Name", WL_T_STR, WL_KEY, "A name." },
	[TIME] = { "time", "Time", WL_T_NS, WL_PLAIN, "A duration." },
	[SHARE] = { "share", "Share", WL_T_RATIO, WL_PLAIN, "A ratio." },
	[HIDDEN] = { "hidden", "Hidden", WL_T_NS, WL_PLAIN, "Not filled." },
};

struct row {
	int64_t device;
	const char *name;
	int64_t time;
	double share;
};

/* Row 4 has no time; rows 1 and 2 tie on time. */
static const struct row rows[] = {
	{ 1, "beta", 100, 0.1 },  { 1, "alpha", 500, 0.5 }, { 0, "beta", 500, 0.2 },
	{ 0, "alpha", 300, 0.2 }, { 0, "gamma", -1, 0.0 },
};

static void fill(struct wl_table *t, struct wl_arena *arena)
{
	wl_table_init(t, arena, cols, N_COLS);
	wl_table_hide(t, HIDDEN);
	for (size_t i = 0; i < WL_COUNT(rows); i++) {
		wl_table_row(t);
		wl_put_i64(t, DEVICE, rows[i].device);
		wl_put_str(t, NAME, rows[i].name);
		if (rows[i].time >= 0)
			wl_put_i64(t, TIME, rows[i].time);
		wl_put_f64(t, SHARE, rows[i].share);
	}
	assert_true(wl_table_ok(t));
}

/* The rows of the view as digits. */
static void expect_rows(const struct wl_view_opts *opts, const char *want, size_t want_total)
{
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, 1 << 20));
	struct wl_err err = { .code = WL_OK };
	struct wl_table t;
	struct wl_view v;
	char got[16] = "";

	fill(&t, &arena);
	if (wl_view_make(&t, opts, &arena, &v, &err) < 0)
		fail_msg("%s", err.msg);
	for (size_t i = 0; i < v.n_rows; i++)
		got[i] = (char)('0' + v.rows[i]);
	assert_string_equal(got, want);
	assert_int_equal(v.n_total, want_total);
	assert_int_equal(v.n_cols, 4);
	assert_false(v.chosen_cols);
}

static void expect_usage(const struct wl_view_opts *opts, const char *part)
{
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, 1 << 20));
	struct wl_err err = { .code = WL_OK };
	struct wl_view v = { .n_rows = 77 };
	struct wl_table t;

	fill(&t, &arena);
	assert_int_equal(wl_view_make(&t, opts, &arena, &v, &err), WL_E_USAGE);
	if (!strstr(err.msg, part))
		fail_msg("'%s' lacks '%s'", err.msg, part);
	assert_null(strstr(err.msg, "hidden,"));
	assert_int_equal(v.n_rows, 77);
}

TEST(a_zeroed_request_shows_everything)
{
	expect_rows(&(struct wl_view_opts){ .limit = 0 }, "01234", 5);
}

TEST(numbers_descend_and_text_ascends)
{
	expect_rows(&(struct wl_view_opts){ .sort = "time" }, "21304", 5);
	expect_rows(&(struct wl_view_opts){ .sort = "-time" }, "03214", 5);
	expect_rows(&(struct wl_view_opts){ .sort = "name" }, "31204", 5);
	expect_rows(&(struct wl_view_opts){ .sort = "-name" }, "42031", 5);
	expect_rows(&(struct wl_view_opts){ .sort = "-device, share" }, "32410", 5);
	expect_rows(&(struct wl_view_opts){ .sort = "share,-share,name" }, "13204", 5);
}

TEST(filter_comes_before_sort_and_limit)
{
	expect_rows(&(struct wl_view_opts){ .limit = 2 }, "01", 5);
	expect_rows(&(struct wl_view_opts){ .limit = 9 }, "01234", 5);
	expect_rows(&(struct wl_view_opts){ .where = "device = 0", .sort = "time", .limit = 2 },
		    "23", 3);
	expect_rows(&(struct wl_view_opts){ .where = "time = none" }, "4", 1);
	expect_rows(&(struct wl_view_opts){ .where = "name = nobody", .sort = "name" }, "", 0);
}

TEST(columns_come_as_named)
{
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, 1 << 20));
	struct wl_err err;
	struct wl_table t;
	struct wl_view v;

	fill(&t, &arena);
	assert_int_equal(wl_view_make(&t, &(struct wl_view_opts){ .columns = "share , device" },
				      &arena, &v, &err),
			 WL_OK);
	assert_int_equal(v.n_cols, 2);
	assert_int_equal(v.cols[0], SHARE);
	assert_int_equal(v.cols[1], DEVICE);
	assert_true(v.chosen_cols);
}

TEST(what_does_not_exist_is_refused_with_the_list)
{
	static const char list[] = "columns: device, name, time, share";

	expect_usage(&(struct wl_view_opts){ .sort = "nmae" }, list);
	expect_usage(&(struct wl_view_opts){ .sort = "nmae" }, "--sort: no column 'nmae'");
	expect_usage(&(struct wl_view_opts){ .sort = "name,hidden" }, list);
	expect_usage(&(struct wl_view_opts){ .sort = "name," }, "no column ''");
	expect_usage(&(struct wl_view_opts){ .sort = ",name" }, "no column ''");
	expect_usage(&(struct wl_view_opts){ .sort = "--name" }, "no column '-name'");
	expect_usage(&(struct wl_view_opts){ .sort = "-" }, "no column ''");
	expect_usage(&(struct wl_view_opts){ .columns = "name,,time" }, list);
	expect_usage(&(struct wl_view_opts){ .columns = "" }, list);
	expect_usage(&(struct wl_view_opts){ .columns = " " }, list);
	expect_usage(&(struct wl_view_opts){ .columns = "name,name" }, "comes twice");
	expect_usage(&(struct wl_view_opts){ .columns = "-name" }, "'-name'");
	expect_usage(&(struct wl_view_opts){ .where = "hidden > 1" }, list);
	expect_usage(&(struct wl_view_opts){ .where = "time > 5GB" }, "'5GB' is not a duration");
}

TEST(a_long_list_of_columns_is_cut)
{
	struct wl_col many[WL_MAX_COLS];
	struct wl_err err;
	struct wl_arena arena;
	struct wl_table t;
	struct wl_view v;

	for (size_t i = 0; i < WL_MAX_COLS; i++)
		many[i] = (struct wl_col){ "a_rather_long_key", "T", WL_T_NS, WL_PLAIN, "" };
	wl_arena_init(&arena, 1 << 20);
	wl_table_init(&t, &arena, many, WL_MAX_COLS);
	assert_int_equal(wl_view_make(&t, &(struct wl_view_opts){ .sort = "x" }, &arena, &v, &err),
			 WL_E_USAGE);
	assert_non_null(strstr(err.msg, ", a_rather_long_key, ..."));
	wl_arena_release(&arena);
}

TEST(every_budget_works_or_says_no_memory)
{
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, 1 << 20));
	const struct wl_view_opts opts = {
		.where = "not (name ~ 'g.m' or time > 10us) and share != none",
		.sort = "time,-name",
		.columns = "name,time",
		.limit = 3,
	};
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

TEST(rows_alike_keep_their_order)
{
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, 1 << 20));
	struct wl_err err;
	struct wl_table t;
	struct wl_view v;

	wl_table_init(&t, &arena, cols, N_COLS);
	for (int i = 0; i < 600; i++) {
		wl_table_row(&t);
		if (i % 2)
			wl_put_str(&t, NAME, "same");
	}
	assert_int_equal(
		wl_view_make(&t, &(struct wl_view_opts){ .sort = "time,name" }, &arena, &v, &err),
		WL_OK);
	for (uint32_t i = 0; i < 300; i++) {
		assert_int_equal(v.rows[i], 2 * i + 1);
		assert_int_equal(v.rows[300 + i], 2 * i); /* unset comes last */
	}
}

TEST(an_empty_table_makes_an_empty_view)
{
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, 1 << 20));
	const struct wl_view_opts opts = { .where = "time > 1", .sort = "time", .limit = 5 };
	struct wl_err err;
	struct wl_table t;
	struct wl_view v;

	wl_table_init(&t, &arena, cols, N_COLS);
	assert_int_equal(wl_view_make(&t, &opts, &arena, &v, &err), WL_OK);
	assert_int_equal(v.n_rows, 0);
	assert_int_equal(v.n_total, 0);
}

TEST(a_column_may_be_minor_only_where_it_is_0)
{
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, 1 << 20));
	static const struct wl_col three[] = {
		{ "a", "A", WL_T_COUNT, WL_PLAIN, "a" },
		{ "b", "B", WL_T_COUNT, WL_MINOR, "b" },
		{ "c", "C", WL_T_NS, WL_MINOR | WL_AT_0, "c" },
	};
	struct wl_view_opts opts = { .limit = 0 };
	struct wl_table t;
	struct wl_err err;
	struct wl_view v;

	wl_table_init(&t, &arena, three, 3);
	wl_table_row(&t);
	wl_put_i64(&t, 2, 0);
	wl_table_row(&t);
	wl_table_row(&t);
	wl_put_i64(&t, 1, 7);
	wl_put_i64(&t, 2, 7);
	assert_int_equal(wl_view_make(&t, &opts, &arena, &v, &err), WL_OK);
	assert_false(wl_view_is_minor(&v, 0));
	assert_true(wl_view_is_minor(&v, 1));
	assert_false(wl_view_is_minor(&v, 2));
	opts.limit = 2;
	assert_int_equal(wl_view_make(&t, &opts, &arena, &v, &err), WL_OK);
	assert_true(wl_view_is_minor(&v, 2));
}

TEST(a_pattern_in_the_wrong_case_is_noted)
{
	static const struct {
		const char *where;
		size_t n, other;
	} cases[] = {
		{ "name ~ alpha", 2, 0 },
		{ "name ~ ALPHA", 0, 2 },
		{ "name ~ ALPHA and share > 0.3", 0, 1 },
		{ "name ~ nosuch", 0, 0 },
		{ "name ~ ALPHA or time > 0", 4, 0 },
		{ "name ~ X", 0, 0 },
	};

	for (size_t i = 0; i < WL_COUNT(cases); i++) {
		const struct wl_view_opts opts = { .where = cases[i].where };
		struct wl_err err = { .code = WL_OK };
		struct wl_arena arena;
		struct wl_table t;
		struct wl_view v;

		wl_arena_init(&arena, 1 << 20);
		fill(&t, &arena);
		assert_int_equal(wl_view_make(&t, &opts, &arena, &v, &err), WL_OK);
		assert_int_equal(v.n_rows, cases[i].n);
		assert_int_equal(v.n_other_case, cases[i].other);
		wl_view_note_none(&v, &t);
		assert_int_equal(t.n_notes, cases[i].other > 0);
		wl_arena_release(&arena);
	}
}

/* A filter by what no row has leaves nothing, which looks like an answer. */
TEST(a_filter_by_an_empty_column_is_noted)
{
	static const struct wl_col two[] = {
		{ "device", "GPU", WL_T_COUNT, WL_KEY, "Which GPU." },
		{ "rank", "Rank", WL_T_COUNT, WL_KEY, "Which rank." },
	};
	static const struct {
		const char *where, *unset;
	} cases[] = {
		{ "rank = 1", "rank" },
		{ "device = 0 and not rank < 1", NULL },
		{ "device = 7", NULL },
		{ "device = 7 or rank = 2", "rank" },
		{ "rank = none", NULL },
		{ "device = 7 and rank = none", NULL },
		{ "(rank > 0) and device = 0", "rank" },
	};

	for (size_t i = 0; i < WL_COUNT(cases); i++) {
		const struct wl_view_opts opts = { .where = cases[i].where };
		struct wl_arena arena;
		struct wl_table t;
		struct wl_view v;
		struct wl_err err;

		wl_arena_init(&arena, 1 << 20);
		wl_table_init(&t, &arena, two, 2);
		wl_table_row(&t);
		wl_put_i64(&t, 0, 0);
		assert_int_equal(wl_view_make(&t, &opts, &arena, &v, &err), WL_OK);
		if (cases[i].unset)
			assert_string_equal(v.unset->key, cases[i].unset);
		else
			assert_null(v.unset);
		wl_view_note_none(&v, &t);
		assert_int_equal(t.n_notes, cases[i].unset != NULL);
		wl_arena_release(&arena);
	}
}

TEST(columns_have_their_titles_as_names)
{
	const struct wl_view_opts by_title = { .sort = "-GPU,Name" };

	expect_rows(&by_title, "32410", 5);
}

/* A sum that stops is visibly absurd; 0 would say that there is nothing. */
TEST(a_sum_stops_at_the_largest_number)
{
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, 1 << 20));
	const struct wl_view_opts opts = { .limit = 1 };
	struct wl_err err;
	struct wl_table t;
	struct wl_view v;

	wl_table_init(&t, &arena, cols, N_COLS);
	for (int i = 0; i < 3; i++) {
		wl_table_row(&t);
		wl_put_i64(&t, TIME, i < 2 ? INT64_MAX - 5 : 1);
		wl_put_i64(&t, DEVICE, 7);
	}
	assert_int_equal(wl_view_make(&t, &opts, &arena, &v, &err), WL_OK);
	assert_true(wl_view_sum(&v, "time") == INT64_MAX);
	assert_true(wl_view_sum(&v, "device") == 21);
	assert_true(wl_view_sum(&v, "none") == 0);
}
