/* SPDX-License-Identifier: MIT */
/* The verb threads, and through it derive/use/thread_use.c. */
#include "analysis/analysis.h"

#include "known/exports/codes.h"
#include "support/answer.h"
#include "support/unit.h"

static void call(struct asked *x, wl_ns start, wl_ns end, unsigned tid, const char *name)
{
	mem_api(&x->mem,
		&(struct mem_call){ .start = start, .end = end, .tid = tid, .name = name });
}

static void range(struct asked *x, wl_ns start, wl_ns end, uint8_t kind)
{
	mem_nvtx(&x->mem,
		 &(struct mem_range){
			 .start = start, .end = end, .tid = 1, .kind = kind, .name = "r" });
}

static void times_are_unions(void **state)
{
	struct asked x;

	(void)state;
	asked_init(&x, "threads");
	call(&x, 0, 100, 1, "cudaMemcpy");
	call(&x, 10, 20, 1, "cuMemcpyHtoD_v2"); /* inside the other */
	call(&x, 90, 120, 1, "cudaMalloc");
	mem_osrt(&x.mem, &(struct mem_call){ .start = 5, .end = 15, .tid = 1 });
	mem_osrt(&x.mem, &(struct mem_call){ .start = 10, .end = 30, .tid = 1 });
	mem_osrt(&x.mem, &(struct mem_call){ .start = 10, .end = 30, .tid = 2 });
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 2);
	expect_i64(&x.a, 0, "api", 120);
	expect_i64(&x.a, 0, "sync", 100);
	expect_i64(&x.a, 0, "os", 25);
	expect_i64(&x.a, 1, "tid", 2);
	expect_i64(&x.a, 1, "os", 20);
	assert_false(answer_is_set(&x.a, 0, "on_cpu"));
	ask_window(&x, 95, 110);
	assert_int_equal(x.a.table.n_rows, 1);
	expect_i64(&x.a, 0, "api", 15);
	expect_i64(&x.a, 0, "sync", 5);
	asked_release(&x);
}

static void what_was_not_recorded_is_not_zero(void **state)
{
	struct asked x;

	(void)state;
	asked_init(&x, "threads");
	mem_osrt(&x.mem, &(struct mem_call){ .start = 5, .end = 15, .tid = 1 });
	ask(&x, NULL);
	expect_i64(&x.a, 0, "os", 10);
	assert_false(answer_is_set(&x.a, 0, "api"));
	assert_false(answer_is_set(&x.a, 0, "sync"));
	assert_false(answer_is_set(&x.a, 0, "launches"));
	assert_false(answer_is_set(&x.a, 0, "on_cpu"));
	assert_false(answer_is_set(&x.a, 0, "nvtx_self"));
	asked_release(&x);
}

static void what_was_recorded_of_others_is_zero(void **state)
{
	struct asked x;

	(void)state;
	asked_init(&x, "threads");
	mem_osrt(&x.mem, &(struct mem_call){ .start = 5, .end = 15, .tid = 2 });
	mem_sched(&x.mem, 10, 0, 2, true);
	call(&x, 0, 1, 2, "cudaMalloc");
	range(&x, 0, 4, WL_NVTX_PUSH_POP);
	ask(&x, NULL);
	expect_i64(&x.a, 0, "tid", 2);
	expect_i64(&x.a, 0, "nvtx_self", 0);
	expect_i64(&x.a, 1, "tid", 1);
	expect_i64(&x.a, 1, "api", 0);
	expect_i64(&x.a, 1, "sync", 0);
	/* Without an operation it is not known what a call launched. */
	assert_false(answer_is_set(&x.a, 1, "launches"));
	expect_i64(&x.a, 1, "os", 0);
	expect_i64(&x.a, 1, "on_cpu", 0);
	asked_release(&x);
}

static void self_time_leaves_out_the_union_of_the_children(void **state)
{
	struct asked x;

	(void)state;
	asked_init(&x, "threads");
	range(&x, 0, 100, WL_NVTX_PUSH_POP);
	range(&x, 10, 40, WL_NVTX_PUSH_POP);
	range(&x, 30, 60, WL_NVTX_PUSH_POP); /* crosses its sibling */
	range(&x, 20, 25, WL_NVTX_PUSH_POP);
	range(&x, 0, 500, WL_NVTX_START_END); /* never counts */
	ask(&x, NULL);
	expect_i64(&x.a, 0, "nvtx_self", 50 + 25 + 30 + 5);
	ask_window(&x, 20, 50);
	expect_i64(&x.a, 0, "nvtx_self", 0 + 15 + 20 + 5);
	ask_window(&x, 300, 400); /* only the start/end range is there */
	assert_int_equal(x.a.table.n_rows, 1);
	expect_i64(&x.a, 0, "nvtx_self", 0);
	asked_release(&x);
}

static void launches_count_where_they_start(void **state)
{
	struct asked x;

	(void)state;
	asked_init(&x, "threads");
	for (unsigned i = 1; i <= 3; i++) {
		mem_api(&x.mem, &(struct mem_call){ .start = 10 * (wl_ns)i,
						    .end = 10 * (wl_ns)i + 15,
						    .tid = 1,
						    .corr = i });
		mem_op(&x.mem, WL_F_KERNELS,
		       &(struct mem_op){ .start = 100, .end = 101, .corr = i % 3 + 1 });
		mem_op(&x.mem, WL_F_MEMSETS,
		       &(struct mem_op){ .start = 100, .end = 101, .corr = i });
	}
	mem_api(&x.mem, &(struct mem_call){ .start = 22, .end = 23, .tid = 1, .corr = 9 });
	ask(&x, NULL);
	expect_i64(&x.a, 0, "launches", 3);
	ask_window(&x, 20, 30);
	expect_i64(&x.a, 0, "launches", 1);
	asked_release(&x);
}

/* The heading shows the time from the first call or range to the last. */
static void what_runs_outside_the_window_shown_does_not_count(void **state)
{
	struct asked x;

	(void)state;
	asked_init(&x, "threads");
	x.mem.build.duration = 1000;
	call(&x, 100, 110, 1, "cudaMalloc");
	range(&x, 150, 200, WL_NVTX_PUSH_POP);
	mem_sched(&x.mem, 0, 0, 1, true);
	mem_sched(&x.mem, 120, 0, 1, false);
	mem_sched(&x.mem, 190, 0, 1, true); /* to the end of the trace */
	ask(&x, NULL);
	expect_i64(&x.a, 0, "on_cpu", 20 + 10);
	ask_window(&x, 0, 1000);
	expect_i64(&x.a, 0, "on_cpu", 120 + 810);
	asked_release(&x);
}

static void a_thread_runs_from_one_row_to_the_next(void **state)
{
	struct asked x;

	(void)state;
	asked_init(&x, "threads");
	x.mem.build.duration = 80;
	call(&x, 0, 1, 1, "cudaMalloc");
	call(&x, 0, 100, 2, "cudaMalloc"); /* later than the capture's duration */
	mem_sched(&x.mem, 10, 0, 1, true);
	mem_sched(&x.mem, 20, 0, 1, true); /* without a row that switches it out */
	mem_sched(&x.mem, 30, 0, 1, false);
	mem_sched(&x.mem, 50, 0, 1, true);
	mem_sched(&x.mem, 60, 0, 1, true); /* at one time: out, then in, however they come */
	mem_sched(&x.mem, 60, 0, 1, false);
	mem_sched(&x.mem, 95, 0, 1, false);
	mem_sched(&x.mem, 95, 0, 1, true); /* and in to the end of the trace */
	mem_sched(&x.mem, 0, 0, 3, true);  /* a thread of which nothing else is known */
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 2);
	expect_i64(&x.a, 0, "tid", 2);
	expect_i64(&x.a, 0, "on_cpu", 0);
	expect_i64(&x.a, 1, "on_cpu", 20 + 10 + 35 + 5);
	ask_window(&x, 15, 55); /* it did nothing else there */
	assert_int_equal(x.a.table.n_rows, 2);
	expect_i64(&x.a, 1, "on_cpu", 15 + 5);
	ask_window(&x, 35, 45);
	assert_int_equal(x.a.table.n_rows, 1);
	asked_release(&x);
}

static void the_last_row_after_the_end_lasts_nothing(void **state)
{
	struct asked x;

	(void)state;
	asked_init(&x, "threads");
	call(&x, 0, 1, 1, "cudaMalloc");
	mem_sched(&x.mem, 10, 0, 1, true);
	ask(&x, NULL);
	expect_i64(&x.a, 0, "on_cpu", 0);
	asked_release(&x);
}

static void each_process_has_its_window(void **state)
{
	struct asked x;

	(void)state;
	asked_init(&x, "threads");
	for (unsigned pid = 1; pid <= 3; pid++)
		mem_api(&x.mem, &(struct mem_call){ .start = 0, .end = 100, .pid = pid });
	ask_window(&x, 10, 30);
	assert_int_equal(x.a.table.n_rows, 3);
	x.scope.process[1] = (struct wl_interval){ 90, 200 };
	x.scope.process_on[2] = false;
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 2);
	expect_i64(&x.a, 0, "api", 20);
	expect_i64(&x.a, 1, "api", 10);
	expect_i64(&x.a, 1, "pid", 2);
	asked_release(&x);
}

static void hostile_self_times_stop_at_the_largest_number(void **state)
{
	struct asked x;

	(void)state;
	asked_init(&x, "threads");
	for (int i = 0; i < 6; i++)
		range(&x, -WL_TIME_MAX + i, WL_TIME_MAX - 6 + i, WL_NVTX_PUSH_POP);
	ask(&x, NULL);
	expect_i64(&x.a, 0, "nvtx_self", INT64_MAX);
	asked_release(&x);
}

TEST_MAIN(threads)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_are_unions),
		cmocka_unit_test(what_was_not_recorded_is_not_zero),
		cmocka_unit_test(what_was_recorded_of_others_is_zero),
		cmocka_unit_test(self_time_leaves_out_the_union_of_the_children),
		cmocka_unit_test(launches_count_where_they_start),
		cmocka_unit_test(what_runs_outside_the_window_shown_does_not_count),
		cmocka_unit_test(a_thread_runs_from_one_row_to_the_next),
		cmocka_unit_test(the_last_row_after_the_end_lasts_nothing),
		cmocka_unit_test(each_process_has_its_window),
		cmocka_unit_test(hostile_self_times_stop_at_the_largest_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
