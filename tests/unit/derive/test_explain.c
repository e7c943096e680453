/* SPDX-License-Identifier: MIT */
#include "derive/idle/idle_parts.h"

#include "derive/derived.h"
#include "support/mem.h"
#include "support/unit.h"

static void kernel(struct mem *m, wl_ns start, wl_ns end, unsigned corr)
{
	MEM_OP(m, WL_F_KERNELS, .start = start, .end = end, .corr = corr);
}

static void call_on(struct mem *m, unsigned tid, wl_ns start, wl_ns end, unsigned corr,
		    const char *name)
{
	MEM_API(m, .start = start, .end = end, .tid = tid, .corr = corr, .name = name);
}

static void call(struct mem *m, wl_ns start, wl_ns end, unsigned corr, const char *name)
{
	call_on(m, 100, start, end, corr, name);
}

struct opened {
	const struct wl_trace *trace;
	const struct wl_idle *idle;
	size_t n;
	size_t n_asked;
	wl_ns begin[8], end[8];
	wl_ns opener_end[8]; /* by gap; -1 for none */
	const char *range[8];
};

static void keep(void *ctx, const struct wl_gap *gap)
{
	struct opened *o = ctx;
	const struct wl_trace *t = o->trace;
	struct wl_gap alone = { .begin = gap->begin, .end = gap->end, .call = gap->call };

	wl_idle_find_opener(o->idle, &alone);
	assert_int_equal(alone.opener, gap->opener);
	assert_ptr_equal(alone.opener_range, gap->opener_range);
	assert_true(o->n < WL_COUNT(o->range));
	o->begin[o->n] = gap->begin;
	o->end[o->n] = gap->end;
	o->range[o->n] = gap->opener_range;
	o->opener_end[o->n++] = gap->opener == WL_NONE ? -1
						       : wl_api_start(t)[gap->opener] +
								 wl_dur(&t->family[WL_F_API],
									wl_api_dur(t), gap->opener);
}

static bool wants_every_other(void *ctx, const struct wl_gap *gap)
{
	(void)gap;
	return ((struct opened *)ctx)->n_asked++ % 2;
}

/* What is left out changes nothing of the rest. */
static void expect_every_other(const struct opened *some, const struct opened *all)
{
	assert_int_equal(some->n_asked, all->n);
	assert_int_equal(some->n, all->n / 2);
	for (size_t i = 0; i < some->n; i++) {
		assert_int_equal(some->begin[i], all->begin[2 * i + 1]);
		assert_int_equal(some->opener_end[i], all->opener_end[2 * i + 1]);
		assert_ptr_equal(some->range[i], all->range[2 * i + 1]);
	}
}

/* Of any window the gaps that have a part in it, as if all had been visited. */
static void expect_windows(struct mem *m, const struct wl_scope *scope, const struct opened *all,
			   struct wl_arena *arena)
{
	struct wl_activity activity;
	wl_ns last;

	assert_true(
		wl_activity_of_device(all->trace, scope, m->derived.classes, 0, arena, &activity));
	last = activity.begin[activity.n];
	for (wl_ns begin = activity.begin[0]; begin < last;
	     begin += (last - activity.begin[0]) / 9 + 1) {
		const struct wl_interval window = { begin, begin + (last - begin) / 3 };
		struct opened some = { .trace = all->trace, .idle = all->idle };
		size_t n = 0;

		assert_true(wl_idle_visit(all->idle, scope, 0, arena,
					  &(struct wl_gap_visitor){ .take = keep,
								    .ctx = &some,
								    .activity = &activity,
								    .window = window }));
		for (size_t i = 0; i < all->n; i++) {
			if (all->begin[i] >= window.end || all->end[i] <= window.begin)
				continue;
			assert_true(n < some.n && some.begin[n] == all->begin[i]);
			assert_true(some.end[n] == all->end[i]);
			assert_int_equal(some.opener_end[n], all->opener_end[i]);
			assert_ptr_equal(some.range[n], all->range[i]);
			n++;
		}
		assert_int_equal(some.n, n);
	}
}

static void visit(struct mem *m, struct opened *ret)
{
	struct mem_scope scope;
	struct wl_arena arena;
	struct opened some;

	*ret = (struct opened){ .trace = mem_seal(m) };
	ret->idle = m->derived.idle;
	mem_scope_whole(&scope, ret->trace);
	wl_arena_init(&arena, 1 << 20);
	assert_true(wl_idle_visit(ret->idle, &scope.scope, 0, &arena,
				  &(struct wl_gap_visitor){ .take = keep, .ctx = ret }));
	some = (struct opened){ .trace = ret->trace, .idle = ret->idle };
	assert_true(wl_idle_visit(ret->idle, &scope.scope, 0, &arena,
				  &(struct wl_gap_visitor){ .take = keep,
							    .ctx = &some,
							    .wants = wants_every_other }));
	expect_every_other(&some, ret);
	expect_windows(m, &scope.scope, ret, &arena);
	wl_arena_release(&arena);
}

TEST(a_wait_that_ends_in_a_gap_opened_it)
{
	WITH(struct mem, m, mem_release, mem_init(&m));
	struct opened o;

	kernel(&m, 10000, 20000, 1);
	kernel(&m, 30000, 40000, 2);
	call(&m, 0, 1000, 1, NULL);
	call(&m, 2000, 21000, 0, "cudaDeviceSynchronize");
	call(&m, 28000, 29000, 2, NULL);
	MEM_NVTX(&m, .start = 0, .end = 50000, .tid = 100, .name = "step 4");
	MEM_NVTX(&m, .start = 1500, .end = 21000, .tid = 100, .name = "loss.item");
	MEM_NVTX(&m, .start = 2000, .end = 20999, .tid = 100, .name = "x");
	visit(&m, &o);
	assert_int_equal(o.n, 1);
	assert_true(o.opener_end[0] == 21000);
	assert_string_equal(o.range[0], "loss.item");
}

/* Gaps of 10 us, each with a wait that begins or ends at a limit of the definition. */
TEST(limits_of_what_opens_a_gap)
{
	WITH(struct mem, m, mem_release, mem_init(&m));
	static const struct {
		wl_ns begin, end; /* of the wait, relative to the gap's begin */
		bool opens;
	} wait[] = {
		{ -1, 1, true },         { 0, 1, false },     { -5000, -2000, true },
		{ -5000, -2001, false }, { -1, 10000, true }, { -1, 10001, false },
	};
	struct opened o;

	kernel(&m, 90000, 100000, 1);
	call(&m, 0, 10, 1, NULL);
	for (unsigned i = 0; i < WL_COUNT(wait); i++) {
		wl_ns gap = 100000 * (wl_ns)(i + 1);

		call(&m, gap + wait[i].begin, gap + wait[i].end, 0, "cudaStreamSynchronize");
		call(&m, gap + 9000, gap + 9500, i + 2, NULL);
		kernel(&m, gap + 10000, gap + 100000, i + 2);
	}
	visit(&m, &o);
	assert_int_equal(o.n, WL_COUNT(wait));
	for (unsigned i = 0; i < WL_COUNT(wait); i++) {
		wl_ns end = 100000 * (wl_ns)(i + 1) + wait[i].end;

		assert_true(o.opener_end[i] == (wait[i].opens ? end : -1));
		assert_null(o.range[i]);
	}
}

TEST(the_wait_that_ends_last_counts_but_none_inside_another)
{
	WITH(struct mem, m, mem_release, mem_init(&m));
	struct opened o;

	kernel(&m, 10000, 20000, 1);
	kernel(&m, 30000, 40000, 2);
	kernel(&m, 60000, 70000, 3);
	call(&m, 0, 1000, 1, NULL);
	call(&m, 2000, 18500, 0, "cudaEventSynchronize");
	call(&m, 19000, 25000, 0, "cudaMemcpy");
	call(&m, 19500, 24000, 0, "cuStreamSynchronize");
	call(&m, 19600, 25000, 0, "cuCtxSynchronize");
	call(&m, 28000, 29000, 2, NULL);
	/* The outer call ends after the gap; the wait inside it does not count. */
	call(&m, 39000, 65000, 0, "cudaMemcpy");
	call(&m, 39500, 45000, 0, "cuStreamSynchronize");
	call(&m, 50000, 51000, 3, NULL);
	visit(&m, &o);
	assert_int_equal(o.n, 2);
	assert_true(o.opener_end[0] == 25000);
	assert_true(o.opener_end[1] == -1);
}

TEST(only_the_launching_thread_counts)
{
	WITH(struct mem, m, mem_release, mem_init(&m));
	struct opened o;

	kernel(&m, 10000, 20000, 1);
	kernel(&m, 30000, 40000, 2);
	kernel(&m, 50000, 60000, 3);
	kernel(&m, 70000, 80000, 0);
	call(&m, 0, 1000, 1, NULL);
	call_on(&m, 7, 2000, 21000, 0, "cudaDeviceSynchronize");
	call(&m, 28000, 29000, 2, NULL);
	call_on(&m, 7, 35000, 41000, 0, "cudaDeviceSynchronize");
	call_on(&m, 7, 48000, 49000, 3, NULL);
	call(&m, 55000, 61000, 0, "cudaDeviceSynchronize");
	visit(&m, &o);
	assert_int_equal(o.n, 3);
	assert_true(o.opener_end[0] == -1);
	assert_true(o.opener_end[1] == 41000);
	assert_true(o.opener_end[2] == -1);
}

TEST(skewed_clocks_open_nothing)
{
	WITH(struct mem, m, mem_release, mem_init(&m));
	struct opened o;

	kernel(&m, 10000, 20000, 1);
	kernel(&m, 30000, 40000, 2);
	kernel(&m, 50000, 60000, 3);
	call(&m, 11000, 12000, 1, NULL);
	call(&m, 19000, 21000, 0, "cudaDeviceSynchronize");
	call(&m, 31000, 32000, 2, NULL);
	call(&m, 39000, 41000, 0, "cudaDeviceSynchronize");
	call(&m, 45000, 46000, 3, NULL);
	visit(&m, &o);
	assert_int_equal(o.n, 2);
	assert_true(o.opener_end[0] == -1);
	assert_true(o.opener_end[1] == -1);
}
