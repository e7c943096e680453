/* SPDX-License-Identifier: MIT */
#include "derive/idle/launch_times.h"

#include <string.h>

#include "support/answer.h"
#include "support/unit.h"

static void kernel(struct asked *x, const char *name, wl_ns start, wl_ns end, unsigned corr)
{
	MEM_OP(&x->mem, WL_F_KERNELS, .start = start, .end = end, .corr = corr, .name = name);
}

static void call(struct asked *x, wl_ns start, wl_ns end, unsigned corr)
{
	MEM_API(&x->mem, .start = start, .end = end, .corr = corr);
}

TEST(each_launch_has_three_times)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "launch"));

	kernel(&x, "k", 100, 200, 1);
	kernel(&x, "k", 200, 300, 2);
	kernel(&x, "k", 305, 400, 3);
	kernel(&x, "lost", 400, 500, 4);
	call(&x, 0, 10, 1);
	call(&x, 10, 40, 2);
	call(&x, 290, 310, 3);
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 2);
	expect_cells(&x.a, 0,
		     "name=k; calls=3; launched=3; api_sum=60; api_avg=20; api_p50=20; api_min=10; "
		     "api_max=30; api_stddev=10; queued=2");
	expect_i64(&x.a, 0, "queue_sum", 90 + 160);
	expect_i64(&x.a, 0, "latency_sum", 100 + 190 + 15);
	expect_cells(&x.a, 0, "latency_p50=100; negative=0; exposed_launch=5");
	expect_cells(&x.a, 1, "launched=0; queued=0");
	assert_false(answer_is_set(&x.a, 1, "api_sum"));
	assert_false(answer_is_set(&x.a, 1, "latency_p50"));
	assert_true(x.a.table.coverage[0].have == 3 && x.a.table.coverage[0].of == 4);
	assert_false(answer_has_note(&x.a, "NVTX"));
}

/* What the launch calls took in all is what the rows add up to. */
TEST(a_graph_launch_counts_once)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "launch"));

	kernel(&x, "a", 100, 200, 1);
	mem_op(&x.mem, WL_F_KERNELS, /* the first, by its stream */
	       &(struct mem_op){ .start = 100, .end = 250, .stream = 3, .corr = 1, .name = "b" });
	kernel(&x, "b", 200, 300, 1);
	kernel(&x, "b", 500, 600, 2); /* the next replay begins with another */
	kernel(&x, "a", 700, 800, 2);
	kernel(&x, "a", 900, 950, 3); /* by itself */
	MEM_API(&x.mem, .start = 0, .end = 50, .corr = 1, .name = "cudaGraphLaunch");
	MEM_API(&x.mem, .start = 300, .end = 320, .corr = 2, .name = "cudaGraphLaunch");
	call(&x, 830, 840, 3);
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 2);
	expect_cells(&x.a, 0, "name=b; calls=3; launched=3; later_nodes=1");
	expect_i64(&x.a, 0, "api_sum", 50 + 20);
	expect_i64(&x.a, 0, "queue_sum", 50 + 180);
	expect_cells(&x.a, 1,
		     "name=a; calls=3; later_nodes=2; api_sum=10; queued=1; queue_sum=60; "
		     "latency_sum=70; latency_avg=70");
	assert_true(answer_has_note(&x.a, "3 later nodes"));
}

/* Which node is the first does not depend on what is shown. */
TEST(a_window_does_not_make_a_later_node_the_first)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "launch"));

	kernel(&x, "a", 100, 200, 1);
	kernel(&x, "a", 300, 400, 1);
	call(&x, 0, 50, 1);
	ask_window(&x, 250, 400);
	expect_cells(&x.a, 0, "calls=1; later_nodes=1");
	assert_false(answer_is_set(&x.a, 0, "api_sum"));
}

TEST(a_latency_of_nothing_is_not_negative)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "launch"));

	kernel(&x, "k", 100, 200, 1);
	call(&x, 100, 110, 1);
	ask(&x, NULL);
	expect_cells(&x.a, 0, "latency_sum=0; negative=0");
	assert_false(answer_has_note(&x.a, "before their launch call"));
}

TEST(latencies_may_be_negative)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "launch"));

	kernel(&x, "k", 100, 200, 1);
	kernel(&x, "k", 200, 300, 2);
	kernel(&x, "k", 300, 400, 3);
	kernel(&x, "k", 400, 500, 4);
	call(&x, 107, 110, 1);
	call(&x, 203, 210, 2);
	call(&x, 301, 310, 3);
	call(&x, 399, 400, 4);
	ask(&x, NULL);
	expect_i64(&x.a, 0, "latency_sum", -10);
	expect_i64(&x.a, 0, "latency_avg", -3); /* -2.5, away from 0 */
	expect_cells(&x.a, 0,
		     "latency_p50=-3; latency_p90=1; latency_min=-7; latency_max=1; "
		     "latency_stddev=3; negative=3; queued=1");
	assert_true(answer_has_note(&x.a, "3 kernels start before their launch call"));
}

/* The window ends inside the launch call of a kernel that is not in it. */
TEST(a_name_may_only_end_a_gap)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "launch"));

	kernel(&x, "first", 0, 100, 1);
	kernel(&x, "second", 500, 600, 2);
	call(&x, -20, -10, 1);
	call(&x, 200, 400, 2);
	ask_window(&x, 50, 300);
	assert_int_equal(x.a.table.n_rows, 2);
	expect_cells(&x.a, 0, "name=second; calls=0; exposed_launch=100");
	/* Times are those of the whole kernel and call. */
	expect_cells(&x.a, 1, "calls=1; latency_sum=20");
}

/* Distances of 2^62 must not overflow; each name is on its own. */
TEST(extreme_times)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "launch"));

	kernel(&x, "a", -WL_TIME_MAX, -WL_TIME_MAX, 1);
	kernel(&x, "a", WL_TIME_MAX, WL_TIME_MAX, 2);
	kernel(&x, "b", 10, 20, 3);
	call(&x, WL_TIME_MAX, WL_TIME_MAX, 1);
	call(&x, -WL_TIME_MAX, -WL_TIME_MAX, 2);
	call(&x, 0, 5, 3);
	ask(&x, NULL);
	expect_cells(&x.a, 0, "name=b; latency_sum=10; exposed_launch=5");
	expect_i64(&x.a, 1, "latency_min", -2 * WL_TIME_MAX);
	expect_i64(&x.a, 1, "latency_sum", 0);
}

/* One call that four devices waited for, 2^62 each. */
TEST(exposed_time_of_several_devices_stops_at_the_largest_number)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "launch"));

	for (unsigned d = 0; d < 4; d++) {
		MEM_OP(&x.mem, WL_F_KERNELS, .start = -WL_TIME_MAX, .end = -WL_TIME_MAX,
		       .device = d);
		MEM_OP(&x.mem, WL_F_KERNELS, .start = WL_TIME_MAX - 1, .end = WL_TIME_MAX,
		       .device = d, .corr = 1, .name = "late");
	}
	call(&x, -WL_TIME_MAX, WL_TIME_MAX - 1, 1);
	ask(&x, NULL);
	assert_string_equal(answer_str(&x.a, 0, "name"), "late");
	expect_i64(&x.a, 0, "exposed_launch", INT64_MAX);
}

TEST(without_calls_or_kernels_there_is_no_answer)
{
	struct asked x;

	asked_init(&x, "launch");
	kernel(&x, "k", 0, 10, 1);
	assert_non_null(ask_in_vain(&x));
	asked_release(&x);
	asked_init(&x, "launch");
	MEM_OP(&x.mem, WL_F_GRAPHS, .start = 10, .end = 20, .corr = 1);
	MEM_OP(&x.mem, WL_F_GRAPHS, .start = 40, .end = 50, .corr = 2);
	call(&x, 0, 5, 1);
	call(&x, 20, 25, 2);
	ask(&x, (const char *const[WL_MAX_PARAMS]){ "device" });
	expect_cells(&x.a, 0, "launches=1; launches_per_second=1000");
	assert_false(answer_is_set(&x.a, 0, "short_5"));
	asked_release(&x);
}

/* Two launches in three milliseconds of activity. */
TEST(a_rate_is_rounded_to_the_nearest)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "launch"));

	kernel(&x, "k", 0, 1000001, 1);
	kernel(&x, "k", 2000000, 2000001, 2);
	call(&x, 10, 20, 1);
	call(&x, 20, 30, 2);
	ask(&x, (const char *const[WL_MAX_PARAMS]){ "device" });
	expect_cells(&x.a, 0, "launches=2; busy_bins=3; launches_per_second=667");
}

static void library(struct asked *x, wl_ns start, wl_ns end, const char *name)
{
	mem_library_call(&x->mem, WL_F_CUDNN,
			 &(struct mem_call){ .start = start, .end = end, .name = name }, NULL, 0);
}

TEST(kernels_are_grouped_by_the_library_call_that_launched)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "launch"));

	kernel(&x, "k", 100, 200, 1);
	kernel(&x, "k", 200, 300, 2);
	kernel(&x, "other", 300, 350, 3);
	kernel(&x, "k", 350, 400, 4); /* without a call */
	call(&x, 0, 10, 1);
	call(&x, 20, 30, 2);
	call(&x, 40, 60, 3);
	library(&x, 15, 65, "cudnnConvolutionForward");
	ask(&x, (const char *const[WL_MAX_PARAMS]){ "library" });
	assert_int_equal(x.a.table.n_rows, 2);
	assert_false(answer_is_set(&x.a, 0, "library")); /* equal times: more idle time or calls */
	expect_cells(&x.a, 0, "kernel_time=150; calls=2; launched=1");
	expect_cells(&x.a, 1,
		     "library=cuDNN; library_call=cudnnConvolutionForward; kernel_time=150; "
		     "calls=2; api_sum=30");
}

TEST(without_library_calls_there_are_no_groups)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "launch"));

	kernel(&x, "k", 100, 200, 1);
	call(&x, 0, 10, 1);
	library(&x, 20, 30, "cudnnCreate");
	x.q.args = (const char *const[WL_MAX_PARAMS]){ "library" };
	assert_non_null(strstr(ask_in_vain(&x), "openacc"));
}
