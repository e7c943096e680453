/* SPDX-License-Identifier: MIT */
#include "derive/use/block_use.h"

#include "support/mem.h"
#include "support/unit.h"

#define MEM_BLOCK(m, ...) mem_block(m, &(struct mem_op){ __VA_ARGS__ })
#define MEM_WARP(m, ...)  mem_warp(m, &(struct mem_op){ __VA_ARGS__ })

struct fixture {
	struct mem m;
	struct mem_scope scope;
	struct wl_arena arena;
	struct wl_block_runs runs;
};

static void begin(struct fixture *f)
{
	mem_init(&f->m);
	wl_arena_init(&f->arena, 16 << 20);
}

static const struct wl_block_use *find(struct fixture *f)
{
	const struct wl_trace *t = mem_seal(&f->m);

	mem_scope_whole(&f->scope, t);
	assert_true(wl_block_runs_find(t, &f->scope.scope, &f->arena, &f->runs));
	return f->runs.n ? &f->runs.run[0].use : NULL;
}

static void end(struct fixture *f)
{
	wl_arena_release(&f->arena);
	mem_release(&f->m);
}

TEST(a_tail_begins_where_the_first_multiprocessor_is_done)
{
	struct fixture f;
	const struct wl_block_use *u;

	begin(&f);
	MEM_OP(&f.m, WL_F_KERNELS, .start = 100, .end = 200, .corr = 5);
	MEM_BLOCK(&f.m, .start = 100, .end = 130, .corr = 5, .stream = 1);
	MEM_BLOCK(&f.m, .start = 100, .end = 120, .corr = 5, .stream = 2);
	MEM_BLOCK(&f.m, .start = 110, .end = 190, .corr = 5, .stream = 2);
	u = find(&f);
	assert_non_null(u);
	assert_int_equal(u->blocks, 3);
	assert_int_equal(u->sms, 2);
	assert_int_equal(u->span, 90);
	assert_int_equal(u->tail, 60);
	assert_int_equal(u->block_max, 80);
	assert_int_equal(u->block_sum, 130);
	assert_true(u->sm_span == 180 && u->sm_idle_tail == 60);
	assert_true(u->sm_busy == 120 && u->sm_busy_most == 180);
	end(&f);
}

/* A block is of its own process, and a kernel without blocks has those of its warps. */
TEST(warps_make_blocks_where_there_are_none)
{
	struct fixture f;
	const struct wl_block_use *u;

	begin(&f);
	MEM_OP(&f.m, WL_F_KERNELS, .start = 100, .end = 200, .corr = 5);
	MEM_BLOCK(&f.m, .start = 100, .end = 130, .corr = 5, .pid = 101);
	MEM_WARP(&f.m, .start = 100, .end = 110, .corr = 5, .stream = 3, .event = 1);
	MEM_WARP(&f.m, .start = 105, .end = 140, .corr = 5, .stream = 3, .event = 1);
	MEM_WARP(&f.m, .start = 120, .end = 125, .corr = 5, .stream = 4, .event = 2);
	u = find(&f);
	assert_non_null(u);
	assert_int_equal(f.runs.n_blocks, 4);
	assert_int_equal(f.runs.n_foreign, 1);
	assert_int_equal(u->blocks, 2);
	assert_int_equal(u->span, 40);
	assert_int_equal(u->tail, 15);
	assert_int_equal(u->warps, 3);
	assert_true(u->warp_sum == 50 && u->warp_most == 75);
	end(&f);
}

TEST(without_blocks_there_is_nothing)
{
	struct fixture f;

	begin(&f);
	MEM_OP(&f.m, WL_F_KERNELS, .start = 100, .end = 200, .corr = 5);
	assert_null(find(&f));
	assert_int_equal(f.runs.n_blocks, 0);
	end(&f);
}

/* Blocks without an end do not count, and one that ends before it starts has no length. */
TEST(odd_times_do_no_harm)
{
	struct fixture f;
	const struct wl_block_use *u;

	begin(&f);
	MEM_OP(&f.m, WL_F_KERNELS, .start = 100, .end = 200, .corr = 5);
	MEM_BLOCK(&f.m, .start = 100, .end = WL_NO_TIME, .corr = 5);
	MEM_BLOCK(&f.m, .start = WL_TIME_MAX, .end = -WL_TIME_MAX, .corr = 5, .stream = 1);
	MEM_BLOCK(&f.m, .start = -WL_TIME_MAX, .end = WL_TIME_MAX, .corr = 5, .stream = 2);
	u = find(&f);
	assert_non_null(u);
	assert_int_equal(u->blocks, 2);
	assert_true(u->span == 2 * WL_TIME_MAX && u->tail == 0);
	end(&f);
}
