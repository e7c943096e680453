/* SPDX-License-Identifier: MIT */
#include "derive/kinds/activity.h"

#include "derive/derived.h"
#include "derive/rows/ops.h"
#include "support/mem.h"
#include "support/unit.h"

enum { KERNEL = WL_ON_COMPUTE | WL_ON_KERNEL, NCCL = WL_ON_COMM | WL_ON_KERNEL };

struct world {
	struct mem mem;
	const struct wl_trace *trace;
	struct mem_scope scope;
	struct wl_arena arena;
};

static void put(struct world *w, const char *name, unsigned stream, wl_ns start, wl_ns end)
{
	MEM_OP(&w->mem, WL_F_KERNELS, .start = start, .end = end, .stream = stream, .name = name);
}

static void seal(struct world *w)
{
	w->trace = mem_seal(&w->mem);
	mem_scope_whole(&w->scope, w->trace);
	wl_arena_init(&w->arena, 1 << 20);
}

static void release(struct world *w)
{
	wl_arena_release(&w->arena);
	mem_release(&w->mem);
}

struct segment {
	wl_ns begin;
	unsigned mask;
};

static void expect(const struct wl_activity *a, const struct segment *want, size_t n, wl_ns end)
{
	assert_int_equal(a->n, n);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(a->begin[i], want[i].begin);
		assert_int_equal(a->mask[i], want[i].mask);
	}
	assert_int_equal(a->begin[n], end);
}

TEST(segments_are_cut_where_a_class_begins_or_ends)
{
	static const struct segment want[] = {
		{ 5, KERNEL }, { 30, KERNEL | NCCL }, { 40, NCCL }, { 50, 0 }, { 60, KERNEL },
	};
	struct wl_activity a;
	WITH(struct world, w, release, mem_init(&w.mem));

	put(&w, "gemm", 7, 0, 0); /* takes no time */
	put(&w, "gemm", 7, 5, 20);
	put(&w, "gemm", 7, 20, 40); /* goes on */
	put(&w, "ncclDevKernel_X", 8, 30, 50);
	put(&w, "gemm", 7, 60, 70);
	put(&w, "gemm", 7, 65, 66);
	seal(&w);
	assert_true(wl_activity_of_device(w.trace, NULL, w.mem.derived.classes, 0, &w.arena, &a));
	expect(&a, want, WL_COUNT(want), 70);
}

TEST(nothing_that_takes_time_is_no_segment)
{
	struct wl_activity a;
	struct wl_intervals set;
	WITH(struct world, w, release, mem_init(&w.mem));

	put(&w, "gemm", 7, 9, 9);
	seal(&w);
	assert_true(wl_activity_of_device(w.trace, NULL, w.mem.derived.classes, 0, &w.arena, &a));
	assert_int_equal(a.n, 0);
	assert_true(wl_activity_intervals(&a, KERNEL, &w.scope.device[0], &w.arena, &set));
	assert_int_equal(set.n, 0);
	assert_int_equal(wl_intervals_length(&set), 0);
}

/* A stream that is off hides what others do, but is none of what is accounted for. */
TEST(a_scope_shares_what_it_does_not_narrow)
{
	static const struct segment all[] = { { 0, KERNEL | NCCL }, { 10, NCCL } };
	static const struct segment on[] = { { 0, KERNEL } };
	struct wl_derived view;
	WITH(struct world, w, release, mem_init(&w.mem));

	put(&w, "gemm", 7, 0, 10);
	put(&w, "ncclDevKernel_X", 8, 0, 15);
	MEM_OP(&w.mem, WL_F_KERNELS, .start = 3, .end = 4, .device = 1);
	seal(&w);
	w.scope.place_on[1] = false; /* the second place put: stream 8 */
	view = w.mem.derived;
	assert_true(wl_scoped_find(&view, &w.scope.scope, WL_FROM(ACTIVITY), &w.arena));
	expect(&view.all_activity->device[0], all, WL_COUNT(all), 15);
	expect(&view.activity->device[0], on, WL_COUNT(on), 10);
	assert_int_equal(view.activity->device[1].n, 1);
	assert_ptr_equal(view.activity->device[1].begin, view.all_activity->device[1].begin);
	w.scope.device_on[1] = false;
	assert_true(wl_scoped_find(&view, &w.scope.scope, WL_FROM(ACTIVITY), &w.arena));
	assert_int_equal(view.all_activity->device[1].n, 0);
	assert_int_equal(view.activity->device[1].n, 0);
}

TEST(a_walk_about_a_window_begins_where_work_resumed)
{
	struct wl_activity a;
	struct wl_op_cursor cursor;
	struct wl_op op;
	WITH(struct world, w, release, mem_init(&w.mem));

	put(&w, "gemm", 7, 0, 10);
	put(&w, "gemm", 7, 12, 12); /* takes no time, so that the pause goes on */
	put(&w, "gemm", 7, 20, 60);
	put(&w, "ncclDevKernel_X", 8, 20, 22);
	put(&w, "gemm", 7, 40, 45);
	put(&w, "gemm", 7, 70, 80);
	seal(&w);
	assert_true(wl_activity_of_device(w.trace, NULL, w.mem.derived.classes, 0, &w.arena, &a));
	assert_true(wl_activity_resumed(&a, 19) == INT64_MIN);
	assert_true(wl_activity_resumed(&a, 20) == 20);
	assert_true(wl_activity_resumed(&a, 69) == 20);
	assert_true(wl_activity_resumed(&a, 70) == 70);
	assert_true(wl_activity_resumed(&a, 1000) == 70);
	assert_int_equal(wl_activity_after(&a, 10), 1);
	assert_int_equal(wl_activity_after(&a, 80), a.n);
	wl_ops_begin(w.trace, 0, &cursor);
	wl_ops_skip(&cursor, wl_activity_resumed(&a, 50));
	assert_true(wl_ops_next(&cursor, &op) && op.start == 20);
	assert_true(wl_ops_next(&cursor, &op) && op.start == 20); /* both that start then */
	assert_true(wl_ops_next(&cursor, &op) && op.start == 40);
}

TEST(no_memory_is_said)
{
	struct wl_activity a;
	WITH(struct world, w, release, mem_init(&w.mem));
	size_t bytes = 0;
	bool ok = false;

	put(&w, "gemm", 7, 0, 10);
	put(&w, "gemm", 7, 20, 30);
	seal(&w);
	for (; !ok && bytes < 1 << 16; bytes += 8) {
		struct wl_arena small;

		wl_arena_init(&small, bytes);
		ok = wl_activity_of_device(w.trace, NULL, w.mem.derived.classes, 0, &small, &a);
		wl_arena_release(&small);
	}
	assert_true(ok && bytes > 8);
}
