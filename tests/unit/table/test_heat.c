/* SPDX-License-Identifier: MIT */
#include "table/heat.h"

#include <string.h>

#include "support/unit.h"

enum { RANK, DEVICE, STEP, WINDOW, LATE, N_COLS };

static const struct wl_col cols[] = {
	[RANK] = { "rank", "Rank", WL_T_COUNT, WL_KEY, NULL },
	[DEVICE] = { "device", "GPU", WL_T_COUNT, WL_KEY, NULL },
	[STEP] = { "step", "Step", WL_T_COUNT, WL_KEY, NULL },
	[WINDOW] = { "window", "Window", WL_T_NS, WL_SUM, NULL },
	[LATE] = { "lateness", "Lateness", WL_T_NS, WL_SUM, NULL },
};

static const struct wl_chart chart = { .kind = WL_CHART_HEAT,
				       .label = "step",
				       .group = "device",
				       .named = { "rank" },
				       .parts = { "lateness" },
				       .also = { "window" } };

enum { NO_STEP = -1 };

struct row {
	int64_t rank, device, step, window, late;
};

struct map {
	struct wl_arena arena;
	struct wl_table table;
	struct wl_view view;
	struct wl_heat heat;
};

static void init(struct map *m)
{
	wl_arena_init(&m->arena, (size_t)512 << 20);
	wl_table_init(&m->table, &m->arena, cols, N_COLS);
}

static void put(struct map *m, struct row row)
{
	wl_table_row(&m->table);
	if (row.rank >= 0)
		wl_put_i64(&m->table, RANK, row.rank);
	wl_put_i64(&m->table, DEVICE, row.device);
	if (row.step != NO_STEP)
		wl_put_i64(&m->table, STEP, row.step);
	wl_put_i64(&m->table, WINDOW, row.window);
	wl_put_i64(&m->table, LATE, row.late);
}

static void read_sorted(struct map *m, const char *sort)
{
	const struct wl_view_opts opts = { .sort = sort, .limit = 1 };
	struct wl_err err;

	assert_int_equal(wl_view_make(&m->table, &opts, &m->arena, &m->view, &err), WL_OK);
	assert_true(wl_heat_read(&m->view, &chart, &m->arena, &m->heat));
}

TEST(a_map_has_all_steps_in_the_order_of_the_table)
{
	static const struct row rows[] = {
		{ 4, 0, 7, 53000000, 10 },      { 4, 0, 8, 53000000, 0 },
		{ 4, 0, NO_STEP, 99, 1 << 30 }, { 6, 1, 7, 53000000, 6920000 },
		{ 6, 1, 8, 53000000, 3000000 },
	};
	char buf[WL_HEAT_TEXT];
	struct map m;

	init(&m);
	for (size_t i = 0; i < WL_COUNT(rows); i++)
		put(&m, rows[i]);
	read_sorted(&m, "lateness");
	assert_int_equal(m.heat.n_subjects, 2);
	assert_int_equal(m.heat.n_items, 4);
	assert_int_equal(m.heat.first, 7);
	assert_int_equal(m.heat.last, 8);
	assert_int_equal(m.heat.item[2].subject, 1);
	assert_int_equal(m.heat.item[2].value, 6920000);
	assert_string_equal(wl_heat_say(&m.heat, 2, WL_UNIT_AUTO, buf),
			    "rank 6, step 7: 6.92 ms late");
	wl_arena_release(&m.arena);
}

/* Two columns are one value, which neither a column below 0 nor a sum beyond the end spoils. */
TEST(a_value_is_the_sum_of_the_parts)
{
	static const struct wl_chart both = { .kind = WL_CHART_HEAT,
					      .label = "step",
					      .group = "device",
					      .parts = { "lateness", "window" },
					      .says = "lost" };
	static const struct wl_chart unknown = { .kind = WL_CHART_HEAT,
						 .label = "step",
						 .group = "device",
						 .parts = { "lateness", "nowhere" } };
	const struct wl_view_opts opts = { .limit = 0 };
	char buf[WL_HEAT_TEXT];
	struct wl_err err;
	struct map m;

	init(&m);
	put(&m, (struct row){ -1, 3, 0, 500000, 1500000 });
	put(&m, (struct row){ -1, 3, 1, -7, 40 });
	put(&m, (struct row){ -1, 3, 2, INT64_MAX, INT64_MAX });
	assert_int_equal(wl_view_make(&m.table, &opts, &m.arena, &m.view, &err), WL_OK);
	assert_true(wl_heat_has(&m.table, &both));
	assert_false(wl_heat_has(&m.table, &unknown));
	assert_true(wl_heat_read(&m.view, &both, &m.arena, &m.heat));
	assert_int_equal(m.heat.item[0].value, 2000000);
	assert_int_equal(m.heat.item[1].value, 40);
	assert_true(m.heat.item[2].value == INT64_MAX);
	assert_string_equal(wl_heat_say(&m.heat, 0, WL_UNIT_AUTO, buf), "GPU 3, step 0: 2 ms lost");
	wl_arena_release(&m.arena);
}

/* 6.92 ms: levels at 0, 2, 4 and 6 ms. */
TEST(levels_are_at_round_numbers)
{
	struct map m;

	init(&m);
	put(&m, (struct row){ -1, 0, 0, 53000000, 0 });
	put(&m, (struct row){ -1, 1, 0, 53000000, 6920000 });
	read_sorted(&m, NULL);
	assert_int_equal(m.heat.pace, 2000000);
	assert_int_equal(m.heat.n_levels, 4);
	assert_int_equal(wl_heat_level(&m.heat, 0), 0);
	assert_int_equal(wl_heat_level(&m.heat, 1999999), 0);
	assert_int_equal(wl_heat_level(&m.heat, 2000000), 1);
	assert_int_equal(wl_heat_level(&m.heat, 6920000), 3);
	assert_int_equal(wl_heat_level(&m.heat, INT64_MAX), 3);
	assert_int_equal(wl_heat_ink(&m.heat, 0), 0);
	assert_int_equal(wl_heat_ink(&m.heat, 3), WL_HEAT_INKS - 1);
	for (unsigned i = 1; i < m.heat.n_levels; i++)
		assert_true(wl_heat_ink(&m.heat, i) > wl_heat_ink(&m.heat, i - 1));
	wl_arena_release(&m.arena);
}

/* The median step has 20 ms: the scale reaches 1 ms, in levels of 200 us. */
TEST(what_hardly_matters_stays_pale)
{
	struct map m;

	init(&m);
	put(&m, (struct row){ -1, 0, 0, 20000000, 0 });
	put(&m, (struct row){ -1, 0, 1, 900000000, 0 });
	put(&m, (struct row){ -1, 1, 0, 10000000, 100000 });
	read_sorted(&m, NULL);
	assert_int_equal(m.heat.pace, 200000);
	assert_int_equal(wl_heat_level(&m.heat, 100000), 0);
	wl_arena_release(&m.arena);
}

/* Of 200 values 199 are 1 ms: these decide. */
TEST(an_extreme_does_not_hide_the_others)
{
	struct map m;

	init(&m);
	for (int64_t i = 0; i < 200; i++)
		put(&m, (struct row){ -1, 0, i, 1000, i == 7 ? 1000000000 : 1000000 });
	read_sorted(&m, NULL);
	assert_int_equal(m.heat.pace, 200000);
	assert_int_equal(wl_heat_level(&m.heat, 1000000), 5);
	assert_int_equal(wl_heat_level(&m.heat, 1000000000), 5);
	wl_arena_release(&m.arena);
}

static int64_t late_of(size_t gpu, size_t step)
{
	return (int64_t)((gpu * 7919 + step * 104729) % 1000003);
}

/* The largest of all cells that a folded one stands for, by looking at each of them. */
static int64_t brute_force(const struct wl_heat_fold *f, size_t row, size_t col)
{
	int64_t max = -1;

	for (size_t g = row * f->per_row; g < (row + 1) * f->per_row && g < 1000; g++) {
		for (size_t s = col * f->per_col; s < (col + 1) * f->per_col && s < 203; s++)
			max = late_of(g, s) > max ? late_of(g, s) : max;
	}
	return max;
}

TEST(a_folded_cell_is_the_largest)
{
	struct wl_heat_fold f;
	char buf[WL_HEAT_TEXT];
	struct map m;

	init(&m);
	for (size_t g = 0; g < 1000; g++) {
		for (size_t s = 0; s < 203; s++)
			put(&m, (struct row){ (int64_t)g, (int64_t)g, (int64_t)s, 1000,
					      late_of(g, s) });
	}
	read_sorted(&m, NULL);
	assert_true(wl_heat_fold(&m.heat, 64, 100, &m.arena, &f));
	assert_int_equal(f.per_row, 16);
	assert_int_equal(f.n_rows, 63);
	assert_int_equal(f.per_col, 3);
	assert_int_equal(f.n_cols, 68);
	for (size_t y = 0; y < f.n_rows; y++) {
		for (size_t x = 0; x < f.n_cols; x++)
			assert_int_equal(m.heat.item[wl_heat_cell(&f, y, x)].value,
					 brute_force(&f, y, x));
	}
	assert_string_equal(wl_heat_row_name(&m.heat, &f, 62, buf), "ranks 992-999");
	assert_string_equal(wl_heat_col_name(&m.heat, &f, 1, buf), "steps 3-5");
	assert_string_equal(wl_heat_col_name(&m.heat, &f, 67, buf), "steps 201-202");
	assert_string_equal(wl_heat_fold_note(&f, buf),
			    "A cell is the largest of 16 GPUs and 3 steps.");
	wl_arena_release(&m.arena);
}

TEST(a_map_that_fits_is_not_folded)
{
	struct wl_heat_fold f;
	char buf[WL_HEAT_TEXT];
	struct map m;

	init(&m);
	put(&m, (struct row){ -1, 3, 5, 1000, 1 });
	put(&m, (struct row){ -1, 4, 6, 1000, 2 });
	read_sorted(&m, NULL);
	assert_true(wl_heat_fold(&m.heat, 2, 2, &m.arena, &f));
	assert_int_equal(f.n_rows * f.n_cols, 4);
	assert_int_equal(wl_heat_cell(&f, 0, 0), 0);
	assert_int_equal(wl_heat_cell(&f, 0, 1), WL_NO_ROW);
	assert_int_equal(wl_heat_cell(&f, 1, 1), 1);
	assert_string_equal(wl_heat_row_name(&m.heat, &f, 1, buf), "GPU 4");
	assert_string_equal(wl_heat_col_name(&m.heat, &f, 1, buf), "step 6");
	assert_string_equal(wl_heat_fold_note(&f, buf), "");
	wl_arena_release(&m.arena);
}

TEST(nothing_late_is_no_map)
{
	struct map m;

	init(&m);
	put(&m, (struct row){ 0, 0, 0, 1000, 0 });
	put(&m, (struct row){ 0, 0, NO_STEP, 1000, 5 });
	assert_false(wl_heat_has(&m.table, &chart));
	put(&m, (struct row){ 1, 1, 0, 1000, 1 });
	assert_true(wl_heat_has(&m.table, &chart));
	wl_table_hide(&m.table, STEP);
	assert_false(wl_heat_has(&m.table, &chart));
	wl_arena_release(&m.arena);
}

/* A table of an index that somebody has changed. */
TEST(extremes_do_no_harm)
{
	static const int64_t odd[] = { INT64_MIN, -5, 0, INT64_MAX };
	struct wl_heat_fold f;
	char buf[WL_HEAT_TEXT];
	struct map m;

	init(&m);
	for (size_t i = 0; i < WL_COUNT(odd); i++)
		put(&m, (struct row){ -1, odd[i], odd[i], odd[i], odd[i] });
	read_sorted(&m, NULL);
	assert_true(wl_heat_fold(&m.heat, 1, 3, &m.arena, &f));
	assert_true(f.n_rows == 1 && f.n_cols <= 3);
	for (size_t i = 0; i < f.n_cols; i++)
		assert_true(strlen(wl_heat_col_name(&m.heat, &f, i, buf)) > 0);
	assert_true(wl_heat_level(&m.heat, INT64_MAX) < WL_HEAT_INKS);
	wl_arena_release(&m.arena);
}
