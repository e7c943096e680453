/* SPDX-License-Identifier: MIT */
#include "derive/rows/slices.h"

#include "support/mem.h"
#include "support/unit.h"

static void each_thread_has_its_rows(void **state)
{
	struct wl_arena arena;
	struct mem m;
	const struct wl_trace *t;
	const struct wl_slice *s;
	size_t n = 0;

	(void)state;
	mem_init(&m);
	wl_arena_init(&arena, 1 << 16);
	mem_api(&m, &(struct mem_call){ .start = 5, .end = 6, .tid = 2 });
	mem_api(&m, &(struct mem_call){ .start = 1, .end = 2, .tid = 9 });
	mem_api(&m, &(struct mem_call){ .start = 3, .end = 4, .tid = 2 });
	mem_api(&m, &(struct mem_call){ .start = 3, .end = 4, .pid = 7, .tid = 2 });
	mem_osrt(&m, &(struct mem_call){ .start = 3, .end = 4, .tid = 5 });
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
	wl_arena_release(&arena);
	mem_release(&m);
}

static void a_family_without_rows_has_empty_slices(void **state)
{
	struct wl_arena arena;
	struct mem m;
	const struct wl_trace *t;
	const struct wl_slice *s;

	(void)state;
	mem_init(&m);
	wl_arena_init(&arena, 1 << 16);
	mem_api(&m, &(struct mem_call){ .start = 5, .end = 6, .tid = 2 });
	t = mem_seal(&m);
	s = wl_slices_find(t, WL_F_OSRT, &arena);
	assert_non_null(s);
	assert_int_equal(s[0].lo, s[0].hi);
	wl_arena_release(&arena);
	wl_arena_init(&arena, 8);
	assert_null(wl_slices_find(t, WL_F_API, &arena));
	wl_arena_release(&arena);
	mem_release(&m);
}

TEST_MAIN(slices)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_thread_has_its_rows),
		cmocka_unit_test(a_family_without_rows_has_empty_slices),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
