/* SPDX-License-Identifier: MIT */
#include "serve/shown/bare_names.h"

#include "base/num.h"
#include "derive/nvtx/range_names.h"
#include "support/unit.h"

static struct wl_arena arena;

/* The domains of ranges of two traces. */
static struct wl_bare_names domains_of(const struct wl_range_name *a, size_t n_a,
				       const struct wl_range_name *b, size_t n_b)
{
	static struct wl_range_names names[2];
	static struct wl_scene scene[2];
	struct wl_show show = { .scene = { &scene[0], &scene[1] }, .n = 2 };
	struct wl_bare_names ret;

	names[0] = (struct wl_range_names){ .name = a, .n = n_a };
	names[1] = (struct wl_range_names){ .name = b, .n = n_b };
	scene[0].range_names = &names[0];
	scene[1].range_names = b ? &names[1] : NULL;
	wl_arena_init(&arena, 1 << 20);
	assert_true(wl_bare_names_find(&show, &arena, &ret));
	return ret;
}

TEST(domains_are_distinct_and_in_order)
{
	static const struct wl_range_name a[] = {
		{ .domain = "torch" }, { .domain = NULL }, { .domain = "NCCL" }, { .domain = "" }
	};
	static const struct wl_range_name b[] = { { .domain = "NCCL" }, { .domain = "x:y" } };
	struct wl_bare_names d = domains_of(a, WL_COUNT(a), b, WL_COUNT(b));

	assert_int_equal(d.n, 3);
	assert_string_equal(d.at[0], "NCCL");
	assert_string_equal(d.at[1], "torch");
	assert_string_equal(d.at[2], "x:y");
	wl_arena_release(&arena);
}

TEST(a_name_without_its_domain_is_what_is_behind_the_colon)
{
	static const struct wl_range_name a[] = { { .domain = "NCCL" }, { .domain = "x:y" } };
	struct wl_bare_names d = domains_of(a, WL_COUNT(a), NULL, 0);
	static const char many[] = "::::::::::::::::::::::::x";

	assert_string_equal(wl_bare_name(&d, "NCCL:ncclAllGather"), "ncclAllGather");
	assert_string_equal(wl_bare_name(&d, "NCCL:a:b"), "a:b");
	assert_string_equal(wl_bare_name(&d, "x:y:z"), "z");
	assert_string_equal(wl_bare_name(&d, "NCCL:"), "");
	assert_string_equal(wl_bare_name(&d, "NCC:a"), "NCC:a");
	assert_string_equal(wl_bare_name(&d, "NCCLx:a"), "NCCLx:a");
	assert_string_equal(wl_bare_name(&d, "NCCL"), "NCCL");
	assert_ptr_equal(wl_bare_name(&d, many), many);
	wl_arena_release(&arena);
}

TEST(without_domains_every_name_stays)
{
	struct wl_bare_names d = domains_of(NULL, 0, NULL, 0);

	assert_int_equal(d.n, 0);
	assert_string_equal(wl_bare_name(&d, "a:b"), "a:b");
	wl_arena_release(&arena);
}
