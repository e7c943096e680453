/* SPDX-License-Identifier: MIT */
#include "export/timeline/timeline.h"

#include <stdlib.h>
#include <string.h>

#include "derive/kinds/classes.h"
#include "known/exports/codes.h"
#include "support/mem.h"
#include "support/record_emitter.h"
#include "support/unit.h"

/* A trace that a test fills, and what is written of it. */
struct written {
	struct mem m;
	const struct wl_trace *trace;
	struct mem_scope scope;
	struct wl_arena arena;
	struct wl_tracks tracks;
	struct wl_export_opts opts;
	struct wl_export_plan plan;
	struct wl_export_done done;
	struct wl_budget budget;
	struct record record;
	const struct wl_path *path;
};

static void begin(struct written *x)
{
	*x = (struct written){ .trace = NULL };
	mem_init(&x->m);
	wl_arena_init(&x->arena, 1 << 24);
	x->opts.scope = &x->scope.scope;
	x->opts.flows = x->opts.args = WL_DETAIL_NONE;
}

/* No more events: everything is selected, unless the test narrows the scope. */
static void seal(struct written *x)
{
	x->trace = mem_seal(&x->m);
	mem_scope_whole(&x->scope, x->trace);
	x->path = x->m.derived.path;
	x->m.derived.path = NULL; /* its row is the subject of one test only */
}

static void write_to(struct written *x, bool flat)
{
	struct wl_err err;

	if (!x->trace)
		seal(x);
	assert_true(wl_tracks_find(&x->m.derived, &x->scope.scope, &x->arena, &x->tracks));
	x->opts.budget = &x->budget;
	wl_export_plan(&x->tracks, &x->opts, &x->plan);
	record_release(&x->record);
	record_init(&x->record, flat);
	assert_int_equal(wl_export_timeline(&x->tracks, &x->opts, &x->plan, &x->record.emitter,
					    &x->done, &err),
			 WL_OK);
	assert_true(x->record.finished);
	record_expect_from(&x->record, -x->plan.shift);
	assert_int_equal(x->done.rows, x->record.n_rows);
	assert_int_equal(x->done.slices, x->record.n_slices);
	assert_int_equal(x->budget.used, 0);
}

static void end(struct written *x)
{
	record_release(&x->record);
	wl_arena_release(&x->arena);
	mem_release(&x->m);
}

static void expect_text(const struct written *x, const char *want)
{
	FREED char *have = record_print(&x->record);

	assert_string_equal(have, want);
}

/* What the row of that name holds: "a 0-10, b 10-20". */
static void expect_row(const struct written *x, const char *name, const char *want)
{
	char *have = record_print(&x->record), *line = have, *found = NULL;
	size_t n = strlen(name);

	for (; line && !found; line = strchr(line, '\n')) {
		line += strspn(line, " \n");
		if (strncmp(line, name, n) == 0 && strncmp(line + n, ": ", 2) == 0)
			found = line + n + 2;
	}
	if (!found)
		fail_msg("there is no row %s with events in\n%s", name, have);
	else
		found[strcspn(found, "\n")] = '\0';
	assert_string_equal(found, want);
	free(have);
}

static void kernel(struct written *x, wl_ns start, wl_ns stop, unsigned stream, const char *name)
{
	MEM_OP(&x->m, WL_F_KERNELS, .start = start, .end = stop, .stream = stream, .name = name);
}

static void copy(struct written *x, wl_ns start, wl_ns stop, unsigned stream, uint8_t kind)
{
	MEM_OP(&x->m, WL_F_MEMCPYS, .start = start, .end = stop, .stream = stream, .kind = kind,
	       .bytes = 4096, .src = 1, .dst = 2);
}

static void call(struct written *x, wl_ns start, wl_ns stop, unsigned tid, unsigned corr,
		 const char *name)
{
	MEM_API(&x->m, .start = start, .end = stop, .tid = tid, .corr = corr, .name = name);
}

static void range(struct written *x, wl_ns start, wl_ns stop, unsigned tid, uint8_t kind,
		  const char *name)
{
	MEM_NVTX(&x->m, .start = start, .end = stop, .tid = tid, .kind = kind, .name = name);
}

static void overhead(struct written *x, wl_ns start, wl_ns stop, unsigned tid)
{
	uint32_t thread = mem_thread(&x->m, 100, tid), name = mem_string(&x->m, "flush");

	mem_row(&x->m, WL_F_OVERHEAD, start, stop);
	mem_put(&x->m, WL_OVERHEAD_THREAD, &thread);
	mem_put(&x->m, WL_OVERHEAD_NAME, &name);
}

TEST(rows_have_their_order)
{
	WITH(struct written, x, end, begin(&x));

	call(&x, 10, 20, 5, 1, NULL);
	MEM_OP(&x.m, WL_F_KERNELS, .start = 100, .end = 200, .corr = 1, .name = "gemm");
	kernel(&x, 150, 300, 20, "ncclDevKernel_AllReduce_Sum");
	MEM_OP(&x.m, WL_F_GRAPHS, .start = 400, .end = 500);
	copy(&x, 310, 320, 14, WL_COPY_H2D);
	copy(&x, 330, 340, 7, WL_COPY_D2H);
	MEM_OP(&x.m, WL_F_MEMSETS, .start = 350, .end = 360);
	MEM_OP(&x.m, WL_F_KERNELS, .start = 400, .end = 450, .device = 1);
	range(&x, 0, 30, 5, 0, "step");
	MEM_OSRT(&x.m, .start = 40, .end = 50, .tid = 6);
	overhead(&x, 3, 4, 5);
	write_to(&x, false);
	expect_text(&x, "GPUs\n"
			"  GPU 0\n"
			"    Busy %: 8250 from 100, 0 from 500\n"
			"    Comm exposed %: 2500 from 100, 0 from 500\n"
			"    NVTX projected: step 100-200\n"
			"    Stream 7 compute: gemm 100-200, (graph) 400-500\n"
			"    Stream 20 NCCL *: ncclDevKernel_AllReduce_Sum 150-300\n"
			"    Memcpy HtoD: [CUDA memcpy HtoD] 310-320\n"
			"    Memcpy DtoH: [CUDA memcpy DtoH] 330-340\n"
			"    Memset: [CUDA memset] 350-360\n"
			"    Idle and exposed, by cause: exposed_comm 200-300, unknown 300-310, "
			"exposed_copy 310-320, unknown 320-330, exposed_copy 330-340, "
			"unknown 340-350, unknown 360-400\n"
			"  GPU 1\n"
			"    Busy %: 1250 from 100, 0 from 500\n"
			"    Stream 7 compute: kernel 400-450\n"
			"Process\n"
			"  Thread: cudaLaunchKernel 10-20\n"
			"    Thread 5\n"
			"      NVTX: step 0-30\n"
			"  Thread\n"
			"    Thread 6\n"
			"      OS calls: poll 40-50\n"
			"Profiler overhead: flush 3-4\n");
}

TEST(kernels_that_overlap_are_all_there)
{
	WITH(struct written, x, end, begin(&x));

	kernel(&x, 0, 100, 7, "a");
	kernel(&x, 10, 50, 7, "b"); /* inside, and yet not on the same row */
	kernel(&x, 20, 120, 7, "c");
	kernel(&x, 50, 60, 7, "d");
	kernel(&x, 100, 110, 7, "e");
	for (int flat = 0; flat < 2; flat++) {
		write_to(&x, flat);
		expect_row(&x, "Stream 7 compute", "a 0-100, e 100-110");
		expect_row(&x, "Stream 7 compute (overlap)", "b 10-50, d 50-60");
		expect_row(&x, "Stream 7 compute (overlap 2)", "c 20-120");
		assert_int_equal(record_find(&x.record, "Stream 7 compute (overlap)")->row.order,
				 record_find(&x.record, "Stream 7 compute")->row.order + 1);
	}
}

TEST(copies_of_all_streams_share_rows)
{
	WITH(struct written, x, end, begin(&x));

	copy(&x, 0, 10, 7, WL_COPY_H2D);
	copy(&x, 5, 8, 8, WL_COPY_H2D);
	copy(&x, 5, 20, 9, WL_COPY_H2D);
	copy(&x, 10, 12, 8, WL_COPY_H2D);
	copy(&x, 30, 31, 8, 77);
	write_to(&x, false);
	expect_text(&x, "GPU 0\n"
			"  Busy %: 6774 from 0, 0 from 31\n"
			"  Memcpy unknown: [CUDA memcpy unknown] 30-31\n"
			"  Memcpy HtoD: [CUDA memcpy HtoD] 0-10, [CUDA memcpy HtoD] 10-12\n"
			"  Memcpy HtoD (overlap): [CUDA memcpy HtoD] 5-20\n"
			"  Memcpy HtoD (overlap 2): [CUDA memcpy HtoD] 5-8\n"
			"  Idle and exposed, by cause: exposed_copy 0-10, exposed_copy 10-20, "
			"unknown 20-30, exposed_copy 30-31\n");
}

static void put_ranges(struct written *x)
{
	range(x, 0, 100, 5, 0, "outer");
	range(x, 10, 40, 5, 0, "inner");
	range(x, 10, 40, 5, 0, "same");
	range(x, 50, 150, 5, WL_NVTX_START_END, "across");
	range(x, 60, 60, 5, 0, "nothing");
	range(x, 100, 110, 5, 0, "after");
}

TEST(ranges_nest_on_their_row)
{
	WITH(struct written, x, end, begin(&x));

	put_ranges(&x);
	write_to(&x, false);
	expect_row(&x, "NVTX",
		   "outer 0-100, inner 10-40, same 10-40, nothing 60-60, after 100-110");
	expect_row(&x, "NVTX (2)", "across 50-150");
}

TEST(flat_formats_have_a_row_per_depth)
{
	WITH(struct written, x, end, begin(&x));

	put_ranges(&x);
	call(&x, 0, 10, 5, 1, "cudaMalloc");
	call(&x, 5, 8, 5, 2, "cuMemAlloc");
	write_to(&x, true);
	expect_row(&x, "NVTX", "outer 0-100, after 100-110");
	expect_row(&x, "NVTX (2)", "inner 10-40, across 50-150");
	expect_row(&x, "NVTX (3)", "same 10-40, nothing 60-60");
	expect_row(&x, "Thread", "cudaMalloc 0-10");
	expect_row(&x, "CUDA API (2)", "cuMemAlloc 5-8");
	assert_int_equal(record_find(&x.record, "CUDA API (2)")->row.parent,
			 record_find(&x.record, "NVTX")->row.parent);
}

TEST(no_length_is_written_like_others)
{
	WITH(struct written, x, end, begin(&x));

	kernel(&x, 10, 10, 7, "a");
	kernel(&x, 10, 20, 7, "b");
	kernel(&x, 15, 15, 7, "c");
	kernel(&x, 20, 20, 7, "d");
	call(&x, 5, 5, 5, 1, NULL);
	write_to(&x, false);
	expect_row(&x, "Stream 7 compute", "b 10-20, d 20-20");
	expect_row(&x, "Stream 7 compute (overlap)", "a 10-10, c 15-15");
	expect_row(&x, "Thread", "cudaLaunchKernel 5-5");
}

TEST(a_window_shows_whole_events)
{
	WITH(struct written, x, end, begin(&x));

	kernel(&x, 0, 100, 7, "before");
	kernel(&x, 100, 250, 7, "into");
	kernel(&x, 250, 250, 7, "nothing");
	kernel(&x, 260, 310, 7, "out of");
	kernel(&x, 300, 400, 8, "after");
	kernel(&x, 200, 200, 9, "at the begin");
	kernel(&x, 300, 300, 10, "at the end");
	copy(&x, 190, 210, 7, WL_COPY_D2H);
	copy(&x, 0, 200, 7, WL_COPY_D2H);
	call(&x, 0, 200, 5, 1, "before");
	call(&x, 200, 201, 5, 2, "in");
	call(&x, 290, 500, 5, 3, "out of");
	range(&x, 0, 500, 5, 0, "around");
	range(&x, 0, 50, 6, 0, "before");
	overhead(&x, 10, 20, 5);
	seal(&x);
	mem_scope_window(&x.scope, x.trace, 200, 300);
	write_to(&x, false);
	expect_text(&x, "GPU 0\n"
			"  Busy %: 9000 from 200, 0 from 300\n"
			"  Stream 7 compute: into 100-250, nothing 250-250, out of 260-310\n"
			"  Stream 9 compute: at the begin 200-200\n"
			"  Memcpy DtoH: [CUDA memcpy DtoH] 190-210\n"
			"  Idle and exposed, by cause: unknown 250-260\n"
			"Process\n"
			"  Thread: in 200-201, out of 290-500\n"
			"    Thread 5\n"
			"      NVTX: around 0-500\n");
	assert_int_equal(x.plan.kernels, 4);
}

TEST(short_slices_are_left_out)
{
	WITH(struct written, x, end, begin(&x));

	kernel(&x, 0, 10, 7, "long");
	kernel(&x, 20, 29, 7, "short");
	copy(&x, 0, 9, 7, WL_COPY_D2H);
	copy(&x, 20, 30, 7, WL_COPY_D2H);
	call(&x, 0, 9, 5, 1, "short");
	call(&x, 10, 20, 5, 2, "long");
	range(&x, 0, 9, 6, 0, "short");
	MEM_OSRT(&x.m, .start = 40, .end = 41, .tid = 6);
	x.opts.min_dur = 10;
	write_to(&x, false);
	expect_text(&x, "GPU 0\n"
			"  Busy %: 6667 from 0, 0 from 30\n"
			"  Stream 7 compute: long 0-10\n"
			"  Memcpy DtoH: [CUDA memcpy DtoH] 20-30\n"
			"  Idle and exposed, by cause: unknown 10-20\n"
			"Process\n"
			"  Thread: long 10-20\n");
	assert_int_equal(x.plan.kernels, 1);
}

/* The flow that begins or ends at the first slice of that name. */
static const struct record_slice *slice(const struct written *x, const char *name)
{
	for (size_t i = 0; i < x->record.n_slices; i++) {
		if (strcmp(x->record.slice[i].name, name) == 0)
			return &x->record.slice[i];
	}
	fail_msg("there is no slice %s", name);
	return NULL;
}

/* Of the slice of idle time that starts there. */
static void expect_args(const struct written *x, wl_ns start, const char *want)
{
	for (size_t i = 0; i < x->record.n_slices; i++) {
		const struct record_slice *s = &x->record.slice[i];

		if (s->start == start && strncmp(s->name, "cuda", 4) != 0) {
			assert_string_equal(s->args, want);
			return;
		}
	}
	fail_msg("nothing starts at %d", (int)start);
}

static void launched(struct written *x, wl_ns start, wl_ns stop, unsigned corr, const char *name)
{
	MEM_OP(&x->m, WL_F_KERNELS, .start = start, .end = stop, .corr = corr, .name = name);
}

TEST(calls_point_to_what_they_launched)
{
	WITH(struct written, x, end, begin(&x));

	call(&x, 0, 10, 5, 1, "one");
	launched(&x, 20, 30, 1, "kernel of one");
	call(&x, 10, 15, 5, 2, "graph");
	launched(&x, 60, 70, 2, "second node");
	launched(&x, 50, 60, 2, "first node");
	MEM_OP(&x.m, WL_F_MEMSETS, .start = 50, .end = 51, .corr = 2);
	call(&x, 100, 110, 5, 3, "late");
	launched(&x, 99, 120, 3, "kernel of late");
	call(&x, 120, 130, 5, 4, "together");
	launched(&x, 120, 130, 4, "kernel of together");
	call(&x, 140, 150, 5, 5, "nothing");
	launched(&x, 160, 170, 9, "of nobody");
	x.opts.flows = WL_DETAIL_ALL;
	write_to(&x, false);
	assert_true(slice(&x, "one")->flow_out == (UINT64_C(1) << 32 | 1));
	assert_true(slice(&x, "kernel of one")->flow_in == (UINT64_C(1) << 32 | 1));
	assert_true(slice(&x, "graph")->flow_out == slice(&x, "first node")->flow_in);
	assert_true(slice(&x, "second node")->flow_in == 0);
	assert_true(slice(&x, "[CUDA memset]")->flow_in == 0);
	assert_true(slice(&x, "late")->flow_out == 0);
	assert_true(slice(&x, "kernel of late")->flow_in == 0);
	assert_true(slice(&x, "together")->flow_out == 0);
	assert_true(slice(&x, "nothing")->flow_out == 0);
	assert_true(slice(&x, "of nobody")->flow_in == 0);
	assert_int_equal(x.done.flows, 2);
	assert_int_equal(x.done.backward, 2);
	assert_true(!slice(&x, "one")->has_correlation);
}

TEST(flows_have_both_ends)
{
	WITH(struct written, x, end, begin(&x));

	call(&x, 0, 100, 5, 1, "long call");
	launched(&x, 200, 201, 1, "short kernel");
	launched(&x, 300, 400, 1, "long kernel");
	call(&x, 100, 101, 5, 2, "short call");
	launched(&x, 500, 600, 2, "kernel");
	x.opts.flows = WL_DETAIL_ALL;
	x.opts.min_dur = 10;
	write_to(&x, false);
	assert_int_equal(x.done.flows, 1);
	assert_true(slice(&x, "long call")->flow_out == slice(&x, "long kernel")->flow_in);
	assert_true(slice(&x, "kernel")->flow_in == 0);
	x.opts.min_dur = 0;
	mem_scope_window(&x.scope, x.trace, 250, 1000);
	write_to(&x, false);
	assert_int_equal(x.done.flows, 0);
	assert_int_equal(x.done.backward, 0);
	mem_scope_window(&x.scope, x.trace, 0, 250);
	write_to(&x, false);
	assert_int_equal(x.done.flows, 1);
	assert_true(slice(&x, "long call")->flow_out == slice(&x, "short kernel")->flow_in);
}

TEST(arguments_say_how_it_ran)
{
	WITH(struct written, x, end, begin(&x));

	call(&x, 0, 5, 5, 8, "cudaLaunchKernel");
	MEM_OP(&x.m, WL_F_KERNELS, .start = 10, .end = 20, .corr = 8, .grid = 64, .registers = 32);
	copy(&x, 20, 30, 14, WL_COPY_H2D);
	MEM_OP(&x.m, WL_F_MEMSETS, .start = 30, .end = 40, .stream = 3, .bytes = 7);
	x.opts.args = WL_DETAIL_ALL;
	write_to(&x, false);
	assert_string_equal(slice(&x, "kernel")->args, "grid=64x1x1 block=128x1x1 registers=32");
	assert_true(slice(&x, "kernel")->has_correlation);
	assert_true(slice(&x, "kernel")->correlation == 8);
	assert_true(slice(&x, "cudaLaunchKernel")->has_correlation);
	assert_true(slice(&x, "cudaLaunchKernel")->correlation == 8);
	assert_string_equal(slice(&x, "[CUDA memcpy HtoD]")->args,
			    "bytes=4096 from=pinned to=device stream=14");
	assert_false(slice(&x, "[CUDA memcpy HtoD]")->has_correlation);
	assert_string_equal(slice(&x, "[CUDA memset]")->args, "bytes=7 stream=3");
	assert_string_equal(slice(&x, "kernel")->category, "(other)");
	x.opts.args = WL_DETAIL_NONE;
	write_to(&x, false);
	for (size_t i = 0; i < x.record.n_slices; i++) {
		assert_null(x.record.slice[i].args);
		assert_false(x.record.slice[i].has_correlation);
	}
}

TEST(parts_of_a_gap_say_what_opened_it)
{
	WITH(struct written, x, end, begin(&x));

	range(&x, 0, 50, 5, WL_NVTX_PUSH_POP, "drain");
	call(&x, 0, 5, 5, 1, "cudaLaunchKernel");
	launched(&x, 10, 20, 1, "first");
	call(&x, 12, 30, 5, 0, "cudaStreamSynchronize");
	call(&x, 60, 65, 5, 2, "cudaLaunchKernel");
	launched(&x, 100, 5000, 2, "second");
	call(&x, 5002, 5005, 5, 3,
	     "cudaMemcpyAsync"); /* nothing emptied the launch queue before it */
	launched(&x, 5020, 5030, 3, "third");
	x.opts.args = WL_DETAIL_ALL;
	write_to(&x, false);
	expect_row(&x, "Idle and exposed, by cause",
		   "sync 20-30, host 30-50, host 50-60, launch 60-65, latency 65-100, host "
		   "5000-5002, launch 5002-5005, latency 5005-5020");
	expect_args(&x, 20,
		    "detail=cudaStreamSynchronize opened_by=cudaStreamSynchronize "
		    "opened_in=drain");
	expect_args(&x, 65,
		    "detail=cudaLaunchKernel opened_by=cudaStreamSynchronize opened_in=drain");
	expect_args(&x, 5005, "detail=cudaMemcpyAsync");
}

/* Of the kernel that was put last. */
static void set_config(struct written *x, uint32_t config)
{
	const struct wl_vec *column = &x->m.build.column[WL_KERNELS_CONFIG];

	((uint32_t *)column->data)[column->n - 1] = config;
}

TEST(what_the_file_does_not_say_is_left_out)
{
	WITH(struct written, x, end, begin(&x));
	const struct wl_launch_config config = { .grid = { 1, 1, WL_NONE },
						 .block = { 8, 4, 2 },
						 .registers = WL_NONE,
						 .static_shared = 0,
						 .dynamic_shared = 512 };

	kernel(&x, 0, 10, 7, "a");
	set_config(&x, wl_intern_put(&x.m.build.configs, &config));
	kernel(&x, 20, 30, 7, "b");
	set_config(&x, WL_NONE);
	x.opts.args = WL_DETAIL_ALL;
	write_to(&x, false);
	assert_string_equal(slice(&x, "a")->args, "block=8x4x2 dynamic_shared=512");
	assert_null(slice(&x, "b")->args);
}

/* A call of the operating system in a process of any key. */
static void os_call(struct written *x, uint64_t process, uint32_t tid, wl_ns start)
{
	uint64_t global = process << 24 | tid;
	uint32_t thread = wl_intern_put(&x->m.build.thread_keys, &global);
	uint32_t name = mem_string(&x->m, "poll"), stack = WL_NONE;

	mem_row(&x->m, WL_F_OSRT, start, start + 10);
	mem_put(&x->m, WL_OSRT_THREAD, &thread);
	mem_put(&x->m, WL_OSRT_NAME, &name);
	mem_put(&x->m, WL_OSRT_STACK, &stack);
}

TEST(pids_that_repeat_are_told_apart)
{
	WITH(struct written, x, end, begin(&x));
	uint32_t pid[3];
	size_t n = 0;

	os_call(&x, 100, 100, 0);
	os_call(&x, 100, 0, 0);
	os_call(&x, UINT64_C(1) << 24 | 100, 100, 10);
	os_call(&x, UINT64_C(2) << 24 | 100, 100, 20);
	write_to(&x, false);
	for (size_t i = 0; i < x.record.n_rows; i++) {
		const struct wl_emit_row *row = &x.record.row[i].row;

		assert_true(row->kind != WL_EMIT_THREAD || row->tid != 0);
		if (row->kind != WL_EMIT_PROCESS)
			continue;
		assert_in_range(n, 0, 2);
		pid[n++] = row->pid;
		assert_true(!row->description == (row->pid == 100));
	}
	assert_int_equal(n, 3);
	assert_int_equal(pid[0], 100);
	assert_true(pid[1] > 0xffffff && pid[2] > 0xffffff && pid[1] != pid[2]);
}

TEST(times_before_zero_are_shifted_and_said)
{
	struct written x;

	begin(&x);
	kernel(&x, -500, -400, 7, "a");
	kernel(&x, 100, 200, 7, "b");
	call(&x, -700, -650, 5, 1, NULL);
	write_to(&x, false);
	assert_int_equal(x.plan.shift, 700);
	expect_row(&x, "Stream 7 compute", "a -500--400, b 100-200");
	for (size_t i = 0; i < x.record.n_rows; i++) {
		const struct wl_emit_row *row = &x.record.row[i].row;

		if (row->parent == 0)
			assert_non_null(strstr(row->description, "700 ns later"));
	}
	mem_scope_window(&x.scope, x.trace, -900, -450);
	write_to(&x, false);
	expect_row(&x, "Busy %", "2000 from -700, 0 from -450");
	end(&x);
	begin(&x);
	kernel(&x, 0, 10, 7, "a");
	write_to(&x, false);
	assert_int_equal(x.plan.shift, 0);
	assert_null(record_find(&x.record, "GPU 0")->row.description);
	end(&x);
}

static const wl_ns ms = 1000000;

TEST(counters_are_shares_of_bins)
{
	WITH(struct written, x, end, begin(&x));

	kernel(&x, 0, 2 * ms, 7, "a");
	kernel(&x, 2 * ms, 2 * ms + ms / 4, 7, "b");
	kernel(&x, 5 * ms + ms / 2, 6 * ms, 8, "ncclDevKernel_AllReduce_Sum");
	kernel(&x, 5 * ms + 3 * ms / 4, 6 * ms + 1, 7, "c");
	kernel(&x, 9 * ms, 9 * ms + 10, 7, "d");
	write_to(&x, false);
	expect_row(&x, "Busy %",
		   "10000 from 0, 2500 from 2000000, 0 from 3000000, 5000 from 5000000, "
		   "0 from 6000000, 10000 from 9000000, 0 from 9000010");
	expect_row(&x, "Comm exposed %", "2500 from 5000000, 0 from 6000000");
}

/* Two metrics of the GPU that is device 0, and one of a GPU that is no device. */
static void put_metrics(struct written *x)
{
	static const char sms[] = "SMs Active [Throughput %]",
			  clock[] = "GPC Clock Frequency [MHz]";

	for (wl_ns i = 0; i < 4; i++) {
		mem_metric(&x->m, 0, sms, 100 + 100 * i, i < 2 ? 31 : 0);
		mem_metric(&x->m, 0, clock, 100 + 100 * i, 1980000000 + i);
		mem_metric(&x->m, 3, "Requests", 150 + 100 * i, INT64_MAX);
	}
	mem_metric(&x->m, 0, sms, WL_NO_TIME, 99);
}

static void expect_unit(const struct written *x, const char *row, const char *unit,
			unsigned decimals)
{
	const struct wl_emit_row *r = &record_find(&x->record, row)->row;

	assert_int_equal(r->kind, WL_EMIT_COUNTER);
	assert_string_equal(r->unit, unit);
	assert_int_equal(r->decimals, decimals);
}

TEST(samples_of_metrics_are_counters)
{
	WITH(struct written, x, end, begin(&x));

	mem_gpu(&x.m, 0, 100);
	kernel(&x, 120, 480, 7, "a");
	put_metrics(&x);
	seal(&x);
	write_to(&x, false);
	expect_row(&x, "SMs Active [%]", "31 from 100, 31 from 200, 0 from 300, 0 from 400");
	expect_row(&x, "GPC Clock Frequency [MHz]",
		   "1980000000 from 100, 1980000001 from 200, 1980000002 from 300, "
		   "1980000003 from 400");
	assert_int_equal(record_find(&x.record, "Requests")->n_values, 4);
	assert_true(record_has(&x.record, "nsys GPU 3 metrics"));
	expect_unit(&x, "Busy %", "%", 2);
	expect_unit(&x, "SMs Active [%]", "%", 0);
	expect_unit(&x, "GPC Clock Frequency [MHz]", "MHz", 6);
	expect_unit(&x, "Requests", "", 0);

	/* Of a window those that hold in a part of it, with their own times. */
	mem_scope_window(&x.scope, x.trace, 250, 350);
	write_to(&x, false);
	expect_row(&x, "SMs Active [%]", "31 from 200, 0 from 300");
}

TEST(samples_of_adapters_are_counters)
{
	WITH(struct written, x, end, begin(&x));

	kernel(&x, 120, 480, 7, "a");
	/* Of two of one time the later row counts. */
	mem_nic_metric(&x.m, &(struct mem_nic_sample){ "mlx5_0", "IB: Bytes sent", "bytes/ms", 200,
						       300, 7 });
	for (wl_ns i = 1; i < 4; i++)
		mem_nic_metric(&x.m,
			       &(struct mem_nic_sample){ "mlx5_0", "IB: Bytes sent", "bytes/ms",
							 100 * i, 100 * i + 100, 1000 * i });
	seal(&x);
	write_to(&x, false);
	assert_true(record_has(&x.record, "mlx5_0:1 metrics"));
	expect_row(&x, "IB: Bytes sent [bytes/ms]", "1000 from 100, 2000 from 200, 3000 from 300");
	expect_unit(&x, "IB: Bytes sent [bytes/ms]", "bytes/ms", 0);
}

/* Times of the file stay those of the trace, unless an event lies before 0, too. */
TEST(samples_before_zero_begin_there)
{
	struct written x;

	for (wl_ns start = 0; start >= -60; start -= 60) {
		begin(&x);
		kernel(&x, start, 10, 7, "a");
		for (wl_ns at = -240; at < 200; at += 100)
			mem_metric(&x.m, 3, "Requests", at, at + 240);
		write_to(&x, false);
		assert_int_equal(x.plan.shift, -start);
		expect_row(&x, "Requests",
			   start ? "100 from -60, 200 from -40, 300 from 60, 400 from 160"
				 : "200 from 0, 300 from 60, 400 from 160");
		end(&x);
	}
}

TEST(a_long_trace_has_few_bins)
{
	WITH(struct written, x, end, begin(&x));
	const struct record_row *row;

	for (wl_ns i = 0; i < 30; i++)
		kernel(&x, i * 1000 * ms, i * 1000 * ms + (i % 2 ? 1 : 2), 7, "a");
	kernel(&x, WL_TIME_MAX - 1000, WL_TIME_MAX, 7, "far");
	kernel(&x, -WL_TIME_MAX, 0, 7, "long");
	write_to(&x, false);
	row = record_find(&x.record, "Busy %");
	assert_int_equal(row->value[0].at, -WL_TIME_MAX);
	assert_in_range(row->value[0].value, 9999, 10000);
	assert_int_equal(row->value[row->n_values - 1].value, 0);
}

TEST(findings_stand_where_one_sees_them)
{
	WITH(struct written, x, end, begin(&x));
	const struct wl_export_finding findings[] = {
		{ .code = "late",
		  .title = "Waits",
		  .text = "It waits.",
		  .fixing = "saves 2 us",
		  .evidence = "warplens gaps",
		  .device = 0,
		  .gaps = 1U << (WL_GAP_OF_CAUSE + WL_CAUSE_UNKNOWN) },
		{ .code = "comm",
		  .title = "Talks",
		  .text = "It talks.",
		  .device = WL_NONE,
		  .gaps = 1U << WL_GAP_EXPOSED_COMM },
		{ .code = "all", .title = "Works", .text = "It works.", .device = 0 },
	};

	kernel(&x, 0, 10, 7, "a");
	kernel(&x, 20, 30, 7, "b");
	kernel(&x, 60, 70, 7, "c");
	kernel(&x, 65, 80, 8, "ncclDevKernel_AllReduce_Sum");
	x.opts.findings = findings;
	x.opts.n_findings = WL_COUNT(findings);
	write_to(&x, false);
	expect_row(&x, "Findings", "Works 0-80, Waits 30-60, Talks 70-80");
	assert_string_equal(slice(&x, "Waits")->args,
			    "finding=late text=It waits. fixing=saves 2 us evidence=warplens gaps");
	assert_string_equal(slice(&x, "Talks")->args, "finding=comm text=It talks.");
	assert_true(record_find(&x.record, "Findings")->row.order <
		    record_find(&x.record, "GPU 0")->row.order);
	write_to(&x, true);
	expect_row(&x, "Findings (2)", "Waits 30-60, Talks 70-80");
	mem_scope_window(&x.scope, x.trace, 0, 25);
	write_to(&x, false);
	expect_row(&x, "Findings", "Talks 0-25, Works 0-25, Waits 10-20");
}

/* Steps of a process, each with a kernel on a device of its own. */
static void put_steps(struct written *x, unsigned pid, unsigned device)
{
	for (unsigned i = 0; i < 6; i++) {
		wl_ns t = 1000 * (wl_ns)i;

		MEM_NVTX(&x->m, .start = t, .end = t + 900, .pid = pid, .name = "step");
		MEM_API(&x->m, .start = t + 10, .end = t + 20, .pid = pid, .corr = i + 1);
		MEM_OP(&x->m, WL_F_KERNELS, .start = t + 100, .end = t + 800 + (i == 3 ? 90 : 0),
		       .pid = pid, .device = device, .corr = i + 1);
	}
}

TEST(iterations_are_at_the_top)
{
	const struct wl_export_finding findings[] = {
		{ .code = "slow", .title = "Slow", .text = "", .device = 0, .slowest = true },
		{ .code = "steady", .title = "Steady", .text = "", .device = 0 },
	};
	struct written x;

	begin(&x);
	put_steps(&x, 100, 0);
	x.opts.args = WL_DETAIL_ALL;
	x.opts.findings = findings;
	x.opts.n_findings = WL_COUNT(findings);
	write_to(&x, false);
	expect_row(&x, "Iterations",
		   "it 0 100-1100, it 1 1100-2100, it 2 2100-3100, it 3 3100-4100, "
		   "it 4 4100-5100, it 5 5100-5800");
	assert_int_equal(record_find(&x.record, "Iterations")->row.order, 1);
	assert_string_equal(slice(&x, "it 1")->args, "period=1000");
	assert_null(slice(&x, "it 5")->args);
	expect_row(&x, "Findings", "Slow 100-1100, Steady 1100-2100");
	mem_scope_window(&x.scope, x.trace, 2500, 3500);
	write_to(&x, false);
	expect_row(&x, "Iterations", "it 2 2100-3100, it 3 3100-4100");
	expect_row(&x, "Findings", "Slow 2100-3100, Steady 2100-3100");
	end(&x);
	begin(&x);
	put_steps(&x, 100, 0);
	put_steps(&x, 200, 1);
	write_to(&x, false);
	assert_int_equal(record_find(&x.record, "Iterations")->row.kind, WL_EMIT_GROUP);
	assert_int_equal(record_find(&x.record, "Iterations 200")->n_slices, 6);
	end(&x);
	begin(&x);
	put_steps(&x, 100, 0);
	put_steps(&x, 200, 0); /* which may be the same GPU */
	write_to(&x, false);
	assert_int_equal(record_find(&x.record, "Iterations 100")->n_slices, 6);
	assert_int_equal(record_find(&x.record, "Iterations 200")->n_slices, 6);
	end(&x);
}

static void put_much(struct written *x)
{
	put_steps(x, 100, 0);
	put_steps(x, 200, 1);
	put_ranges(x);
	kernel(x, 150, 300, 7, "a");
	kernel(x, 250, 400, 7, "b");
	copy(x, 310, 320, 14, WL_COPY_H2D);
	overhead(x, 3, 4, 5);
}

TEST(every_budget_is_honoured)
{
	WITH(struct written, x, end, begin(&x));
	int r = WL_E_NOMEM;
	struct wl_err err;

	put_much(&x);
	x.opts.flows = x.opts.args = WL_DETAIL_ALL;
	write_to(&x, false);
	for (size_t limit = 1; r != WL_OK; limit += 97) {
		struct wl_budget budget = { .limit = limit };
		struct record record;

		record_init(&record, false);
		x.opts.budget = &budget;
		r = wl_export_timeline(&x.tracks, &x.opts, &x.plan, &record.emitter, &x.done, &err);
		assert_true(r == WL_OK || r == WL_E_NOMEM);
		assert_int_equal(budget.used, 0);
		assert_int_equal(record.finished, r == WL_OK);
		record_release(&record);
	}
}

TEST(a_stop_is_honoured)
{
	WITH(struct written, x, end, begin(&x));
	atomic_int stop = 1;
	struct record record;
	struct wl_err err;

	put_much(&x);
	write_to(&x, false);
	x.opts.stop = &stop;
	record_init(&record, false);
	assert_int_equal(
		wl_export_timeline(&x.tracks, &x.opts, &x.plan, &record.emitter, &x.done, &err),
		WL_E_CANCELED);
	assert_false(record.finished);
	assert_int_equal(record.n_slices, 0);
	record_release(&record);
}

/* Segments have the name of their operation, else of their class; short ones are left out. */
TEST(the_critical_path_has_a_row)
{
	WITH(struct written, x, end, begin(&x));

	kernel(&x, 0, 1000, 7, "a");
	kernel(&x, 1001, 2000, 7, "b");
	seal(&x);
	x.m.derived.path = x.path;
	write_to(&x, false);
	expect_row(&x, "Critical path", "a 0-1000, dispatch 1000-1001, b 1001-2000");
	x.opts.min_dur = 10;
	write_to(&x, true);
	expect_row(&x, "Critical path", "a 0-1000, b 1001-2000");
}

TEST(an_empty_trace_has_no_rows)
{
	WITH(struct written, x, end, begin(&x));

	write_to(&x, false);
	assert_int_equal(x.record.n_rows, 0);
	assert_int_equal(x.plan.slices, 0);
}
