/* SPDX-License-Identifier: MIT */
#include "derive/calls/skew.h"

#include "derive/derived.h"
#include "support/mem.h"
#include "support/unit.h"

/* An operation of the process with its launch call, which begins at 10. */
static void launched(struct mem *m, unsigned pid, unsigned corr, wl_ns start)
{
	mem_api(m, &(struct mem_call){ .start = 10, .end = 12, .pid = pid, .corr = corr });
	mem_op(m, WL_F_KERNELS,
	       &(struct mem_op){ .start = start, .end = start + 5, .pid = pid, .corr = corr });
}

static void more_than_half_must_be_early(void **state)
{
	const struct wl_trace *t;
	const bool *skewed;
	struct wl_arena arena;
	struct mem m;

	(void)state;
	mem_init(&m);
	wl_arena_init(&arena, 1 << 20);
	launched(&m, 1, 1, 9);
	launched(&m, 1, 2, 10); /* at the same time is not early */
	launched(&m, 2, 1, -5);
	launched(&m, 2, 2, 9);
	launched(&m, 2, 3, 11);
	mem_op(&m, WL_F_KERNELS, &(struct mem_op){ .end = 5, .pid = 3 }); /* no launch to tell */
	t = mem_seal(&m);
	skewed = wl_skew_find(t, m.derived.links, &arena);
	assert_non_null(skewed);
	assert_int_equal(t->n_processes, 3);
	for (size_t i = 0; i < t->n_processes; i++)
		assert_true(skewed[i] == (t->processes[i].pid == 2));
	/* 1; (15 + 1) / 2; no launch */
	for (uint32_t i = 0; i < t->n_processes; i++)
		assert_int_equal(wl_skew_mean(t, m.derived.links, i), t->processes[i].pid == 1 ? 1
								      : t->processes[i].pid == 2
									      ? 8
									      : 0);
	wl_arena_release(&arena);
	mem_release(&m);
}

static void too_little_memory_is_told(void **state)
{
	const struct wl_trace *t;
	struct wl_arena arena;
	struct mem m;

	(void)state;
	mem_init(&m);
	wl_arena_init(&arena, 0);
	launched(&m, 1, 1, 9);
	t = mem_seal(&m);
	assert_null(wl_skew_find(t, m.derived.links, &arena));
	wl_arena_release(&arena);
	mem_release(&m);
}

TEST_MAIN(skew)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(more_than_half_must_be_early),
		cmocka_unit_test(too_little_memory_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
