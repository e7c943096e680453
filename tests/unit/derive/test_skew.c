/* SPDX-License-Identifier: MIT */
#include "derive/calls/skew.h"

#include "derive/derived.h"
#include "support/mem.h"
#include "support/unit.h"

/* An operation of the process with its launch call, which begins at 10. */
static void launched(struct mem *m, unsigned pid, unsigned corr, wl_ns start)
{
	MEM_API(m, .start = 10, .end = 12, .pid = pid, .corr = corr);
	MEM_OP(m, WL_F_KERNELS, .start = start, .end = start + 5, .pid = pid, .corr = corr);
}

TEST(more_than_half_must_be_early)
{
	WITH(struct mem, m, mem_release, mem_init(&m));
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, 1 << 20));
	const struct wl_trace *t;
	const bool *skewed;

	launched(&m, 1, 1, 9);
	launched(&m, 1, 2, 10); /* at the same time is not early */
	launched(&m, 2, 1, -5);
	launched(&m, 2, 2, 9);
	launched(&m, 2, 3, 11);
	MEM_OP(&m, WL_F_KERNELS, .end = 5, .pid = 3); /* no launch to tell */
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
}

TEST(too_little_memory_is_told)
{
	WITH(struct mem, m, mem_release, mem_init(&m));
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, 0));
	const struct wl_trace *t;

	launched(&m, 1, 1, 9);
	t = mem_seal(&m);
	assert_null(wl_skew_find(t, m.derived.links, &arena));
}
