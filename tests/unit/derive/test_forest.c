/* SPDX-License-Identifier: MIT */
#include "derive/nvtx/forest.h"

#include <string.h>

#include "base/process/pool.h"
#include "derive/nvtx/range_names.h"
#include "known/exports/codes.h"
#include "support/mem.h"
#include "support/random.h"
#include "support/unit.h"

struct grown {
	struct mem mem;
	const struct wl_trace *t;
	struct wl_arena arena;
	struct wl_forest f;
};

static void grow(struct grown *g, const char *domain)
{
	if (!g->t) {
		g->t = mem_seal(&g->mem);
		wl_arena_init(&g->arena, 1 << 24);
	}
	g->f = (struct wl_forest){ 0 };
	assert_true(wl_forest_of_domain(&g->mem.derived, domain, &g->arena, &g->f));
}

static void init(struct grown *g)
{
	memset(g, 0, sizeof(*g));
	mem_init(&g->mem);
}

static void release(struct grown *g)
{
	wl_arena_release(&g->arena);
	mem_release(&g->mem);
}

static void push(struct grown *g, wl_ns start, wl_ns end, const char *name)
{
	MEM_NVTX(&g->mem, .start = start, .end = end, .name = name);
}

static void call(struct grown *g, unsigned tid, wl_ns start, wl_ns end)
{
	MEM_API(&g->mem, .start = start, .end = end, .tid = tid);
}

static bool contains(const struct wl_forest *f, uint32_t node, wl_ns start, wl_ns end)
{
	return f->start[node] <= start && f->end[node] >= end;
}

static bool is_open(const struct wl_forest *f, uint32_t node, wl_ns t)
{
	return f->start[node] <= t && t < f->end[node];
}

/* The nearest node of [lo, before) that contains the interval: the last one. */
static uint32_t nearest(const struct wl_forest *f, size_t lo, size_t before, wl_ns start, wl_ns end)
{
	for (size_t i = before; i > lo; i--) {
		if (contains(f, (uint32_t)(i - 1), start, end))
			return (uint32_t)(i - 1);
	}
	return WL_NONE;
}

/* Fail unless first, and what open_next leads to, are the open nodes of the thread. */
static void expect_open(const struct wl_forest *f, uint32_t first, uint32_t thread, wl_ns t)
{
	for (size_t i = f->nodes[thread].hi; i > f->nodes[thread].lo; i--) {
		if (!is_open(f, (uint32_t)(i - 1), t))
			continue;
		assert_int_equal(first, i - 1);
		first = wl_forest_open_next(f, first, t);
	}
	assert_int_equal(first, WL_NONE);
}

/* Fail unless first, and what around_next leads to, are the nodes that contain the call. */
static void expect_around(const struct wl_forest *f, uint32_t first, uint32_t thread, wl_ns start,
			  wl_ns end)
{
	for (size_t i = f->nodes[thread].hi; i > f->nodes[thread].lo; i--) {
		if (!contains(f, (uint32_t)(i - 1), start, end))
			continue;
		assert_int_equal(first, i - 1);
		first = wl_forest_around_next(f, first, end);
	}
	assert_int_equal(first, WL_NONE);
}

static bool crosses(const struct wl_forest *f, struct wl_slice nodes)
{
	for (size_t a = nodes.lo; a < nodes.hi; a++) {
		for (size_t b = a + 1; b < nodes.hi; b++) {
			if (f->start[b] < f->end[a] && f->end[b] > f->end[a])
				return true;
		}
	}
	return false;
}

static void expect_nodes(const struct grown *g)
{
	const struct wl_forest *f = &g->f;

	for (size_t thread = 0; thread < g->t->n_threads; thread++) {
		struct wl_slice s = f->nodes[thread];

		assert_true(f->crosses[thread] == crosses(f, s));
		for (size_t i = s.lo; i < s.hi; i++) {
			uint32_t row = f->row[i];

			assert_int_equal(wl_nvtx_thread(g->t)[row], thread);
			assert_int_equal(wl_nvtx_start(g->t)[row], f->start[i]);
			assert_int_equal(wl_nvtx_dur(g->t)[row], f->end[i] - f->start[i]);
			if (i > s.lo) {
				assert_true(f->start[i - 1] <= f->start[i]);
				if (f->start[i - 1] == f->start[i])
					assert_true(f->end[i - 1] >= f->end[i]);
			}
			assert_int_equal(f->parent[i], nearest(f, s.lo, i, f->start[i], f->end[i]));
		}
	}
}

static void expect_calls(const struct grown *g)
{
	const struct wl_forest *f = &g->f;

	for (size_t i = 0; i < g->t->family[WL_F_API].n; i++) {
		uint32_t thread = wl_api_thread(g->t)[i];
		uint32_t anchor = f->anchor[g->t->threads[thread].process];
		struct wl_slice s = f->nodes[thread];
		wl_ns start = wl_api_start(g->t)[i];

		wl_ns end = start + wl_api_dur(g->t)[i];

		assert_int_equal(f->of_call[i], nearest(f, s.lo, s.hi, start, end));
		assert_int_equal(f->of_call[i], wl_forest_around(f, thread, start, end));
		expect_around(f, f->of_call[i], thread, start, end);
		if (anchor == WL_NONE || anchor == thread) {
			assert_int_equal(f->above[i], WL_NONE);
			continue;
		}
		assert_int_equal(f->above[i], wl_forest_open_at(f, anchor, start));
		expect_open(f, f->above[i], anchor, start);
	}
}

/* How much the wanted ranges of a thread cover, nanosecond by nanosecond; -1 without any. */
static wl_ns covers(struct grown *g, uint32_t thread, bool default_only)
{
	const struct wl_range_names *names = g->mem.derived.range_names;
	bool covered[128] = { false }, any = false;
	wl_ns sum = 0;

	for (size_t i = g->f.nodes[thread].lo; i < g->f.nodes[thread].hi; i++) {
		const struct wl_range_name *name = &names->name[g->f.name[i]];

		if (default_only ? !name->is_default : name->is_nccl)
			continue;
		any = true;
		for (wl_ns t = g->f.start[i]; t < g->f.end[i]; t++)
			covered[t] = true;
	}
	for (size_t t = 0; t < WL_COUNT(covered); t++)
		sum += covered[t];
	return any ? sum : -1;
}

static void expect_anchors(struct grown *g)
{
	for (uint32_t p = 0; p < g->t->n_processes; p++) {
		uint32_t want = WL_NONE;
		wl_ns best = -1;

		for (int pass = 0; pass < 2 && want == WL_NONE; pass++) {
			for (uint32_t i = 0; i < g->t->n_threads; i++) {
				const struct wl_thread *thread = &g->t->threads[i];
				wl_ns sum = covers(g, i, pass == 0);

				if (thread->process != p || sum < 0 || sum < best)
					continue;
				if (sum > best || thread->tid == g->t->processes[p].pid ||
				    (g->t->threads[want].tid != g->t->processes[p].pid &&
				     thread->global < g->t->threads[want].global)) {
					want = i;
					best = sum;
				}
			}
		}
		assert_int_equal(g->f.anchor[p], want);
	}
}

/* Ranges and calls on a few threads of two processes, short enough that many touch and cross. */
static void put_random(struct grown *g, uint64_t seed)
{
	static const char *const names[] = { "a", "b", "ncclSend", NULL };
	uint64_t r = seed;
	wl_ns longest = 1 + (wl_ns)random_below(&r, 60);
	unsigned n = random_below(&r, 40);

	for (unsigned i = 0; i < n; i++) {
		wl_ns start = random_below(&r, 60);

		MEM_NVTX(&g->mem, .start = start, .end = start + random_between(&r, 0, longest),
			 .pid = 100 + random_below(&r, 2), .tid = 99 + random_below(&r, 3),
			 .kind = random_below(&r, 8) ? WL_NVTX_PUSH_POP : WL_NVTX_START_END,
			 .domain = random_below(&r, 3),
			 .name = names[random_below(&r, WL_COUNT(names))]);
	}
	for (unsigned i = 0; i < 30; i++) {
		wl_ns start = random_below(&r, 70);

		MEM_API(&g->mem, .start = start, .end = start + random_between(&r, 0, 20),
			.pid = 100 + random_below(&r, 2), .tid = 99 + random_below(&r, 3));
	}
	MEM_NVTX(&g->mem, .kind = WL_NVTX_DOMAIN_CREATE, .domain = 1, .name = "one");
}

TEST(random_forests_agree_with_the_definitions)
{
	static const char *const domains[] = { NULL, NULL, NULL, "", "one" };

	for (uint64_t seed = 1; seed <= (uint64_t)random_cases(3000); seed++) {
		struct grown g;

		init(&g);
		put_random(&g, seed);
		grow(&g, domains[seed % WL_COUNT(domains)]);
		expect_nodes(&g);
		expect_calls(&g);
		expect_anchors(&g);
		for (uint32_t thread = 0; thread < g.t->n_threads; thread++) {
			for (wl_ns t = -1; t < 125; t += 3)
				expect_open(&g.f, wl_forest_open_at(&g.f, thread, t), thread, t);
		}
		release(&g);
	}
}

TEST(a_domain_has_a_forest_of_its_own)
{
	WITH(struct grown, g, release, init(&g));

	MEM_NVTX(&g.mem, .kind = WL_NVTX_DOMAIN_CREATE, .domain = 1, .name = "torch");
	push(&g, 0, 100, "outer");
	MEM_NVTX(&g.mem, .start = 10, .end = 90, .domain = 1, .name = "torch's");
	push(&g, 20, 80, "inner");
	MEM_NVTX(&g.mem, .end = 90, .domain = 1, .kind = WL_NVTX_START_END);
	call(&g, 0, 30, 31);
	grow(&g, NULL);
	assert_int_equal(g.f.n, 3);
	assert_int_equal(g.f.n_spans, 1);
	assert_int_equal(g.f.parent[2], 1);
	assert_int_equal(g.f.of_call[0], 2);
	grow(&g, "");
	assert_int_equal(g.f.n, 2);
	assert_int_equal(g.f.n_spans, 0);
	assert_int_equal(g.f.parent[1], 0);
	assert_int_equal(g.f.of_call[0], 1);
	grow(&g, "torch");
	assert_int_equal(g.f.n, 1);
	assert_int_equal(g.f.n_spans, 1);
	assert_int_equal(g.f.parent[0], WL_NONE);
	assert_int_equal(g.f.of_call[0], 0);
	grow(&g, "none such");
	assert_int_equal(g.f.n, 0);
	assert_int_equal(g.f.anchor[0], WL_NONE);
	assert_int_equal(g.f.of_call[0], WL_NONE);
}

TEST(spans_are_kept_by_thread_and_never_nest)
{
	WITH(struct grown, g, release, init(&g));

	push(&g, 10, 20, "push");
	MEM_NVTX(&g.mem, .end = 100, .kind = WL_NVTX_START_END);
	MEM_NVTX(&g.mem, .start = 5, .end = 50, .end_tid = 9, .kind = WL_NVTX_START_END_IMPORTED);
	MEM_NVTX(&g.mem, .end = 9, .tid = 9, .kind = WL_NVTX_START_END);
	MEM_NVTX(&g.mem, .start = 7, .kind = WL_NVTX_MARK);
	call(&g, 0, 30, 31);
	grow(&g, NULL);
	assert_int_equal(g.f.n, 1);
	assert_int_equal(g.f.parent[0], WL_NONE);
	assert_int_equal(g.f.of_call[0], WL_NONE);
	assert_int_equal(g.f.n_spans, 3);
	assert_int_equal(g.f.spans[0].lo, 0);
	assert_int_equal(g.f.spans[0].hi, 2);
	assert_int_equal(g.f.spans[1].lo, 2);
	assert_int_equal(g.f.spans[1].hi, 3);
	assert_true(wl_span_is_on_one_thread(g.t, g.f.span[0]));
	assert_false(wl_span_is_on_one_thread(g.t, g.f.span[1]));
	assert_true(wl_span_is_on_one_thread(g.t, g.f.span[2]));
}

/* Each range crosses the next: whatever walks over all that ever overlapped would not end. */
TEST(many_ranges_that_cross_cost_no_more_than_others)
{
	WITH(struct grown, g, release, init(&g));
	enum { N = 200000 };
	size_t open = 0;

	for (wl_ns i = 0; i < N; i++) {
		push(&g, 10 * i, 10 * i + 15, "a");
		call(&g, 1, 10 * i + 2, 10 * i + 3);
	}
	g.t = mem_seal(&g.mem);
	wl_arena_init(&g.arena, 1 << 28);
	grow(&g, NULL);
	for (uint32_t i = 0; i < N; i++) {
		wl_ns t = wl_api_start(g.t)[i];

		for (uint32_t node = g.f.above[i]; node != WL_NONE;
		     node = wl_forest_open_next(&g.f, node, t))
			open++;
	}
	assert_int_equal(open, 2 * N - 1);
}

/* All of a deep stack ends before the first call: it must be left behind once. */
TEST(a_deep_stack_that_ended_is_not_walked_again)
{
	WITH(struct grown, g, release, init(&g));
	const wl_ns n = 200000;

	for (wl_ns i = 0; i < n; i++) {
		push(&g, i, 2 * n - i, "a");
		call(&g, 1, 3 * n + i, 3 * n + i + 1);
		call(&g, 0, 3 * n + i, 3 * n + i + 1);
	}
	g.t = mem_seal(&g.mem);
	wl_arena_init(&g.arena, 1 << 28);
	grow(&g, NULL);
	for (uint32_t i = 0; i < 2 * n; i++) {
		assert_int_equal(g.f.above[i], WL_NONE);
		assert_int_equal(g.f.of_call[i], WL_NONE);
	}
}

TEST(without_ranges_or_calls_the_forest_is_empty)
{
	struct grown g;

	init(&g);
	call(&g, 0, 1, 2);
	grow(&g, NULL);
	assert_int_equal(g.f.n, 0);
	assert_int_equal(g.f.of_call[0], WL_NONE);
	assert_int_equal(g.f.above[0], WL_NONE);
	assert_int_equal(wl_forest_open_at(&g.f, 0, 1), WL_NONE);
	release(&g);
	init(&g);
	push(&g, 1, 2, "a");
	grow(&g, NULL);
	assert_int_equal(g.f.n, 1);
	assert_int_equal(g.f.anchor[0], 0);
	release(&g);
}

TEST(threads_do_not_change_the_forest)
{
	struct wl_pool *pool = wl_pool_new(4);
	struct wl_forest alone;
	struct grown g;
	size_t n_calls;

	assert_non_null(pool);
	init(&g);
	put_random(&g, 77);
	grow(&g, NULL);
	alone = g.f;
	g.mem.derived.opts.pool = pool;
	grow(&g, NULL);
	n_calls = g.t->family[WL_F_API].n;
	assert_int_equal(alone.n, g.f.n);
	assert_memory_equal(alone.row, g.f.row, g.f.n * sizeof(*g.f.row));
	assert_memory_equal(alone.parent, g.f.parent, g.f.n * sizeof(*g.f.parent));
	assert_memory_equal(alone.of_call, g.f.of_call, n_calls * sizeof(*g.f.of_call));
	assert_memory_equal(alone.above, g.f.above, n_calls * sizeof(*g.f.above));
	release(&g);
	wl_pool_free(pool);
}

TEST(every_byte_budget_is_kept)
{
	WITH(struct grown, g, release, init(&g));
	size_t budget = 0;
	bool ok = false;

	put_random(&g, 5);
	g.t = mem_seal(&g.mem);
	assert_non_null(g.mem.derived.range_names);
	for (; !ok; budget += 64) {
		wl_arena_init(&g.arena, budget);
		ok = wl_forest_find(&g.mem.derived, &g.arena, &g.f);
		assert_in_range(g.arena.used, 0, budget);
		wl_arena_release(&g.arena);
	}
	assert_in_range(budget, 256, 1 << 16);
}
