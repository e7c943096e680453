/* SPDX-License-Identifier: MIT */
/* Sweeps of the graph beside their definitions, on few and on many threads and streams. */
#include <limits.h>

#include "derive/derived.h"
#include "derive/graph/build/graph.h"
#include "known/exports/codes.h"
#include "support/mem.h"
#include "support/random.h"
#include "support/unit.h"

static const wl_ns us = 1000;

struct fixture {
	struct mem mem;
	struct wl_graph graph;
	struct wl_arena arena;
	uint64_t state;
	unsigned corr;
};

static void begin(struct fixture *f, uint64_t seed)
{
	*f = (struct fixture){ .state = seed };
	mem_init(&f->mem);
	wl_arena_init(&f->arena, SIZE_MAX);
}

static const struct wl_graph *find(struct fixture *f)
{
	(void)mem_seal(&f->mem);
	assert_true(wl_graph_find(&f->mem.derived, &f->arena, &f->graph));
	return &f->graph;
}

static void end(struct fixture *f)
{
	wl_arena_release(&f->arena);
	mem_release(&f->mem);
}

/* By end, then start, then number. */
static bool ends_before(const struct wl_graph *g, uint32_t a, uint32_t b)
{
	wl_ns ea = wl_graph_end(g, a), eb = wl_graph_end(g, b);
	wl_ns sa = wl_graph_start(g, a), sb = wl_graph_start(g, b);

	if (ea != eb)
		return ea < eb;
	return sa != sb ? sa < sb : a < b;
}

/* By process, then start; of what starts together operations come first. */
static void check_order(const struct wl_graph *g)
{
	for (size_t p = 0; p < g->trace->n_processes; p++) {
		for (size_t i = g->order_first[p]; i < g->order_first[p + 1]; i++) {
			uint32_t at = g->order[i], before;

			assert_int_equal(wl_graph_process(g, at), p);
			if (i == g->order_first[p])
				continue;
			before = g->order[i - 1];
			assert_true(wl_graph_start(g, before) <= wl_graph_start(g, at));
			if (wl_graph_start(g, before) == wl_graph_start(g, at))
				assert_true(before < g->n_ops || at >= g->n_ops);
		}
	}
}

/* The outermost call of another thread that ended last before a call, since the one before it. */
static uint32_t wake_of(const struct wl_graph *g, uint32_t call)
{
	uint32_t best = WL_NONE, before = g->call_before[call], own = wl_graph_call(g, call);
	wl_ns start = wl_graph_call_start(g, call), since = INT64_MIN;

	if (before != WL_NONE)
		since = wl_graph_end(g, wl_graph_call(g, before));
	if (g->outer[call] != call || (before != WL_NONE && start - since <= WL_WAKE_NS))
		return WL_NONE;
	for (uint32_t i = 0; i < g->n_calls; i++) {
		uint32_t other = wl_graph_call(g, i);

		if (g->outer[i] != i || wl_graph_end(g, other) > start ||
		    wl_graph_call_thread(g, i) == wl_graph_call_thread(g, call) ||
		    wl_graph_call_process(g, i) != wl_graph_call_process(g, call))
			continue;
		if (best == WL_NONE || ends_before(g, wl_graph_call(g, best), other))
			best = i;
	}
	if (best == WL_NONE || wl_graph_end(g, wl_graph_call(g, best)) < since ||
	    !ends_before(g, wl_graph_call(g, best), own))
		return WL_NONE;
	return best;
}

/* Calls with others inside, without length, and at times that calls of other threads have. */
static void put_thread(struct fixture *f, unsigned pid, unsigned tid, bool overlaps)
{
	wl_ns at = random_below(&f->state, 40) * 50 * us;

	for (unsigned i = 0; i < 12; i++) {
		wl_ns length = random_below(&f->state, 8) * 50 * us;
		struct mem_call call = { .start = at, .end = at + length, .pid = pid, .tid = tid };

		mem_api(&f->mem, &call);
		if (random_below(&f->state, 3) == 0 && length) {
			call.end = at + length / 2;
			mem_api(&f->mem, &call);
		}
		if (overlaps && i == 5 && length)
			at -= 20 * us;
		at += length + random_below(&f->state, 30) * 50 * us;
	}
}

static size_t check_wakes(unsigned n_threads, bool overlaps, uint64_t seed)
{
	const struct wl_graph *g;
	struct fixture f;
	size_t n = 0;

	begin(&f, seed);
	for (unsigned tid = 1; tid <= n_threads; tid++) {
		put_thread(&f, 100, tid, overlaps);
		put_thread(&f, 101, tid, false);
	}
	g = find(&f);
	for (uint32_t i = 0; i < g->n_calls; i++) {
		assert_int_equal(g->wake[i], wake_of(g, i));
		n += g->wake[i] != WL_NONE;
	}
	assert_int_equal(g->counts.wake_ups, n);
	check_order(g);
	end(&f);
	return n;
}

TEST(a_sleeping_thread_is_woken_by_what_ended_last)
{
	static const unsigned n_threads[] = { 1, 2, 3, 8, 9, 14 };

	for (size_t i = 0; i < sizeof(n_threads) / sizeof(n_threads[0]); i++) {
		for (uint64_t seed = 1; seed <= 10; seed++) {
			size_t n = check_wakes(n_threads[i], false, seed);

			assert_true(n_threads[i] == 1 ? n == 0 : n > 0);
			(void)check_wakes(n_threads[i], true, seed);
		}
	}
}

/* How long an operation is held, when nothing is launched: since the end before it on its stream.
 */
static wl_ns hold_of(const struct wl_graph *g, uint32_t op)
{
	uint32_t before = WL_NONE;
	wl_ns start = wl_graph_start(g, op), end;

	for (uint32_t i = 0; i < g->n_ops; i++) {
		bool is_before =
			wl_graph_start(g, i) < start || (wl_graph_start(g, i) == start && i < op);

		if (is_before && g->lane[wl_graph_place(g, i)] == g->lane[wl_graph_place(g, op)] &&
		    (before == WL_NONE || wl_graph_end(g, i) >= wl_graph_end(g, before)))
			before = i;
	}
	if (before == WL_NONE)
		return 0;
	end = wl_graph_end(g, before);
	return start - (end > start ? wl_graph_start(g, before) : end);
}

/* What ended last by a time on a lane, WL_NONE: on another one of the process and device. */
static uint32_t last_by(const struct wl_graph *g, uint32_t op, wl_ns t, uint32_t lane)
{
	const struct wl_place *places = g->trace->places, *own = &places[wl_graph_place(g, op)];
	uint32_t best = WL_NONE;

	for (uint32_t i = 0; i < g->n_ops; i++) {
		const struct wl_place *place = &places[wl_graph_place(g, i)];
		uint32_t on = g->lane[wl_graph_place(g, i)];

		if (wl_graph_end(g, i) > t || place->process != own->process ||
		    place->device != own->device || on == g->lane[wl_graph_place(g, op)] ||
		    (lane != WL_NONE && on != lane) || !ends_before(g, i, op))
			continue;
		if (best == WL_NONE || ends_before(g, best, i))
			best = i;
	}
	return best;
}

enum { MOST_TAUGHT = 64 };

/* The lags of a pair of lanes at their starts, and at moments within the holds. */
struct taught {
	wl_ns lag[MOST_TAUGHT], chance[MOST_TAUGHT];
	unsigned n;
};

/* A held operation teaches the pair of its lane and that which ended last before it. */
static void teach(const struct wl_graph *g, uint32_t op, wl_ns hold, struct taught *pairs)
{
	wl_ns start = wl_graph_start(g, op), at;
	uint32_t last = last_by(g, op, start, WL_NONE), from, then;
	struct taught *t;

	if (last == WL_NONE)
		return;
	from = g->lane[wl_graph_place(g, last)];
	t = &pairs[g->lane[wl_graph_place(g, op)] * g->n_lanes + from];
	assert_true(t->n < MOST_TAUGHT);
	at = start - hold + hold * (1000 + 8 * ((618 * t->n + 309) % 1000)) / 10000;
	then = last_by(g, op, at, from);
	t->lag[t->n] = start - wl_graph_end(g, last);
	t->chance[t->n++] = then == WL_NONE ? INT64_MAX : at - wl_graph_end(g, then);
}

static int count(const wl_ns *at, unsigned n, wl_ns most)
{
	int ret = 0;

	for (unsigned i = 0; i < n; i++)
		ret += at[i] <= most;
	return ret;
}

/* The largest lag of a pair; below 0: none. */
static wl_ns within_of(const struct taught *t)
{
	int n = (int)t->n, best = INT_MIN;
	wl_ns least = INT64_MAX;

	for (unsigned pass = 0; pass < 2; pass++) {
		for (unsigned i = 0; i < t->n; i++) {
			int gain =
				count(t->lag, t->n, t->lag[i]) - count(t->chance, t->n, t->lag[i]);

			if (t->lag[i] > 20 * us)
				continue;
			if (pass == 0 && gain > best)
				best = gain;
			if (pass == 1 && 100 * (best - gain) <= n && t->lag[i] < least)
				least = t->lag[i];
		}
	}
	if (least == INT64_MAX || count(t->lag, t->n, least) < 10)
		return WL_INFER_NS;
	if (10 * (count(t->lag, t->n, least) - count(t->chance, t->n, least)) < n ||
	    3 * count(t->chance, t->n, least) > count(t->lag, t->n, least))
		return -1;
	return least * 5 / 4 > WL_INFER_NS ? least * 5 / 4 : WL_INFER_NS;
}

/* By pair of lanes; owned by the arena of the test. Operations are numbered by start. */
static wl_ns *find_within(struct fixture *f)
{
	const struct wl_graph *g = &f->graph;
	size_t n = g->n_lanes * g->n_lanes;
	wl_ns *ret = WL_NEW(&f->arena, wl_ns, n);
	struct taught *pairs = WL_NEW(&f->arena, struct taught, n);

	assert_non_null(ret);
	assert_non_null(pairs);
	for (uint32_t i = 0; i < g->n_ops; i++) {
		wl_ns hold = hold_of(g, i);

		if (hold > WL_HOLD_NS)
			teach(g, i, hold, pairs);
	}
	for (size_t i = 0; i < n; i++)
		ret[i] = within_of(&pairs[i]);
	return ret;
}

/* What a held operation follows: of what its pair allows the one that ended last. */
static uint32_t inferred_of(const struct wl_graph *g, uint32_t op, const wl_ns *within)
{
	wl_ns start = wl_graph_start(g, op);
	size_t lane = g->lane[wl_graph_place(g, op)];
	uint32_t best = WL_NONE, n = hold_of(g, op) > WL_HOLD_NS ? g->n_ops : 0;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t from = g->lane[wl_graph_place(g, i)];
		wl_ns lag = start - wl_graph_end(g, i);

		if (lag >= 0 && lag <= WL_INFER_MOST_NS &&
		    lag <= within[lane * g->n_lanes + from] &&
		    last_by(g, op, wl_graph_end(g, i), from) == i &&
		    (best == WL_NONE || ends_before(g, best, i)))
			best = i;
	}
	return best;
}

/* Kernels of streams that run beside each other; two processes share the second device. */
struct streams {
	unsigned n;
	bool overlaps, has_empty;
};

static void put_stream(struct fixture *f, const struct streams *of, unsigned pid, unsigned device,
		       unsigned stream)
{
	wl_ns at = random_below(&f->state, 20) * us;

	for (unsigned i = 0; i < 12; i++) {
		wl_ns length = (random_below(&f->state, 10) + !of->has_empty) * us;

		MEM_OP(&f->mem, WL_F_KERNELS, .start = at, .end = at + length, .pid = pid,
		       .device = device, .stream = stream);
		if (of->overlaps && i % 5 == 4 && length > us)
			at -= us;
		at += length + random_below(&f->state, 12) * us;
		/* Then others end while it is held, or just before it starts. */
		at += random_below(&f->state, 3) == 0 ? 25 * us : 0;
	}
}

static size_t check_inferred(const struct streams *of, uint64_t seed)
{
	const struct wl_graph *g;
	const wl_ns *within;
	struct fixture f;
	size_t n = 0;

	begin(&f, seed);
	for (unsigned i = 1; i <= of->n; i++) {
		put_stream(&f, of, 100, 0, i);
		put_stream(&f, of, 100, 1, i);
		put_stream(&f, of, 101, 1, i);
	}
	g = find(&f);
	within = find_within(&f);
	for (uint32_t i = 0; i < g->n_ops; i++) {
		uint32_t from = inferred_of(g, i, within);

		assert_int_equal(g->edge_first[i + 1] - g->edge_first[i], from != WL_NONE);
		if (from != WL_NONE)
			assert_int_equal(g->edge_from[g->edge_first[i]], from);
		n += from != WL_NONE;
	}
	assert_int_equal(g->counts.edges[WL_EDGE_INFERRED], n);
	check_order(g);
	end(&f);
	return n;
}

TEST(a_held_operation_follows_what_its_pair_of_streams_allows)
{
	static const struct streams of[] = {
		{ 1, false, false }, { 2, false, false }, { 4, false, false },
		{ 5, false, false }, { 8, false, false }, { 9, false, false },
		{ 3, true, false },  { 3, false, true },  { 9, true, true },
	};

	for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
		for (uint64_t seed = 1; seed <= 10; seed++) {
			size_t n = check_inferred(&of[i], seed);

			assert_true(of[i].n == 1 ? n == 0 : n > 0);
		}
	}
}

/* A call of 1 us. */
static void call(struct fixture *f, wl_ns start, const char *name)
{
	f->corr++;
	MEM_API(&f->mem, .start = start, .end = start + us, .corr = f->corr, .name = name);
}

static void kernel(struct fixture *f, unsigned stream, wl_ns launch, wl_ns start, wl_ns stop)
{
	call(f, launch, NULL);
	MEM_OP(&f->mem, WL_F_KERNELS, .start = start, .end = stop, .stream = stream,
	       .corr = f->corr);
}

/* Stream 7 records, stream 30 waits for it and launches nothing after: no event explains a start.
 */
static void idle_event(struct fixture *f, wl_ns at)
{
	call(f, at, "cudaEventRecord");
	mem_event(&f->mem, &(struct mem_op){ .stream = 7, .corr = f->corr, .event = 9 });
	call(f, at + us, "cudaStreamWaitEvent");
	MEM_OP(&f->mem, WL_F_SYNCS, .start = 1, .end = 2, .stream = 30, .corr = f->corr,
	       .kind = WL_SYNC_STREAM_WAITS, .event = 9);
}

/* Beside events, inference must explain a start. A launch after its operation does not. */
TEST(a_launch_after_its_operation_explains_nothing)
{
	static const wl_ns launch[] = { 96, 103 }; /* us; the latency of few launches is 5 us */

	for (unsigned i = 0; i < 2; i++) {
		const struct wl_graph *g;
		struct fixture f;

		begin(&f, 1);
		kernel(&f, 7, 0, 10 * us, 100 * us);
		kernel(&f, 20, 2 * us, 10 * us, 50 * us);
		kernel(&f, 20, launch[i] * us, 102 * us, 200 * us);
		idle_event(&f, 300 * us);
		g = find(&f);
		assert_int_equal(g->counts.edges[WL_EDGE_INFERRED], i);
		assert_int_equal(g->counts.negative, i);
		end(&f);
	}
}

/* What a wait on the default stream explains needs no inference. */
TEST(the_default_stream_explains_a_start)
{
	for (uint8_t flag = 1; flag <= 2; flag++) {
		const struct wl_graph *g;
		struct fixture f;

		begin(&f, 1);
		mem_stream(&f.mem, &(struct mem_op){ .stream = 7 }, 3);
		mem_stream(&f.mem, &(struct mem_op){ .stream = 20 }, flag);
		kernel(&f, 7, 0, 10 * us, 100 * us);
		kernel(&f, 20, 2 * us, 102 * us, 200 * us);
		idle_event(&f, 300 * us);
		g = find(&f);
		assert_int_equal(g->counts.edges[WL_EDGE_DEFAULT], flag == 1);
		assert_int_equal(g->counts.edges[WL_EDGE_INFERRED], flag != 1);
		end(&f);
	}
}

/* Without any event a held operation has its inferred candidate. */
TEST(without_events_all_are_inferred)
{
	WITH(struct fixture, f, end, begin(&f, 1));

	kernel(&f, 7, 0, 10 * us, 100 * us);
	kernel(&f, 20, 2 * us, 10 * us, 80 * us);
	kernel(&f, 20, 4 * us, 102 * us, 200 * us);
	assert_int_equal(find(&f)->counts.edges[WL_EDGE_INFERRED], 1);
}
