/* SPDX-License-Identifier: MIT */
#include "analysis/analysis.h"

#include "support/answer.h"
#include "support/unit.h"

static void call(struct asked *x, wl_ns start, wl_ns end, const char *name)
{
	mem_osrt(&x->mem, &(struct mem_call){ .start = start, .end = end, .name = name });
}

static void calls_are_ranked_by_sum_then_name(void **state)
{
	struct asked x;

	(void)state;
	asked_init(&x, "osrt");
	call(&x, 0, 4, "read");
	call(&x, 0, 1, "poll");
	call(&x, 5, 8, "poll");
	call(&x, 3, 20, "sem_wait");
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 3);
	assert_string_equal(answer_str(&x.a, 0, "name"), "sem_wait");
	assert_string_equal(answer_str(&x.a, 1, "name"), "poll");
	assert_string_equal(answer_str(&x.a, 2, "name"), "read");
	expect_i64(&x.a, 1, "calls", 2);
	expect_i64(&x.a, 1, "sum", 4);
	expect_i64(&x.a, 1, "avg", 2);
	expect_i64(&x.a, 1, "p50", 1);
	expect_i64(&x.a, 1, "p90", 3);
	expect_i64(&x.a, 1, "min", 1);
	expect_i64(&x.a, 1, "max", 3);
	expect_i64(&x.a, 1, "stddev", 1);
	assert_true(answer_f64(&x.a, 0, "share") == 17.0 / 25.0);
	asked_release(&x);
}

static void each_process_has_its_window(void **state)
{
	struct asked x;

	(void)state;
	asked_init(&x, "osrt");
	for (unsigned pid = 1; pid <= 3; pid++)
		mem_osrt(&x.mem, &(struct mem_call){ .start = 0, .end = 100, .pid = pid });
	ask_window(&x, 10, 30);
	expect_i64(&x.a, 0, "calls", 3);
	expect_i64(&x.a, 0, "sum", 60);
	x.scope.process[1] = (struct wl_interval){ 90, 200 };
	x.scope.process_on[2] = false;
	ask(&x, NULL);
	expect_i64(&x.a, 0, "calls", 2);
	expect_i64(&x.a, 0, "sum", 30);
	ask_window(&x, 100, 200);
	assert_int_equal(x.a.table.n_rows, 0);
	asked_release(&x);
}

static void calls_without_a_length_count(void **state)
{
	struct asked x;

	(void)state;
	asked_init(&x, "osrt");
	call(&x, 7, 7, "read");
	ask(&x, NULL);
	expect_i64(&x.a, 0, "calls", 1);
	expect_i64(&x.a, 0, "sum", 0);
	assert_false(answer_is_set(&x.a, 0, "share"));
	asked_release(&x);
}

TEST_MAIN(osrt)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_are_ranked_by_sum_then_name),
		cmocka_unit_test(each_process_has_its_window),
		cmocka_unit_test(calls_without_a_length_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
