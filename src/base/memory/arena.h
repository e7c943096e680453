/* SPDX-License-Identifier: MIT */
/*
 * arena.h - a region allocator: allocate many, free once.
 *
 * Every arena is charged to a budget: a root has one of its own, a child that of
 * its root. One thread at a time uses an arena; children of one root may be used
 * by several, because only the budget is shared. Under AddressSanitizer every
 * allocation is followed by a red zone, which does not count.
 */
#ifndef WL_BASE_ARENA_H
#define WL_BASE_ARENA_H

#include <stddef.h>

#include "base/attr.h"
#include "base/memory/budget.h"

struct wl_arena_block;

struct wl_arena {
	struct wl_arena_block *head;
	size_t used;               /* bytes that this arena holds, without its children's */
	struct wl_budget own;      /* of a root; zeroed: without limit */
	struct wl_budget *of_root; /* of a child; NULL in a root */
};

/* A root that may hold that many bytes, together with its children and vectors. */
void wl_arena_init(struct wl_arena *arena, size_t bytes);

/*
 * A child: memory with a shorter life, or for another thread. The root must stay
 * where it is until the child is released or adopted.
 */
void wl_arena_init_child(struct wl_arena *child, struct wl_arena *parent);

/*
 * A child of no arena: memory charged to a budget that vectors have, too, which must outlive
 * the arena. NULL makes a root of its own, without limit.
 */
void wl_arena_init_on(struct wl_arena *arena, struct wl_budget *budget);

/* Release everything; the arena may be used again. Accepts a zeroed arena. */
void wl_arena_release(struct wl_arena *arena);

/* What a child of the same root holds becomes the arena's; the child is empty, as if released. */
void wl_arena_adopt(struct wl_arena *arena, struct wl_arena *child);

/* What the arena is charged to, for vectors that work on the same question. Lives with the root. */
struct wl_budget *wl_arena_budget(struct wl_arena *arena);

/* The work that the arena is for must end (stop.h). */
static inline bool wl_arena_is_stopped(struct wl_arena *arena)
{
	return wl_budget_is_stopped(wl_arena_budget(arena));
}

/* The same for a sweep over rows: looks at some of them only. */
static inline bool wl_arena_ends_at(struct wl_arena *arena, size_t row)
{
	return row % WL_LOOK_EVERY == 0 && wl_arena_is_stopped(arena);
}

/* n * size zeroed bytes owned by the arena, or NULL on overflow, over budget or out of memory. */
void *wl_arena_calloc(struct wl_arena *arena, size_t n, size_t size) WL_MALLOC WL_MUST_CHECK;

/* A copy owned by the arena, or NULL as above. */
char *wl_arena_strdup(struct wl_arena *arena, const char *s) WL_MALLOC WL_MUST_CHECK;

#define WL_NEW(arena, type, n) ((type *)wl_arena_calloc((arena), (n), sizeof(type)))

#endif
