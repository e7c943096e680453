/* SPDX-License-Identifier: MIT */
/*
 * What is exported is what the trace has: on every trace and on random ones, in windows
 * and with short slices left out, each operation, call and range of the scope is written
 * once with its own times, gaps are those of their rows, and nothing breaks what
 * export/emit.h promises to formats (support/record_emitter.h looks at that).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "derive/derived.h"
#include "derive/exposed/exposed_pieces.h"
#include "derive/kinds/activity.h"
#include "derive/rows/ops.h"
#include "export/timeline/timeline.h"
#include "known/exports/codes.h"
#include "session/open/session.h"
#include "support/mem.h"
#include "support/random.h"
#include "support/record_emitter.h"
#include "support/traces.h"
#include "support/unit.h"

enum { N_RANDOM = 300, N_MANY = 1000 * 1000, MOST_BYTES = 16 * 1000 * 1000 };

/* An event; names are told apart by where they lie. */
struct event {
	uint64_t kind;
	wl_ns start, end;
	uint64_t what;
};

struct events {
	struct event *at;
	size_t n, cap;
};

static void push(struct events *e, uint64_t kind, wl_ns start, wl_ns end, uint64_t what)
{
	if (e->n == e->cap) {
		e->cap = e->cap ? 2 * e->cap : 256;
		e->at = realloc(e->at, e->cap * sizeof(*e->at));
		assert_non_null(e->at);
	}
	e->at[e->n++] = (struct event){ kind, start, end, what };
}

static int by_all(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	return x->what < y->what ? -1 : x->what > y->what;
}

/* The same events in any order; both are freed. */
static void expect_same(const char *name, struct events *have, struct events *want)
{
	if (have->n)
		qsort(have->at, have->n, sizeof(*have->at), by_all);
	if (want->n)
		qsort(want->at, want->n, sizeof(*want->at), by_all);
	for (size_t i = 0; i < have->n && i < want->n; i++) {
		const struct event *h = &have->at[i], *w = &want->at[i];

		if (by_all(h, w) != 0)
			fail_msg("%s: event %zu is %d %lld..%lld, must be %d %lld..%lld", name, i,
				 (int)h->kind, (long long)h->start, (long long)h->end, (int)w->kind,
				 (long long)w->start, (long long)w->end);
	}
	if (have->n != want->n)
		fail_msg("%s: %zu events, must be %zu", name, have->n, want->n);
	free(have->at);
	free(want->at);
	*have = *want = (struct events){ .n = 0 };
}

struct subject {
	const char *name;
	const struct wl_derived *derived;
	const struct wl_trace *trace;
	struct wl_scope scope; /* with its window */
	wl_ns min_dur;
	struct wl_tracks tracks;
	struct wl_arena arena;
	struct wl_budget budget;
	size_t n_slices, n_flows; /* seen so far */
};

/* Whether a part of it is in the window: as derive/rows/scope.h says, in other words. */
static bool is_in(const struct subject *s, const struct wl_interval *windows, uint32_t of,
		  wl_ns start, wl_ns end)
{
	struct wl_interval w;

	if (s->scope.whole)
		return true;
	w = windows[of];
	if (w.begin >= w.end)
		return false;
	return start == end ? start >= w.begin && start < w.end : start < w.end && end > w.begin;
}

static void expect_ops(const struct subject *s, enum wl_family_id family, struct events *want)
{
	const struct wl_ops ops = wl_trace_ops(s->trace, family);

	for (size_t i = 0; i < ops.n; i++) {
		const struct wl_place *place = &s->trace->places[ops.place[i]];
		wl_ns start = ops.start[i], end = start + wl_dur(ops.family, ops.dur, i);

		if (s->scope.place_on[ops.place[i]] && s->scope.device_on[place->device] &&
		    end - start >= s->min_dur &&
		    is_in(s, s->scope.device, place->device, start, end))
			push(want, family, start, end, (uintptr_t)wl_op_name(s->trace, family, i));
	}
}

/* Names of ranges are made elsewhere: only their times count. */
static void expect_host(const struct subject *s, enum wl_family_id family, const uint32_t *name,
			wl_ns min_dur, struct events *want)
{
	const struct wl_trace *t = s->trace;
	const struct wl_key_columns keys = wl_family_keys(family);
	const wl_ns *start = t->column[keys.start];
	const uint32_t *dur = t->column[keys.dur], *thread = t->column[keys.owner];

	for (size_t i = 0; start && i < t->family[family].n; i++) {
		bool is_mark = family == WL_F_NVTX && wl_nvtx_kind(t)[i] == WL_NVTX_MARK;
		wl_ns end = is_mark ? start[i] : start[i] + wl_dur(&t->family[family], dur, i);
		uint32_t process = t->threads[thread[i]].process;

		if ((family == WL_F_NVTX && !is_mark && !wl_nvtx_is_range(wl_nvtx_kind(t)[i])) ||
		    !s->scope.process_on[process] || end - start[i] < min_dur ||
		    !is_in(s, s->scope.process, process, start[i], end))
			continue;
		push(want, family, start[i], end,
		     family == WL_F_NVTX ? 0 : (uintptr_t)wl_str(t, name[i]));
	}
}

static struct events expected(const struct subject *s)
{
	const struct wl_trace *t = s->trace;
	struct events want = { .n = 0 };

	for (unsigned i = 0; i < WL_N_OP_FAMILIES; i++)
		expect_ops(s, wl_op_families[i], &want);
	expect_host(s, WL_F_API, wl_api_name(t), s->min_dur, &want);
	expect_host(s, WL_F_NVTX, wl_nvtx_name(t), s->min_dur, &want);
	expect_host(s, WL_F_OSRT, wl_osrt_name(t), s->min_dur, &want);
	expect_host(s, WL_F_OVERHEAD, wl_overhead_name(t), 0, &want);
	return want;
}

/* What slices of a row are. */
enum { OF_GAPS = 1000, OF_PROJECTED, OF_ITERATIONS, OF_PATH, OF_OPS };

static uint64_t kind_of(const struct record *r, uint32_t id)
{
	static const struct {
		const char *begin;
		uint64_t kind;
	} kinds[] = {
		{ "NVTX projected", OF_PROJECTED },
		{ "NVTX", WL_F_NVTX },
		{ "OS calls", WL_F_OSRT },
		{ "CUDA API", WL_F_API },
		{ "Idle and exposed", OF_GAPS },
		{ "Iterations", OF_ITERATIONS },
		{ "Critical path", OF_PATH },
		{ "Profiler overhead", WL_F_OVERHEAD },
		{ "Memcpy", WL_F_MEMCPYS },
		{ "Memset", WL_F_MEMSETS },
		{ "Stream", OF_OPS },
	};
	const struct wl_emit_row *row = &r->row[id - 1].row;

	if (row->kind == WL_EMIT_THREAD)
		return WL_F_API;
	for (size_t i = 0; i < WL_COUNT(kinds); i++) {
		if (strncmp(row->name, kinds[i].begin, strlen(kinds[i].begin)) == 0)
			return kinds[i].kind;
	}
	fail_msg("what is row %s?", row->name);
	return 0;
}

/* What was written of the events of the trace, and of gaps. */
static void take(const struct record *r, struct events *of_trace, struct events *gaps)
{
	for (size_t i = 0; i < r->n_slices; i++) {
		const struct record_slice *s = &r->slice[i];
		uint64_t kind = kind_of(r, s->row);

		if (kind == OF_OPS)
			kind = strcmp(s->name, "(graph)") == 0 ? WL_F_GRAPHS : WL_F_KERNELS;
		if (kind == OF_GAPS)
			push(gaps, 0, s->start, s->end, (uintptr_t)s->name);
		else if (kind != OF_PROJECTED && kind != OF_ITERATIONS && kind != OF_PATH)
			push(of_trace, kind, s->start, s->end,
			     kind == WL_F_NVTX ? 0 : (uintptr_t)s->name);
	}
}

/* The gaps that wl_track_fill() has, as far as they are in the window and long enough. */
static struct events filled_gaps(struct subject *s)
{
	static const struct wl_track_filter all = { .min_dur = 0 };
	struct events want = { .n = 0 };

	for (size_t t = 0; t < s->tracks.n; t++) {
		struct wl_lanes lanes;

		if (s->tracks.at[t].kind != WL_TRACK_GAPS)
			continue;
		assert_true(wl_track_fill(&s->tracks, t, &all, &s->budget, &lanes));
		assert_true(lanes.n <= 1);
		for (size_t i = 0; lanes.n && i < lanes.lane[0].n; i++) {
			const struct wl_lane *lane = &lanes.lane[0];
			wl_ns end = wl_lane_end(lane, i);

			if (end - lane->start[i] >= s->min_dur &&
			    is_in(s, s->scope.device, s->tracks.at[t].device, lane->start[i], end))
				push(&want, 0, lane->start[i], end,
				     (uintptr_t)wl_gap_cat_name((enum wl_gap_cat)lane->cat[i]));
		}
		wl_lanes_release(&lanes);
	}
	return want;
}

static void check_export(struct subject *s, bool flat)
{
	const struct wl_export_opts opts = { .scope = &s->scope,
					     .min_dur = s->min_dur,
					     .flows = WL_DETAIL_ALL,
					     .args = WL_DETAIL_ALL,
					     .budget = &s->budget };
	struct events have = { .n = 0 }, gaps = { .n = 0 }, want = expected(s), filled;
	struct wl_export_plan plan;
	struct wl_export_done done;
	struct record record;
	struct wl_err err;

	record_init(&record, flat);
	record.drops_texts = true;
	wl_export_plan(&s->tracks, &opts, &plan);
	assert_int_equal(wl_export_timeline(&s->tracks, &opts, &plan, &record.emitter, &done, &err),
			 WL_OK);
	assert_true(record.finished && s->budget.used == 0);
	record_expect_from(&record, -plan.shift);
	take(&record, &have, &gaps);
	s->n_slices += done.slices;
	s->n_flows += done.flows;
	filled = filled_gaps(s);
	expect_same(s->name, &have, &want);
	expect_same(s->name, &gaps, &filled);
	record_release(&record);
}

static void take_event(void *ctx, const struct wl_lane_event *e)
{
	struct events *have = ctx;

	if (have->n) {
		const struct event *last = &have->at[have->n - 1];

		assert_true(e->start > last->start ||
			    (e->start == last->start && e->end <= last->end));
	}
	push(have, e->cat, e->start, e->end, e->ref);
}

static void take_piece(void *ctx, const struct wl_op *op, wl_ns begin, wl_ns end)
{
	(void)op;
	push(ctx, 0, begin, end, 0);
}

static void take_exposed(void *ctx, const struct wl_lane_event *e)
{
	if (e->cat == WL_GAP_EXPOSED_COMM || e->cat == WL_GAP_EXPOSED_COPY)
		push(ctx, 0, e->start, e->end, 0);
}

/* What nothing hides is, piece by piece, what exposed_pieces.h finds in another way. */
static void check_exposed(struct subject *s)
{
	static const struct wl_track_filter all = { .min_dur = 0 };
	struct wl_exposed_question q = { .trace = s->trace,
					 .scope = &s->scope,
					 .classes = s->derived->classes,
					 .from = INT64_MIN,
					 .until = INT64_MAX };

	assert_true(s->scope.whole);
	for (size_t t = 0; t < s->tracks.n; t++) {
		struct events have = { .n = 0 }, want = { .n = 0 };
		struct wl_activity activity;

		if (s->tracks.at[t].kind != WL_TRACK_GAPS)
			continue;
		q.device = s->tracks.at[t].device;
		q.activity = &activity;
		assert_true(wl_activity_of_device(s->trace, &s->scope, q.classes, q.device,
						  &s->arena, &activity));
		q.class = WL_COMM;
		q.hides = WL_ON_COMPUTE;
		wl_exposed_visit(&q, take_piece, &want);
		q.class = WL_COPY;
		q.hides = WL_ON_COMPUTE | WL_ON_COMM;
		wl_exposed_visit(&q, take_piece, &want);
		assert_true(wl_track_visit(&s->tracks, t, &all, &s->budget, take_exposed, &have));
		expect_same(s->name, &have, &want);
	}
}

/* To visit a row shows the events that filling it shows, and these in order. */
static void check_visits(struct subject *s)
{
	const struct wl_track_filter filter = { .min_dur = s->min_dur };

	for (size_t t = 0; t < s->tracks.n; t++) {
		struct events have = { .n = 0 }, want = { .n = 0 };
		struct wl_lanes lanes;

		assert_true(wl_track_visit(&s->tracks, t, &filter, &s->budget, take_event, &have));
		assert_true(wl_track_fill(&s->tracks, t, &filter, &s->budget, &lanes));
		for (size_t l = 0; l < lanes.n; l++) {
			const struct wl_lane *lane = &lanes.lane[l];

			for (size_t i = 0; i < lane->n; i++)
				push(&want, lane->cat[i], lane->start[i], wl_lane_end(lane, i),
				     lane->ref[i]);
		}
		wl_lanes_release(&lanes);
		expect_same(s->tracks.at[t].label, &have, &want);
	}
	assert_int_equal(s->budget.used, 0);
}

/* The same window for all. */
static void set_window(struct subject *s, wl_ns begin, wl_ns end)
{
	struct wl_interval *device = WL_NEW(&s->arena, struct wl_interval, s->trace->n_devices);
	struct wl_interval *process = WL_NEW(&s->arena, struct wl_interval, s->trace->n_processes);

	assert_true(device && process);
	for (size_t i = 0; i < s->trace->n_devices; i++)
		device[i] = s->scope.device_on[i] ? (struct wl_interval){ begin, end }
						  : (struct wl_interval){ 0, 0 };
	for (size_t i = 0; i < s->trace->n_processes; i++)
		process[i] = (struct wl_interval){ begin, end };
	s->scope.whole = false;
	s->scope.device = device;
	s->scope.process = process;
}

static void check(struct subject *s, uint64_t *seed)
{
	wl_ns begin, length;

	wl_arena_init(&s->arena, SIZE_MAX / 2);
	s->trace = s->derived->trace;
	assert_true(wl_tracks_find(s->derived, &s->scope, &s->arena, &s->tracks));
	check_visits(s);
	check_exposed(s);
	check_export(s, false);
	check_export(s, true);
	length = s->tracks.extent.end - s->tracks.extent.begin;
	begin = s->tracks.extent.begin + random_between(seed, -length / 8, length);
	set_window(s, begin, begin + random_between(seed, 1, length));
	check_export(s, false);
	s->min_dur = random_between(seed, 1, 10000);
	check_visits(s);
	check_export(s, true);
	wl_arena_release(&s->arena);
}

static void check_trace(void *ctx, const struct test_trace *trace)
{
	static const struct wl_selection all = { .window = NULL };
	struct subject *sum = ctx, s = { .name = trace->name };
	struct wl_input_opts opts = { .budget = NULL };
	struct wl_session *session;
	struct wl_scope_notes notes;
	struct wl_derived derived;
	struct wl_arena arena;
	struct wl_err err;
	uint64_t seed = 5;

	if (wl_session_open(trace->path, &opts, &session, &err) != WL_OK)
		return;
	wl_arena_init(&arena, SIZE_MAX / 2);
	if (wl_session_load_all(session, &err) == WL_OK) {
		assert_true(wl_session_derive(session, WL_FROM(TRACKS), NULL, &derived));
		s.derived = &derived;
		if (wl_selection_resolve(&all, s.derived, &arena, &s.scope, &notes, &err) == WL_OK)
			check(&s, &seed);
	}
	sum->n_slices += s.n_slices;
	sum->n_flows += s.n_flows;
	wl_arena_release(&arena);
	wl_session_close(session);
}

static void every_trace_is_exported_as_it_is(void **state)
{
	struct subject sum = { .n_slices = 0 };
	struct test_traces seen;

	(void)state;
	seen = for_each_trace(check_trace, &sum);
	(void)printf("%zu fixtures and %zu real traces; %zu slices, %zu flows\n", seen.n_fixtures,
		     seen.n_real, sum.n_slices, sum.n_flows);
	assert_true(seen.n_fixtures > 0 && sum.n_slices > 0 && sum.n_flows > 0);
	assert_int_equal(seen.n_failed, 0);
}

/* Operations that overlap, start together and have no length, with calls before or after them. */
static void put_operations(struct mem *m, uint64_t *seed)
{
	static const char *const names[] = { "gemm", "softmax", "ncclDevKernel_AllReduce_Sum_f32" };
	unsigned n = random_below(seed, 80), devices = 1 + random_below(seed, 3);
	unsigned streams = 1 + random_below(seed, 3), pids = 1 + random_below(seed, 2);
	uint32_t gap = 1 + random_below(seed, 9000), most = 1 + random_below(seed, 20000);
	wl_ns t = random_below(seed, 2) ? 100000 : -200000;

	for (unsigned i = 1; i <= n; i++) {
		unsigned pid = 100 + random_below(seed, pids), corr = 1 + random_below(seed, 60);
		wl_ns call = t - random_between(seed, -2000, 20000);

		mem_op(m, wl_op_families[random_below(seed, 8) % 5 % 4],
		       &(struct mem_op){ .start = t,
					 .end = t + random_below(seed, most),
					 .pid = pid,
					 .device = random_below(seed, devices),
					 .stream = 7 + random_below(seed, streams),
					 .corr = random_below(seed, 8) ? corr : 0,
					 .name = names[random_below(seed, 3)],
					 .kind = (uint8_t)random_below(seed, 15),
					 .grid = 1 + random_below(seed, 3),
					 .bytes = 64 });
		if (random_below(seed, 3))
			mem_api(m, &(struct mem_call){ .start = call,
						       .end = call + random_below(seed, 8000),
						       .pid = pid,
						       .tid = pid + random_below(seed, 2),
						       .corr = corr });
		t += random_below(seed, 4) ? random_below(seed, gap) : 0;
	}
}

static void put_host(struct mem *m, uint64_t *seed)
{
	wl_ns t = random_below(seed, 2) ? 90000 : -210000;

	for (unsigned n = random_below(seed, 60); n > 0; n--) {
		unsigned pid = 100 + random_below(seed, 2), tid = pid + random_below(seed, 2);
		wl_ns end = t + random_below(seed, random_below(seed, 3) ? 4000 : 40000);
		uint8_t kind = random_below(seed, 3) ? WL_NVTX_PUSH_POP : WL_NVTX_START_END;
		uint32_t thread = mem_thread(m, pid, tid), name = mem_string(m, "flush");

		switch (random_below(seed, 5)) {
		case 0:
			mem_osrt(m, &(struct mem_call){
					    .start = t, .end = end, .pid = pid, .tid = tid });
			break;
		case 1:
			mem_row(m, WL_F_OVERHEAD, t, end);
			mem_put(m, WL_OVERHEAD_THREAD, &thread);
			mem_put(m, WL_OVERHEAD_NAME, &name);
			break;
		default:
			mem_nvtx(m, &(struct mem_range){ .start = t,
							 .end = end,
							 .pid = pid,
							 .tid = tid,
							 .kind = kind,
							 .name = "step" });
			break;
		}
		t += random_below(seed, 3) ? random_below(seed, 6000) : 0;
	}
}

static void random_traces_are_exported_as_they_are(void **state)
{
	const int n = random_cases(N_RANDOM);
	size_t n_flows = 0;
	uint64_t seed = 17;

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
		n_flows += s.n_flows;
		mem_release(&m);
	}
	assert_true(n_flows > (size_t)n);
}

/* A format that only counts. */
struct counting {
	struct wl_emitter emitter;
	uint64_t n;
};

static void count_row(struct wl_emitter *e, const struct wl_emit_row *row)
{
	(void)e;
	(void)row;
}

static void count_slice(struct wl_emitter *e, uint32_t row, const struct wl_emit_slice *slice)
{
	(void)row;
	((struct counting *)e)->n += slice->start <= slice->end;
}

static void count_value(struct wl_emitter *e, uint32_t row, wl_ns at, int64_t value)
{
	(void)e;
	(void)row;
	(void)at;
	(void)value;
}

static void count_close(struct wl_emitter *e, uint32_t row)
{
	(void)e;
	(void)row;
}

static void count_finish(struct wl_emitter *e)
{
	(void)e;
}

/* A million kernels of one GPU, and copies and communication among them. */
static void memory_does_not_go_by_events(void **state)
{
	static const struct wl_emitter_ops ops = { .row = count_row,
						   .slice = count_slice,
						   .count = count_value,
						   .close = count_close,
						   .finish = count_finish };
	static const char *const names[] = { "a", "b", "c", "d" };
	struct counting counting = { .emitter = { .ops = &ops } };
	uint64_t seed = 1;
	struct wl_export_plan plan;
	struct wl_export_done done;
	struct wl_export_opts opts = { .flows = WL_DETAIL_NONE, .args = WL_DETAIL_ALL };
	struct subject s = { .name = "many" };
	struct mem_scope scope;
	struct wl_err err;
	struct mem m;

	(void)state;
	mem_init(&m);
	for (wl_ns i = 0; i < N_MANY; i++) {
		wl_ns t = 1000 * i;

		/* In no order, or each would be an iteration with a name of its own. */
		mem_op(&m, WL_F_KERNELS,
		       &(struct mem_op){ .start = t,
					 .end = t + 900,
					 .name = names[random_below(&seed, WL_COUNT(names))] });
		if (i % 16 == 0)
			mem_op(&m, WL_F_KERNELS,
			       &(struct mem_op){ .start = t + 100,
						 .end = t + 950,
						 .stream = 20,
						 .name = "ncclDevKernel_AllReduce" });
	}
	mem_scope_whole(&scope, mem_seal(&m));
	opts.scope = &scope.scope;
	wl_arena_init(&s.arena, SIZE_MAX / 2);
	assert_true(wl_tracks_find(&m.derived, &scope.scope, &s.arena, &s.tracks));
	opts.budget = &s.budget;
	wl_export_plan(&s.tracks, &opts, &plan);
	assert_int_equal(
		wl_export_timeline(&s.tracks, &opts, &plan, &counting.emitter, &done, &err), WL_OK);
	assert_int_equal(counting.n, done.slices);
	(void)printf("%llu slices, %zu kB\n", (unsigned long long)done.slices,
		     (size_t)s.budget.peak / 1000);
	assert_true(done.slices / 2 >= N_MANY && s.budget.peak < MOST_BYTES);
	wl_arena_release(&s.arena);
	mem_release(&m);
}

TEST_MAIN(export)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_traces_are_exported_as_they_are),
		cmocka_unit_test(every_trace_is_exported_as_it_is),
		cmocka_unit_test(memory_does_not_go_by_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
