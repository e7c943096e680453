/* SPDX-License-Identifier: MIT */
#include "derive/nvtx/project.h"

#include "known/exports/codes.h"
#include "support/mem.h"
#include "support/unit.h"

struct projected {
	struct mem mem;
	const struct wl_trace *trace;
	struct wl_arena arena;
	const struct wl_projection *p;
};

static void find(struct projected *x, const char *name, size_t instance)
{
	x->trace = mem_seal(&x->mem);
	wl_arena_init(&x->arena, 1 << 20);
	x->p = wl_project_named(&x->mem.derived, name, instance, &x->arena);
	assert_non_null(x->p);
}

/* The same trace, another question. */
static void ask(struct projected *x, const char *name, size_t instance)
{
	x->p = wl_project_named(&x->mem.derived, name, instance, &x->arena);
	assert_non_null(x->p);
}

static void release(struct projected *x)
{
	wl_arena_release(&x->arena);
	mem_release(&x->mem);
}

static void expect_span(const struct wl_projection *p, size_t n_ops, wl_ns begin, wl_ns end)
{
	assert_int_equal(p->n_ops, n_ops);
	if (n_ops) {
		assert_int_equal(p->span.begin, begin);
		assert_int_equal(p->span.end, end);
	}
}

/* A call [at, at + 2) of process and thread, and the operation [start, end) it launches. */
struct launch {
	unsigned pid, tid;
	wl_ns at, start, end;
	enum wl_family_id family;
	unsigned corr;
};

static void launch(struct projected *x, const struct launch *l)
{
	MEM_API(&x->mem, .start = l->at, .end = l->at + 2, .pid = l->pid, .tid = l->tid,
		.corr = l->corr);
	MEM_OP(&x->mem, l->family, .start = l->start, .end = l->end, .pid = l->pid,
	       .corr = l->corr);
}

static void range(struct projected *x, wl_ns start, wl_ns end, const char *name)
{
	MEM_NVTX(&x->mem, .start = start, .end = end, .name = name);
}

TEST(a_range_is_as_long_as_what_it_launched)
{
	WITH(struct projected, x, release, mem_init(&x.mem));

	range(&x, 10, 20, "step");
	launch(&x, &(struct launch){ .at = 8, .start = 1000, .end = 9000, .corr = 1 });
	launch(&x, &(struct launch){ .at = 10, .start = 110, .end = 300, .corr = 2 });
	launch(&x, &(struct launch){
			   .at = 12, .start = 105, .end = 120, .family = WL_F_MEMCPYS, .corr = 3 });
	launch(&x, &(struct launch){
			   .at = 14, .start = 150, .end = 310, .family = WL_F_MEMSETS, .corr = 4 });
	launch(&x, &(struct launch){
			   .at = 18, .start = 160, .end = 305, .family = WL_F_GRAPHS, .corr = 5 });
	launch(&x, &(struct launch){ .at = 19, .start = 50, .end = 51, .corr = 6 });
	find(&x, "step", 0);
	assert_int_equal(x.p[0].n_instances, 1);
	expect_span(&x.p[0], 4, 105, 310);
}

TEST(other_threads_and_processes_do_not_count)
{
	WITH(struct projected, x, release, mem_init(&x.mem));

	MEM_NVTX(&x.mem, .start = 10, .end = 20, .pid = 1, .tid = 1, .name = "step");
	launch(&x, &(struct launch){
			   .pid = 1, .tid = 1, .at = 12, .start = 100, .end = 101, .corr = 1 });
	launch(&x, &(struct launch){
			   .pid = 1, .tid = 2, .at = 12, .start = 200, .end = 201, .corr = 2 });
	launch(&x, &(struct launch){
			   .pid = 2, .tid = 1, .at = 12, .start = 300, .end = 301, .corr = 1 });
	find(&x, "step", 0);
	expect_span(&x.p[0], 1, 100, 101);
	assert_int_equal(x.p[1].row, WL_NONE);
	assert_int_equal(x.p[1].n_instances, 0);
	expect_span(&x.p[1], 0, 0, 0);
}

TEST(instances_are_counted_by_start_in_each_process)
{
	WITH(struct projected, x, release, mem_init(&x.mem));

	/* By thread first, which is the order of rows, and later ones first. */
	for (unsigned i = 0; i < 3; i++) {
		wl_ns at = 10 + 10 * (wl_ns)(2 - i);

		MEM_NVTX(&x.mem, .start = at, .end = at + 5, .tid = i, .name = "step");
		launch(&x, &(struct launch){ .tid = i,
					     .at = at,
					     .start = at * 10,
					     .end = at * 10 + 1,
					     .corr = 1 + i });
	}
	MEM_NVTX(&x.mem, .start = 1, .end = 2, .pid = 999, .name = "step");
	find(&x, "step", 0);
	for (size_t k = 0; k < 3; k++) {
		ask(&x, "step", k);
		assert_int_equal(x.p[0].n_instances, 3);
		expect_span(&x.p[0], 1, 100 * ((wl_ns)k + 1), 100 * ((wl_ns)k + 1) + 1);
	}
	ask(&x, "step", 3);
	assert_int_equal(x.p[0].row, WL_NONE);
	assert_int_equal(x.p[1].n_instances, 1);
}

TEST(names_match_whole_and_with_their_domain)
{
	static const struct {
		const char *name;
		size_t n;
	} cases[] = {
		{ "step", 3 },     { "torch:step", 1 },   { "other:step", 1 },
		{ "tor:step", 0 }, { "ste", 0 },          { "a:step", 1 },
		{ ":step", 0 },    { "torch:", 0 },       { "torch", 0 },
		{ "x", 1 },        { "torch:x", 0 },      { "", 1 },
		{ "other:", 1 },   { "torch:a:step", 1 }, { "torchXstep", 0 },
	};
	WITH(struct projected, x, release, mem_init(&x.mem));

	MEM_NVTX(&x.mem, .kind = WL_NVTX_DOMAIN_CREATE, .domain = 1, .name = "torch");
	MEM_NVTX(&x.mem, .kind = WL_NVTX_DOMAIN_CREATE, .domain = 2, .name = "other");
	MEM_NVTX(&x.mem, .end = 5, .domain = 1, .name = "step");
	MEM_NVTX(&x.mem, .end = 6, .domain = 2, .name = "step");
	MEM_NVTX(&x.mem, .end = 7, .name = "step");
	MEM_NVTX(&x.mem, .end = 8, .domain = 1, .name = "a:step");
	MEM_NVTX(&x.mem, .end = 8, .name = "x");
	MEM_NVTX(&x.mem, .end = 8, .domain = 2, .name = "");
	MEM_NVTX(&x.mem, .end = 8, .domain = 2);
	find(&x, "step", 0);
	for (size_t i = 0; i < WL_COUNT(cases); i++) {
		ask(&x, cases[i].name, 0);
		if (x.p[0].n_instances != cases[i].n)
			fail_msg("\"%s\" matches %zu ranges", cases[i].name, x.p[0].n_instances);
	}
}

TEST(marks_are_no_ranges)
{
	WITH(struct projected, x, release, mem_init(&x.mem));

	MEM_NVTX(&x.mem, .kind = WL_NVTX_MARK, .name = "step");
	find(&x, "step", 0);
	assert_int_equal(x.p[0].n_instances, 0);
}

TEST(start_end_ranges_count_where_one_thread_began_and_ended_them)
{
	WITH(struct projected, x, release, mem_init(&x.mem));

	MEM_NVTX(&x.mem, .start = 10, .end = 20, .tid = 1, .end_tid = 1, .kind = WL_NVTX_START_END,
		 .name = "mine");
	MEM_NVTX(&x.mem, .start = 10, .end = 20, .tid = 1, .end_tid = 2, .kind = WL_NVTX_START_END,
		 .name = "shared");
	launch(&x, &(struct launch){ .tid = 1, .at = 12, .start = 100, .end = 101, .corr = 1 });
	find(&x, "mine", 0);
	expect_span(&x.p[0], 1, 100, 101);
	ask(&x, "shared", 0);
	assert_int_equal(x.p[0].n_instances, 1);
	expect_span(&x.p[0], 0, 0, 0);
}

TEST(every_byte_budget_is_kept)
{
	const struct wl_projection *p = NULL;
	struct projected x;
	size_t budget = 0;

	mem_init(&x.mem);
	range(&x, 10, 20, "step");
	launch(&x, &(struct launch){ .at = 10, .start = 110, .end = 300, .corr = 2 });
	x.trace = mem_seal(&x.mem);
	for (; !p; budget += 8) {
		wl_arena_init(&x.arena, budget);
		p = wl_project_named(&x.mem.derived, "step", 0, &x.arena);
		if (p)
			expect_span(&p[0], 1, 110, 300);
		assert_in_range(x.arena.used, 0, budget);
		wl_arena_release(&x.arena);
	}
	assert_in_range(budget, 64, 4096);
	mem_release(&x.mem);
}

/* Thread 1 is the anchor; it launches inside "own" only, thread 2 all the time. */
TEST(work_of_other_threads_is_bridged)
{
	WITH(struct projected, x, release, mem_init(&x.mem));

	MEM_NVTX(&x.mem, .start = 10, .end = 20, .tid = 1, .name = "own");
	MEM_NVTX(&x.mem, .start = 30, .end = 40, .tid = 1, .name = "other");
	MEM_NVTX(&x.mem, .start = 30, .end = 34, .tid = 2, .name = "beside");
	MEM_NVTX(&x.mem, .start = 30, .end = 40, .tid = 1, .kind = WL_NVTX_START_END,
		 .name = "span");
	launch(&x, &(struct launch){ .tid = 1, .at = 12, .start = 100, .end = 110, .corr = 1 });
	launch(&x, &(struct launch){ .tid = 2, .at = 12, .start = 150, .end = 160, .corr = 2 });
	launch(&x, &(struct launch){ .tid = 2, .at = 30, .start = 200, .end = 210, .corr = 3 });
	launch(&x, &(struct launch){ .tid = 2, .at = 39, .start = 220, .end = 230, .corr = 4 });
	launch(&x, &(struct launch){ .tid = 2, .at = 40, .start = 240, .end = 250, .corr = 5 });
	find(&x, "own", 0);
	expect_span(&x.p[0], 1, 100, 110);
	assert_false(x.p[0].is_bridged);
	ask(&x, "other", 0);
	expect_span(&x.p[0], 2, 200, 230);
	assert_true(x.p[0].is_bridged);
	ask(&x, "beside", 0);
	expect_span(&x.p[0], 1, 200, 210);
	assert_false(x.p[0].is_bridged);
	ask(&x, "span", 0);
	expect_span(&x.p[0], 0, 0, 0);
}
