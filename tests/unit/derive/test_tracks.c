/* SPDX-License-Identifier: MIT */
#include "derive/tracks/tracks.h"

#include <stdio.h>

#include "base/process/pool.h"
#include "derive/kinds/classes.h"
#include "known/exports/codes.h"
#include "known/palette.h"
#include "support/mem.h"
#include "support/unit.h"

/* A trace that a test fills, and its rows. */
struct shown {
	struct mem m;
	struct mem_scope scope;
	const struct wl_trace *trace;
	struct wl_arena arena;
	struct wl_tracks tracks;
	struct wl_budget budget;
	struct wl_lanes lanes; /* of the row filled last */
};

static const struct wl_track_filter all = { .min_dur = 0 };

static void begin(struct shown *s)
{
	*s = (struct shown){ .trace = NULL };
	mem_init(&s->m);
	wl_arena_init(&s->arena, 1 << 24);
}

static void find(struct shown *s)
{
	if (!s->trace) {
		s->trace = mem_seal(&s->m);
		mem_scope_whole(&s->scope, s->trace);
	}
	assert_true(wl_tracks_find(&s->m.derived, &s->scope.scope, &s->arena, &s->tracks));
}

static void end(struct shown *s)
{
	wl_lanes_release(&s->lanes);
	wl_arena_release(&s->arena);
	mem_release(&s->m);
}

static void fill(struct shown *s, size_t track, const struct wl_track_filter *filter)
{
	wl_lanes_release(&s->lanes);
	assert_true(wl_track_fill(&s->tracks, track, filter, &s->budget, &s->lanes));
}

/* The n-th row of a kind. */
static size_t row_of(const struct shown *s, enum wl_track_kind kind, size_t n)
{
	for (size_t i = 0; i < s->tracks.n; i++) {
		if (s->tracks.at[i].kind == kind && n-- == 0)
			return i;
	}
	fail_msg("no such row");
	return 0;
}

static void fill_kind(struct shown *s, enum wl_track_kind kind, size_t n)
{
	fill(s, row_of(s, kind, n), &all);
}

static void expect_event(const struct shown *s, size_t lane, size_t i, wl_ns start, wl_ns end)
{
	assert_in_range(lane, 0, s->lanes.n - 1);
	assert_in_range(i, 0, s->lanes.lane[lane].n - 1);
	assert_int_equal(s->lanes.lane[lane].start[i], start);
	assert_int_equal(wl_lane_end(&s->lanes.lane[lane], i), end);
}

/* The i-th event of the only lane: its time and category. */
static void expect_piece(const struct shown *s, size_t i, wl_ns start, wl_ns end, unsigned cat)
{
	assert_int_equal(s->lanes.n, 1);
	expect_event(s, 0, i, start, end);
	assert_int_equal(s->lanes.lane[0].cat[i], cat);
}

static const char *name_of(const struct shown *s, size_t track, size_t lane, size_t i)
{
	const struct wl_lane *l = &s->lanes.lane[lane];

	return wl_track_event_name(&s->tracks, track, l->ref[i], l->cat[i]);
}

static void op(struct shown *s, enum wl_family_id family, const struct mem_op *op)
{
	mem_op(&s->m, family, op);
}

static void kernel(struct shown *s, wl_ns start, wl_ns end, unsigned stream, const char *name)
{
	op(s, WL_F_KERNELS,
	   &(struct mem_op){ .start = start, .end = end, .stream = stream, .name = name });
}

/* A kernel that a call of thread tid launched. */
static void launched(struct shown *s, wl_ns call, wl_ns start, wl_ns end, unsigned tid,
		     unsigned corr)
{
	MEM_API(&s->m, .start = call, .end = call + 2, .tid = tid, .corr = corr);
	op(s, WL_F_KERNELS, &(struct mem_op){ .start = start, .end = end, .corr = corr });
}

static void range(struct shown *s, wl_ns start, wl_ns end, unsigned tid, const char *name)
{
	MEM_NVTX(&s->m, .start = start, .end = end, .tid = tid, .name = name);
}

static void overhead(struct shown *s, wl_ns start, wl_ns end, unsigned tid, const char *name)
{
	uint32_t thread = mem_thread(&s->m, 100, tid), text = mem_string(&s->m, name);

	mem_row(&s->m, WL_F_OVERHEAD, start, end);
	mem_put(&s->m, WL_OVERHEAD_THREAD, &thread);
	mem_put(&s->m, WL_OVERHEAD_NAME, &text);
}

/* One of each kind of row, on two devices. */
static void put_all_kinds(struct shown *s)
{
	static const char *const steps[] = { "step 0", "step 1", "step 2", "step 3" };

	for (unsigned i = 0; i < WL_COUNT(steps); i++) {
		wl_ns t = 1000 * (wl_ns)i;

		range(s, t, t + 900, 1, steps[i]);
		launched(s, t + 10, t + 100, t + 600, 1, 10 + i);
		launched(s, t + 20, t + 650, t + 700, 1, 20 + i);
	}
	kernel(s, 200, 300, 20, "ncclDevKernel_AllReduce_Sum");
	op(s, WL_F_MEMCPYS,
	   &(struct mem_op){ .start = 700, .end = 800, .stream = 14, .kind = WL_COPY_H2D });
	op(s, WL_F_KERNELS, &(struct mem_op){ .start = 5, .end = 9, .device = 1 });
	MEM_API(&s->m, .start = 0, .end = 3000, .tid = 2, .name = "cudaDeviceSynchronize");
	MEM_OSRT(&s->m, .start = 30, .end = 40, .tid = 1);
	overhead(s, 3, 4, 2, "CUPTI buffer flush");
}

TEST(rows_come_in_the_order_of_the_screen)
{
	WITH(struct shown, s, end, begin(&s));
	static const struct {
		enum wl_track_kind kind;
		uint32_t parent;
		const char *label, *brief;
	} want[] = {
		{ WL_TRACK_GPU, WL_NONE, "GPU 0", "G0" },
		{ WL_TRACK_ITERATIONS, 0, "Iterations", "it" },
		{ WL_TRACK_NVTX_GPU, 0, "NVTX\u21a7", "NVTX\u21a7" },
		{ WL_TRACK_STREAM, 0, "Stream 7 compute", "S7" },
		{ WL_TRACK_STREAM, 0, "Stream 14 copy", "S14" },
		{ WL_TRACK_STREAM, 0, "Stream 20 NCCL *", "S20*" },
		{ WL_TRACK_GAPS, 0, "Gaps", "gap" },
		{ WL_TRACK_GPU, WL_NONE, "GPU 1", "G1" },
		{ WL_TRACK_ITERATIONS, 7, "Iterations", "it" },
		{ WL_TRACK_STREAM, 7, "Stream 7 compute", "S7" },
		{ WL_TRACK_GAPS, 7, "Gaps", "gap" },
		{ WL_TRACK_PROCESS, WL_NONE, "Process 100", "P 100" },
		{ WL_TRACK_API, 11, "API 2", "API 2" },
		{ WL_TRACK_NVTX, 11, "NVTX 1", "NVTX 1" },
		{ WL_TRACK_API, 11, "API 1", "API 1" },
		{ WL_TRACK_OSRT, 11, "OS 1", "OS 1" },
		{ WL_TRACK_OVERHEAD, WL_NONE, "Profiler overhead", "prof" },
		{ WL_TRACK_PATH, WL_NONE, "Critical path", "path" },
	};

	put_all_kinds(&s);
	find(&s);
	for (size_t i = 0; i < WL_COUNT(want) && i < s.tracks.n; i++) {
		assert_int_equal(s.tracks.at[i].kind, want[i].kind);
		assert_int_equal(s.tracks.at[i].parent, want[i].parent);
		assert_string_equal(s.tracks.at[i].label, want[i].label);
		assert_string_equal(s.tracks.at[i].brief, want[i].brief);
		assert_true(s.tracks.at[i].n_events > 0);
	}
	assert_int_equal(s.tracks.n, WL_COUNT(want));
	assert_int_equal(s.tracks.at[3].n_events, 8);
	assert_int_equal(s.tracks.at[3].device, 0);
	assert_int_equal(s.tracks.at[3].thread, WL_NONE);
	assert_int_equal(s.tracks.at[11].n_events, 1 + 4 + 8 + 1);
	assert_int_equal(s.tracks.extent.begin, 0);
	assert_int_equal(s.tracks.extent.end, 3900);
	assert_string_equal(wl_row_kinds[WL_TRACK_NVTX_GPU].key, "nvtx-gpu");
}

TEST(what_is_not_selected_has_no_rows)
{
	WITH(struct shown, s, end, begin(&s));

	put_all_kinds(&s);
	find(&s);
	s.scope.device_on[0] = false;
	s.scope.process_on[0] = false;
	find(&s);
	assert_int_equal(s.tracks.n, 5);
	assert_string_equal(s.tracks.at[0].label, "GPU 1");
	assert_int_equal(s.tracks.extent.begin, 5);
	assert_int_equal(s.tracks.extent.end, 9);
	for (uint32_t i = 0; i < s.trace->n_places; i++)
		assert_int_equal(wl_track_of_place(&s.tracks, i),
				 s.trace->places[i].device == 1 ? 2 : WL_NONE);
	assert_int_equal(wl_track_of_thread(&s.tracks, WL_F_API, 0), WL_NONE);
	s.scope.place_on[0] = s.scope.place_on[1] = false;
	s.scope.place_on[2] = s.scope.place_on[3] = false;
	find(&s);
	assert_int_equal(s.tracks.n, 1); /* the GPU stays, and is empty */
	assert_int_equal(s.tracks.at[0].n_events, 0);
	assert_int_equal(s.tracks.extent.begin, 0);
	assert_int_equal(s.tracks.extent.end, 1);
	fill(&s, 0, &all);
	assert_int_equal(s.lanes.n, 0);
}

TEST(a_gpu_shows_what_hides_what)
{
	WITH(struct shown, s, end, begin(&s));

	kernel(&s, 10, 20, 7, "gemm");
	kernel(&s, 20, 30, 8, "gemm"); /* touches: one piece */
	kernel(&s, 25, 50, 20, "ncclX");
	op(&s, WL_F_MEMCPYS, &(struct mem_op){ .start = 0, .end = 60, .kind = WL_COPY_H2D });
	op(&s, WL_F_MEMSETS, &(struct mem_op){ .start = 70, .end = 80 });
	op(&s, WL_F_MEMSETS, &(struct mem_op){ .start = 90, .end = 90 });
	find(&s);
	fill_kind(&s, WL_TRACK_GPU, 0);
	expect_piece(&s, 0, 0, 10, WL_COPY);
	expect_piece(&s, 1, 10, 30, WL_COMPUTE);
	expect_piece(&s, 2, 30, 50, WL_COMM);
	expect_piece(&s, 3, 50, 60, WL_COPY);
	expect_piece(&s, 4, 70, 80, WL_COMPUTE);
	assert_int_equal(s.lanes.n_events, 5);
	assert_string_equal(name_of(&s, 0, 0, 2), "exposed_comm");
}

/* Two queued kernels, 1 us apart: the second one was launched while the first ran. */
TEST(the_path_leads_to_its_events)
{
	WITH(struct shown, s, end, begin(&s));
	struct wl_track_event event;
	size_t track;

	launched(&s, 0, 10000, 100000, 1, 1);
	launched(&s, 20000, 101000, 200000, 1, 2);
	find(&s);
	track = row_of(&s, WL_TRACK_PATH, 0);
	fill(&s, track, &all);
	expect_piece(&s, 0, 10000, 100000, WL_COLOUR_OTHER);
	expect_piece(&s, 1, 100000, 101000, WL_COLOUR_NEUTRAL);
	expect_piece(&s, 2, 101000, 200000, WL_COLOUR_OTHER);
	assert_string_equal(name_of(&s, track, 0, 0), "kernel");
	assert_string_equal(name_of(&s, track, 0, 1), "dispatch");
	event = wl_track_event_of(&s.tracks, track, s.lanes.lane[0].ref[1]);
	assert_int_equal(event.family, WL_F_KERNELS);
	assert_int_equal(event.row, 1);
	assert_string_equal(event.detail, "dispatch");
}

TEST(a_stream_shows_operations_by_category)
{
	WITH(struct shown, s, end, begin(&s));
	static const unsigned want[] = { WL_COLOUR_GEMM, WL_COLOUR_COMM,  WL_COLOUR_COPY,
					 WL_COLOUR_COPY, WL_COLOUR_OTHER, WL_COLOUR_OTHER };
	struct wl_track_event event;
	size_t track;

	kernel(&s, 0, 10, 7, "sm90_xmma_gemm_bf16");
	kernel(&s, 10, 20, 7, "ncclX");
	op(&s, WL_F_MEMCPYS, &(struct mem_op){ .start = 20, .end = 30, .kind = WL_COPY_D2H });
	op(&s, WL_F_MEMSETS, &(struct mem_op){ .start = 30, .end = 40 });
	op(&s, WL_F_GRAPHS, &(struct mem_op){ .start = 40, .end = 50 });
	kernel(&s, 50, 60, 7, "zzz");
	find(&s);
	track = row_of(&s, WL_TRACK_STREAM, 0);
	assert_string_equal(s.tracks.at[track].label, "Stream 7 compute");
	fill(&s, track, &all);
	assert_int_equal(s.lanes.n_events, WL_COUNT(want));
	for (size_t i = 0; i < WL_COUNT(want); i++)
		expect_piece(&s, i, 10 * (wl_ns)i, 10 * (wl_ns)i + 10, want[i]);
	assert_string_equal(name_of(&s, track, 0, 0), "sm90_xmma_gemm_bf16");
	assert_string_equal(name_of(&s, track, 0, 2), "[CUDA memcpy DtoH]");
	assert_string_equal(name_of(&s, track, 0, 4), "(graph)");
	for (size_t i = 0; i < WL_COUNT(want); i++) {
		event = wl_track_event_of(&s.tracks, track, s.lanes.lane[0].ref[i]);
		assert_int_equal(wl_track_ref(event.family, event.row), s.lanes.lane[0].ref[i]);
	}
	assert_int_equal(event.family, WL_F_KERNELS);
	assert_int_equal(event.row, 2);
	assert_int_equal(wl_track_of_place(&s.tracks, wl_kernels_place(s.trace)[0]), track);
	assert_int_equal(wl_track_ref(WL_F_KERNELS, UINT32_C(1) << 30), WL_NONE);
	assert_int_equal(wl_track_ref(WL_F_API, UINT32_C(1) << 30), UINT32_C(1) << 30);
}

TEST(operations_that_overlap_get_lanes)
{
	WITH(struct shown, s, end, begin(&s));

	kernel(&s, 0, 10, 7, NULL);
	kernel(&s, 5, 20, 7, NULL);
	kernel(&s, 5, 30, 7, NULL);
	kernel(&s, 5, 40, 7, NULL);
	op(&s, WL_F_MEMCPYS, &(struct mem_op){ .start = 5, .end = 50, .kind = WL_COPY_D2H });
	kernel(&s, 10, 15, 7, NULL);
	find(&s);
	fill_kind(&s, WL_TRACK_STREAM, 0);
	assert_int_equal(s.lanes.n, 5);
	expect_event(&s, 0, 0, 0, 10);
	expect_event(&s, 0, 1, 10, 15);
	expect_event(&s, 1, 0, 5, 50); /* of those that start together the longest is on top */
	expect_event(&s, 4, 0, 5, 20);
}

TEST(a_filter_leaves_events_out)
{
	WITH(struct shown, s, end, begin(&s));
	bool on[] = { true, false };
	const struct wl_track_filter longer = { .min_dur = 15 };
	const struct wl_track_filter named = { .kernel_name_on = on };
	const struct wl_track_filter kernels = { .hides_other_ops = true };
	const struct wl_track_filter muted = { .muted = 1U << WL_COLOUR_COPY };
	size_t stream;

	kernel(&s, 0, 10, 7, "a");
	kernel(&s, 20, 40, 7, "b");
	op(&s, WL_F_MEMCPYS, &(struct mem_op){ .start = 50, .end = 70, .kind = WL_COPY_D2H });
	MEM_API(&s.m, .start = 0, .end = 10);
	MEM_API(&s.m, .start = 20, .end = 40);
	range(&s, 0, 50, 0, "outer");
	range(&s, 0, 10, 0, "inner");
	range(&s, 20, 40, 0, "inner");
	find(&s);
	stream = row_of(&s, WL_TRACK_STREAM, 0);
	fill(&s, stream, &longer);
	assert_int_equal(s.lanes.n_events, 2);
	expect_event(&s, 0, 0, 20, 40);
	fill(&s, stream, &named);
	assert_int_equal(s.lanes.n_events, 2);
	expect_event(&s, 0, 1, 50, 70);
	fill(&s, stream, &kernels);
	assert_int_equal(s.lanes.n_events, 2);
	expect_event(&s, 0, 1, 20, 40);
	fill(&s, stream, &muted);
	assert_int_equal(s.lanes.n_events, 2);
	fill(&s, row_of(&s, WL_TRACK_API, 0), &longer);
	assert_int_equal(s.lanes.n_events, 1);
	fill(&s, row_of(&s, WL_TRACK_NVTX, 0), &longer);
	assert_int_equal(s.lanes.n_events, 2);
	expect_event(&s, 1, 0, 20, 40);
	fill(&s, row_of(&s, WL_TRACK_GPU, 0), &longer); /* accounting stays */
	assert_int_equal(s.lanes.n_events, 3);
}

TEST(rows_of_a_thread_show_calls)
{
	WITH(struct shown, s, end, begin(&s));
	size_t api, os, prof;

	MEM_API(&s.m, .start = 0, .end = 100, .tid = 1, .name = "cudaFree");
	MEM_API(&s.m, .start = 0, .end = 10, .tid = 1, .name = "cuMemFree");
	MEM_OSRT(&s.m, .start = 5, .end = 6, .tid = 1, .name = "read");
	overhead(&s, 30, 40, 2, "later");
	overhead(&s, 10, 20, 3, "first");
	find(&s);
	api = row_of(&s, WL_TRACK_API, 0);
	assert_int_equal(s.tracks.extent.end, 100);
	assert_int_equal(wl_track_of_thread(&s.tracks, WL_F_API, s.tracks.at[api].thread), api);
	assert_int_equal(wl_track_of_thread(&s.tracks, WL_F_NVTX, s.tracks.at[api].thread),
			 WL_NONE);
	assert_int_equal(wl_track_of_thread(&s.tracks, WL_F_KERNELS, s.tracks.at[api].thread),
			 WL_NONE);
	fill(&s, api, &all);
	expect_event(&s, 0, 0, 0, 100);
	expect_event(&s, 1, 0, 0, 10);
	assert_string_equal(name_of(&s, api, 1, 0), "cuMemFree");
	assert_int_equal(s.lanes.lane[0].cat[0], WL_COLOUR_HOST);
	os = row_of(&s, WL_TRACK_OSRT, 0);
	fill(&s, os, &all);
	assert_string_equal(name_of(&s, os, 0, 0), "read");
	prof = row_of(&s, WL_TRACK_OVERHEAD, 0);
	fill(&s, prof, &all);
	expect_event(&s, 0, 0, 10, 20);
	assert_string_equal(name_of(&s, prof, 0, 0), "first");
	assert_string_equal(name_of(&s, prof, 0, 1), "later");
	fill_kind(&s, WL_TRACK_PROCESS, 0);
	assert_int_equal(s.lanes.n, 0);
	assert_string_equal(wl_track_event_name(&s.tracks, row_of(&s, WL_TRACK_PROCESS, 0), 0, 0),
			    "");
}

TEST(ranges_lie_below_what_holds_them)
{
	WITH(struct shown, s, end, begin(&s));
	size_t track;

	MEM_NVTX(&s.m, .start = 0, .end = 10, .kind = WL_NVTX_START_END, .name = "span");
	range(&s, 5, 100, 0, "outer");
	range(&s, 20, 50, 0, "inner"); /* the span's lane is free, but outer lies below that */
	MEM_NVTX(&s.m, .start = 20, .end = 90, .kind = WL_NVTX_START_END, .name = "span");
	range(&s, 200, 210, 0, NULL);
	find(&s);
	track = row_of(&s, WL_TRACK_NVTX, 0);
	assert_int_equal(s.tracks.at[track].n_events, 5);
	fill(&s, track, &all);
	assert_int_equal(s.lanes.n, 3);
	expect_event(&s, 0, 0, 0, 10);
	expect_event(&s, 0, 1, 20, 90);
	expect_event(&s, 0, 2, 200, 210);
	expect_event(&s, 1, 0, 5, 100);
	expect_event(&s, 2, 0, 20, 50);
	assert_string_equal(name_of(&s, track, 2, 0), "inner");
	assert_string_equal(name_of(&s, track, 0, 2), "(unnamed)");
}

TEST(ranges_are_projected_where_their_work_lies)
{
	WITH(struct shown, s, end, begin(&s));
	size_t track;

	range(&s, 0, 100, 1, "outer");
	range(&s, 0, 20, 1, "first");
	range(&s, 10, 40, 1, "crosses"); /* a sibling of first */
	range(&s, 50, 60, 1, "empty");
	range(&s, 70, 90, 1, "late");
	launched(&s, 5, 300, 400, 1, 1);
	launched(&s, 25, 250, 450, 1, 2); /* before the work of first */
	launched(&s, 75, 500, 600, 1, 3);
	launched(&s, 95, 650, 700, 1, 4); /* of outer alone */
	range(&s, 0, 10, 2, "other");
	launched(&s, 5, 800, 810, 2, 5);
	find(&s);
	track = row_of(&s, WL_TRACK_NVTX_GPU, 0);
	assert_string_equal(s.tracks.at[track].label, "NVTX\u21a7 1");
	assert_string_equal(s.tracks.at[track + 1].label, "NVTX\u21a7 2");
	fill(&s, track, &all);
	assert_int_equal(s.lanes.n_events, 4);
	expect_event(&s, 0, 0, 250, 700);
	expect_event(&s, 1, 0, 250, 450);
	expect_event(&s, 1, 1, 500, 600);
	expect_event(&s, 2, 0, 300, 400);
	assert_string_equal(name_of(&s, track, 0, 0), "outer");
	assert_string_equal(name_of(&s, track, 1, 0), "crosses");
	assert_string_equal(name_of(&s, track, 2, 0), "first");
	fill(&s, track + 1, &all);
	expect_event(&s, 0, 0, 800, 810);
}

TEST(spans_that_hold_ranges_are_projected_above_them)
{
	WITH(struct shown, s, end, begin(&s));
	size_t track;

	MEM_NVTX(&s.m, .start = 0, .end = 100, .tid = 1, .kind = WL_NVTX_START_END, .name = "span");
	MEM_NVTX(&s.m, .start = 60, .end = 70, .tid = 1, .kind = WL_NVTX_START_END,
		 .name = "empty");
	range(&s, 20, 40, 1, "node");
	launched(&s, 5, 300, 400, 1, 1); /* in no push/pop range */
	launched(&s, 25, 500, 600, 1, 2);
	launched(&s, 99, 700, 800, 1, 3); /* whose call outlasts the span */
	find(&s);
	track = row_of(&s, WL_TRACK_NVTX_GPU, 0);
	fill(&s, track, &all);
	assert_int_equal(s.lanes.n_events, 2);
	expect_event(&s, 0, 0, 300, 600);
	expect_event(&s, 1, 0, 500, 600);
	assert_string_equal(name_of(&s, track, 0, 0), "span");
	assert_string_equal(name_of(&s, track, 1, 0), "node");
}

static void span_of_thread(struct shown *s, wl_ns start, wl_ns stop)
{
	MEM_NVTX(&s->m, .start = start, .end = stop, .tid = 1, .kind = WL_NVTX_START_END,
		 .name = "span");
}

TEST(spans_that_overlap_are_projected_below_the_ranges)
{
	WITH(struct shown, s, end, begin(&s));

	span_of_thread(&s, 0, 60);
	span_of_thread(&s, 10, 100);
	range(&s, 20, 40, 1, "node");
	launched(&s, 5, 300, 400, 1, 1);
	launched(&s, 25, 500, 600, 1, 2);
	launched(&s, 80, 700, 800, 1, 3);
	find(&s);
	fill_kind(&s, WL_TRACK_NVTX_GPU, 0);
	assert_int_equal(s.lanes.n, 3);
	expect_event(&s, 0, 0, 500, 600);
	expect_event(&s, 1, 0, 300, 600);
	expect_event(&s, 2, 0, 500, 800);
}

/* The lane is the depth: those of the next are below all of one, also where siblings overlap. */
TEST(lanes_of_projected_ranges_are_depths)
{
	WITH(struct shown, s, end, begin(&s));

	range(&s, 0, 100, 1, "iteration");
	range(&s, 0, 40, 1, "layer 0");
	range(&s, 10, 20, 1, "mlp 0");
	range(&s, 50, 90, 1, "layer 1");
	range(&s, 60, 70, 1, "mlp 1");
	launched(&s, 5, 300, 400, 1, 1);
	launched(&s, 12, 400, 500, 1, 2);
	launched(&s, 55, 450, 460, 1, 3); /* layer 1 begins before layer 0 ends */
	launched(&s, 62, 500, 600, 1, 4);
	find(&s);
	fill_kind(&s, WL_TRACK_NVTX_GPU, 0);
	assert_int_equal(s.lanes.n, 4);
	expect_event(&s, 0, 0, 300, 600);
	expect_event(&s, 1, 0, 300, 500);
	expect_event(&s, 2, 0, 450, 600);
	expect_event(&s, 3, 0, 400, 500);
	expect_event(&s, 3, 1, 500, 600);
}

TEST(ranges_are_projected_on_compute_and_apart_on_the_rest)
{
	WITH(struct shown, s, end, begin(&s));
	size_t track;

	range(&s, 0, 100, 1, "layer");
	range(&s, 50, 90, 1, "reduce");
	launched(&s, 5, 300, 400, 1, 1);
	MEM_API(&s.m, .start = 60, .end = 62, .tid = 1, .corr = 2);
	op(&s, WL_F_KERNELS,
	   &(struct mem_op){ .start = 200,
			     .end = 350,
			     .corr = 2,
			     .stream = 20,
			     .name = "ncclDevKernel_AllReduce_Sum" });
	find(&s);
	track = row_of(&s, WL_TRACK_NVTX_GPU, 0);
	fill(&s, track, &all);
	assert_int_equal(s.lanes.n_events, 1);
	expect_event(&s, 0, 0, 300, 400);
	track = row_of(&s, WL_TRACK_NVTX_COMM, 0);
	assert_string_equal(s.tracks.at[track].label, "NVTX\u21a7 comm, copies");
	fill(&s, track, &all);
	assert_int_equal(s.lanes.n_events, 2);
	expect_event(&s, 0, 0, 200, 350);
	expect_event(&s, 1, 0, 200, 350);
	assert_string_equal(name_of(&s, track, 1, 0), "reduce");
}

/* The detail of a piece of the row of gaps. */
static void expect_gap(const struct shown *s, size_t i, wl_ns start, wl_ns end, const char *cause,
		       const char *detail)
{
	size_t track = row_of(s, WL_TRACK_GAPS, 0);
	const struct wl_lane *l = &s->lanes.lane[0];
	const struct wl_track_event event = wl_track_event_of(&s->tracks, track, l->ref[i]);

	expect_event(s, 0, i, start, end);
	assert_string_equal(name_of(s, track, 0, i), cause);
	assert_int_equal(event.family, WL_N_FAMILIES);
	assert_int_equal(event.detail == NULL, detail == NULL);
	if (detail)
		assert_string_equal(event.detail, detail);
}

TEST(gaps_have_causes_with_details)
{
	WITH(struct shown, s, end, begin(&s));

	launched(&s, 0, 10, 20, 1, 1);
	range(&s, 1, 60, 1, "prepare batch 3");
	MEM_OSRT(&s.m, .start = 30, .end = 40, .tid = 1, .name = "read");
	launched(&s, 50, 60, 70, 1, 2);
	kernel(&s, 65, 80, 20, "ncclDevKernel_AllReduce_Sum");
	op(&s, WL_F_MEMCPYS, &(struct mem_op){ .start = 75, .end = 90, .kind = WL_COPY_H2D });
	kernel(&s, 100, 110, 7, "gemm"); /* without a launch */
	find(&s);
	fill_kind(&s, WL_TRACK_GAPS, 0);
	expect_gap(&s, 0, 20, 30, "host", "prepare batch #");
	expect_gap(&s, 1, 30, 40, "os", "read");
	expect_gap(&s, 2, 40, 50, "host", "prepare batch #");
	expect_gap(&s, 3, 50, 52, "launch", "cudaLaunchKernel");
	expect_gap(&s, 4, 52, 60, "latency", "cudaLaunchKernel");
	expect_gap(&s, 5, 70, 80, "exposed_comm", "AllReduce");
	expect_gap(&s, 6, 80, 90, "exposed_copy", "HtoD");
	expect_gap(&s, 7, 90, 100, "unknown", "no launch");
	assert_int_equal(s.lanes.n_events, 8);
	assert_int_equal(s.lanes.n, 1);
	assert_int_equal(s.lanes.lane[0].ref[0], s.lanes.lane[0].ref[2]);
}

TEST(a_queued_kernel_that_follows_has_no_detail)
{
	WITH(struct shown, s, end, begin(&s));

	launched(&s, 0, 10, 20, 1, 1);
	launched(&s, 4, 25, 30, 1, 2);
	find(&s);
	fill_kind(&s, WL_TRACK_GAPS, 0);
	expect_gap(&s, 0, 20, 25, "dispatch", NULL);
}

TEST(iterations_are_tiles)
{
	WITH(struct shown, s, end, begin(&s));
	size_t track;

	put_all_kinds(&s);
	find(&s);
	track = row_of(&s, WL_TRACK_ITERATIONS, 0);
	fill(&s, track, &all);
	assert_int_equal(s.lanes.n_events, 4);
	expect_piece(&s, 1, 1100, 2100, WL_COLOUR_NEUTRAL);
	expect_piece(&s, 3, 3100, 3700, WL_COLOUR_NEUTRAL);
	assert_string_equal(name_of(&s, track, 0, 2), "step 2");
	assert_int_equal(wl_track_event_of(&s.tracks, track, 2).row, 2);
}

TEST(streams_with_one_number_name_context_and_process)
{
	WITH(struct shown, s, end, begin(&s));
	static const char *const want[] = { "Stream 7 pid 100 ctx 1 compute",
					    "Stream 7 pid 100 ctx 2 compute", "Stream 8 compute",
					    "Stream 7 pid 101 compute" };
	unsigned pid;

	for (pid = 100; pid < 102; pid++)
		wl_vec_push(&s.m.build.cuda_devices,
			    &(struct wl_cuda_device){ pid, 0, 0, WL_NONE });
	for (pid = 100; pid < 102; pid++)
		wl_vec_push(&s.m.build.mpi_ranks,
			    &(struct wl_label){ mem_process_key(pid), (int64_t)pid - 96, 0 });
	op(&s, WL_F_KERNELS, &(struct mem_op){ .start = 0, .end = 1 });
	op(&s, WL_F_KERNELS, &(struct mem_op){ .start = 0, .end = 1, .context = 2 });
	op(&s, WL_F_KERNELS, &(struct mem_op){ .start = 0, .end = 1, .context = 2, .stream = 8 });
	op(&s, WL_F_KERNELS, &(struct mem_op){ .start = 0, .end = 1, .pid = 101 });
	find(&s);
	for (size_t i = 0; i < WL_COUNT(want); i++)
		assert_string_equal(s.tracks.at[row_of(&s, WL_TRACK_STREAM, i)].label, want[i]);
	assert_string_equal(s.tracks.at[0].label, "GPU 0 ranks 4, 5");
	assert_int_equal(s.tracks.at[0].process, WL_NONE);
	for (size_t i = 0; i < s.trace->n_places; i++)
		s.scope.place_on[i] = s.trace->places[i].process == 1;
	find(&s);
	assert_string_equal(s.tracks.at[0].label, "GPU 0 rank 5");
	assert_string_equal(s.tracks.at[1].label, "Stream 7 compute");
}

TEST(names_of_threads_and_purposes_are_cut)
{
	WITH(struct shown, s, end, begin(&s));
	static const char purpose[] = "dispatch\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4"
				      "\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4"
				      "\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4";
	char longer[sizeof(purpose) + 8], want[sizeof(purpose) + 32];

	(void)snprintf(longer, sizeof(longer), "%smore", purpose);
	(void)snprintf(want, sizeof(want), "Stream 7 comm * %s", purpose);
	range(&s, 0, 10, 1, longer);
	MEM_API(&s.m, .start = 1, .end = 2, .tid = 1, .corr = 1);
	op(&s, WL_F_KERNELS,
	   &(struct mem_op){ .start = 5, .end = 6, .corr = 1, .name = "nvshmem_barrier" });
	wl_vec_push(&s.m.build.thread_names, &(struct wl_label){ mem_process_key(100) << 24 | 1,
								 mem_string(&s.m, "main"), 0 });
	find(&s);
	assert_string_equal(s.tracks.at[row_of(&s, WL_TRACK_STREAM, 0)].label, want);
	assert_string_equal(s.tracks.at[row_of(&s, WL_TRACK_API, 0)].label, "API 1 main");
}

static void mark(struct shown *s, wl_ns at, const char *name)
{
	MEM_NVTX(&s->m, .start = at, .end = 900, .kind = WL_NVTX_MARK, .name = name);
}

TEST(marks_have_no_length_and_lie_below_ranges)
{
	struct shown s;
	size_t row;

	begin(&s);
	range(&s, 10, 50, 0, "outer");
	mark(&s, 20, "in it");
	mark(&s, 90, "alone");
	find(&s);
	assert_int_equal(s.tracks.extent.end, 91);
	row = row_of(&s, WL_TRACK_NVTX, 0);
	assert_int_equal(s.tracks.at[row].n_events, 3);
	fill_kind(&s, WL_TRACK_NVTX, 0);
	assert_int_equal(s.lanes.n, 2);
	expect_event(&s, 0, 0, 10, 50);
	expect_event(&s, 0, 1, 90, 90);
	expect_event(&s, 1, 0, 20, 20);
	assert_string_equal(wl_track_event_name(&s.tracks, row, s.lanes.lane[1].ref[0], 0),
			    "in it");
	end(&s);

	begin(&s);
	mark(&s, 5, NULL);
	find(&s);
	row = row_of(&s, WL_TRACK_NVTX, 0);
	fill_kind(&s, WL_TRACK_NVTX, 0);
	expect_event(&s, 0, 0, 5, 5);
	assert_string_equal(wl_track_event_name(&s.tracks, row, s.lanes.lane[0].ref[0], 0),
			    "(unnamed)");
	end(&s);
}

TEST(families_that_are_missing_have_no_rows)
{
	struct shown s;

	begin(&s);
	find(&s);
	assert_int_equal(s.tracks.n, 0);
	assert_int_equal(s.tracks.extent.begin, 0);
	assert_int_equal(s.tracks.extent.end, 1);
	end(&s);

	begin(&s);
	range(&s, 10, 10, 0, "alone");
	find(&s);
	assert_int_equal(s.tracks.n, 2);
	assert_int_equal(s.tracks.extent.begin, 10);
	assert_int_equal(s.tracks.extent.end, 11);
	fill_kind(&s, WL_TRACK_NVTX, 0);
	expect_event(&s, 0, 0, 10, 10);
	end(&s);

	begin(&s);
	kernel(&s, 0, 10, 7, NULL);
	kernel(&s, 20, 30, 7, NULL);
	find(&s);
	assert_int_equal(s.tracks.n, 4);
	fill_kind(&s, WL_TRACK_GAPS, 0);
	expect_gap(&s, 0, 10, 20, "unknown", "no launch");
	end(&s);
}

struct filling {
	struct shown *s;
	struct wl_lanes *lanes;
};

static bool fill_one(void *ctx, size_t i, struct wl_arena *arena)
{
	struct filling *f = ctx;

	return wl_track_fill(&f->s->tracks, i, &all, wl_arena_budget(arena), &f->lanes[i]);
}

TEST(rows_may_be_filled_at_once)
{
	struct wl_pool *pool = wl_pool_new(4);
	WITH(struct shown, s, end, begin(&s));
	struct filling f = { .s = &s };

	put_all_kinds(&s);
	find(&s);
	f.lanes = WL_NEW(&s.arena, struct wl_lanes, s.tracks.n);
	assert_non_null(f.lanes);
	assert_true(wl_pool_map(pool, s.tracks.n, fill_one, &f, &s.arena));
	for (size_t i = 0; i < s.tracks.n; i++) {
		fill(&s, i, &all);
		assert_int_equal(s.lanes.n, f.lanes[i].n);
		assert_int_equal(s.lanes.n_events, f.lanes[i].n_events);
		for (size_t k = 0; k < s.lanes.n; k++)
			assert_memory_equal(s.lanes.lane[k].ref, f.lanes[i].lane[k].ref,
					    s.lanes.lane[k].n * sizeof(uint32_t));
		wl_lanes_release(&f.lanes[i]);
	}
	wl_pool_free(pool);
}

TEST(every_byte_budget_is_kept)
{
	WITH(struct shown, s, end, begin(&s));
	struct wl_tracks tracks;
	size_t budget = 0;
	bool ok = false;

	put_all_kinds(&s);
	find(&s);
	for (; !ok; budget += 64) {
		struct wl_arena arena;

		wl_arena_init(&arena, budget);
		ok = wl_tracks_find(&s.m.derived, &s.scope.scope, &arena, &tracks);
		assert_in_range(arena.used, 0, budget);
		wl_arena_release(&arena);
	}
	for (size_t i = 0; i < s.tracks.n; i++) {
		ok = false;
		for (budget = 0; !ok; budget += 64) {
			struct wl_arena arena;

			wl_arena_init(&arena, budget);
			wl_lanes_release(&s.lanes);
			ok = wl_track_fill(&s.tracks, i, &all, wl_arena_budget(&arena), &s.lanes);
			wl_lanes_release(&s.lanes);
			wl_arena_release(&arena);
		}
	}
}

static void level(const struct shown *s, size_t i, wl_ns start, wl_ns end, unsigned level)
{
	expect_event(s, 0, i, start, end);
	assert_int_equal(s->lanes.lane[0].level[i], level);
}

/* Below the first GPU alone; what was always 0 has no row. */
TEST(adapters_are_below_the_first_gpu)
{
	WITH(struct shown, s, end, begin(&s));
	struct mem_nic_sample sample = { .nic = "mlx5_0", .unit = "bytes/ms" };
	size_t row;

	mem_gpu(&s.m, 0, 100);
	mem_gpu(&s.m, 1, 101);
	op(&s, WL_F_KERNELS, &(struct mem_op){ .start = 0, .end = 100, .pid = 100, .name = "k" });
	op(&s, WL_F_KERNELS, &(struct mem_op){ .start = 0, .end = 100, .pid = 101, .name = "k" });
	for (wl_ns t = 0; t < 100; t += 10) {
		sample.start = t;
		sample.end = t + 10;
		sample.value = t < 50 ? 2000000 : 1000000;
		sample.name = "IB: Bytes sent";
		mem_nic_metric(&s.m, &sample);
		sample.name = "IB: Packets sent";
		mem_nic_metric(&s.m, &sample);
		sample.value = 0;
		sample.name = "IB: Bytes received";
		mem_nic_metric(&s.m, &sample);
	}
	find(&s);
	assert_int_equal(s.tracks.n_counters, 1);
	row = row_of(&s, WL_TRACK_COUNTER, 0);
	assert_int_equal(s.tracks.at[row].device, 0);
	assert_string_equal(s.tracks.at[row].label, "mlx5_0:1 IB: Bytes sent");
	assert_string_equal(s.tracks.at[row].brief, "NIC tx");
	assert_string_equal(s.tracks.counter[0].unit, "B/s");
	assert_true(s.tracks.counter[0].full == 2e9);
	fill(&s, row, &all);
	level(&s, 0, 0, 50, 255);
	level(&s, 1, 50, 100, 128);
	assert_string_equal(name_of(&s, row, 0, 1), "mlx5_0:1 IB: Bytes sent 1 GB/s");
}

TEST(counters_are_the_last_rows_of_a_gpu)
{
	WITH(struct shown, s, end, begin(&s));
	size_t row;

	mem_gpu(&s.m, 0, 100);
	op(&s, WL_F_KERNELS, &(struct mem_op){ .start = 0, .end = 100, .pid = 100, .name = "k" });
	for (wl_ns t = -30; t < 130; t += 10) {
		mem_metric(&s.m, 0, "GPC Clock Frequency [MHz]", t, 1000000);
		mem_metric(&s.m, 0, "Tensor Active [Throughput %]", t, t == 50 ? 40 : 0);
		mem_metric(&s.m, 0, "SMs Active [Throughput %]", t, t < 50 ? 100 : 50);
		mem_metric(&s.m, 7, "SMs Active [Throughput %]", t, 3); /* of no device */
	}
	mem_allocation(&s.m, 20, 100, 2, 3000, false);
	mem_allocation(&s.m, 60, 100, 2, 1000, true);
	find(&s);
	assert_int_equal(s.tracks.n_counters, 3);
	row = row_of(&s, WL_TRACK_COUNTER, 0);
	assert_int_equal(s.tracks.at[row - 1].kind, WL_TRACK_GAPS);
	assert_string_equal(s.tracks.at[row].label, "SMs Active");
	assert_string_equal(s.tracks.at[row].brief, "SM act");
	/* Equal samples are one event, and none is outside the extent. */
	fill(&s, row, &all);
	assert_int_equal(s.lanes.lane[0].n, 2);
	level(&s, 0, 0, 50, 255);
	level(&s, 1, 50, 100, 128);
	assert_string_equal(name_of(&s, row, 0, 1), "SMs Active 50%");
	fill(&s, row + 1, &all);
	assert_int_equal(s.lanes.lane[0].n, 3);
	level(&s, 1, 50, 60, 103);
	assert_string_equal(name_of(&s, row + 1, 0, 1), "Tensor Active 40%");
	fill(&s, row + 2, &all);
	assert_string_equal(s.tracks.at[row + 2].label, "Memory, device");
	assert_int_equal(s.lanes.lane[0].n, 3);
	level(&s, 0, 0, 20, 1);
	level(&s, 1, 20, 60, 255);
	level(&s, 2, 60, 100, 170);
	assert_string_equal(name_of(&s, row + 2, 0, 2), "Memory, device 2 kB");
}

/* A new line of tracks.def must hold together; nothing else names the kinds. */
TEST(kinds_say_of_which_family_their_events_are)
{
	for (size_t k = 0; k < WL_N_TRACK_KINDS; k++) {
		const struct wl_row_kind *kind = &wl_row_kinds[k];
		bool has_family = kind->family < WL_N_FAMILIES;

		assert_int_equal(kind->id, k);
		assert_non_null(kind->help);
		assert_int_equal(has_family, kind->holds == WL_HOLDS_CALLS ||
						     kind->holds == WL_HOLDS_RANGES ||
						     kind->holds == WL_HOLDS_PROJECTIONS);
		if (has_family) {
			assert_int_equal(wl_column_infos[kind->names].family, kind->family);
			assert_int_equal(wl_family_infos[kind->family].order, WL_BY_THREAD);
			assert_non_null(kind->label);
		}
		for (size_t other = 0; other < k; other++) {
			assert_string_not_equal(kind->key, wl_row_kinds[other].key);
			assert_false(wl_row_is_of_thread(kind) && has_family &&
				     wl_row_is_of_thread(&wl_row_kinds[other]) &&
				     wl_row_kinds[other].family == kind->family);
		}
	}
}
