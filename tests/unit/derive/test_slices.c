/* SPDX-License-Identifier: MIT */
#include "derive/rows/slices.h"

#include "support/mem.h"
#include "support/unit.h"

TEST(each_thread_has_its_rows)
{
	WITH(struct mem, m, mem_release, mem_init(&m));
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, 1 << 16));
	const struct wl_trace *t;
	const struct wl_slice *s;
	size_t n = 0;

	MEM_API(&m, .start = 5, .end = 6, .tid = 2);
	MEM_API(&m, .start = 1, .end = 2, .tid = 9);
	MEM_API(&m, .start = 3, .end = 4, .tid = 2);
	MEM_API(&m, .start = 3, .end = 4, .pid = 7, .tid = 2);
	MEM_OSRT(&m, .start = 3, .end = 4, .tid = 5);
	t = mem_seal(&m);
	s = wl_slices_find(t, WL_F_API, &arena);
	assert_non_null(s);
	for (size_t i = 0; i < t->n_threads; i++) {
		for (size_t row = s[i].lo; row < s[i].hi; row++)
			assert_int_equal(wl_api_thread(t)[row], i);
		n += s[i].hi - s[i].lo;
		if (t->threads[i].tid == 5)
			assert_int_equal(s[i].lo, s[i].hi);
	}
	assert_int_equal(n, 4);
}

TEST(a_family_without_rows_has_empty_slices)
{
	WITH(struct mem, m, mem_release, mem_init(&m));
	struct wl_arena arena;
	const struct wl_trace *t;
	const struct wl_slice *s;

	wl_arena_init(&arena, 1 << 16);
	MEM_API(&m, .start = 5, .end = 6, .tid = 2);
	t = mem_seal(&m);
	s = wl_slices_find(t, WL_F_OSRT, &arena);
	assert_non_null(s);
	assert_int_equal(s[0].lo, s[0].hi);
	wl_arena_release(&arena);
	wl_arena_init(&arena, 8);
	assert_null(wl_slices_find(t, WL_F_API, &arena));
	wl_arena_release(&arena);
}
