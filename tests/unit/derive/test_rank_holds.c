/* SPDX-License-Identifier: MIT */
#include "derive/graph/late/rank_holds.h"

#include "derive/derived.h"
#include "derive/graph/build/graph.h"
#include "support/mem.h"
#include "support/unit.h"

static const wl_ns us = 1000;

struct fixture {
	struct mem mem;
	struct wl_rank_holds holds;
	struct wl_arena arena;
	unsigned corr;
};

static void begin(struct fixture *f)
{
	*f = (struct fixture){ .corr = 0 };
	mem_init(&f->mem);
	wl_arena_init(&f->arena, SIZE_MAX);
}

static const struct wl_rank_holds *find(struct fixture *f)
{
	(void)mem_seal(&f->mem);
	assert_true(wl_rank_holds_find(&f->mem.derived, &f->arena, &f->holds));
	return &f->holds;
}

static void end(struct fixture *f)
{
	wl_arena_release(&f->arena);
	mem_release(&f->mem);
}

/* An operation whose launch call begins 5 us before the time. */
static void op(struct fixture *f, unsigned pid, unsigned stream, wl_ns ready, wl_ns start,
	       wl_ns stop, const char *name)
{
	f->corr++;
	MEM_API(&f->mem, .start = ready - 5 * us, .end = ready - 4 * us, .pid = 1 + pid,
		.tid = 1 + pid, .corr = f->corr);
	MEM_OP(&f->mem, WL_F_KERNELS, .start = start, .end = stop, .pid = 1 + pid, .device = pid,
	       .stream = stream, .corr = f->corr, .name = name);
}

/* A member's steps of 1 ms: a kernel, held so long, and a collective with which all end. */
static void member(struct fixture *f, unsigned pid, wl_ns hold)
{
	for (unsigned k = 0; k < 10; k++) {
		wl_ns t = (10 + 1000 * k) * us;

		op(f, pid, 7, t, t + hold, t + 400 * us, NULL);
		op(f, pid, 20, t + 900 * us, t + 900 * us, t + (1000 - 10) * us,
		   "ncclDevKernel_AllReduce_x");
	}
}

/* 25 us in each of ten steps of 1 ms; 10 us are no hold. Of others, which meet nobody, no more. */
TEST(a_lag_that_nothing_explains_is_a_hold)
{
	WITH(struct fixture, f, end, begin(&f));
	const struct wl_rank_holds *h;

	member(&f, 0, 10 * us);
	member(&f, 1, 25 * us);
	op(&f, 2, 7, 20 * us, 9000 * us, 9100 * us, NULL);
	h = find(&f);
	assert_true(h->is_member[0] && h->is_member[1] && !h->is_member[2]);
	assert_int_equal(h->time[0], 0);
	assert_int_equal(h->time[1], 250 * us);
	assert_int_equal(h->time[2], 8980 * us);
	assert_int_equal(h->worst, 1);
	assert_int_equal(h->run, 9980 * us);
	assert_true(wl_rank_hold_of(h, 1) > 0.025 && wl_rank_hold_of(h, 1) < 0.0251);
	assert_true(wl_rank_holds_are_long(h));
}

/* Held until another stream's end. */
TEST(what_is_inferred_is_no_hold)
{
	WITH(struct fixture, f, end, begin(&f));

	member(&f, 0, 0);
	member(&f, 1, 0);
	op(&f, 1, 30, 50 * us, 412 * us, 500 * us, NULL);
	op(&f, 1, 30, 1050 * us, 1413 * us, 1500 * us, NULL);
	(void)find(&f);
	assert_int_equal(f.mem.derived.graph->counts.edges[WL_EDGE_INFERRED], 1);
	assert_int_equal(f.holds.time[1], (1413 - 1050) * us);
	assert_int_equal(f.holds.time[0], 0);
}

TEST(one_rank_has_no_members)
{
	WITH(struct fixture, f, end, begin(&f));
	const struct wl_rank_holds *h;

	member(&f, 0, 300 * us);
	h = find(&f);
	assert_false(h->is_member[0]);
	assert_int_equal(h->worst, WL_NONE);
	assert_int_equal(h->run, 0);
	assert_int_equal(h->time[0], 3000 * us);
	assert_false(wl_rank_holds_are_long(h));
}

/* 2% are allowed. */
TEST(more_than_two_percent_are_long)
{
	const wl_ns time[] = { 0, 20 };
	struct wl_rank_holds h = { .time = time, .run = 1000, .worst = 1 };

	assert_false(wl_rank_holds_are_long(&h));
	h.run = 999;
	assert_true(wl_rank_holds_are_long(&h));
}
