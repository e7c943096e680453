/* SPDX-License-Identifier: MIT */
#include "analysis/analysis.h"

#include <string.h>

#include "known/exports/codes.h"
#include "support/answer.h"
#include "support/unit.h"

static void push(struct asked *x, wl_ns start, wl_ns end, const char *name)
{
	MEM_NVTX(&x->mem, .start = start, .end = end, .name = name);
}

static void launch(struct asked *x, wl_ns at, wl_ns start, wl_ns end, const char *kernel)
{
	static unsigned corr;

	corr++;
	MEM_API(&x->mem, .start = at, .end = at + 2, .corr = corr);
	MEM_OP(&x->mem, WL_F_KERNELS, .start = start, .end = end, .name = kernel, .corr = corr);
}

static void expect_row(const struct answer *a, size_t row, const char *path, const char *kernel,
		       int64_t sum)
{
	assert_string_equal(answer_str(a, row, "path"), path);
	assert_string_equal(answer_str(a, row, "kernel"), kernel);
	expect_i64(a, row, "sum", sum);
}

TEST(kernels_are_listed_under_their_innermost_path)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "nvtx-kernels"));

	push(&x, 0, 100, "step 1");
	push(&x, 10, 50, "layer 1");
	push(&x, 50, 90, "layer 2");
	launch(&x, 20, 200, 210, "gemm");
	launch(&x, 60, 210, 240, "gemm");
	launch(&x, 62, 240, 245, "relu");
	launch(&x, 95, 250, 255, "gemm");
	launch(&x, 99, 300, 350, "outside"); /* its call ends after the range */
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 3);
	expect_row(&x.a, 0, "step # > layer #", "gemm", 40);
	expect_cells(&x.a, 0, "calls=2; avg=20; min=10; max=30");
	assert_true(answer_f64(&x.a, 0, "share") == 0.4);
	expect_row(&x.a, 1, "step #", "gemm", 5);
	expect_row(&x.a, 2, "step # > layer #", "relu", 5);
	assert_int_equal(x.a.table.n_coverage, 1);
	assert_int_equal(x.a.table.coverage[0].have, 50);
	assert_int_equal(x.a.table.coverage[0].of, 100);
	ask(&x, (const char *const[WL_MAX_PARAMS]){ "true" });
	assert_int_equal(x.a.table.n_rows, 4);
	expect_row(&x.a, 0, "step 1 > layer 2", "gemm", 30);
	ask_window(&x, 205, 215);
	assert_int_equal(x.a.table.n_rows, 1);
	expect_row(&x.a, 0, "step # > layer #", "gemm", 10);
}

TEST(paths_that_read_alike_are_one_row)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "nvtx-kernels"));

	push(&x, 0, 100, "a");
	push(&x, 10, 50, "b");
	push(&x, 200, 300, "a > b");
	launch(&x, 20, 400, 410, "k");
	launch(&x, 220, 420, 430, "k");
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 1);
	expect_row(&x.a, 0, "a > b", "k", 20);
}

TEST(start_end_ranges_are_no_path)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "nvtx-kernels"));

	MEM_NVTX(&x.mem, .end = 100, .kind = WL_NVTX_START_END, .name = "span");
	launch(&x, 20, 400, 410, "k");
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 0);
}

TEST(without_ranges_there_is_no_data)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "nvtx-kernels"));

	MEM_NVTX(&x.mem, .kind = WL_NVTX_MARK);
	launch(&x, 20, 400, 410, "k");
	assert_non_null(strstr(ask_in_vain(&x), "no ranges"));
}
