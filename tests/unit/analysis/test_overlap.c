/* SPDX-License-Identifier: MIT */
#include "analysis/analysis.h"

#include <string.h>

#include "known/exports/codes.h"
#include "support/answer.h"
#include "support/unit.h"

static void op(struct asked *x, enum wl_family_id family, wl_ns start, wl_ns end, unsigned device)
{
	MEM_OP(&x->mem, family, .start = start, .end = end, .device = device);
}

static void comm(struct asked *x, wl_ns start, wl_ns end)
{
	MEM_OP(&x->mem, WL_F_KERNELS, .start = start, .end = end, .name = "ncclDevKernel_X");
}

TEST(each_nanosecond_has_one_owner)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "overlap"));

	op(&x, WL_F_KERNELS, 0, 40, 0);
	comm(&x, 30, 60);
	op(&x, WL_F_MEMCPYS, 50, 80, 0);
	op(&x, WL_F_MEMSETS, 90, 100, 0);
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 1);
	expect_cells(&x.a, 0,
		     "window=100; compute=50; exposed_comm=20; exposed_copy=20; idle=10; busy=90; "
		     "kernel_busy=60; comm=30; overlapped_comm=10; copy=30; overlapped_copy=10");
	assert_true(answer_f64(&x.a, 0, "busy_share") == 0.9);
	assert_true(answer_f64(&x.a, 0, "overlap") == 10.0 / 30.0);
	assert_int_equal(x.a.table.n_notes, 2); /* no API calls and no NVTX were recorded */
	assert_true(answer_has_note(&x.a, "NVTX ranges and marks were not recorded"));
}

TEST(a_share_of_nothing_is_absent)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "overlap"));

	op(&x, WL_F_KERNELS, 5, 5, 0);
	ask(&x, NULL);
	expect_cells(&x.a, 0, "window=0; comm=0");
	assert_false(answer_is_set(&x.a, 0, "busy_share"));
	assert_false(answer_is_set(&x.a, 0, "overlap"));
}

TEST(devices_have_rows_of_their_own_unless_off)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "overlap"));

	op(&x, WL_F_KERNELS, 0, 10, 0);
	op(&x, WL_F_KERNELS, 5, 50, 1);
	op(&x, WL_F_MEMCPYS, 0, 100, 2);
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 3);
	expect_cells(&x.a, 0, "compute=10; idle=90");
	expect_i64(&x.a, 1, "compute", 45);
	expect_i64(&x.a, 2, "exposed_copy", 100);
	x.scope.device_on[1] = false;
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 2);
	expect_i64(&x.a, 1, "device", 2);
}

TEST(tiles_of_a_window_add_up)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "overlap"));
	static const char *const sums[] = { "window", "compute", "exposed_comm", "exposed_copy",
					    "idle",   "busy",    "comm",         "copy" };
	int64_t whole[WL_COUNT(sums)], tiles[WL_COUNT(sums)] = { 0 };

	op(&x, WL_F_KERNELS, 0, 40, 0);
	comm(&x, 30, 60);
	op(&x, WL_F_MEMCPYS, 50, 80, 0);
	op(&x, WL_F_MEMSETS, 90, 101, 0);
	ask(&x, NULL);
	for (size_t i = 0; i < WL_COUNT(sums); i++)
		whole[i] = answer_i64(&x.a, 0, sums[i]);
	for (wl_ns begin = 0; begin < 101; begin += 7) {
		ask_window(&x, begin, begin + 7 < 101 ? begin + 7 : 101);
		for (size_t i = 0; i < WL_COUNT(sums); i++)
			tiles[i] += answer_i64(&x.a, 0, sums[i]);
	}
	assert_memory_equal(tiles, whole, sizeof(whole));
}

TEST(graph_replays_hide_communication)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "overlap"));

	op(&x, WL_F_GRAPHS, 0, 10, 0);
	comm(&x, 20, 30);
	ask(&x, NULL);
	expect_cells(&x.a, 0, "compute=10; comm=10");
	assert_true(answer_has_note(&x.a, "lower bounds"));
	ask_window(&x, 0, 20); /* without communication that is seen, nothing is known of it */
	expect_cells(&x.a, 0, "compute=10; idle=10");
	assert_false(answer_is_set(&x.a, 0, "comm"));
	assert_false(answer_is_set(&x.a, 0, "exposed_comm"));
	assert_false(answer_is_set(&x.a, 0, "overlapped_comm"));
	assert_false(answer_is_set(&x.a, 0, "overlap"));
	ask_window(&x, 10, 30); /* and without replays all is */
	expect_i64(&x.a, 0, "exposed_comm", 10);
	assert_false(answer_has_note(&x.a, "lower bounds"));
}

TEST(copies_inside_nccl_calls_are_communication)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "overlap"));

	MEM_NVTX(&x.mem, .start = 0, .end = 9, .name = "ncclAllGather");
	MEM_API(&x.mem, .start = 1, .end = 2, .corr = 5);
	MEM_OP(&x.mem, WL_F_MEMCPYS, .start = 10, .end = 20, .corr = 5, .kind = WL_COPY_P2P);
	op(&x, WL_F_KERNELS, 30, 40, 0);
	ask(&x, NULL);
	expect_cells(&x.a, 0, "exposed_comm=10; copy=0; kernel_busy=10");
	assert_true(answer_has_note(&x.a, "1 copies inside NCCL calls count as communication"));
	ask_window(&x, 25, 40);
	assert_int_equal(x.a.table.n_notes, 0);
}

static const char *const by_stream[WL_MAX_PARAMS] = { "stream" };
static const char *const by_stage[WL_MAX_PARAMS] = { "stage" };
static const char *const by_iteration[WL_MAX_PARAMS] = { "iteration" };

static void launched(struct asked *x, wl_ns call, unsigned corr, const struct mem_op *op)
{
	struct mem_op copy = *op;

	copy.corr = corr;
	MEM_API(&x->mem, .start = call, .end = call + 1, .pid = op->pid, .corr = corr);
	mem_op(&x->mem, WL_F_KERNELS, &copy);
}

/* Two kernels of one stream at once: the union counts their common time once, the sum twice. */
TEST(exposed_is_a_union_and_exposed_sum_a_sum)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "overlap"));

	op(&x, WL_F_KERNELS, 0, 10, 0);
	MEM_OP(&x.mem, WL_F_KERNELS, .start = 5, .end = 25, .stream = 20, .name = "ncclX");
	MEM_OP(&x.mem, WL_F_KERNELS, .start = 15, .end = 35, .stream = 20, .name = "ncclY");
	ask(&x, NULL);
	expect_cells(&x.a, 0, "exposed_comm=25; exposed_sum=35");
	assert_true(answer_f64(&x.a, 0, "overlap_min") == 0.0);
	assert_true(answer_f64(&x.a, 0, "overlap_max") == 0.25);
	ask(&x, by_stream);
	assert_int_equal(x.a.table.n_rows, 3);
	expect_i64(&x.a, 0, "stream", 20); /* the most exposed first */
	expect_cells(&x.a, 0,
		     "comm=30; comm_sum=40; comm_calls=2; exposed=25; exposed_sum=35; "
		     "overlapped_comm=5");
	assert_true(answer_f64(&x.a, 0, "overlap") == 5.0 / 30.0);
	expect_i64(&x.a, 0, "total", 0);
	expect_cells(&x.a, 1, "stream=7; compute=10");
	expect_cells(&x.a, 2, "total=1; exposed=25");
	assert_false(answer_is_set(&x.a, 2, "stream"));
}

/* Streams that are exposed at once do not add up; the row of the device is not their sum. */
TEST(groups_need_not_add_up)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "overlap"));

	for (unsigned stream = 20; stream < 23; stream++)
		MEM_OP(&x.mem, WL_F_KERNELS, .start = 0, .end = 10, .stream = stream,
		       .name = "ncclX");
	MEM_OP(&x.mem, WL_F_MEMCPYS, .start = 5, .end = 12, .stream = 8);
	MEM_OP(&x.mem, WL_F_MEMCPYS, .start = 0, .end = 4, .stream = UINT32_MAX);
	ask(&x, by_stream);
	assert_int_equal(x.a.table.n_rows, 6);
	for (size_t i = 0; i < 3; i++)
		expect_i64(&x.a, i, "exposed", 10);
	expect_cells(&x.a, 3, "stream=8; copy=7; exposed_copy=2");
	assert_false(answer_is_set(&x.a, 4, "stream")); /* no stream was told */
	assert_true(answer_is_set(&x.a, 4, "pid"));
	expect_cells(&x.a, 5, "exposed=10; exposed_sum=30");
}

TEST(stages_are_those_of_the_launch)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "overlap"));

	MEM_NVTX(&x.mem, .start = 0, .end = 10, .name = "dispatch 1");
	MEM_NVTX(&x.mem, .start = 20, .end = 30, .name = "dispatch 2");
	MEM_NVTX(&x.mem, .start = 40, .end = 50, .name = "(none)");
	launched(&x, 1, 1, &(struct mem_op){ .start = 100, .end = 110, .name = "ncclX" });
	launched(&x, 21, 2, &(struct mem_op){ .start = 200, .end = 220, .name = "ncclX" });
	launched(&x, 41, 3, &(struct mem_op){ .start = 205, .end = 215, .name = "gemm" });
	launched(&x, 60, 4, &(struct mem_op){ .start = 300, .end = 330, .name = "ncclX" });
	ask(&x, by_stage);
	assert_int_equal(x.a.table.n_rows, 3);
	assert_string_equal(answer_str(&x.a, 0, "stage"), "(none)"); /* also of a range called so */
	expect_cells(&x.a, 0, "exposed=30; compute=10");
	expect_cells(&x.a, 1, "stage=dispatch #; exposed=20; comm_calls=2");
	assert_true(answer_f64(&x.a, 1, "overlap_min") == 0.0);
	assert_true(answer_f64(&x.a, 1, "overlap_max") == 0.5);
	assert_false(answer_is_set(&x.a, 1, "rank"));
	assert_int_equal(x.a.table.coverage[0].have, 2);
	assert_int_equal(x.a.table.coverage[0].of, 3);
}

TEST(ranks_of_one_device_are_groups_of_their_own)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "overlap"));

	MEM_NVTX(&x.mem, .start = 0, .end = 1, .pid = 1, .name = "rank=1;");
	MEM_NVTX(&x.mem, .start = 0, .end = 1, .pid = 2, .name = "rank=0;");
	for (unsigned pid = 1; pid <= 2; pid++) {
		MEM_NVTX(&x.mem, .start = 5, .end = 20, .pid = pid, .name = "step");
		launched(&x, 6, 1,
			 &(struct mem_op){ .start = 30, .end = 40, .pid = pid, .name = "ncclX" });
	}
	ask(&x, by_stage);
	assert_int_equal(x.a.table.n_rows, 4); /* two devices that nothing proves to be one */
	expect_i64(&x.a, 0, "rank", 1);
	expect_i64(&x.a, 2, "rank", 0);
}

TEST(graph_replays_hide_the_communication_of_groups_too)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "overlap"));

	op(&x, WL_F_GRAPHS, 0, 10, 0);
	op(&x, WL_F_MEMCPYS, 5, 15, 0);
	ask(&x, by_stream);
	assert_int_equal(x.a.table.n_rows, 2);
	for (size_t i = 0; i < 2; i++) {
		expect_i64(&x.a, i, "exposed_copy", 5);
		assert_false(answer_is_set(&x.a, i, "comm"));
		assert_false(answer_is_set(&x.a, i, "exposed"));
		assert_false(answer_is_set(&x.a, i, "comm_calls"));
	}
}

/* A copy inside an NCCL call communicates, but says nothing of the kernels in a replay. */
TEST(a_copy_is_no_traced_communication_kernel)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "overlap"));

	MEM_NVTX(&x.mem, .start = 0, .end = 9, .name = "ncclAllGather");
	MEM_API(&x.mem, .start = 1, .end = 2, .corr = 5);
	MEM_OP(&x.mem, WL_F_MEMCPYS, .start = 10, .end = 20, .corr = 5, .kind = WL_COPY_P2P);
	op(&x, WL_F_GRAPHS, 30, 40, 0);
	ask(&x, NULL);
	expect_i64(&x.a, 0, "compute", 10);
	assert_false(answer_is_set(&x.a, 0, "comm"));
	ask(&x, by_stream);
	assert_int_equal(x.a.table.n_rows, 2);
	for (size_t i = 0; i < 2; i++) {
		expect_i64(&x.a, i, "compute", 10);
		assert_false(answer_is_set(&x.a, i, "comm"));
		assert_false(answer_is_set(&x.a, i, "exposed"));
	}
}

/* Steps of 100 ns with a kernel and a collective each, 4 of them, and a kernel before. */
static void put_steps(struct asked *x)
{
	launched(x, 0, 1, &(struct mem_op){ .start = 5, .end = 15, .name = "setup" });
	for (unsigned i = 0; i < 4; i++) {
		wl_ns at = 100 + 100 * (wl_ns)i;

		MEM_NVTX(&x->mem, .start = at, .end = at + 90, .name = "step");
		launched(x, at + 1, 2 + 2 * i,
			 &(struct mem_op){ .start = at + 10, .end = at + 60, .name = "gemm" });
		launched(x, at + 3, 3 + 2 * i,
			 &(struct mem_op){
				 .start = at + 40, .end = at + 80, .stream = 20, .name = "ncclX" });
	}
}

TEST(iterations_and_the_rest_add_up)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "overlap"));
	int64_t sum = 0;

	put_steps(&x);
	ask(&x, by_iteration);
	assert_int_equal(x.a.table.n_rows, 5);
	for (size_t i = 0; i < 4; i++) {
		expect_i64(&x.a, i, "iter", (int64_t)i);
		expect_i64(&x.a, i, "window", i < 3 ? 100 : 70);
		expect_cells(&x.a, i, "compute=50; exposed_comm=20; exposed_sum=20");
		assert_true(answer_f64(&x.a, i, "overlap_max") == 0.5);
	}
	assert_false(answer_is_set(&x.a, 4, "iter"));
	expect_cells(&x.a, 4, "window=105; compute=10");
	for (size_t i = 0; i < 5; i++)
		sum += answer_i64(&x.a, i, "window");
	assert_int_equal(sum, 475);
}

/* So that the rows of every device add up to it. */
TEST(a_device_without_iterations_is_one_row)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "overlap"));

	put_steps(&x);
	MEM_OP(&x.mem, WL_F_KERNELS, .start = 10, .end = 30, .pid = 300, .device = 1);
	ask(&x, by_iteration);
	expect_i64(&x.a, x.a.table.n_rows - 1, "device", 1);
	expect_i64(&x.a, x.a.table.n_rows - 1, "pid", 300);
	assert_false(answer_is_set(&x.a, x.a.table.n_rows - 1, "iter"));
	expect_i64(&x.a, x.a.table.n_rows - 1, "compute", 20);
	assert_int_equal(answer_i64(&x.a, x.a.table.n_rows - 1, "idle"),
			 answer_i64(&x.a, x.a.table.n_rows - 1, "window") - 20);
	expect_i64(&x.a, x.a.table.n_rows - 2, "device", 0);
}

TEST(a_graph_replay_over_several_iterations_is_noted_as_one)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "overlap"));

	put_steps(&x);
	MEM_OP(&x.mem, WL_F_GRAPHS, .start = 150, .end = 350, .stream = 9);
	ask(&x, by_iteration);
	assert_true(answer_has_note(&x.a, "1 CUDA graph replays count as compute"));
}

/* A window cuts iterations, and does not change which there are. */
TEST(a_window_cuts_iterations)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "overlap"));
	static const char *const *args = by_iteration;

	put_steps(&x);
	ask(&x, args);
	mem_scope_window(&x.scope, x.q.trace, 250, 320);
	ask(&x, args);
	assert_int_equal(x.a.table.n_rows, 2);
	expect_cells(&x.a, 0, "iter=1; window=60; compute=10");
	expect_cells(&x.a, 1, "iter=2; window=10");
}

/* Every budget is too small, and says so, or enough. */
TEST(iterations_keep_to_a_budget)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "overlap"));
	struct answer some;
	struct question q;

	put_steps(&x);
	ask(&x, by_iteration);
	q = x.q;
	q.args = by_iteration;
	for (size_t budget = 0;; budget += 512) {
		answer_within(&some, &q, budget);
		if (some.status == WL_OK)
			break;
		assert_int_equal(some.status, WL_E_NOMEM);
		answer_release(&some);
	}
	assert_true(answer_equals(&some, &x.a));
	answer_release(&some);
}

TEST(without_iterations_there_is_no_answer_by_them)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "overlap"));

	op(&x, WL_F_KERNELS, 0, 10, 0);
	x.q.args = by_iteration;
	assert_non_null(strstr(ask_in_vain(&x), "no iterations"));
}
