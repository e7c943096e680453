/* SPDX-License-Identifier: MIT */
#include "derive/use/launch_rate.h"

#include "derive/derived.h"
#include "support/mem.h"
#include "support/unit.h"

#define US ((wl_ns)1000)
#define MS (1000 * US)

struct rated {
	struct mem mem;
	struct mem_scope scope;
	struct wl_arena arena;
	const struct wl_trace *trace; /* once it is sealed */
	unsigned corr;
};

static void rated_init(struct rated *x)
{
	*x = (struct rated){ .corr = 0 };
	mem_init(&x->mem);
	wl_arena_init(&x->arena, 256 << 20);
}

static void rated_release(struct rated *x)
{
	wl_arena_release(&x->arena);
	mem_release(&x->mem);
}

/* A kernel at a time, launched a microsecond before. */
static void launched(struct rated *x, wl_ns at, wl_ns length)
{
	x->corr++;
	MEM_API(&x->mem, .start = at - US, .end = at, .corr = x->corr);
	MEM_OP(&x->mem, WL_F_KERNELS, .start = at, .end = at + length, .corr = x->corr);
}

/* Without a window the scope is the whole; with one it begins and ends there. */
static struct wl_launch_rate rate(struct rated *x, const struct wl_interval *window)
{
	const struct wl_trace *t = x->trace ? x->trace : mem_seal(&x->mem);
	struct wl_launch_rate found;

	x->trace = t;
	if (window)
		mem_scope_window(&x->scope, t, window->begin, window->end);
	else
		mem_scope_whole(&x->scope, t);
	assert_true(wl_launch_rate_find(&x->mem.derived, &x->scope.scope, 0, &x->arena, &found));
	return found;
}

TEST(bins_are_counted_once)
{
	WITH(struct rated, x, rated_release, rated_init(&x));
	struct wl_launch_rate found;

	launched(&x, 0, 4 * US);            /* the launch is before the window */
	launched(&x, 500 * US, 5 * US);     /* bin 0 */
	launched(&x, 2500 * US, 10 * US);   /* bin 2 */
	launched(&x, 3000 * US, 2000 * US); /* launched in bin 2, bins 3 and 4 */
	launched(&x, 90 * MS, 20 * US);
	found = rate(&x, NULL);
	assert_true(found.launches == 4);
	/* 0, 2 (also a launch), 3, 4, 89 (a launch), 90 */
	assert_true(found.busy_bins == 6);
	assert_true(found.kernels == 5);
	assert_true(found.short_kernels[0] == 2);
	assert_true(found.short_kernels[1] == 3);
	assert_true(found.short_kernels[2] == 4);
	assert_false(found.storm);
}

TEST(launches_that_were_not_recorded_count)
{
	WITH(struct rated, x, rated_release, rated_init(&x));
	struct wl_launch_rate found;

	launched(&x, 400 * US, 5 * US); /* the launch is before the window */
	launched(&x, 500 * US, 5 * US);
	/* Two kernels of one id are nodes of one graph launch; without an id each is a launch. */
	for (unsigned i = 0; i < 2; i++) {
		MEM_OP(&x.mem, WL_F_KERNELS, .start = (600 + 10 * i) * US,
		       .end = (605 + 10 * i) * US, .corr = 900);
		MEM_OP(&x.mem, WL_F_KERNELS, .start = (700 + 10 * i) * US,
		       .end = (705 + 10 * i) * US);
	}
	MEM_OP(&x.mem, WL_F_KERNELS, .start = 800 * US, .end = 805 * US, .corr = 901);
	found = rate(&x, NULL);
	assert_int_equal(found.launches, 5);
	assert_int_equal(found.unrecorded, 4);
	found = rate(&x, &(struct wl_interval){ 650 * US, 900 * US });
	assert_int_equal(found.launches, 3);
}

TEST(a_window_cuts)
{
	WITH(struct rated, x, rated_release, rated_init(&x));
	struct wl_launch_rate found;

	launched(&x, 10 * US, 30 * US);
	launched(&x, 5000 * US, 100 * US);
	found = rate(&x, &(struct wl_interval){ 35 * US, 4999 * US + 500 });
	assert_true(found.launches == 1);
	assert_true(found.kernels == 1);
	assert_true(found.short_kernels[0] == 1);
	assert_true(found.busy_bins == 2);
	found = rate(&x, &(struct wl_interval){ 35 * US, 4999 * US }); /* where the call starts */
	assert_true(found.launches == 0);
	found = rate(&x, &(struct wl_interval){ 60 * US, 70 * US });
	assert_true(found.launches == 0 && found.busy_bins == 0 && found.kernels == 0);
}

/* One call that launched several kernels is one launch; copies are none. */
TEST(calls_are_counted_once)
{
	WITH(struct rated, x, rated_release, rated_init(&x));
	struct wl_launch_rate found;

	MEM_OP(&x.mem, WL_F_MEMCPYS, .start = 0, .end = 10, .corr = 5);
	MEM_API(&x.mem, .start = 0, .end = 1, .corr = 5);
	for (int i = 0; i < 4; i++)
		MEM_OP(&x.mem, WL_F_KERNELS, .start = 20 + 10 * i, .end = 25 + 10 * i, .corr = 6);
	MEM_OP(&x.mem, WL_F_GRAPHS, .start = 80, .end = 90, .corr = 7);
	MEM_API(&x.mem, .start = 10, .end = 12, .corr = 6);
	MEM_API(&x.mem, .start = 14, .end = 16, .corr = 7);
	found = rate(&x, NULL);
	assert_true(found.launches == 2);
}

/* n launches of kernels of a length, at equal distances over so many bins. */
static struct wl_launch_rate burst(int n, wl_ns length, int bins, bool half_long)
{
	struct wl_launch_rate found;
	struct rated x;
	wl_ns step = (wl_ns)bins * MS / n;

	rated_init(&x);
	for (int i = 0; i < n; i++)
		launched(&x, MS + i * step, half_long && i % 2 ? length + 1 : length);
	found = rate(&x, &(struct wl_interval){ 0, (wl_ns)(bins + 3) * MS });
	rated_release(&x);
	return found;
}

TEST(a_storm_is_a_second_of_short_kernels)
{
	/* The first launch is in bin 0, so the first kernel's second lacks the last of 50,000. */
	assert_true(burst(50100, 10 * US, 1000, false).storm);
	assert_true(burst(50100, 10 * US, 1000, true).storm);
	assert_false(burst(50100, 10 * US + 1, 1000, false).storm);
	assert_false(burst(49000, 10 * US, 1000, false).storm);
	assert_true(burst(100200, 10 * US + 1, 1000, false).storm);
	assert_false(burst(90000, 10 * US + 1, 1000, false).storm);
}

/* Exactly 50,000 launches in exactly 1000 busy bins, and one more of a kernel that may be long. */
TEST(a_storm_begins_at_its_limits)
{
	static const struct {
		wl_ns odd, more; /* lengths of every other kernel, and of the last; 0 for none */
		int n;
		bool storm;
	} cases[] = {
		{ 10 * US, 0, 50000, true },
		{ 10 * US, 0, 49999, false },
		{ 10 * US + 1, 10 * US, 50000, true }, /* the median of 50,001 is one of theirs */
		{ 10 * US + 1, 10 * US + 1, 50000, false },
	};

	for (size_t k = 0; k < WL_COUNT(cases); k++) {
		struct wl_launch_rate found;
		struct rated x;

		rated_init(&x);
		for (int i = 0; i < cases[k].n; i++)
			launched(&x, US + 20 * (wl_ns)US * i, i % 2 ? cases[k].odd : 10 * US);
		if (cases[k].more)
			launched(&x, 999985 * (wl_ns)US, cases[k].more);
		found = rate(&x, &(struct wl_interval){ 0, 2000 * (wl_ns)MS });
		assert_true(found.busy_bins == 1000);
		assert_true(found.storm == cases[k].storm);
		rated_release(&x);
	}
}

/* 60,000 launches in 1200 bins are too slow, in 1000 with a pause between too few at a time. */
TEST(a_storm_is_a_second_without_a_pause)
{
	struct rated x;

	assert_false(burst(55000, 5 * US, 1200, false).storm);
	rated_init(&x);
	for (int i = 0; i < 60000; i++)
		launched(&x, 10 * US * i + (i < 30000 ? 0 : 2 * MS), 5 * US);
	assert_false(rate(&x, NULL).storm);
	rated_release(&x);
}

/* The window is 2^60 ns long and busy all the time: bins must not be walked one by one. */
TEST(a_long_window_costs_nothing)
{
	WITH(struct rated, x, rated_release, rated_init(&x));
	struct wl_launch_rate found;

	MEM_OP(&x.mem, WL_F_MEMSETS, .start = 0, .end = (wl_ns)1 << 60);
	for (int i = 0; i < 50500; i++)
		launched(&x, ((wl_ns)1 << 59) + 19 * US * i, 5 * US);
	found = rate(&x, NULL);
	assert_true(found.busy_bins == ((wl_ns)1 << 60) / MS + 1);
	assert_true(found.storm);
}
