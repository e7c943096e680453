/* SPDX-License-Identifier: MIT */
#include "derive/nvtx/spans.h"

#include <string.h>

#include "known/exports/codes.h"
#include "support/mem.h"
#include "support/random.h"
#include "support/unit.h"

static void put_random(struct mem *m, uint64_t seed)
{
	uint64_t r = seed;
	unsigned n = random_below(&r, 25);
	wl_ns longest = 1 + (wl_ns)random_below(&r, 40);

	for (unsigned i = 0; i < n; i++) {
		wl_ns start = random_below(&r, 40);

		MEM_NVTX(m, .start = start, .end = start + random_between(&r, 0, longest),
			 .tid = 1 + random_below(&r, 2), .end_tid = random_below(&r, 3),
			 .kind = WL_NVTX_START_END);
	}
}

static bool contains(const struct wl_trace *t, uint32_t row, wl_ns start, wl_ns end)
{
	wl_ns begin = wl_nvtx_start(t)[row];

	return begin <= start && begin + wl_nvtx_dur(t)[row] >= end;
}

/* Exactly the spans of the thread that contain the interval are found, each once. */
static void expect_around(const struct wl_trace *t, const struct wl_forest *f,
			  const struct wl_spans *s, uint32_t thread, wl_ns start, wl_ns end)
{
	bool found[32] = { false };

	for (uint32_t i = wl_spans_around(s, thread, start, end); i != WL_NONE;
	     i = wl_spans_next(s, i, end)) {
		assert_in_range(s->index[i], 0, WL_COUNT(found) - 1);
		assert_false(found[s->index[i]]);
		found[s->index[i]] = true;
	}
	for (size_t i = 0; i < f->n_spans; i++)
		assert_int_equal(found[i], wl_nvtx_thread(t)[f->span[i]] == thread &&
						   wl_span_is_on_one_thread(t, f->span[i]) &&
						   contains(t, f->span[i], start, end));
}

TEST(random_spans_are_found_around_every_interval)
{
	for (uint64_t seed = 1; seed <= 300; seed++) {
		const struct wl_forest *f;
		const struct wl_trace *t;
		struct wl_arena arena;
		struct wl_spans s;
		struct mem m;

		mem_init(&m);
		put_random(&m, seed);
		t = mem_seal(&m);
		wl_arena_init(&arena, 1 << 20);
		f = m.derived.forest;
		assert_non_null(f);
		assert_true(wl_spans_find(t, f, &arena, &s));
		for (uint32_t thread = 0; thread < t->n_threads; thread++) {
			for (wl_ns start = -1; start < 82; start += 2) {
				for (wl_ns dur = 0; dur < 20; dur += 3)
					expect_around(t, f, &s, thread, start, start + dur);
			}
		}
		wl_arena_release(&arena);
		mem_release(&m);
	}
}

/* Each span crosses the next; only a few are around a call. */
TEST(many_spans_that_cross_cost_no_more_than_others)
{
	WITH(struct mem, m, mem_release, mem_init(&m));
	enum { N = 100000 };
	const struct wl_trace *t;
	struct wl_arena arena;
	struct wl_spans s;
	size_t n = 0;

	for (wl_ns i = 0; i < N; i++)
		MEM_NVTX(&m, .start = 10 * i, .end = 10 * i + 15, .kind = WL_NVTX_START_END);
	t = mem_seal(&m);
	wl_arena_init(&arena, 1 << 26);
	assert_true(wl_spans_find(t, m.derived.forest, &arena, &s));
	for (wl_ns i = 0; i < N; i++) {
		wl_ns at = 10 * i + 2;

		for (uint32_t k = wl_spans_around(&s, 0, at, at + 1); k != WL_NONE;
		     k = wl_spans_next(&s, k, at + 1))
			n++;
	}
	assert_int_equal(n, 2 * N - 1);
	wl_arena_release(&arena);
}

TEST(every_byte_budget_is_kept)
{
	WITH(struct mem, m, mem_release, mem_init(&m));
	const struct wl_forest *f;
	struct wl_arena arena;
	struct wl_spans s;
	size_t budget = 0;
	bool ok = false;

	put_random(&m, 3);
	(void)mem_seal(&m);
	f = m.derived.forest;
	assert_non_null(f);
	for (; !ok; budget += 16) {
		wl_arena_init(&arena, budget);
		ok = wl_spans_find(&m.build.trace, f, &arena, &s);
		assert_in_range(arena.used, 0, budget);
		wl_arena_release(&arena);
	}
	assert_in_range(budget, 32, 1 << 14);
}
