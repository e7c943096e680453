/* SPDX-License-Identifier: MIT */
#include "analysis/analysis.h"

#include <string.h>

#include "known/exports/codes.h"
#include "support/answer.h"
#include "support/unit.h"

static void push(struct asked *x, unsigned tid, wl_ns start, wl_ns end, const char *name)
{
	MEM_NVTX(&x->mem, .start = start, .end = end, .tid = tid, .name = name);
}

/* "a/b" for the row b below the row a. */
static void expect_row(const struct answer *a, size_t row, const char *parent, const char *name,
		       int64_t host_sum)
{
	uint32_t above = wl_table_parent(&a->table, row);

	assert_string_equal(answer_str(a, row, "name"), name);
	expect_i64(a, row, "host_sum", host_sum);
	if (parent)
		assert_string_equal(answer_str(a, above, "name"), parent);
	else
		assert_int_equal(above, WL_NO_ROW);
}

static void put_steps(struct asked *x)
{
	for (wl_ns i = 0; i < 2; i++) {
		wl_ns at = 100 * i;

		push(x, 0, at, at + 90, i ? "step 1" : "step 0");
		push(x, 0, at + 5, at + 25, "forward");
		push(x, 0, at + 10, at + 20, "layer 7");
		push(x, 0, at + 30, at + 80, "backward");
	}
	push(x, 1, 0, 15, "layer 7");
}

TEST(ranges_are_folded_by_path)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "tree"));

	put_steps(&x);
	ask(&x, NULL);
	assert_true(x.a.table.is_tree);
	assert_int_equal(x.a.table.n_rows, 5);
	expect_row(&x.a, 0, NULL, "step #", 180);
	expect_row(&x.a, 1, NULL, "layer #", 15);
	expect_row(&x.a, 2, "step #", "backward", 100);
	expect_row(&x.a, 3, "step #", "forward", 40);
	expect_row(&x.a, 4, "forward", "layer #", 20);
	expect_i64(&x.a, 0, "self", 40);
	expect_i64(&x.a, 3, "self", 20);
	ask(&x, (const char *const[WL_MAX_PARAMS]){ "true", NULL, NULL, NULL, NULL });
	assert_int_equal(x.a.table.n_rows, 9);
}

TEST(limits_keep_what_is_above_the_kept)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "tree"));

	put_steps(&x);
	ask(&x, (const char *const[WL_MAX_PARAMS]){ NULL, NULL, NULL, "1", NULL });
	assert_int_equal(x.a.table.n_rows, 2);
	ask(&x, (const char *const[WL_MAX_PARAMS]){ NULL, NULL, NULL, "2", "41ns" });
	assert_int_equal(x.a.table.n_rows, 2);
	expect_row(&x.a, 1, "step #", "backward", 100);
	ask(&x, (const char *const[WL_MAX_PARAMS]){ NULL, NULL, NULL, NULL, "181ns" });
	assert_int_equal(x.a.table.n_rows, 0);
}

/* Below a short range stands a start/end range that is no part of its host time. */
TEST(a_long_row_keeps_the_short_ones_above_it)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "tree"));

	push(&x, 0, 0, 50, "a");
	for (wl_ns i = 0; i < 4; i++)
		MEM_NVTX(&x.mem, .start = i, .end = 46 + i, .kind = WL_NVTX_START_END,
			 .name = "span");
	ask(&x, (const char *const[WL_MAX_PARAMS]){ NULL, NULL, NULL, NULL, "100ns" });
	assert_int_equal(x.a.table.n_rows, 2);
	expect_row(&x.a, 0, NULL, "a", 50);
	expect_row(&x.a, 1, "a", "span", INT64_C(4) * 46);
	expect_i64(&x.a, 0, "self", 50);
}

/* A range that touches the window is outside; what has no length at its end is inside. */
TEST(the_parent_of_a_row_is_always_there)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "tree"));

	push(&x, 0, 0, 10, "a");
	push(&x, 0, 10, 10, "b");
	ask_window(&x, 10, 20);
	assert_int_equal(x.a.table.n_rows, 2);
	expect_row(&x.a, 0, NULL, "a", 0);
	expect_i64(&x.a, 0, "count", 0);
	expect_row(&x.a, 1, "a", "b", 0);
	expect_i64(&x.a, 1, "count", 1);
}

/* Each range holds the next: nothing may recurse, or take a square of memory. */
TEST(a_tree_may_be_as_deep_as_there_are_ranges)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "tree"));
	enum { DEEP = 20000 };

	for (wl_ns i = 0; i < DEEP; i++)
		push(&x, 0, i, 3 * (wl_ns)DEEP - i, "a");
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, DEEP);
	expect_i64(&x.a, DEEP - 1, "host_sum", DEEP + 2);
}

static void launch(struct asked *x, wl_ns at, wl_ns start, wl_ns end, unsigned stream)
{
	static unsigned corr;

	corr++;
	MEM_API(&x->mem, .start = at, .end = at + 2, .corr = corr);
	MEM_OP(&x->mem, WL_F_KERNELS, .start = start, .end = end, .stream = stream,
	       .name = stream == 9 ? "copy" : "gemm", .corr = corr);
}

TEST(kernels_are_below_their_innermost_range)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "tree"));

	push(&x, 0, 0, 100, "step");
	push(&x, 0, 10, 50, "layer");
	launch(&x, 20, 200, 210, 7);
	launch(&x, 30, 205, 225, 8); /* the same kernel on another stream, over the first */
	launch(&x, 60, 230, 260, 9);
	launch(&x, 99, 300, 350, 7); /* outside: its call ends after the range */
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 4);
	expect_row(&x.a, 1, "step", "layer", 40);
	expect_cells(&x.a, 2, "name=copy; style=kernel");
	assert_int_equal(wl_table_parent(&x.a.table, 2), 0);
	expect_i64(&x.a, 2, "stream", 9);
	assert_string_equal(answer_str(&x.a, 3, "name"), "gemm");
	assert_int_equal(wl_table_parent(&x.a.table, 3), 1);
	expect_cells(&x.a, 3, "count=2; gpu_sum=30; gpu_busy=25");
	assert_false(answer_is_set(&x.a, 3, "stream"));
	assert_false(answer_is_set(&x.a, 3, "host_sum"));
	ask(&x, (const char *const[WL_MAX_PARAMS]){ NULL, NULL, NULL, "2", "30ns" });
	assert_int_equal(x.a.table.n_rows, 3);
	assert_string_equal(answer_str(&x.a, 2, "name"), "copy");
	ask(&x, (const char *const[WL_MAX_PARAMS]){ NULL, NULL, NULL, NULL, NULL, "true" });
	assert_int_equal(x.a.table.n_rows, 2);
}
