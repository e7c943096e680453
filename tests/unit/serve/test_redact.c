/* SPDX-License-Identifier: MIT */
#include "serve/shown/redact.h"

#include <stdio.h>
#include <string.h>

#include "support/unit.h"

static int make(void **state)
{
	struct wl_arena *arena = test_calloc(1, sizeof(*arena));

	wl_arena_init(arena, 1 << 16);
	*state = arena;
	return 0;
}

static int drop(void **state)
{
	wl_arena_release(*state);
	test_free(*state);
	return 0;
}

TEST_WITH(ranges_of_a_path_are_hashed_one_by_one, make, drop)
{
	const char *outer = wl_redact_range("forward", *state);
	const char *inner = wl_redact_range("layer 7", *state);
	char want[64];

	assert_non_null(outer);
	assert_non_null(inner);
	(void)snprintf(want, sizeof(want), "%s > %s", outer, inner);
	assert_string_equal(wl_redact_path("forward > layer 7", *state), want);
	assert_string_equal(wl_redact_path("forward", *state), outer);
}

TEST_WITH(parts_without_a_name_are_hashed_too, make, drop)
{
	const char *none = wl_redact_range("", *state);
	char want[64];

	assert_non_null(none);
	assert_string_equal(wl_redact_path("", *state), none);
	(void)snprintf(want, sizeof(want), "%s > %s", none, none);
	assert_string_equal(wl_redact_path(" > ", *state), want);
}

TEST_WITH(a_path_without_memory_is_none, make, drop)
{
	WITH(struct wl_arena, small, wl_arena_release, wl_arena_init(&small, 1));

	assert_null(wl_redact_path("a > b", &small));
}

TEST_WITH(an_unknown_kernel_is_hashed, make, drop)
{
	const char *own = wl_redact_kernel("acme_secret(float*)", *state);

	assert_non_null(own);
	assert_null(strstr(own, "acme"));
	assert_memory_equal(own, "kernel~", strlen("kernel~"));
}
