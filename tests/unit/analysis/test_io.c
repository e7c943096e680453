/* SPDX-License-Identifier: MIT */
#include "analysis/analysis.h"

#include "support/answer.h"
#include "support/unit.h"

enum { OPEN = 1, READ = 3, WRITE = 4 };

static void accesses_are_added_by_file_and_mode(void **state)
{
	struct asked x;

	(void)state;
	asked_init(&x, "io");
	mem_op(&x.mem, WL_F_KERNELS, &(struct mem_op){ .start = 50, .end = 100 });
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
	assert_string_equal(answer_str(&x.a, 0, "file"), "b");
	assert_string_equal(answer_str(&x.a, 0, "mode"), "read");
	expect_i64(&x.a, 0, "calls", 2);
	expect_i64(&x.a, 0, "bytes", 200);
	expect_i64(&x.a, 0, "sum", 100);
	expect_i64(&x.a, 0, "max", 60);
	expect_i64(&x.a, 0, "gpu_idle", 90);
	assert_true(answer_f64(&x.a, 0, "bandwidth") == 2e9);
	assert_string_equal(answer_str(&x.a, 1, "mode"), "write");
	expect_i64(&x.a, 1, "gpu_idle", 0);
	assert_string_equal(answer_str(&x.a, 2, "file"), "(unknown)");
	expect_i64(&x.a, 2, "calls", 2);
	assert_string_equal(answer_str(&x.a, 3, "mode"), "open");
	assert_false(answer_is_set(&x.a, 3, "bandwidth"));
	asked_release(&x);
}

static void without_gpu_work_there_is_no_idle_time(void **state)
{
	struct asked x;

	(void)state;
	asked_init(&x, "io");
	mem_file_access(&x.mem, 0, 60, 1, READ, 120);
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 1);
	assert_string_equal(answer_str(&x.a, 0, "file"), "(unknown)");
	assert_false(answer_is_set(&x.a, 0, "gpu_idle"));
	asked_release(&x);
}

TEST_MAIN(io)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(accesses_are_added_by_file_and_mode),
		cmocka_unit_test(without_gpu_work_there_is_no_idle_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
