/* SPDX-License-Identifier: MIT */
#include "derive/nvtx/domains.h"

#include "known/exports/codes.h"
#include "support/mem.h"
#include "support/unit.h"

static void create(struct mem *m, unsigned pid, uint32_t id, const char *name)
{
	MEM_NVTX(m, .pid = pid, .kind = WL_NVTX_DOMAIN_CREATE, .domain = id, .name = name);
}

TEST(domains_are_numbered_by_each_process)
{
	WITH(struct mem, m, mem_release, mem_init(&m));
	struct wl_domains d;
	struct wl_arena arena;
	const struct wl_trace *t;

	create(&m, 2, 3, "NCCL");
	create(&m, 1, 7, "cuDNN");
	create(&m, 1, 3, "other");
	create(&m, 1, 9, NULL);
	create(&m, 1, WL_NONE, "no id");
	MEM_NVTX(&m, .end = 5, .pid = 3, .domain = 4, .name = "a range");
	t = mem_seal(&m);
	wl_arena_init(&arena, 1 << 16);
	assert_true(wl_domains_find(t, &arena, &d));
	assert_int_equal(d.n, 5);
	assert_string_equal(wl_domain_name(t, &d, 0, 3), "other");
	assert_string_equal(wl_domain_name(t, &d, 0, 7), "cuDNN");
	assert_string_equal(wl_domain_name(t, &d, 1, 3), "NCCL");
	assert_null(wl_domain_name(t, &d, 1, 7));
	assert_null(wl_domain_name(t, &d, 0, 0));
	assert_null(wl_domain_name(t, &d, 0, 9));       /* created without a name */
	assert_null(wl_domain_name(t, &d, 2, 4));       /* the row is missing */
	assert_null(wl_domain_name(t, &d, 0, WL_NONE)); /* in no domain */
	wl_arena_release(&arena);
}

TEST(without_rows_there_is_no_domain)
{
	WITH(struct mem, m, mem_release, mem_init(&m));
	struct wl_domains d;
	struct wl_arena arena;
	const struct wl_trace *t;

	t = mem_seal(&m);
	wl_arena_init(&arena, 1 << 16);
	assert_true(wl_domains_find(t, &arena, &d));
	assert_int_equal(d.n, 0);
	assert_null(wl_domain_name(t, &d, 0, 0));
	wl_arena_release(&arena);
}

TEST(a_budget_too_small_is_said)
{
	WITH(struct mem, m, mem_release, mem_init(&m));
	struct wl_domains d;
	struct wl_arena arena;

	create(&m, 2, 3, "NCCL");
	wl_arena_init(&arena, 1);
	assert_false(wl_domains_find(mem_seal(&m), &arena, &d));
	wl_arena_release(&arena);
}
