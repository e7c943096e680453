/* SPDX-License-Identifier: MIT */
#include "analysis/analysis.h"

#include "support/answer.h"
#include "support/unit.h"

enum { PINNED = 1, DEVICE = 2 };

static const char *const by_step[] = { "step" };

static void begin(struct asked *x)
{
	asked_init(x, "memory");
	MEM_OP(&x->mem, WL_F_KERNELS, .start = 0, .end = 100, .pid = 100, .name = "gemm");
}

TEST(levels_add_up)
{
	WITH(struct asked, x, asked_release, begin(&x));

	mem_allocation(&x.mem, 50, 100, DEVICE, 30, true);
	mem_allocation(&x.mem, 10, 100, DEVICE, 100, false);
	mem_allocation(&x.mem, 20, 100, DEVICE, 30, false);
	mem_allocation(&x.mem, 60, 100, DEVICE, 10, false);
	mem_allocation(&x.mem, 15, 100, PINNED, 7, false);
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 2);
	assert_string_equal(answer_str(&x.a, 0, "kind"), "pinned");
	expect_cells(&x.a, 1,
		     "kind=device; device=0; allocs=3; frees=1; allocated=140; freed=30; "
		     "in_use=110; peak=130; peak_at=20; largest=100");
	ask_window(&x, 40, 100);
	expect_cells(&x.a, 1, "before=130; allocs=1; peak=130");
	assert_false(answer_is_set(&x.a, 1, "peak_at"));
	expect_i64(&x.a, 1, "in_use", 110);
}

TEST(what_is_freed_was_there)
{
	WITH(struct asked, x, asked_release, begin(&x));

	mem_allocation(&x.mem, 10, 100, DEVICE, 5, false);
	mem_allocation(&x.mem, 20, 100, DEVICE, 25, true);
	mem_allocation(&x.mem, 30, 100, DEVICE, 8, false);
	ask(&x, NULL);
	expect_cells(&x.a, 0, "before=20; peak=25; peak_at=10; in_use=8");
	assert_true(answer_has_note(&x.a, "before the capture"));
}

TEST(huge_sizes_do_not_overflow)
{
	WITH(struct asked, x, asked_release, begin(&x));

	for (wl_ns i = 0; i < 3; i++)
		mem_allocation(&x.mem, i, 100, DEVICE, INT64_MAX, false);
	for (wl_ns i = 3; i < 6; i++)
		mem_allocation(&x.mem, i, 100, DEVICE, INT64_MAX, true);
	ask(&x, NULL);
	expect_i64(&x.a, 0, "peak", INT64_MAX);
	expect_i64(&x.a, 0, "in_use", 0);
}

TEST(a_process_without_operations_has_no_device)
{
	WITH(struct asked, x, asked_release, begin(&x));

	mem_allocation(&x.mem, 10, 200, DEVICE, 5, false);
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 1);
	assert_false(answer_is_set(&x.a, 0, "device"));
	expect_cells(&x.a, 0, "pid=200; ordinal=0");
}

/* A step lasts until the next begins; time before the first has a row if anything happened. */
TEST(steps_show_what_they_keep)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "memory"));

	mem_allocation(&x.mem, 1, 100, DEVICE, 1000, false);
	for (wl_ns i = 1; i <= 6; i++) {
		wl_ns t = 1000 * i;

		MEM_NVTX(&x.mem, .start = t, .end = t + 800, .pid = 100, .tid = 100,
			 .name = "step");
		MEM_API(&x.mem, .start = t + 10, .end = t + 20, .pid = 100, .tid = 100,
			.corr = (uint32_t)i, .name = "cudaLaunchKernel");
		MEM_OP(&x.mem, WL_F_KERNELS, .start = t + 100, .end = t + 700, .pid = 100,
		       .corr = (uint32_t)i, .name = "gemm");
		mem_allocation(&x.mem, t + 50, 100, DEVICE, 64, false);
		mem_allocation(&x.mem, t + 900, 100, DEVICE, 60, true);
	}
	ask(&x, by_step);
	assert_int_equal(x.a.table.n_rows, 7);
	assert_false(answer_is_set(&x.a, 0, "iter"));
	expect_i64(&x.a, 0, "in_use", 1000);
	expect_cells(&x.a, 1, "iter=0; peak=1064; in_use=1004");
	expect_cells(&x.a, 6, "in_use=1024; pid=100");
}
