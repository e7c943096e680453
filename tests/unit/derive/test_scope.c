/* SPDX-License-Identifier: MIT */
#include "derive/rows/scope.h"

#include "support/mem.h"
#include "support/unit.h"

/* Every interval against every window on a small line. */
TEST(clipping_keeps_what_is_inside)
{
	const struct wl_scope scope = { .whole = false };

	for (int code = 0; code < 7 * 7 * 7 * 7; code++) {
		wl_ns a = code % 7 - 3, b = code / 7 % 7 - 3;
		struct wl_interval w = { code / 49 % 7 - 3, code / 343 - 3 };
		wl_ns lo = a > w.begin ? a : w.begin, hi = b < w.end ? b : w.end;
		bool inside = a == b ? w.begin <= a && a < w.end : lo < hi;
		wl_ns start = a, end = b;

		if (a > b || w.begin > w.end)
			continue;
		assert_int_equal(wl_clip(&scope, w, &start, &end), inside);
		if (inside) {
			assert_int_equal(start, lo);
			assert_int_equal(end, hi);
		}
	}
}

TEST(a_whole_scope_clips_nothing)
{
	const struct wl_scope scope = { .whole = true };
	wl_ns start = -5, end = 500;

	assert_true(wl_clip(&scope, (struct wl_interval){ 0, 0 }, &start, &end));
	assert_int_equal(start, -5);
	assert_int_equal(end, 500);
}

TEST(the_rows_of_each_device_follow_each_other)
{
	WITH(struct mem, m, mem_release, mem_init(&m));
	static const unsigned on[] = { 3, 0, 3, 2, 0, 3 }; /* and nothing on 1 but a set */
	static const size_t want[] = { 0, 2, 2, 3, 6 };
	const struct wl_trace *t;
	struct wl_ops ops;
	size_t lo, hi;

	MEM_OP(&m, WL_F_MEMSETS, .device = 1);
	for (int i = 0; i < 6; i++)
		MEM_OP(&m, WL_F_KERNELS, .start = i, .end = 9, .device = on[i]);
	t = mem_seal(&m);
	assert_int_equal(t->n_devices, 4);
	ops = wl_trace_ops(t, WL_F_KERNELS);
	for (uint32_t d = 0; d < 4; d++) {
		wl_ops_on_device(t, &ops, d, &lo, &hi);
		assert_int_equal(lo, want[d]);
		assert_int_equal(hi, want[d + 1]);
	}
	ops = wl_trace_ops(t, WL_F_GRAPHS);
	wl_ops_on_device(t, &ops, 0, &lo, &hi);
	assert_int_equal(hi - lo, 0);
}

TEST(only_operations_are_operations)
{
	WITH(struct mem, m, mem_release, mem_init(&m));
	struct wl_ops ops;

	MEM_API(&m, .end = 1);
	ops = wl_trace_ops(mem_seal(&m), WL_F_API);
	assert_int_equal(ops.n, 0);
	assert_null(ops.start);
}
