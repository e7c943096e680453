/* SPDX-License-Identifier: MIT */
#include "session/open/regrouped.h"

#include "support/unit.h"

enum { KERNEL, CATEGORY, SUM, N_COLS };

static const struct wl_col cols[] = {
	[KERNEL] = { "kernel", "Kernel", WL_T_STR, WL_KEY, "A kernel." },
	[CATEGORY] = { "category", "Category", WL_T_STR, WL_KEY, "Its category." },
	[SUM] = { "sum", "Sum", WL_T_NS, WL_SUM, "Its time." },
};

static const struct wl_chart_members members = { "kernel", "sum", "by", "kernel" };
static const struct wl_chart chart = { .group = "category", .members = &members };

enum { N_TRACES = 2 };

struct world {
	struct wl_arena arena;
	struct wl_table table[N_TRACES], out;
};

static void init(struct world *w)
{
	wl_arena_init(&w->arena, 1 << 20);
	for (size_t i = 0; i < N_TRACES; i++)
		wl_table_init(&w->table[i], &w->arena, cols, N_COLS);
	wl_table_init(&w->out, &w->arena, cols, N_COLS);
}

static void put(struct wl_table *t, const char *kernel, const char *category, int64_t sum)
{
	wl_table_row(t);
	if (kernel)
		wl_put_str(t, KERNEL, kernel);
	wl_put_str(t, CATEGORY, category);
	wl_put_i64(t, SUM, sum);
}

/* The only note; NULL for none. */
static const char *note_of(struct world *w)
{
	const struct wl_concat_part parts[] = { { .label = "a", .table = &w->table[0] },
						{ .label = "b", .table = &w->table[1] },
						{ .label = "c", .missing = "no kernels" } };

	wl_regrouped_note(parts, WL_COUNT(parts), &chart, &w->out);
	assert_true(wl_table_ok(&w->out));
	assert_true(w->out.n_notes <= 1);
	return w->out.n_notes ? w->out.notes->text : NULL;
}

TEST(kernels_in_one_category_need_no_note)
{
	struct world w;

	init(&w);
	put(&w.table[0], "gemm(int)", "gemm", 10);
	put(&w.table[0], "gemm(int)", "gemm", 20);
	put(&w.table[0], "norm(int)", "norm", 30);
	put(&w.table[0], NULL, "(non-GPU)", 30);
	put(&w.table[1], "gemm(int)", "gemm", 40);
	put(&w.table[1], NULL, "rest", 40);
	assert_null(note_of(&w));
	wl_arena_release(&w.arena);
}

TEST(kernels_in_two_categories_are_counted_with_their_time)
{
	struct world w;

	init(&w);
	put(&w.table[0], "gemm(int)", "gemm", 1000);
	put(&w.table[0], "gemm(int)", "gemm", 500); /* on another GPU */
	put(&w.table[0], "norm(int)", "norm", 7000);
	put(&w.table[0], "copy(int)", "elementwise", 100);
	put(&w.table[1], "gemm(int)", "gemm", 1000);
	put(&w.table[1], "norm(int)", "triton", 4000);
	put(&w.table[1], "copy(int)", "triton", 200);
	assert_string_equal(note_of(&w),
			    "differences between categories are also of their rules: 2 kernels "
			    "(11.3 us) are not in one category in all traces; norm is norm in a "
			    "and triton in b");
	assert_true(w.out.notes->stop > 0);
	wl_arena_release(&w.arena);
}

TEST(a_sum_that_is_too_large_stops)
{
	struct world w;

	init(&w);
	put(&w.table[0], "gemm(int)", "gemm", INT64_MAX - 1);
	put(&w.table[1], "gemm(int)", "triton", 4000);
	assert_non_null(note_of(&w));
	wl_arena_release(&w.arena);
}
