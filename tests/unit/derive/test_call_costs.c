/* SPDX-License-Identifier: MIT */
#include "derive/calls/call_costs.h"

#include "derive/derived.h"
#include "support/mem.h"
#include "support/unit.h"

static void cost(struct mem *m, wl_ns start, wl_ns end, unsigned tid, const char *name)
{
	uint32_t thread = mem_thread(m, 100, tid), text = mem_string(m, name);

	mem_row(m, WL_F_CALL_COSTS, start, end);
	mem_put(m, WL_CALL_COSTS_THREAD, &thread);
	mem_put(m, WL_CALL_COSTS_NAME, &text);
	mem_put(m, WL_CALL_COSTS_KIND, &(uint8_t){ 0 });
}

/* Of the thread of the first row: what of [begin, end) went to a class. */
static wl_ns sum_of(struct mem *m, wl_ns begin, wl_ns end, enum wl_call_cost class)
{
	const struct wl_trace *t = mem_seal(m);
	struct wl_derived given = { .trace = t };
	wl_ns sum[WL_N_CALL_COSTS] = { 0 };
	struct wl_call_costs costs;
	struct wl_arena arena;

	wl_arena_init(&arena, 1 << 20);
	assert_true(wl_call_costs_find(&given, &arena, &costs));
	wl_call_costs_add(&costs, 0, begin, end, sum);
	wl_arena_release(&arena);
	return sum[class];
}

static void jit(struct mem *m, wl_ns start, wl_ns end, unsigned tid, uint8_t op)
{
	uint32_t thread = mem_thread(m, 100, tid), path = mem_string(m, "/root/.nv/ComputeCache");

	mem_row(m, WL_F_JITS, start, end);
	mem_put(m, WL_JITS_THREAD, &thread);
	mem_put(m, WL_JITS_OP, &op);
	mem_put(m, WL_JITS_ENTRY, &(uint8_t){ 1 });
	mem_put(m, WL_JITS_SIZE, &(uint64_t){ 4096 });
	mem_put(m, WL_JITS_PATH, &path);
}

TEST(a_compilation_says_more_than_what_it_lies_in)
{
	static const struct {
		wl_ns t;
		const char *name; /* NULL: no piece */
	} at[] = { { 5, NULL },
		   { 15, "Driver compiler" },
		   { 25, "JIT compile (PTX)" },
		   { 35, "Driver compiler" },
		   { 45, "JIT cache store" },
		   { 55, "JIT cache store" },
		   { 65, NULL } };
	struct wl_call_costs costs;
	struct wl_derived given;
	struct wl_arena arena;
	struct mem m;

	mem_init(&m);
	cost(&m, 10, 50, 0, "Driver compiler");
	jit(&m, 20, 30, 0, 3);
	jit(&m, 22, 24, 0, 1); /* inside */
	jit(&m, 40, 60, 0, 2); /* beyond */
	given = (struct wl_derived){ .trace = mem_seal(&m) };
	wl_arena_init(&arena, 1 << 20);
	assert_true(wl_call_costs_find(&given, &arena, &costs));
	assert_int_equal(costs.n, 4);
	for (size_t i = 0; i < WL_COUNT(at); i++) {
		wl_ns until = 100;
		const struct wl_cost_piece *p = wl_call_cost_at(&costs, 0, at[i].t, &until);

		assert_true((p != NULL) == (at[i].name != NULL));
		if (p)
			assert_string_equal(p->name, at[i].name);
	}
	assert_null(wl_call_cost_before(&costs, 0, 10));
	assert_true(wl_call_cost_before(&costs, 0, 1000)->end == 60);
	assert_true(wl_call_cost_before(&costs, 0, 40)->begin == 30);
	wl_arena_release(&arena);
	mem_release(&m);
}

TEST(without_rows_calls_have_their_time_for_themselves)
{
	WITH(struct mem, m, mem_release, mem_init(&m));

	MEM_API(&m, .start = 0, .end = 100);
	assert_true(sum_of(&m, 0, 100, WL_COST_QUEUE) == 0);
}

static void make_nested(struct mem *m)
{
	mem_init(m);
	cost(m, 10, 50, 0, "Command Buffer Full");
	cost(m, 20, 30, 0, "Lazy Function Loading"); /* inside */
	cost(m, 40, 70, 0, "Lazy Function Loading"); /* begins in it */
	cost(m, 70, 70, 0, "Command Buffer Full");   /* of no length */
	cost(m, 80, 90, 1, "Command Buffer Full");   /* of another thread */
}

TEST(what_began_first_counts_and_each_nanosecond_once)
{
	static const struct {
		wl_ns begin, end, queue, loading;
	} cases[] = { { 0, 100, 40, 20 }, { 0, 10, 0, 0 },   { 45, 55, 5, 5 },
		      { 60, 65, 0, 5 },   { 70, 100, 0, 0 }, { 20, 30, 10, 0 } };

	for (size_t i = 0; i < WL_COUNT(cases); i++) {
		struct mem m;

		make_nested(&m);
		assert_true(sum_of(&m, cases[i].begin, cases[i].end, WL_COST_QUEUE) ==
			    cases[i].queue);
		mem_release(&m);
		make_nested(&m);
		assert_true(sum_of(&m, cases[i].begin, cases[i].end, WL_COST_LOADING) ==
			    cases[i].loading);
		mem_release(&m);
	}
}
