/* SPDX-License-Identifier: MIT */
#include "derive/idle/idle.h"

#include <stdio.h>
#include <string.h>

#include "known/exports/codes.h"
#include "support/answer.h"
#include "support/unit.h"

static void kernel(struct asked *x, wl_ns start, wl_ns end, unsigned corr)
{
	MEM_OP(&x->mem, WL_F_KERNELS, .start = start, .end = end, .corr = corr);
}

static void call(struct asked *x, wl_ns start, wl_ns end, unsigned corr, const char *name)
{
	MEM_API(&x->mem, .start = start, .end = end, .corr = corr, .name = name);
}

/* An OS call or a piece of overhead of a thread of pid 100. */
static void host_row(struct asked *x, enum wl_family_id family, wl_ns start, wl_ns end,
		     unsigned tid, const char *name)
{
	uint32_t thread = mem_thread(&x->mem, 100, tid), text = mem_string(&x->mem, name);

	if (family == WL_F_OSRT) {
		MEM_OSRT(&x->mem, start, end, .tid = tid, .name = name);
		return;
	}
	mem_row(&x->mem, family, start, end);
	mem_put(&x->mem, WL_OVERHEAD_THREAD, &thread);
	mem_put(&x->mem, WL_OVERHEAD_NAME, &text);
}

/* What a call of a thread of pid 100 spends time on. */
static void cost(struct asked *x, wl_ns start, wl_ns end, unsigned tid, const char *name)
{
	uint32_t thread = mem_thread(&x->mem, 100, tid), text = mem_string(&x->mem, name);

	mem_row(&x->mem, WL_F_CALL_COSTS, start, end);
	mem_put(&x->mem, WL_CALL_COSTS_THREAD, &thread);
	mem_put(&x->mem, WL_CALL_COSTS_NAME, &text);
	mem_put(&x->mem, WL_CALL_COSTS_KIND, &(uint8_t){ 0 });
}

static const char *const by_detail[] = { "detail" };

/* The row of a cause, and of a detail unless that is NULL. */
static wl_ns sum_of(const struct answer *a, const char *cause, const char *detail)
{
	wl_ns sum = 0;

	for (size_t i = 0; i < a->table.n_rows; i++) {
		if (strcmp(answer_str(a, i, "cause"), cause) == 0 &&
		    (!detail || strcmp(answer_str(a, i, "detail"), detail) == 0))
			sum += answer_i64(a, i, "sum");
	}
	return sum;
}

TEST(no_gap_is_no_row)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "idle"));

	kernel(&x, 0, 10, 1);
	kernel(&x, 10, 20, 2);
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 0);
}

TEST(without_calls_no_cause_is_known)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "idle"));

	kernel(&x, 0, 10, 1);
	kernel(&x, 15, 20, 2);
	ask(&x, by_detail);
	assert_int_equal(x.a.table.n_rows, 1);
	assert_true(sum_of(&x.a, "unknown", "no launch") == 5);
	assert_true(x.a.table.coverage[0].have == 0 && x.a.table.coverage[0].of == 1);
	assert_true(answer_has_note(&x.a, "CUDA API calls were not recorded"));
	assert_false(answer_has_note(&x.a, "profiler overhead"));
}

/* An operation of no length is a wall only where nothing else is beyond it. */
TEST(operations_without_length)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "gaps"));

	kernel(&x, 5, 5, 0);
	kernel(&x, 10, 20, 0);
	kernel(&x, 22, 22, 0);
	kernel(&x, 25, 30, 0);
	kernel(&x, 32, 32, 0);
	kernel(&x, 34, 34, 0);
	ask(&x, (const char *const[WL_MAX_PARAMS]){ "0" });
	assert_int_equal(x.a.table.n_rows, 3);
	expect_cells(&x.a, 0, "start=5; duration=5");
	expect_cells(&x.a, 1, "start=20; duration=5");
	expect_cells(&x.a, 2, "start=30; duration=4");
}

TEST(only_operations_without_length)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "gaps"));

	kernel(&x, 5, 5, 0);
	kernel(&x, 7, 7, 0);
	kernel(&x, 9, 9, 0);
	ask(&x, (const char *const[WL_MAX_PARAMS]){ "0" });
	assert_int_equal(x.a.table.n_rows, 1);
	expect_cells(&x.a, 0, "start=5; duration=4");
}

static void named(struct asked *x, wl_ns start, wl_ns end, unsigned stream, const char *name)
{
	MEM_OP(&x->mem, WL_F_KERNELS, .start = start, .end = end, .stream = stream, .name = name);
}

TEST(the_lowest_stream_stands_for_a_tie)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "gaps"));

	named(&x, 0, 10, 9, "a9");
	named(&x, 2, 10, 8, "a8");
	MEM_OP(&x.mem, WL_F_MEMSETS, .start = 10, .end = 10, .stream = 3);
	named(&x, 20, 30, 5, "b5");
	named(&x, 20, 40, 4, "b4 first");
	named(&x, 20, 25, 4, "b4 short");
	ask(&x, (const char *const[WL_MAX_PARAMS]){ "0" });
	assert_int_equal(x.a.table.n_rows, 1);
	expect_cells(&x.a, 0, "before=[CUDA memset]; after=b4 first");
	assert_false(answer_is_set(&x.a, 0, "tid"));
}

/* Two of one start end last: of these, too, the lowest stream stands before the gap. */
TEST(the_lowest_stream_stands_for_those_of_one_start)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "gaps"));

	named(&x, 0, 10, 9, "a9");
	named(&x, 0, 10, 8, "a8");
	named(&x, 0, 5, 7, "a7 short");
	named(&x, 20, 30, 5, "b");
	ask(&x, (const char *const[WL_MAX_PARAMS]){ "0" });
	assert_int_equal(x.a.table.n_rows, 1);
	assert_string_equal(answer_str(&x.a, 0, "before"), "a8");
}

TEST(a_queued_operation_waits)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "idle"));

	kernel(&x, 1000, 2000, 1);
	kernel(&x, 7000, 8000, 2);
	kernel(&x, 13001, 14000, 3);
	call(&x, 0, 10, 1, NULL);
	call(&x, 10, 2000, 2, NULL);
	call(&x, 2000, 2010, 3, NULL);
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 2);
	assert_true(sum_of(&x.a, "dispatch", NULL) == 5000);
	assert_true(sum_of(&x.a, "dependency", NULL) == 5001);
}

/* The table of causes, each with the outermost row of those around it. */
TEST(the_first_cause_that_fits)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "idle"));

	kernel(&x, 0, 100, 1);
	kernel(&x, 1000, 1100, 2);
	call(&x, 0, 5, 1, NULL);
	call(&x, 200, 300, 0, "cudaMalloc");
	call(&x, 250, 400, 0, "cuModuleLoadData");
	call(&x, 270, 290, 0, "cudaStreamSynchronize");
	call(&x, 275, 285, 0, "cudaMemcpy");
	call(&x, 350, 500, 0, "cudaEventQuery");
	call(&x, 480, 490, 0, "cudaGetDevice");
	host_row(&x, WL_F_OSRT, 450, 600, 0, "futex");
	host_row(&x, WL_F_OSRT, 460, 650, 0, "poll");
	host_row(&x, WL_F_OVERHEAD, 580, 590, 0, "instrumentation");
	host_row(&x, WL_F_OVERHEAD, 660, 670, 1, "instrumentation");
	host_row(&x, WL_F_OVERHEAD, 680, 690, 1, "Buffer FLUSH");
	MEM_NVTX(&x.mem, .start = 0, .end = 720, .name = "outer");
	MEM_NVTX(&x.mem, .start = 150, .end = 710, .name = "step 4");
	call(&x, 800, 900, 2, "cudaLaunchKernel");
	ask(&x, by_detail);
	assert_true(sum_of(&x.a, "alloc", "cudaMalloc") == 80);
	assert_true(sum_of(&x.a, "sync", "cudaStreamSynchronize") == 20);
	assert_true(sum_of(&x.a, "sync", NULL) == 20);
	assert_true(sum_of(&x.a, "load", "cuModuleLoadData") == 100);
	assert_true(sum_of(&x.a, "api", "cudaEventQuery") == 100);
	assert_true(sum_of(&x.a, "os", "futex") == 90);
	assert_true(sum_of(&x.a, "os", "poll") == 50);
	assert_true(sum_of(&x.a, "profiler", "instrumentation") == 10);
	assert_true(sum_of(&x.a, "profiler", "Buffer FLUSH") == 10);
	assert_true(sum_of(&x.a, "launch", "cudaLaunchKernel") == 100);
	assert_true(sum_of(&x.a, "latency", "cudaLaunchKernel") == 100);
	/* 100-150 and 710-720 in outer, 150-200 and 650-710 but the flush in step, 720-800 bare */
	assert_true(sum_of(&x.a, "host", NULL) == 240);
}

TEST(a_launch_call_that_waits_or_loads_is_not_the_cost_of_launching)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "idle"));

	kernel(&x, 0, 100, 1);
	kernel(&x, 20000, 20100, 2);
	call(&x, 0, 5, 1, NULL);
	call(&x, 50, 19000, 2, "cudaLaunchKernel");
	cost(&x, 60, 5000, 0, "Command Buffer Full");
	cost(&x, 4000, 4500, 0, "Lazy Function Loading"); /* inside the other */
	cost(&x, 6000, 9000, 0, "Lazy Function Loading");
	cost(&x, 9000, 9500, 1, "Command Buffer Full"); /* of another thread */
	cost(&x, 9600, 9700, 0, "CUPTI Buffer flush");
	ask(&x, by_detail);
	assert_true(sum_of(&x.a, "dependency", "Command Buffer Full") == 4900);
	assert_true(sum_of(&x.a, "load", "Lazy Function Loading") == 3000);
	assert_true(sum_of(&x.a, "profiler", "CUPTI Buffer flush") == 100);
	assert_true(sum_of(&x.a, "launch", "cudaLaunchKernel") == 18900 - 4900 - 3000 - 100);
	assert_true(sum_of(&x.a, "latency", NULL) == 1000);
}

TEST(without_such_rows_a_launch_call_is_the_cost_of_launching)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "idle"));

	kernel(&x, 0, 100, 1);
	kernel(&x, 20000, 20100, 2);
	call(&x, 50, 19000, 2, "cudaLaunchKernel");
	ask(&x, by_detail);
	assert_true(sum_of(&x.a, "launch", "cudaLaunchKernel") == 18900);
	assert_true(sum_of(&x.a, "dependency", NULL) == 0);
}

TEST(host_code_goes_by_the_innermost_range)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "idle"));

	kernel(&x, 0, 100, 1);
	kernel(&x, 200, 300, 2);
	call(&x, 0, 5, 1, NULL);
	call(&x, 200 - 1, 250, 2, NULL);
	MEM_NVTX(&x.mem, .start = 0, .end = 190, .name = "outer");
	MEM_NVTX(&x.mem, .start = 110, .end = 150, .name = "step 4");
	MEM_NVTX(&x.mem, .start = 140, .end = 160, .name = "crosses");
	MEM_NVTX(&x.mem, .start = 170, .end = 170, .name = "empty");
	host_row(&x, WL_F_OSRT, 0, 1, 0, "read");
	ask(&x, by_detail);
	assert_int_equal(x.a.table.n_rows, 5);
	expect_cells(&x.a, 0, "detail=outer; sum=40");
	assert_true(sum_of(&x.a, "launch", "cudaLaunchKernel") == 1);
	expect_cells(&x.a, 1, "detail=step #; sum=30");
	expect_cells(&x.a, 2, "detail=crosses; sum=20");
	assert_false(answer_is_set(&x.a, 3, "detail"));
	expect_i64(&x.a, 3, "sum", 9);
	assert_false(answer_has_note(&x.a, "count as host time"));
}

TEST(a_copy_to_pageable_memory_blocks)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "idle"));

	kernel(&x, 0, 100, 1);
	call(&x, 0, 5, 1, NULL);
	MEM_OP(&x.mem, WL_F_MEMCPYS, .start = 200, .end = 300, .corr = 2, .kind = 2, .dst = 0);
	call(&x, 150, 300, 2, "cudaMemcpyAsync");
	MEM_OP(&x.mem, WL_F_MEMCPYS, .start = 400, .end = 500, .corr = 3, .kind = 2, .dst = 1);
	call(&x, 350, 360, 3, "cudaMemcpyAsync");
	ask(&x, by_detail);
	assert_true(sum_of(&x.a, "sync", "cudaMemcpyAsync") == 50);
	assert_true(sum_of(&x.a, "launch", "cudaMemcpyAsync") == 10);
	assert_true(sum_of(&x.a, "latency", "cudaMemcpyAsync") == 40);
	assert_true(answer_has_note(&x.a, "count as host time"));
}

/* A graph that copies to pageable memory is launched, and nobody waits for it. */
TEST(only_a_copy_call_blocks)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "idle"));

	kernel(&x, 0, 100, 1);
	call(&x, 0, 5, 1, NULL);
	MEM_OP(&x.mem, WL_F_MEMCPYS, .start = 200, .end = 300, .corr = 2, .kind = 2, .dst = 0);
	call(&x, 150, 180, 2, "cudaGraphLaunch");
	ask(&x, by_detail);
	assert_true(sum_of(&x.a, "launch", "cudaGraphLaunch") == 30);
	assert_true(sum_of(&x.a, "latency", "cudaGraphLaunch") == 20);
	assert_true(sum_of(&x.a, "sync", NULL) == 0);
}

TEST(of_calls_that_start_together_the_longest_is_told)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "idle"));

	kernel(&x, 0, 100, 1);
	kernel(&x, 200, 300, 2);
	call(&x, 0, 5, 1, NULL);
	call(&x, 110, 130, 0, "cuMemAlloc");
	call(&x, 110, 150, 0, "cudaMalloc");
	call(&x, 190, 195, 2, NULL);
	ask(&x, by_detail);
	assert_true(sum_of(&x.a, "alloc", "cudaMalloc") == 40);
	assert_true(sum_of(&x.a, "alloc", NULL) == 40);
}

TEST(skewed_clocks_tell_nothing)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "idle"));

	kernel(&x, 0, 100, 1);
	kernel(&x, 200, 300, 2);
	kernel(&x, 400, 500, 3);
	call(&x, 50, 60, 1, NULL);
	call(&x, 250, 260, 2, NULL);
	call(&x, 310, 320, 3, NULL);
	host_row(&x, WL_F_OVERHEAD, 350, 360, 0, "x");
	ask(&x, by_detail);
	assert_int_equal(x.a.table.n_rows, 2);
	assert_true(sum_of(&x.a, "unknown", "skew") == 190);
	assert_true(sum_of(&x.a, "profiler", "x") == 10);
	assert_true(answer_has_note(&x.a, "clocks disagree"));
}

TEST(half_of_the_launches_late_is_no_skew)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "idle"));

	kernel(&x, 0, 100, 1);
	kernel(&x, 200, 300, 2);
	call(&x, 50, 60, 1, NULL);
	call(&x, 110, 120, 2, NULL);
	ask(&x, NULL);
	assert_true(sum_of(&x.a, "latency", NULL) == 80);
}

TEST(an_operation_at_the_start_of_its_call_is_not_late)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "idle"));

	kernel(&x, 0, 100, 1);
	kernel(&x, 200, 300, 2);
	kernel(&x, 400, 500, 3);
	call(&x, 0, 60, 1, NULL);
	call(&x, 200, 210, 2, NULL);
	call(&x, 390, 395, 3, NULL);
	ask(&x, by_detail);
	assert_false(answer_has_note(&x.a, "clocks disagree"));
	/* But a call that starts where the gap ends explains nothing of it. */
	assert_true(sum_of(&x.a, "unknown", "skew") == 100);
	assert_true(sum_of(&x.a, "host", NULL) == 90);
}

TEST(a_window_cuts_after_causes_are_found)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "idle"));

	kernel(&x, 0, 100, 1);
	kernel(&x, 1000, 1100, 2);
	call(&x, 0, 5, 1, NULL);
	call(&x, 500, 600, 2, NULL);
	ask_window(&x, 550, 700);
	assert_int_equal(x.a.table.n_rows, 2);
	assert_true(sum_of(&x.a, "launch", NULL) == 50);
	assert_true(sum_of(&x.a, "latency", NULL) == 100);
	ask_window(&x, -50, 40);
	assert_true(sum_of(&x.a, "unused", NULL) == 50);
	ask_window(&x, 2000, 3000);
	assert_true(sum_of(&x.a, "unused", NULL) == 1000);
	assert_true(answer_f64(&x.a, 0, "share") == 1.0);
}

TEST(a_device_without_admitted_operations_is_unused)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "idle"));

	kernel(&x, 0, 100, 1);
	kernel(&x, 150, 200, 2);
	ask(&x, NULL);
	assert_true(sum_of(&x.a, "unknown", NULL) == 50);
	x.scope.place_on[0] = false;
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 1);
	assert_true(sum_of(&x.a, "unused", NULL) == 200);
}

/* A second of one thread's calls and ranges in one gap: no row may be looked at twice. */
TEST(a_long_gap_full_of_calls)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "gaps"));
	enum { N = 100000 };

	kernel(&x, 0, 1, 1);
	kernel(&x, 10 * N + 10, 10 * N + 20, 2);
	call(&x, 0, 1, 1, NULL);
	for (int i = 0; i < N; i++) {
		char name[16];

		(void)snprintf(name, sizeof(name), "r%d_%c", i % 1000, 'a' + i % 26);
		call(&x, 10 * (wl_ns)i, 10 * (wl_ns)i + 6, 0, i % 2 ? "cudaMalloc" : "cudaFree");
		MEM_NVTX(&x.mem, .start = 10 * (wl_ns)i + 5, .end = 10 * (wl_ns)N, .name = name);
	}
	call(&x, 10 * (wl_ns)N, 10 * (wl_ns)N + 5, 2, NULL);
	ask(&x, (const char *const[WL_MAX_PARAMS]){ "0" });
	assert_int_equal(x.a.table.n_rows, 1);
	expect_cells(&x.a, 0, "cause=alloc; detail=cudaMalloc");
}

TEST(several_threads_and_processes)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "idle"));

	for (unsigned pid = 100; pid < 102; pid++) {
		for (unsigned i = 0; i < 4; i++) {
			wl_ns at = 100 * (wl_ns)i;

			MEM_OP(&x.mem, WL_F_KERNELS, .start = at, .end = at + 50, .pid = pid,
			       .corr = i + 1);
			MEM_API(&x.mem, .start = at - 20, .end = at - 10, .pid = pid,
				.tid = pid + i % 2, .corr = i + 1);
		}
	}
	host_row(&x, WL_F_OVERHEAD, 60, 70, 9, "flush");
	ask(&x, NULL);
	/* Gaps of 50: 30 host, 10 launch, 10 latency; the flush belongs to pid 100 alone. */
	assert_true(sum_of(&x.a, "profiler", NULL) == 10);
	assert_true(sum_of(&x.a, "host", NULL) == 6 * 30 - 10);
	assert_true(sum_of(&x.a, "launch", NULL) == 60);
	assert_true(sum_of(&x.a, "latency", NULL) == 60);
}

/* One GPU, and another pid's operations on it: each gap is explained by its own process's rows. */
TEST(processes_that_share_a_device)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "idle"));
	const struct wl_gpu gpu = { .name = WL_NONE, .bus = WL_NONE, .uuid = WL_NONE };

	wl_vec_push(&x.mem.build.gpus, &gpu);
	for (unsigned pid = 100; pid < 102; pid++) {
		wl_ns at = pid == 100 ? 100 : 200;

		wl_vec_push(&x.mem.build.cuda_devices,
			    &(struct wl_cuda_device){ pid, 0, 0, WL_NONE });
		MEM_OP(&x.mem, WL_F_KERNELS, .start = at, .end = at + 50, .pid = pid, .corr = 1);
		MEM_API(&x.mem, .start = at - 10, .end = at - 5, .pid = pid, .corr = 1);
	}
	kernel(&x, 300, 350, 2);
	call(&x, 290, 295, 2, NULL);
	host_row(&x, WL_F_OVERHEAD, 160, 170, 9, "flush");
	host_row(&x, WL_F_OVERHEAD, 260, 280, 9, "flush");
	ask(&x, NULL);
	/* The gap before 200 is of pid 101, which the first flush does not hold up. */
	assert_true(sum_of(&x.a, "profiler", NULL) == 20);
	assert_true(sum_of(&x.a, "host", NULL) == 40 + 20);
}

/* OS calls of one process say nothing of what another one waits for. */
TEST(the_process_without_os_calls_is_noted)
{
	for (unsigned pid = 100; pid < 102; pid++) {
		struct asked x;

		asked_init(&x, "idle");
		kernel(&x, 0, 10, 1);
		call(&x, -9, -5, 1, NULL);
		MEM_OP(&x.mem, WL_F_KERNELS, .start = 0, .end = 10, .pid = 101, .corr = 1);
		MEM_OP(&x.mem, WL_F_KERNELS, .start = 90, .end = 95, .pid = 101, .corr = 2);
		MEM_API(&x.mem, .start = -9, .end = -5, .pid = 101, .corr = 1);
		MEM_API(&x.mem, .start = 80, .end = 85, .pid = 101, .corr = 2);
		MEM_OSRT(&x.mem, .start = -20, .end = -15, .pid = pid);
		ask(&x, NULL);
		assert_true(sum_of(&x.a, "host", NULL) == 70);
		assert_true(answer_has_note(&x.a, "count as host time") == (pid == 100));
		asked_release(&x);
	}
}

/* A gap after a wait and one without: details tell them apart, and causes stay whole. */
TEST(details_name_what_opened_the_gap)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "idle"));

	kernel(&x, 10000, 20000, 1);
	kernel(&x, 30000, 40000, 2);
	kernel(&x, 44000, 50000, 3);
	call(&x, 0, 1000, 1, NULL);
	call(&x, 2000, 21000, 0, "cudaDeviceSynchronize");
	call(&x, 28000, 29000, 2, NULL);
	call(&x, 41000, 42000, 3, NULL);
	MEM_NVTX(&x.mem, .start = 1500, .end = 22000, .name = "loss");
	ask(&x, NULL);
	assert_true(sum_of(&x.a, "host", NULL) == 8000 - 1000 + 1000);
	assert_true(answer_has_note(&x.a, "69.2% of host-side idle time (9 us) follows "
					  "cudaDeviceSynchronize; it may not be the cause"));
	ask(&x, by_detail);
	assert_int_equal(x.a.table.n_rows, 8);
	expect_cells(&x.a, 0,
		     "cause=host; opened_by=cudaDeviceSynchronize; opened_in=loss; sum=6000");
}

static void migration(struct asked *x, wl_ns start, wl_ns end, unsigned device)
{
	MEM_OP(&x->mem, WL_F_MEMCPYS, .start = start, .end = end, .device = device,
	       .kind = WL_COPY_UVM_D2H, .cause = WL_MIGRATES_BY_FAULT);
}

/* Without faults in the trace the host code between two faults counts, too, and a note says so. */
TEST(the_host_reads_page_by_page)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "idle"));

	kernel(&x, 0, 100, 1);
	migration(&x, 150, 160, 0);
	migration(&x, 190, 200, 0);
	kernel(&x, 300, 400, 2);
	call(&x, -10, -5, 1, NULL);
	call(&x, 280, 290, 2, NULL);
	ask(&x, by_detail);
	assert_true(sum_of(&x.a, "unknown", "no launch") == 50);
	assert_true(sum_of(&x.a, "managed", "between migrations") == 30);
	assert_true(sum_of(&x.a, "host", NULL) == 80);
	assert_true(answer_has_note(&x.a, "CPU page faults were not recorded"));
}

/* Only the last fault before a migration waits for it. */
TEST(the_host_waits_from_a_fault_to_its_migration)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "idle"));

	kernel(&x, 0, 100, 1);
	migration(&x, 150, 160, 0);
	migration(&x, 190, 200, 0);
	kernel(&x, 300, 400, 2);
	call(&x, -10, -5, 1, NULL);
	call(&x, 280, 290, 2, NULL);
	mem_cpu_fault(&x.mem, &(struct mem_op){ .start = 50, .name = "fill" });
	mem_cpu_fault(&x.mem, &(struct mem_op){ .start = 120, .name = "read" });
	mem_cpu_fault(&x.mem, &(struct mem_op){ .start = 185 });
	mem_cpu_fault(&x.mem, &(struct mem_op){ .start = 250, .name = "fill" });
	ask(&x, by_detail);
	assert_true(sum_of(&x.a, "managed", "read") == 30);
	assert_true(sum_of(&x.a, "managed", "CPU page fault") == 5);
	assert_true(sum_of(&x.a, "managed", NULL) == 35);
	assert_true(sum_of(&x.a, "unknown", "no launch") == 20 + 25);
	assert_true(sum_of(&x.a, "host", NULL) == 80);
	assert_false(answer_has_note(&x.a, "CPU page faults"));
}

/* A migration on another GPU holds the host; a fault of a GPU holds that GPU alone. */
TEST(other_devices_wait_for_the_host_only)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "idle"));

	kernel(&x, 0, 100, 1);
	kernel(&x, 200, 300, 2);
	call(&x, -10, -5, 1, NULL);
	call(&x, 190, 195, 2, NULL);
	migration(&x, 120, 140, 1);
	mem_gpu_fault(&x.mem, &(struct mem_op){ .start = 130, .end = 145 });
	mem_gpu_fault(&x.mem, &(struct mem_op){ .start = 150, .end = 170, .device = 1 });
	mem_gpu_fault(&x.mem, &(struct mem_op){ .start = 180, .end = 175 });
	ask(&x, by_detail);
	assert_true(sum_of(&x.a, "managed", "migration to the host") == 10);
	assert_true(sum_of(&x.a, "managed", "GPU page fault") == 15);
	assert_true(sum_of(&x.a, "host", NULL) == 20 + 45);
}
