/* SPDX-License-Identifier: MIT */
#include "derive/use/range_work.h"

#include "derive/calls/launch.h"
#include "derive/derived.h"
#include "derive/nvtx/range_around.h"
#include "derive/rows/ops.h"
#include "known/exports/codes.h"
#include "support/mem.h"
#include "support/random.h"
#include "support/unit.h"

enum { SPAN = 60, N_TRACES = 400 };

struct world {
	struct mem mem;
	const struct wl_trace *t;
	struct wl_arena arena;
	struct mem_scope scope;
	const struct wl_forest *f;
	struct wl_range_works works;
};

static void put_ranges(struct mem *m, uint64_t *r)
{
	unsigned n = random_below(r, 20);

	for (unsigned i = 0; i < n; i++) {
		wl_ns start = random_below(r, SPAN);
		uint8_t kind = random_below(r, 3) ? WL_NVTX_PUSH_POP : WL_NVTX_START_END;

		MEM_NVTX(m, .start = start, .end = start + random_between(r, 1, SPAN),
			 .tid = 1 + random_below(r, 2),
			 .end_tid = kind == WL_NVTX_START_END ? random_below(r, 3) : 0,
			 .kind = kind);
	}
}

/* Calls that launch up to three kernels each, as a graph launch does. */
static void put_calls(struct mem *m, uint64_t *r)
{
	unsigned n = 1 + random_below(r, 12);

	for (unsigned corr = 1; corr <= n; corr++) {
		wl_ns start = random_below(r, SPAN);
		unsigned n_ops = 1 + random_below(r, 3);

		MEM_API(m, .start = start, .end = start + random_below(r, 5),
			.tid = 1 + random_below(r, 2), .corr = corr);
		for (unsigned i = 0; i < n_ops; i++) {
			wl_ns at = start + random_below(r, SPAN);

			MEM_OP(m, WL_F_KERNELS, .start = at, .end = at + 3, .corr = corr);
		}
	}
}

static void world_init(struct world *w, uint64_t seed)
{
	mem_init(&w->mem);
	wl_arena_init(&w->arena, 64 << 20);
	put_ranges(&w->mem, &seed);
	put_calls(&w->mem, &seed);
	w->t = mem_seal(&w->mem);
	mem_scope_whole(&w->scope, w->t);
	w->f = w->mem.derived.forest;
	assert_true(wl_range_works_find(&w->mem.derived, &w->scope.scope, &w->arena, &w->works));
}

static void world_release(struct world *w)
{
	wl_arena_release(&w->arena);
	mem_release(&w->mem);
}

static wl_ns end_of(const struct wl_trace *t, uint32_t row)
{
	return wl_nvtx_start(t)[row] + wl_nvtx_dur(t)[row];
}

static bool contains_call(const struct wl_trace *t, uint32_t row, uint32_t call)
{
	return wl_nvtx_thread(t)[row] == wl_api_thread(t)[call] &&
	       wl_nvtx_start(t)[row] <= wl_api_start(t)[call] &&
	       end_of(t, row) >= wl_api_start(t)[call] + wl_api_dur(t)[call];
}

/* What the range of the row has: every operation is asked. */
static void expect_work(const struct world *w, uint32_t row, const struct wl_range_work *got)
{
	struct wl_range_work want = { .first = INT64_MAX, .last = INT64_MIN };
	bool launched[64] = { false };
	struct wl_op_cursor cursor;
	struct wl_op op;

	wl_ops_begin(w->t, 0, &cursor);
	while (wl_ops_next(&cursor, &op)) {
		uint32_t call = wl_link_of(w->mem.derived.links, op.kind, op.row);

		if (call == WL_NONE || !contains_call(w->t, row, call))
			continue;
		want.first = op.start < want.first ? op.start : want.first;
		want.last = op.end > want.last ? op.end : want.last;
		want.ops++;
		want.launches += !launched[call];
		launched[call] = true;
	}
	assert_int_equal(got->ops, want.ops);
	assert_int_equal(got->launches, want.launches);
	assert_int_equal(got->first, want.first);
	assert_int_equal(got->last, want.last);
}

TEST(random_ranges_own_what_is_launched_inside_them)
{
	struct world w;

	for (uint64_t seed = 1; seed <= N_TRACES; seed++) {
		world_init(&w, seed);
		for (size_t i = 0; i < w.f->n; i++)
			expect_work(&w, w.f->row[i], &w.works.node[i]);
		for (size_t i = 0; i < w.f->n_spans; i++) {
			if (wl_span_is_on_one_thread(w.t, w.f->span[i]))
				expect_work(&w, w.f->span[i], &w.works.span[i]);
			else
				assert_int_equal(w.works.span[i].ops, 0);
		}
		world_release(&w);
	}
}

/* The length of the shortest range that contains the row's, each asked; INT64_MAX for none. */
static wl_ns shortest_around(const struct world *w, uint32_t row)
{
	const struct wl_trace *t = w->t;
	wl_ns best = INT64_MAX;

	for (uint32_t i = 0; i < t->family[WL_F_NVTX].n; i++) {
		if (i == row || wl_nvtx_thread(t)[i] != wl_nvtx_thread(t)[row] ||
		    wl_nvtx_start(t)[i] > wl_nvtx_start(t)[row] || end_of(t, i) < end_of(t, row) ||
		    (wl_nvtx_kind(t)[i] == WL_NVTX_START_END && !wl_span_is_on_one_thread(t, i)))
			continue;
		/* Of two alike, one is around the other. */
		if (wl_nvtx_dur(t)[i] == wl_nvtx_dur(t)[row])
			continue;
		best = wl_nvtx_dur(t)[i] < best ? wl_nvtx_dur(t)[i] : best;
	}
	return best;
}

static void expect_around(const struct world *w, uint32_t row, uint32_t got)
{
	wl_ns want = shortest_around(w, row);

	if (got != WL_NONE && wl_nvtx_dur(w->t)[got] == wl_nvtx_dur(w->t)[row])
		return;
	assert_int_equal(got == WL_NONE ? INT64_MAX : wl_nvtx_dur(w->t)[got], want);
}

TEST(around_a_random_range_is_the_shortest)
{
	struct world w;

	for (uint64_t seed = 1; seed <= N_TRACES; seed++) {
		world_init(&w, seed);
		for (uint32_t i = 0; i < w.f->n; i++)
			expect_around(&w, w.f->row[i],
				      wl_range_around_node(w.t, w.f, &w.works.spans, i));
		for (uint32_t i = 0; i < w.f->n_spans; i++) {
			if (wl_span_is_on_one_thread(w.t, w.f->span[i]))
				expect_around(&w, w.f->span[i],
					      wl_range_around_span(w.t, w.f, &w.works.spans, i));
		}
		world_release(&w);
	}
}

/* Two ranges of one time, of both kinds: following what is around ends. */
TEST(ranges_alike_are_around_each_other_once)
{
	struct world w;

	mem_init(&w.mem);
	wl_arena_init(&w.arena, 1 << 20);
	for (int i = 0; i < 4; i++)
		MEM_NVTX(&w.mem, .start = 10, .end = 20,
			 .kind = i < 2 ? WL_NVTX_START_END : WL_NVTX_PUSH_POP);
	w.t = mem_seal(&w.mem);
	w.f = w.mem.derived.forest;
	assert_true(wl_range_works_begin(w.t, w.f, &w.arena, &w.works));
	assert_int_equal(wl_range_around_node(w.t, w.f, &w.works.spans, 0), WL_NONE);
	assert_int_equal(wl_range_around_node(w.t, w.f, &w.works.spans, 1), w.f->row[0]);
	assert_int_equal(wl_range_around_span(w.t, w.f, &w.works.spans, 0), w.f->row[1]);
	assert_int_equal(wl_range_around_span(w.t, w.f, &w.works.spans, 1), w.f->row[1]);
	world_release(&w);
}
