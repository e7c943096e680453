/* SPDX-License-Identifier: MIT */
/*
 * What rows of a timeline show is what is told: on every trace and on random ones, in any
 * window, a GPU's row has the times of the accounting, its gaps those of the ledger, a
 * stream's row has each of its operations once and, flat, the time of their union, and the
 * row of iterations has their tiles.
 */
#include "derive/tracks/tracks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "derive/derived.h"
#include "derive/kinds/sweep.h"
#include "derive/rows/ops.h"
#include "derive/rows/streams.h"
#include "session/open/session.h"
#include "support/mem.h"
#include "support/random.h"
#include "support/traces.h"
#include "support/unit.h"

enum { N_RANDOM = 400, N_WINDOWS = 6 };

/* A trace with its rows, and what they are held against. */
struct subject {
	const char *name;
	const struct wl_derived *derived;
	const struct wl_trace *trace;
	struct wl_scope scope; /* that rows were found with */
	struct wl_tracks tracks;
	struct wl_streams streams;
	struct wl_arena arena;
	struct wl_budget budget; /* of lanes */
	size_t n_seen[WL_N_TRACK_KINDS];
};

/* The scope with one window for all. */
struct windowed {
	struct wl_scope scope;
	struct wl_interval window;
	struct wl_derived derived; /* also what is of the scope */
};

static struct windowed make_window(const struct subject *s, struct wl_interval window,
				   struct wl_arena *arena)
{
	struct windowed w = { .scope = s->scope, .window = window };
	struct wl_interval *device = WL_NEW(arena, struct wl_interval, s->trace->n_devices);
	struct wl_interval *process = WL_NEW(arena, struct wl_interval, s->trace->n_processes);

	assert_non_null(device);
	assert_non_null(process);
	for (size_t d = 0; d < s->trace->n_devices; d++)
		device[d] = s->scope.device_on[d] ? window : (struct wl_interval){ 0, 0 };
	for (size_t p = 0; p < s->trace->n_processes; p++)
		process[p] = window;
	w.scope.whole = false;
	w.scope.device = device;
	w.scope.process = process;
	return w;
}

/* Inside the rows, across their ends, or a few nanoseconds. */
static struct wl_interval random_window(const struct subject *s, uint64_t *seed)
{
	wl_ns begin = s->tracks.extent.begin, length = s->tracks.extent.end - begin;
	wl_ns at = begin + random_between(seed, -length / 8, length);
	wl_ns most = random_below(seed, 3) ? length : 1 + length / 1000;

	return (struct wl_interval){ at, at + random_between(seed, 1, most) };
}

static void fill(struct subject *s, size_t track, struct wl_lanes *ret)
{
	static const struct wl_track_filter all = { .min_dur = 0 };

	assert_true(wl_track_fill(&s->tracks, track, &all, &s->budget, ret));
	s->n_seen[s->tracks.at[track].kind]++;
}

static void expect_time(const struct subject *s, size_t track, const char *what, wl_ns have,
			wl_ns want)
{
	if (have != want)
		fail_msg("%s, %s: %s is %lld ns, must be %lld", s->name, s->tracks.at[track].label,
			 what, (long long)have, (long long)want);
}

static void time_of(const struct wl_lanes *lanes, struct wl_interval window, wl_ns *ret)
{
	memset(ret, 0, WL_MAX_LANE_CATS * sizeof(*ret));
	assert_true(lanes->n <= 1);
	if (lanes->n == 1)
		(void)wl_lane_time(&lanes->lane[0], window.begin, window.end, ret);
}

static void check_gpu(const struct subject *s, size_t track, const struct wl_lanes *lanes,
		      const struct windowed *w)
{
	wl_ns time[WL_MAX_LANE_CATS];
	struct wl_usage usage;

	time_of(lanes, w->window, time);
	wl_sweep_usage(s->trace, &w->scope, s->derived->classes,
		       &w->derived.activity->device[s->tracks.at[track].device], &usage);
	expect_time(s, track, "compute", time[WL_COMPUTE], wl_usage_any(&usage, WL_ON_COMPUTE));
	expect_time(s, track, "exposed_comm", time[WL_COMM],
		    wl_usage_without(&usage, WL_ON_COMM, WL_ON_COMPUTE));
	expect_time(s, track, "exposed_copy", time[WL_COPY],
		    wl_usage_without(&usage, WL_ON_COPY, WL_ON_COMPUTE | WL_ON_COMM));
}

static void check_gaps(const struct subject *s, size_t track, const struct wl_lanes *lanes,
		       const struct windowed *w, const struct wl_ledger *ledger)
{
	wl_ns time[WL_MAX_LANE_CATS], loss[WL_N_LOSSES] = { 0 };

	time_of(lanes, w->window, time);
	for (size_t i = 0; i < ledger->n; i++) {
		const struct wl_ledger_lane *lane = &ledger->lane[i];

		if (!lane->of_device || lane->device != s->tracks.at[track].device)
			continue;
		for (size_t t = 0; t < lane->n_tiles; t++) {
			for (size_t k = 0; k < WL_N_LOSSES; k++)
				loss[k] += lane->tile[t].loss[k];
		}
	}
	expect_time(s, track, "exposed_comm", time[WL_GAP_EXPOSED_COMM],
		    loss[WL_LOSS_EXPOSED_COMM]);
	expect_time(s, track, "exposed_copy", time[WL_GAP_EXPOSED_COPY],
		    loss[WL_LOSS_EXPOSED_COPY]);
	for (unsigned c = WL_CAUSE_UNKNOWN; c <= WL_CAUSE_HOST; c++)
		expect_time(s, track, wl_cause_name((enum wl_cause)c), time[WL_GAP_OF_CAUSE + c],
			    loss[c]);
}

static int by_begin(const void *a, const void *b)
{
	wl_ns x = ((const struct wl_interval *)a)->begin,
	      y = ((const struct wl_interval *)b)->begin;

	return x < y ? -1 : x > y;
}

/* The operations of a stream, by begin. */
struct operations {
	struct wl_interval *at;
	size_t n;
};

static struct operations operations_of(const struct subject *s, uint32_t stream,
				       struct wl_arena *arena)
{
	struct operations ret = { NULL, 0 };

	for (int pass = 0; pass < 2; pass++) {
		ret.n = 0;
		for (size_t f = 0; f < WL_N_OP_FAMILIES; f++) {
			struct wl_ops ops = wl_trace_ops(s->trace, wl_op_families[f]);

			for (size_t i = 0; i < ops.n; i++) {
				wl_ns end = ops.start[i] + wl_dur(ops.family, ops.dur, i);

				if (s->streams.of_place[ops.place[i]] != stream)
					continue;
				if (pass)
					ret.at[ret.n] = (struct wl_interval){ ops.start[i], end };
				ret.n++;
			}
		}
		if (!pass)
			ret.at = WL_NEW(arena, struct wl_interval, ret.n);
		assert_non_null(ret.at);
	}
	qsort(ret.at, ret.n, sizeof(*ret.at), by_begin);
	return ret;
}

/* The length of their union in the window, and the sum of their parts there. */
static void measure(const struct operations *ops, struct wl_interval window, wl_ns *ret_union,
		    wl_ns *ret_sum)
{
	wl_ns covered = window.begin;

	*ret_union = *ret_sum = 0;
	for (size_t i = 0; i < ops->n; i++) {
		struct wl_interval o = ops->at[i];

		o.begin = o.begin > window.begin ? o.begin : window.begin;
		o.end = o.end < window.end ? o.end : window.end;
		if (o.begin >= o.end)
			continue;
		*ret_sum += o.end - o.begin;
		if (o.end > covered) {
			*ret_union += o.end - (o.begin > covered ? o.begin : covered);
			covered = o.end;
		}
	}
}

static wl_ns sum_of(const struct wl_lanes *lanes, struct wl_interval window)
{
	wl_ns time[WL_MAX_LANE_CATS] = { 0 }, sum = 0;

	for (size_t l = 0; l < lanes->n; l++)
		sum += wl_lane_time(&lanes->lane[l], window.begin, window.end, time);
	return sum;
}

/* What the refs say is what the lanes show, and leads back. */
static void check_operations(const struct subject *s, size_t track, const struct wl_lanes *lanes)
{
	for (size_t l = 0; l < lanes->n; l++) {
		const struct wl_lane *lane = &lanes->lane[l];

		for (size_t i = 0; i < lane->n; i++) {
			struct wl_track_event e =
				wl_track_event_of(&s->tracks, track, lane->ref[i]);
			struct wl_ops ops = wl_trace_ops(s->trace, e.family);

			assert_true(e.row < ops.n);
			assert_int_equal(wl_track_ref(e.family, e.row), lane->ref[i]);
			assert_int_equal(ops.start[e.row], lane->start[i]);
			assert_int_equal(wl_dur(ops.family, ops.dur, e.row), wl_lane_dur(lane, i));
			assert_int_equal(wl_track_of_place(&s->tracks, ops.place[e.row]), track);
		}
	}
}

static void check_stream(struct subject *s, size_t track, const struct wl_interval *window,
			 size_t n_windows)
{
	struct operations ops;
	struct wl_lanes lanes, flat;
	struct wl_arena scratch;

	wl_arena_init_child(&scratch, &s->arena);
	ops = operations_of(s, s->tracks.at[track].stream, &scratch);
	fill(s, track, &lanes);
	assert_int_equal(lanes.n_events, ops.n);
	assert_int_equal(lanes.n_events, s->tracks.at[track].n_events);
	check_operations(s, track, &lanes);
	assert_true(wl_lanes_flatten(&lanes, &s->budget, &flat));
	for (size_t i = 0; i < n_windows; i++) {
		wl_ns all, sum;

		measure(&ops, window[i], &all, &sum);
		expect_time(s, track, "union", sum_of(&flat, window[i]), all);
		expect_time(s, track, "sum", sum_of(&lanes, window[i]), sum);
	}
	wl_lanes_release(&flat);
	wl_lanes_release(&lanes);
	wl_arena_release(&scratch);
}

static void check_iterations(struct subject *s, size_t track)
{
	const struct wl_process_iters *iters =
		&s->derived->iterations->process[s->tracks.at[track].process];
	struct wl_lanes lanes;
	size_t n = 0;

	fill(s, track, &lanes);
	assert_int_equal(lanes.n_events, iters->n);
	for (size_t l = 0; l < lanes.n; l++) {
		const struct wl_lane *lane = &lanes.lane[l];

		for (size_t i = 0; i < lane->n; i++, n++) {
			struct wl_track_event e =
				wl_track_event_of(&s->tracks, track, lane->ref[i]);

			assert_int_equal(e.family, WL_N_FAMILIES);
			assert_true(e.row < iters->n);
			assert_int_equal(lane->start[i], iters->at[e.row].tile.begin);
			assert_int_equal(wl_lane_end(lane, i), iters->at[e.row].tile.end);
		}
	}
	assert_int_equal(n, iters->n);
	wl_lanes_release(&lanes);
}

/* Each selected device has one row of a kind at most; GPU rows all of them. */
static void check_devices(const struct subject *s)
{
	size_t n_gpus = 0, n_on = 0, n_ops = 0, n_shown = 0;

	for (size_t d = 0; d < s->trace->n_devices; d++)
		n_on += s->scope.device_on[d];
	for (size_t f = 0; f < WL_N_OP_FAMILIES; f++)
		n_ops += s->trace->family[wl_op_families[f]].n;
	for (size_t t = 0; t < s->tracks.n; t++) {
		n_gpus += s->tracks.at[t].kind == WL_TRACK_GPU;
		if (s->tracks.at[t].kind == WL_TRACK_STREAM)
			n_shown += s->tracks.at[t].n_events;
	}
	assert_int_equal(n_gpus, n_on);
	assert_int_equal(n_shown, n_ops);
}

/* GPU and GAPS rows in one window; each is filled once, before. */
static void check_window(struct subject *s, const struct wl_lanes *lanes, struct wl_interval window)
{
	struct wl_arena scratch;
	struct windowed w;

	wl_arena_init_child(&scratch, &s->arena);
	w = make_window(s, window, &scratch);
	w.derived = *s->derived;
	assert_true(wl_scoped_find(&w.derived, &w.scope, WL_FROM(LEDGER), &scratch));
	for (size_t t = 0; t < s->tracks.n; t++) {
		if (s->tracks.at[t].kind == WL_TRACK_GPU)
			check_gpu(s, t, &lanes[t], &w);
		else if (s->tracks.at[t].kind == WL_TRACK_GAPS)
			check_gaps(s, t, &lanes[t], &w, w.derived.ledger);
	}
	wl_arena_release(&scratch);
}

static void check_rows(struct subject *s, uint64_t *seed)
{
	struct wl_lanes *lanes = WL_NEW(&s->arena, struct wl_lanes, s->tracks.n);
	struct wl_interval window[N_WINDOWS];

	assert_non_null(lanes);
	window[0] = s->tracks.extent;
	for (size_t i = 1; i < N_WINDOWS; i++)
		window[i] = random_window(s, seed);
	for (size_t t = 0; t < s->tracks.n; t++) {
		enum wl_track_kind kind = s->tracks.at[t].kind;

		if (kind == WL_TRACK_GPU || kind == WL_TRACK_GAPS)
			fill(s, t, &lanes[t]);
		else if (kind == WL_TRACK_STREAM)
			check_stream(s, t, window, N_WINDOWS);
		else if (kind == WL_TRACK_ITERATIONS)
			check_iterations(s, t);
	}
	for (size_t i = 0; i < N_WINDOWS; i++)
		check_window(s, lanes, window[i]);
	for (size_t t = 0; t < s->tracks.n; t++)
		wl_lanes_release(&lanes[t]);
	assert_int_equal(s->budget.used, 0);
}

static void check(struct subject *s, uint64_t *seed)
{
	wl_arena_init(&s->arena, SIZE_MAX / 2);
	s->trace = s->derived->trace;
	assert_true(wl_streams_find(s->trace, &s->arena, &s->streams));
	assert_true(wl_tracks_find(s->derived, &s->scope, &s->arena, &s->tracks));
	check_devices(s);
	check_rows(s, seed);
	wl_arena_release(&s->arena);
}

static bool has_operations(const struct wl_trace *t)
{
	for (size_t i = 0; i < WL_N_OP_FAMILIES; i++) {
		if (t->family[wl_op_families[i]].n)
			return true;
	}
	return false;
}

static void check_session(const char *name, struct wl_session *session, size_t *n_seen)
{
	static const struct wl_selection all = { .window = NULL };
	struct wl_derived derived;
	struct subject s = { .name = name, .derived = &derived };
	struct wl_scope_notes notes;
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, SIZE_MAX / 2));
	struct wl_err err;
	uint64_t seed = 7;

	assert_true(wl_session_derive(session, WL_FROM(TRACKS), NULL, &derived));
	assert_int_equal(wl_selection_resolve(&all, s.derived, &arena, &s.scope, &notes, &err),
			 WL_OK);
	check(&s, &seed);
	for (size_t k = 0; k < WL_N_TRACK_KINDS; k++)
		n_seen[k] += s.n_seen[k];
}

static void check_trace(void *ctx, const struct test_trace *trace)
{
	struct wl_input_opts opts = { .budget = NULL };
	struct wl_session *session;
	struct wl_err err;

	if (wl_session_open(trace->path, &opts, &session, &err) != WL_OK)
		return;
	if (wl_session_load_all(session, &err) == WL_OK &&
	    has_operations(wl_session_trace(session)))
		check_session(trace->name, session, ctx);
	wl_session_close(session);
}

static void rows_of_every_trace_show_what_is_told(void **state)
{
	size_t n_seen[WL_N_TRACK_KINDS] = { 0 };
	struct test_traces seen;

	(void)state;
	seen = for_each_trace(check_trace, n_seen);
	(void)printf("%zu fixtures and %zu real traces; rows of GPUs %zu, streams %zu, gaps %zu, "
		     "iterations %zu\n",
		     seen.n_fixtures, seen.n_real, n_seen[WL_TRACK_GPU], n_seen[WL_TRACK_STREAM],
		     n_seen[WL_TRACK_GAPS], n_seen[WL_TRACK_ITERATIONS]);
	assert_true(seen.n_fixtures > 0);
	assert_int_equal(seen.n_failed, 0);
	assert_true(n_seen[WL_TRACK_GAPS] > 0 && n_seen[WL_TRACK_ITERATIONS] > 0);
}

/* Operations of any kind, most of them launched, some long before and some after they begin. */
static void put_operations(struct mem *m, uint64_t *seed)
{
	static const char *const names[] = { "gemm", "softmax", "ncclDevKernel_AllReduce_Sum_f32",
					     "ncclDevKernel_SendRecv" };
	unsigned n = random_below(seed, 80), devices = 1 + random_below(seed, 3);
	unsigned streams = 1 + random_below(seed, 4), pids = 1 + random_below(seed, 2);
	uint32_t gap = 1 + random_below(seed, 12000), most = 1 + random_below(seed, 20000);
	wl_ns t = 100000;

	for (unsigned i = 1; i <= n; i++) {
		unsigned pid = 100 + random_below(seed, pids), corr = 10 * i;
		enum wl_family_id family = wl_op_families[random_below(seed, 8) % 5 % 4];
		struct mem_op op = { .start = t,
				     .end = t + random_below(seed, most),
				     .pid = pid,
				     .device = random_below(seed, devices),
				     .stream = 7 + random_below(seed, streams),
				     .corr = random_below(seed, 8) ? corr : 0,
				     .name = names[random_below(seed, 4)],
				     .kind = (uint8_t)random_below(seed, 12),
				     .bytes = 64 };
		wl_ns call = t - random_between(seed, -2000, 20000);

		mem_op(m, family, &op);
		if (random_below(seed, 10))
			mem_api(m, &(struct mem_call){ .start = call,
						       .end = call + random_below(seed, 8000),
						       .pid = pid,
						       .tid = pid + random_below(seed, 2),
						       .corr = corr });
		t += random_below(seed, gap);
	}
}

static void put_overhead(struct mem *m, wl_ns start, wl_ns end, uint32_t thread)
{
	uint32_t name = mem_string(m, "buffer flush");

	mem_row(m, WL_F_OVERHEAD, start, end);
	mem_put(m, WL_OVERHEAD_THREAD, &thread);
	mem_put(m, WL_OVERHEAD_NAME, &name);
}

/* What a thread may do while a GPU waits. */
static void put_host(struct mem *m, uint64_t *seed)
{
	static const char *const calls[] = { "cudaDeviceSynchronize", "cudaMalloc",
					     "cuModuleLoadData", "cudaGetDevice" };
	wl_ns t = 90000;

	for (unsigned n = random_below(seed, 30); n > 0; n--) {
		unsigned pid = 100 + random_below(seed, 2);
		wl_ns end = t + random_below(seed, 15000);

		switch (random_below(seed, 4)) {
		case 0:
			mem_api(m, &(struct mem_call){ .start = t,
						       .end = end,
						       .pid = pid,
						       .tid = pid,
						       .name = calls[random_below(seed, 4)] });
			break;
		case 1:
			mem_osrt(m, &(struct mem_call){
					    .start = t, .end = end, .pid = pid, .tid = pid });
			break;
		case 2:
			put_overhead(m, t, end, mem_thread(m, pid, pid));
			break;
		default:
			mem_nvtx(m, &(struct mem_range){ .start = t,
							 .end = end,
							 .pid = pid,
							 .tid = pid,
							 .name = "step" });
			break;
		}
		t += random_below(seed, 40000);
	}
}

static void rows_of_random_traces_show_what_is_told(void **state)
{
	const int n = random_cases(N_RANDOM);
	size_t n_gaps = 0;
	uint64_t seed = 11;

	(void)state;
	for (int round = 0; round < n; round++) {
		struct subject s = { .name = "random" };
		struct mem_scope scope;
		struct mem m;

		mem_init(&m);
		put_operations(&m, &seed);
		put_host(&m, &seed);
		mem_scope_whole(&scope, mem_seal(&m));
		s.derived = &m.derived;
		s.scope = scope.scope;
		check(&s, &seed);
		n_gaps += s.n_seen[WL_TRACK_GAPS];
		mem_release(&m);
	}
	assert_true(n_gaps > (size_t)n / 2);
}

TEST_MAIN(tracks)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_of_random_traces_show_what_is_told),
		cmocka_unit_test(rows_of_every_trace_show_what_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
