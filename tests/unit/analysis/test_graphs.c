/* SPDX-License-Identifier: MIT */
#include "analysis/analysis.h"

#include <string.h>

#include "support/answer.h"
#include "support/unit.h"

static void replay(struct asked *x, wl_ns start, wl_ns end, unsigned device, unsigned corr)
{
	MEM_OP(&x->mem, WL_F_GRAPHS, .start = start, .end = end, .device = device, .corr = corr);
}

static void kernel(struct asked *x, wl_ns start, wl_ns end, unsigned corr)
{
	MEM_OP(&x->mem, WL_F_KERNELS, .start = start, .end = end, .corr = corr);
}

static void call(struct asked *x, wl_ns start, unsigned corr, const char *name)
{
	MEM_API(&x->mem, .start = start, .end = start + 5, .corr = corr, .name = name);
}

TEST(a_trace_without_graphs_says_so)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "graphs"));

	kernel(&x, 0, 10, 1);
	call(&x, -10, 1, "cudaLaunchKernel");
	assert_non_null(strstr(ask_in_vain(&x), "the trace has no CUDA graphs"));
}

TEST(replays_recorded_whole)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "graphs"));

	replay(&x, 0, 10, 0, 1);
	replay(&x, 5, 20, 0, 2);
	replay(&x, 30, 40, 0, 2);
	replay(&x, 0, 100, 1, 3);
	call(&x, -10, 1, "cudaGraphLaunch");
	call(&x, -5, 2, "cudaGraphLaunch");
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 2);
	expect_cells(&x.a, 0, "device=1; busy=100; launches=0; replays=1");
	assert_false(answer_is_set(&x.a, 0, "coverage"));
	assert_false(answer_is_set(&x.a, 0, "graph"));
	expect_cells(&x.a, 1, "busy=30; launches=2; replays=3");
	assert_false(answer_is_set(&x.a, 1, "nodes_per_replay"));
	assert_true(answer_f64(&x.a, 1, "coverage") == 1.5);
	assert_true(answer_has_note(&x.a, "mode graph"));
	ask_window(&x, 8, 35);
	expect_i64(&x.a, 1, "busy", 12 + 5);
	expect_i64(&x.a, 1, "replays", 3);
}

TEST(nodes_are_known_by_their_launch)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "graphs"));

	kernel(&x, 0, 10, 1);
	kernel(&x, 20, 30, 2);
	kernel(&x, 25, 35, 1);
	kernel(&x, 40, 50, 3);
	MEM_OP(&x.mem, WL_F_MEMSETS, .start = 60, .end = 70, .corr = 2);
	call(&x, -10, 1, "cudaGraphLaunch");
	call(&x, -5, 2, "cuGraphLaunch");
	call(&x, -1, 3, "cudaLaunchKernel");
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 1);
	expect_cells(&x.a, 0, "launches=2; replays=2");
	assert_true(answer_f64(&x.a, 0, "nodes_per_replay") == 2.0);
	expect_i64(&x.a, 0, "busy", 10 + 15 + 10);
	assert_true(answer_has_note(&x.a, "mode node"));
}

/* The graph's number is the upper half of a node's; 0 is no node. */
TEST(nodes_tell_their_graph)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "graphs"));
	static const uint64_t nodes[] = { 0, UINT64_C(5) << 32 | 3, UINT64_C(5) << 32 | 4 };

	for (size_t i = 0; i < WL_COUNT(nodes); i++) {
		struct wl_vec *node = &x.mem.build.column[WL_KERNELS_NODE];

		kernel(&x, 20 * (wl_ns)i, 20 * (wl_ns)i + 10, i ? 2 : 1);
		((uint64_t *)node->data)[node->n - 1] = nodes[i];
	}
	call(&x, -10, 1, "cudaLaunchKernel");
	call(&x, -5, 2, "cudaGraphLaunch");
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 1);
	expect_cells(&x.a, 0, "graph=5; launches=1; replays=1");
	assert_true(answer_f64(&x.a, 0, "nodes_per_replay") == 2.0);
	expect_i64(&x.a, 0, "busy", 20);
}

/* A driver call with the id of a runtime call that has operations is no launch of its own. */
TEST(launches_that_left_nothing)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "graphs"));

	kernel(&x, 0, 10, 1);
	call(&x, -10, 1, "cudaGraphLaunch");
	call(&x, -9, 1, "cuGraphLaunch");
	call(&x, 20, 2, "cudaGraphLaunch");
	call(&x, 30, 0, "cudaGraphLaunch");
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 2);
	assert_false(answer_is_set(&x.a, 1, "device"));
	expect_cells(&x.a, 1, "pid=100; launches=2; replays=0; busy=0");
	assert_true(answer_f64(&x.a, 1, "coverage") == 0);
	ask_window(&x, 0, 25);
	expect_i64(&x.a, 1, "launches", 1);
	x.scope.process_on[0] = false;
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 1);
}
