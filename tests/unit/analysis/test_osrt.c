/* SPDX-License-Identifier: MIT */
#include "analysis/analysis.h"

#include "support/answer.h"
#include "support/unit.h"

static void call(struct asked *x, wl_ns start, wl_ns end, const char *name)
{
	MEM_OSRT(&x->mem, .start = start, .end = end, .name = name);
}

TEST(calls_are_ranked_by_sum_then_name)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "osrt"));

	call(&x, 0, 4, "read");
	call(&x, 0, 1, "poll");
	call(&x, 5, 8, "poll");
	call(&x, 3, 20, "sem_wait");
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 3);
	assert_string_equal(answer_str(&x.a, 0, "name"), "sem_wait");
	assert_string_equal(answer_str(&x.a, 1, "name"), "poll");
	assert_string_equal(answer_str(&x.a, 2, "name"), "read");
	expect_cells(&x.a, 1, "calls=2; sum=4; avg=2; p50=1; p90=3; min=1; max=3; stddev=1");
	assert_true(answer_f64(&x.a, 0, "share") == 17.0 / 25.0);
}

TEST(each_process_has_its_window)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "osrt"));

	for (unsigned pid = 1; pid <= 3; pid++)
		MEM_OSRT(&x.mem, .start = 0, .end = 100, .pid = pid);
	ask_window(&x, 10, 30);
	expect_cells(&x.a, 0, "calls=3; sum=60");
	x.scope.process[1] = (struct wl_interval){ 90, 200 };
	x.scope.process_on[2] = false;
	ask(&x, NULL);
	expect_cells(&x.a, 0, "calls=2; sum=30");
	ask_window(&x, 100, 200);
	assert_int_equal(x.a.table.n_rows, 0);
}

TEST(calls_without_a_length_count)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "osrt"));

	call(&x, 7, 7, "read");
	ask(&x, NULL);
	expect_cells(&x.a, 0, "calls=1; sum=0");
	assert_false(answer_is_set(&x.a, 0, "share"));
}
