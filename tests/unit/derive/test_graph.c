/* SPDX-License-Identifier: MIT */
#include "derive/graph/build/graph.h"

#include "derive/derived.h"
#include "derive/graph/replay/replay.h"
#include "known/exports/codes.h"
#include "support/mem.h"
#include "support/unit.h"

static const wl_ns us = 1000;
static const char all_reduce[] = "ncclDevKernel_AllReduce_x";

struct fixture {
	struct mem mem;
	struct wl_graph graph;
	const struct wl_graph *g;
	struct wl_arena arena;
	unsigned corr;
};

static void begin(struct fixture *f)
{
	*f = (struct fixture){ .corr = 0 };
	mem_init(&f->mem);
	wl_arena_init(&f->arena, SIZE_MAX);
}

static void end(struct fixture *f)
{
	wl_arena_release(&f->arena);
	mem_release(&f->mem);
}

/* A kernel on a stream that was launched at a time; the call takes 1 us. */
static void kernel(struct fixture *f, unsigned stream, wl_ns launch, wl_ns start, wl_ns stop)
{
	f->corr++;
	MEM_API(&f->mem, .start = launch, .end = launch + us, .corr = f->corr);
	MEM_OP(&f->mem, WL_F_KERNELS, .start = start, .end = stop, .stream = stream,
	       .corr = f->corr);
}

static void call(struct fixture *f, unsigned tid, wl_ns start, wl_ns stop, const char *name)
{
	f->corr++;
	MEM_API(&f->mem, .start = start, .end = stop, .tid = tid, .corr = f->corr, .name = name);
}

static void sync_row(struct fixture *f, unsigned stream, uint8_t kind, uint32_t event)
{
	MEM_OP(&f->mem, WL_F_SYNCS, .start = 1, .end = 2, .stream = stream, .corr = f->corr,
	       .kind = kind, .event = event);
}

/* The graph, whose replay without changes must give the measured times. */
static const struct wl_graph *find(struct fixture *f)
{
	struct wl_replay replay;

	(void)mem_seal(&f->mem);
	assert_true(wl_graph_find(&f->mem.derived, &f->arena, &f->graph));
	f->g = &f->graph;
	assert_true(wl_replay_run(f->g, NULL, &f->arena, &replay));
	assert_int_equal(wl_replay_count_moved(f->g, &replay), 0);
	assert_int_equal(replay.n_forced, 0);
	return f->g;
}

/* The times when one activity has another length, and a call another gap before it. */
static struct wl_replay changed(struct fixture *f, uint32_t activity, wl_ns length, wl_ns gap)
{
	size_t n = (size_t)f->g->n_ops + f->g->n_calls;
	uint32_t *change_of = WL_NEW(&f->arena, uint32_t, n);
	const struct wl_change change = { length, gap };
	const struct wl_scenario scenario = { change_of, &change };
	struct wl_replay replay;

	assert_non_null(change_of);
	for (size_t i = 0; i < n; i++)
		change_of[i] = WL_NONE;
	change_of[activity] = 0;
	assert_true(wl_replay_run(f->g, &scenario, &f->arena, &replay));
	return replay;
}

/* The second kernel was queued: it follows the first one, 1 us later. */
TEST(a_queued_kernel_follows_the_one_before)
{
	WITH(struct fixture, f, end, begin(&f));
	struct wl_replay r;

	kernel(&f, 7, 0, 10 * us, 110 * us);
	kernel(&f, 7, 2 * us, 111 * us, 211 * us);
	assert_int_equal(find(&f)->previous[1], 0);
	r = changed(&f, 0, 50 * us, 0);
	assert_int_equal(r.start[1], 61 * us);
	assert_int_equal(r.end[1], 161 * us);
	/* Without length the launch of the second one, 5 us before, is what remains. */
	r = changed(&f, 0, 0, 0);
	assert_int_equal(r.start[1], 11 * us);
	assert_int_equal(r.makespan, 101 * us);
}

/* The kernel of stream 20 waits for the one of stream 7, and starts 50 us after it. */
static wl_ns unexplained_of(struct fixture *f, bool has_event)
{
	kernel(f, 7, 0, 10 * us, 110 * us);
	if (has_event) {
		call(f, 0, 2 * us, 3 * us, "cudaEventRecord");
		mem_event(&f->mem, &(struct mem_op){ .stream = 7, .corr = f->corr, .event = 1 });
		call(f, 0, 4 * us, 5 * us, "cudaStreamWaitEvent");
		sync_row(f, 20, WL_SYNC_STREAM_WAITS, 1);
	}
	kernel(f, 20, 6 * us, 160 * us, 200 * us);
	return find(f)->unexplained[0];
}

TEST(a_late_start_is_explained_by_an_event)
{
	WITH(struct fixture, f, end, begin(&f));

	assert_int_equal(unexplained_of(&f, true), 0);
}

/* It was launched at 6 us, and the least latency is 5 us. */
TEST(a_late_start_is_unexplained_without_one)
{
	WITH(struct fixture, f, end, begin(&f));

	assert_int_equal(unexplained_of(&f, false), 149 * us);
}

/* A kernel that starts while the one before runs keeps its distance from its start. */
TEST(a_dependent_launch_goes_from_start_to_start)
{
	WITH(struct fixture, f, end, begin(&f));
	struct wl_replay r;

	kernel(&f, 7, 0, 10 * us, 50 * us);
	kernel(&f, 7, 2 * us, 50 * us, 110 * us);
	kernel(&f, 7, 4 * us, 100 * us, 200 * us);
	(void)find(&f);
	r = changed(&f, 1, 10 * us, 0);
	assert_int_equal(r.start[2], 100 * us);
	r = changed(&f, 0, 20 * us, 0);
	assert_int_equal(r.start[1], 30 * us);
	assert_int_equal(r.start[2], 80 * us);
}

/*
 * Stream 20 waits for an event of stream 7, which itself waits for stream 30: the kernel of
 * stream 20 comes after both.
 */
TEST(an_event_stands_for_what_its_stream_waited_for)
{
	WITH(struct fixture, f, end, begin(&f));
	struct wl_replay r;

	kernel(&f, 30, 0, 10 * us, 300 * us);
	call(&f, 0, 10 * us, 11 * us, "cudaEventRecord");
	mem_event(&f.mem, &(struct mem_op){ .stream = 30, .corr = f.corr, .event = 1 });
	kernel(&f, 7, 12 * us, 20 * us, 100 * us);
	call(&f, 0, 14 * us, 15 * us, "cudaStreamWaitEvent");
	sync_row(&f, 7, WL_SYNC_STREAM_WAITS, 1);
	call(&f, 0, 16 * us, 17 * us, "cudaEventRecord");
	mem_event(&f.mem, &(struct mem_op){ .stream = 7, .corr = f.corr, .event = 2 });
	call(&f, 0, 18 * us, 19 * us, "cudaStreamWaitEvent");
	sync_row(&f, 20, WL_SYNC_STREAM_WAITS, 2);
	kernel(&f, 20, 20 * us, 310 * us, 400 * us);
	assert_int_equal(find(&f)->counts.edges[WL_EDGE_EVENT], 2);
	assert_int_equal(f.g->counts.edges[WL_EDGE_INFERRED], 0);
	assert_int_equal(f.g->counts.waits, 2);
	assert_int_equal(f.g->counts.unresolved, 0);
	/* Operations are numbered by start. */
	r = changed(&f, 0, 190 * us, 0);
	assert_int_equal(r.start[2], 210 * us);
	r = changed(&f, 1, 380 * us, 0);
	assert_int_equal(r.start[2], 410 * us);
}

TEST(the_default_stream_and_blocking_streams_wait_for_each_other)
{
	WITH(struct fixture, f, end, begin(&f));
	struct wl_replay r;

	mem_stream(&f.mem, &(struct mem_op){ .stream = 7 }, 3);
	mem_stream(&f.mem, &(struct mem_op){ .stream = 13 }, 1);
	mem_stream(&f.mem, &(struct mem_op){ .stream = 14 }, 2);
	kernel(&f, 13, 0, 10 * us, 100 * us);
	kernel(&f, 14, 2 * us, 10 * us, 104 * us);
	kernel(&f, 7, 4 * us, 110 * us, 200 * us);
	kernel(&f, 13, 6 * us, 210 * us, 300 * us);
	assert_int_equal(find(&f)->counts.edges[WL_EDGE_DEFAULT], 2);
	r = changed(&f, 0, 60 * us, 0);
	assert_int_equal(r.start[2], 80 * us);
	assert_int_equal(r.start[3], 180 * us);
	/* The non-blocking stream holds up nobody. */
	r = changed(&f, 1, 500 * us, 0);
	assert_int_equal(r.start[2], 110 * us);
}

/* Without events what starts within 2 us of an end on another stream follows it. */
TEST(a_dependency_is_inferred_only_without_events)
{
	WITH(struct fixture, f, end, begin(&f));
	struct wl_replay r;

	kernel(&f, 7, 0, 10 * us, 100 * us);
	kernel(&f, 20, 2 * us, 102 * us, 200 * us);
	kernel(&f, 30, 4 * us, 203 * us, 300 * us);
	assert_int_equal(find(&f)->counts.edges[WL_EDGE_INFERRED], 1);
	r = changed(&f, 0, 190 * us, 0);
	assert_int_equal(r.start[1], 202 * us);
	assert_int_equal(r.start[2], 203 * us);
}

/* Members arrive at 0, 4 and 10 us; all leave at 30 us, 20 us after the last. */
TEST(a_member_leaves_when_the_last_has_arrived)
{
	WITH(struct fixture, f, end, begin(&f));
	const wl_ns arrival[] = { 0, 4 * us, 10 * us };
	struct wl_replay r;

	for (unsigned p = 0; p < 3; p++) {
		for (wl_ns k = 0; k < 2; k++) {
			MEM_OP(&f.mem, WL_F_KERNELS, .start = 100 * us * k + arrival[p],
			       .end = 100 * us * k + 30 * us, .pid = p + 1, .stream = 20,
			       .name = all_reduce);
			MEM_OP(&f.mem, WL_F_KERNELS, .start = 100 * us * k + 30 * us,
			       .end = 100 * us * (k + 1) + arrival[p], .pid = p + 1, .stream = 20);
		}
	}
	assert_int_equal(find(&f)->n_meetings, 2);
	assert_int_equal(f.g->counts.late, 0);
	/* Of the last to arrive the kernel before the second collective becomes 20 us shorter. */
	r = changed(&f, 2 * 4 + 1, 60 * us, 0);
	assert_int_equal(r.start[2 * 4 + 2], 90 * us);
	/* Now the one that arrived at 4 us is the last, and all leave 20 us later. */
	for (uint32_t p = 0; p < 3; p++)
		assert_int_equal(r.end[4 * p + 2], 124 * us);
}

/* The stream's kernel ends inside the first call, and before the second. */
TEST(a_blocking_call_returns_after_what_it_waits_for)
{
	struct wl_replay r;
	struct fixture f;

	begin(&f);
	kernel(&f, 7, 0, 10 * us, 100 * us);
	call(&f, 0, 20 * us, 103 * us, "cudaStreamSynchronize");
	sync_row(&f, 7, WL_SYNC_STREAM, 0);
	call(&f, 0, 110 * us, 115 * us, "cudaStreamSynchronize");
	sync_row(&f, 7, WL_SYNC_STREAM, 0);
	(void)find(&f);
	assert_int_equal(f.g->counts.binding, 1);
	assert_int_equal(f.g->counts.constraints, 1);
	assert_int_equal(f.g->back[0], 3 * us);
	r = changed(&f, 0, 40 * us, 0);
	assert_int_equal(r.end[wl_graph_call(f.g, 1)], 53 * us);
	assert_int_equal(r.start[wl_graph_call(f.g, 2)], 60 * us);
	/* A kernel that ends before the call begins holds it up no longer than the return. */
	r = changed(&f, 0, 1 * us, 0);
	assert_int_equal(r.end[wl_graph_call(f.g, 1)], 23 * us);
	end(&f);
}

/* By a clock that is 5 us ahead the last kernel ends after the call: the one before is left. */
TEST(what_ends_after_a_blocking_call_did_not_release_it)
{
	WITH(struct fixture, f, end, begin(&f));

	kernel(&f, 7, 0, 10 * us, 100 * us);
	kernel(&f, 7, 2 * us, 101 * us, 108 * us);
	call(&f, 0, 20 * us, 103 * us, "cudaStreamSynchronize");
	sync_row(&f, 7, WL_SYNC_STREAM, 0);
	assert_int_equal(find(&f)->releaser[2], 0);
	assert_int_equal(f.g->counts.outlived, 1);
}

/* The inner call blocks, so the outer one does; the launch inside moves with it. */
TEST(an_outer_call_blocks_if_an_inner_one_does)
{
	WITH(struct fixture, f, end, begin(&f));
	struct wl_replay r;

	kernel(&f, 7, 0, 10 * us, 100 * us);
	call(&f, 0, 20 * us, 110 * us, "outer");
	call(&f, 0, 22 * us, 104 * us, "cuStreamSynchronize");
	sync_row(&f, 7, WL_SYNC_STREAM, 0);
	(void)find(&f);
	assert_int_equal(f.g->outer[2], 1);
	assert_int_equal(f.g->n_order, 3);
	r = changed(&f, 0, 50 * us, 0);
	assert_int_equal(r.end[wl_graph_call(f.g, 1)], 70 * us);
}

/* The second thread sleeps for 600 us until a call of the first ends. */
TEST(a_long_gap_ends_with_a_call_of_another_thread)
{
	WITH(struct fixture, f, end, begin(&f));
	struct wl_replay r;

	call(&f, 1, 0, 10 * us, "a");
	call(&f, 1, 20 * us, 590 * us, "b");
	call(&f, 2, 0, 10 * us, "c");
	call(&f, 2, 610 * us, 620 * us, "d");
	assert_int_equal(find(&f)->wake[3], 1);
	assert_int_equal(f.g->counts.wake_ups, 1);
	r = changed(&f, wl_graph_call(f.g, 1), 70 * us, 10 * us);
	assert_int_equal(r.start[wl_graph_call(f.g, 3)], 110 * us);
}

/* A thread's first call comes after all calls of others that have ended. */
TEST(the_first_call_of_a_thread_is_woken)
{
	WITH(struct fixture, f, end, begin(&f));

	call(&f, 1, 0, 10 * us, "a");
	call(&f, 1, 20 * us, 30 * us, "b");
	call(&f, 2, 40 * us, 50 * us, "c");
	assert_int_equal(find(&f)->wake[2], 1);
	assert_int_equal(f.g->wake[0], WL_NONE);
}

/* An OS call of the thread in the gap makes a wake-up however short the gap is. */
TEST(an_os_call_in_the_gap_makes_a_wake_up)
{
	WITH(struct fixture, f, end, begin(&f));

	call(&f, 1, 0, 50 * us, "a");
	call(&f, 2, 0, 10 * us, "b");
	call(&f, 2, 60 * us, 70 * us, "c");
	call(&f, 2, 80 * us, 90 * us, "d");
	MEM_OSRT(&f.mem, .start = 20 * us, .end = 55 * us, .tid = 2);
	assert_int_equal(find(&f)->wake[2], 0);
	assert_int_equal(f.g->wake[3], WL_NONE);
}

/* Twenty launches that find their stream idle: the second percentile is the least of them. */
TEST(the_least_latency_is_of_launches_on_an_idle_stream)
{
	WITH(struct fixture, f, end, begin(&f));

	for (wl_ns i = 0; i < 20; i++)
		kernel(&f, 7, 1000 * us * i, 1000 * us * i + (6 + i) * us,
		       1000 * us * i + 500 * us);
	/* Queued: its latency says nothing. */
	kernel(&f, 7, 19100 * us, 19501 * us, 19502 * us);
	assert_int_equal(find(&f)->latency[0], 6 * us);
}

TEST(few_launches_have_the_usual_latency)
{
	WITH(struct fixture, f, end, begin(&f));

	for (wl_ns i = 0; i < 19; i++)
		kernel(&f, 7, 1000 * us * i, 1000 * us * i + 9 * us, 1000 * us * i + 500 * us);
	assert_int_equal(find(&f)->latency[0], WL_LATENCY_NS);
}

static void mpi(struct fixture *f, unsigned pid, wl_ns start, wl_ns stop)
{
	mem_mpi_coll(&f->mem,
		     &(struct mem_call){ .start = start,
					 .end = stop,
					 .pid = pid,
					 .tid = pid,
					 .name = "MPI_Allreduce" },
		     1, 8);
}

/*
 * Processes 1 and 2 meet at 100 us: 1 was there 60 us before. A CUDA call in the MPI call is
 * part of it, and the kernel that it launches keeps its distance from the begin of both.
 */
TEST(an_mpi_call_ends_when_the_last_has_arrived)
{
	WITH(struct fixture, f, end, begin(&f));
	uint32_t late, held, first;
	struct wl_replay r;

	for (unsigned pid = 1; pid <= 2; pid++) {
		MEM_API(&f.mem, .start = 0, .end = (pid == 1 ? 30 : 95) * us, .pid = pid,
			.tid = pid);
		MEM_API(&f.mem, .start = 105 * us, .end = 106 * us, .pid = pid, .tid = pid,
			.corr = 1);
		MEM_OP(&f.mem, WL_F_KERNELS, .start = 110 * us, .end = 120 * us, .pid = pid,
		       .device = pid, .corr = 1);
		mpi(&f, pid, (pid == 1 ? 40 : 100) * us, 115 * us);
	}
	first = find(&f)->first_call[1];
	assert_int_equal(f.g->n_calls, 6);
	assert_int_equal(first, 4);
	assert_int_equal(f.g->n_meetings, 1);
	assert_int_equal(f.g->n_slots, 2);
	assert_int_equal(f.g->outer[1], first);
	assert_int_equal(f.g->call_before[first], 0);
	late = wl_graph_call(f.g, 2);
	held = wl_graph_call(f.g, first);
	/* Process 2 comes 20 us earlier: both leave as much earlier. */
	r = changed(&f, late, 75 * us, 0);
	assert_int_equal(r.start[held], 40 * us);
	assert_int_equal(r.end[held], 95 * us);
	/* Process 2 comes before process 1, which is the last now. */
	r = changed(&f, late, 5 * us, 0);
	assert_int_equal(r.end[held], 55 * us);
	assert_int_equal(r.end[held + 1], 55 * us);
	assert_int_equal(r.start[1], 20 * us);
}

/* Everything at one moment and without length: nothing waits in a circle. */
TEST(what_has_no_length_keeps_its_order)
{
	WITH(struct fixture, f, end, begin(&f));

	for (unsigned i = 0; i < 50; i++) {
		kernel(&f, i % 5 + 1, 0, 5 * us, 5 * us);
		call(&f, i % 3, 5 * us, 5 * us, "cudaDeviceSynchronize");
	}
	(void)find(&f);
}

TEST(no_rows_make_an_empty_graph)
{
	WITH(struct fixture, f, end, begin(&f));

	assert_int_equal(find(&f)->n_order, 0);
}
