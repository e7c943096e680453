/* SPDX-License-Identifier: MIT */
/* arena.h - an arena as the state of a group of tests. */
#ifndef WL_TESTS_ARENA_H
#define WL_TESTS_ARENA_H

#include "base/memory/arena.h"

static inline int open_arena(void **state)
{
	static struct wl_arena arena;

	wl_arena_init(&arena, 16 << 20);
	*state = &arena;
	return 0;
}

static inline int close_arena(void **state)
{
	wl_arena_release(*state);
	return 0;
}

#endif
