/* SPDX-License-Identifier: MIT */
#include "analysis/analysis.h"

#include "support/answer.h"
#include "support/unit.h"

enum { OPEN = 1, READ = 3, WRITE = 4 };

TEST(accesses_are_added_by_file_and_mode)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "io"));

	MEM_OP(&x.mem, WL_F_KERNELS, .start = 50, .end = 100);
	mem_open_file(&x.mem, 9, 100, "b");
	mem_open_file(&x.mem, 2, 100, "a");
	mem_open_file(&x.mem, 3, 100, "Unknown file #3");
	mem_open_file(&x.mem, 4, 100, "Unknown file #4");
	mem_file_access(&x.mem, 0, 60, 9, READ, 120);
	mem_file_access(&x.mem, 100, 140, 9, READ, 80);
	mem_file_access(&x.mem, 60, 90, 2, WRITE, 30);
	mem_file_access(&x.mem, 0, 0, 2, OPEN, 0);
	mem_file_access(&x.mem, 10, 12, 3, OPEN, 0);
	mem_file_access(&x.mem, 20, 23, 4, OPEN, 0);
	mem_file_access(&x.mem, 30, 20, 2, READ, 7); /* ends before it begins */
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 4);
	expect_cells(&x.a, 0,
		     "file=b; mode=read; calls=2; bytes=200; sum=100; max=60; gpu_idle=90");
	assert_true(answer_f64(&x.a, 0, "bandwidth") == 2e9);
	expect_cells(&x.a, 1, "mode=write; gpu_idle=0");
	expect_cells(&x.a, 2, "file=(unknown); calls=2");
	assert_string_equal(answer_str(&x.a, 3, "mode"), "open");
	assert_false(answer_is_set(&x.a, 3, "bandwidth"));
}

TEST(without_gpu_work_there_is_no_idle_time)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "io"));

	mem_file_access(&x.mem, 0, 60, 1, READ, 120);
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 1);
	assert_string_equal(answer_str(&x.a, 0, "file"), "(unknown)");
	assert_false(answer_is_set(&x.a, 0, "gpu_idle"));
}
