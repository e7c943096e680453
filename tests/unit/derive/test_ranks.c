/* SPDX-License-Identifier: MIT */
#include "derive/nvtx/ranks.h"

#include "derive/nvtx/conventions.h"
#include "support/mem.h"
#include "support/unit.h"

enum { PID_A = 1, PID_B, PID_C };

static void name(struct mem *m, unsigned pid, wl_ns start, const char *text)
{
	MEM_NVTX(m, .start = start, .end = 100, .pid = pid, .name = text);
}

static void expect_ranks(struct mem *m, const char *expression, const int64_t want[3])
{
	static const char *const none[] = { NULL };
	struct wl_pattern pattern;
	const struct wl_conventions conventions = { .name = "mine",
						    .detect = none,
						    .anchor = none,
						    .comm = none,
						    .rank = &pattern,
						    .n_rank = 1 };
	const struct wl_ranks *ranks;
	struct wl_err err;

	assert_int_equal(wl_pattern_init(&pattern, expression, &err), WL_OK);
	mem_derive(m, &(struct wl_derived_opts){ .conventions = &conventions });
	ranks = m->derived.ranks;
	assert_non_null(ranks);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(ranks->of[i], want[i]);
	wl_pattern_release(&pattern);
}

TEST(the_group_alone_is_the_rank)
{
	WITH(struct mem, m, mem_release, mem_init(&m));

	name(&m, PID_A, 0, "worker12");
	name(&m, PID_B, 0, "worker7x");
	name(&m, PID_C, 0, "worker-3");
	(void)mem_seal(&m);
	expect_ranks(&m, "re:^worker(.)", (const int64_t[]){ 1, 7, -1 });
}

TEST(the_first_range_tells_and_of_several_the_lowest)
{
	WITH(struct mem, m, mem_release, mem_init(&m));

	name(&m, PID_A, 5, "rank 1");
	name(&m, PID_A, 3, "rank 9");
	name(&m, PID_B, 3, "rank 6");
	name(&m, PID_B, 3, "rank 4");
	name(&m, PID_C, 3, "rank 99999999999999999999");
	(void)mem_seal(&m);
	expect_ranks(&m, "re:^rank ([0-9]+)", (const int64_t[]){ 9, 4, INT64_MAX });
}
