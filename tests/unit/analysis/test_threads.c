/* SPDX-License-Identifier: MIT */
/* The verb threads, and through it derive/use/thread_use.c. */
#include "analysis/analysis.h"

#include "known/exports/codes.h"
#include "support/answer.h"
#include "support/unit.h"

static void call(struct asked *x, wl_ns start, wl_ns end, unsigned tid, const char *name)
{
	MEM_API(&x->mem, .start = start, .end = end, .tid = tid, .name = name);
}

static void range(struct asked *x, wl_ns start, wl_ns end, uint8_t kind)
{
	MEM_NVTX(&x->mem, .start = start, .end = end, .tid = 1, .kind = kind, .name = "r");
}

TEST(times_are_unions)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "threads"));

	call(&x, 0, 100, 1, "cudaMemcpy");
	call(&x, 10, 20, 1, "cuMemcpyHtoD_v2"); /* inside the other */
	call(&x, 90, 120, 1, "cudaMalloc");
	MEM_OSRT(&x.mem, .start = 5, .end = 15, .tid = 1);
	MEM_OSRT(&x.mem, .start = 10, .end = 30, .tid = 1);
	MEM_OSRT(&x.mem, .start = 10, .end = 30, .tid = 2);
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 2);
	expect_cells(&x.a, 0, "api=120; sync=100; os=25");
	expect_cells(&x.a, 1, "tid=2; os=20");
	assert_false(answer_is_set(&x.a, 0, "on_cpu"));
	ask_window(&x, 95, 110);
	assert_int_equal(x.a.table.n_rows, 1);
	expect_cells(&x.a, 0, "api=15; sync=5");
}

TEST(what_was_not_recorded_is_not_zero)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "threads"));

	MEM_OSRT(&x.mem, .start = 5, .end = 15, .tid = 1);
	ask(&x, NULL);
	expect_i64(&x.a, 0, "os", 10);
	assert_false(answer_is_set(&x.a, 0, "api"));
	assert_false(answer_is_set(&x.a, 0, "sync"));
	assert_false(answer_is_set(&x.a, 0, "launches"));
	assert_false(answer_is_set(&x.a, 0, "on_cpu"));
	assert_false(answer_is_set(&x.a, 0, "nvtx_self"));
}

TEST(what_was_recorded_of_others_is_zero)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "threads"));

	MEM_OSRT(&x.mem, .start = 5, .end = 15, .tid = 2);
	mem_sched(&x.mem, 10, 0, 2, true);
	call(&x, 0, 1, 2, "cudaMalloc");
	range(&x, 0, 4, WL_NVTX_PUSH_POP);
	ask(&x, NULL);
	expect_cells(&x.a, 0, "tid=2; nvtx_self=0");
	expect_cells(&x.a, 1, "tid=1; api=0; sync=0");
	/* Without an operation it is not known what a call launched. */
	assert_false(answer_is_set(&x.a, 1, "launches"));
	expect_cells(&x.a, 1, "os=0; on_cpu=0");
}

TEST(self_time_leaves_out_the_union_of_the_children)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "threads"));

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
}

TEST(launches_count_where_they_start)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "threads"));

	for (unsigned i = 1; i <= 3; i++) {
		MEM_API(&x.mem, .start = 10 * (wl_ns)i, .end = 10 * (wl_ns)i + 15, .tid = 1,
			.corr = i);
		MEM_OP(&x.mem, WL_F_KERNELS, .start = 100, .end = 101, .corr = i % 3 + 1);
		MEM_OP(&x.mem, WL_F_MEMSETS, .start = 100, .end = 101, .corr = i);
	}
	MEM_API(&x.mem, .start = 22, .end = 23, .tid = 1, .corr = 9);
	ask(&x, NULL);
	expect_i64(&x.a, 0, "launches", 3);
	ask_window(&x, 20, 30);
	expect_i64(&x.a, 0, "launches", 1);
}

/* The heading shows the time from the first call or range to the last. */
TEST(what_runs_outside_the_window_shown_does_not_count)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "threads"));

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
}

TEST(a_thread_runs_from_one_row_to_the_next)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "threads"));

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
	expect_cells(&x.a, 0, "tid=2; on_cpu=0");
	expect_i64(&x.a, 1, "on_cpu", 20 + 10 + 35 + 5);
	ask_window(&x, 15, 55); /* it did nothing else there */
	assert_int_equal(x.a.table.n_rows, 2);
	expect_i64(&x.a, 1, "on_cpu", 15 + 5);
	ask_window(&x, 35, 45);
	assert_int_equal(x.a.table.n_rows, 1);
}

TEST(the_last_row_after_the_end_lasts_nothing)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "threads"));

	call(&x, 0, 1, 1, "cudaMalloc");
	mem_sched(&x.mem, 10, 0, 1, true);
	ask(&x, NULL);
	expect_i64(&x.a, 0, "on_cpu", 0);
}

TEST(each_process_has_its_window)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "threads"));

	for (unsigned pid = 1; pid <= 3; pid++)
		MEM_API(&x.mem, .start = 0, .end = 100, .pid = pid);
	ask_window(&x, 10, 30);
	assert_int_equal(x.a.table.n_rows, 3);
	x.scope.process[1] = (struct wl_interval){ 90, 200 };
	x.scope.process_on[2] = false;
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 2);
	expect_i64(&x.a, 0, "api", 20);
	expect_cells(&x.a, 1, "api=10; pid=2");
}

TEST(hostile_self_times_stop_at_the_largest_number)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "threads"));

	for (int i = 0; i < 6; i++)
		range(&x, -WL_TIME_MAX + i, WL_TIME_MAX - 6 + i, WL_NVTX_PUSH_POP);
	ask(&x, NULL);
	expect_i64(&x.a, 0, "nvtx_self", INT64_MAX);
}
