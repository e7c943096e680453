/* SPDX-License-Identifier: MIT */
#include "base/memory/arena.h"

#include <assert.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"

/* Blocks double up to the largest: a task that allocates little has an arena of its own, too. */
#define FIRST_BLOCK ((size_t)1024)
#define LAST_BLOCK  ((size_t)64 * 1024)
#define ALIGNMENT   alignof(max_align_t)

struct wl_arena_block {
	struct wl_arena_block *next;
	size_t fill;
	size_t cap;
	alignas(max_align_t) unsigned char data[];
};

void wl_arena_init(struct wl_arena *arena, size_t bytes)
{
	/* A limit of 0 would mean none. Nothing that arenas hand out fits in one byte. */
	*arena = (struct wl_arena){ .own = { .limit = bytes ? bytes : 1 } };
}

void wl_arena_init_child(struct wl_arena *child, struct wl_arena *parent)
{
	wl_arena_init_on(child, wl_arena_budget(parent));
}

void wl_arena_init_on(struct wl_arena *arena, struct wl_budget *budget)
{
	*arena = (struct wl_arena){ .of_root = budget };
}

struct wl_budget *wl_arena_budget(struct wl_arena *arena)
{
	return arena->of_root ? arena->of_root : &arena->own;
}

void wl_arena_release(struct wl_arena *arena)
{
	struct wl_arena_block *b = arena->head;

	while (b) {
		struct wl_arena_block *next = b->next;

		free(b);
		b = next;
	}
	wl_budget_give(wl_arena_budget(arena), arena->used);
	arena->head = NULL;
	arena->used = 0;
}

void wl_arena_adopt(struct wl_arena *arena, struct wl_arena *child)
{
	struct wl_arena_block **end = &child->head;
	/* Behind our head, which has room that is used next. */
	struct wl_arena_block **at = arena->head ? &arena->head->next : &arena->head;

	assert(arena != child &&
	       wl_budget_root(wl_arena_budget(arena)) == wl_budget_root(wl_arena_budget(child)));
	while (*end)
		end = &(*end)->next;
	*end = *at;
	*at = child->head;
	arena->used += child->used;
	child->head = NULL;
	child->used = 0;
}

static struct wl_arena_block *add_block(struct wl_arena *arena, size_t want)
{
	size_t cap = FIRST_BLOCK;
	struct wl_arena_block *b;
	size_t bytes;

	if (arena->head)
		cap = arena->head->cap < LAST_BLOCK / 2 ? 2 * arena->head->cap : LAST_BLOCK;
	if (cap < want)
		cap = want;
	if (!wl_add(sizeof(*b), cap, &bytes))
		return NULL;
	b = calloc(1, bytes);
	if (!b)
		return NULL;
	WL_POISON(b->data, cap);
	b->cap = cap;
	b->next = arena->head;
	arena->head = b;
	return b;
}

void *wl_arena_calloc(struct wl_arena *arena, size_t n, size_t size)
{
	struct wl_arena_block *b = arena->head;
	size_t exact, bytes, need; /* as asked, rounded up, and with the red zone */
	void *p;

	if (!wl_mul(n, size, &exact) || !wl_add(exact, ALIGNMENT - 1, &bytes))
		return NULL;
	bytes -= bytes % ALIGNMENT;
	if (!wl_add(bytes, WL_RED_ZONE, &need) || !wl_budget_take(wl_arena_budget(arena), bytes))
		return NULL;
	if (!b || need > b->cap - b->fill) {
		b = add_block(arena, need);
		if (!b) {
			wl_budget_give(wl_arena_budget(arena), bytes);
			return NULL;
		}
	}
	p = b->data + b->fill;
	WL_UNPOISON(p, exact);
	b->fill += need;
	arena->used += bytes;
	return p;
}

char *wl_arena_strdup(struct wl_arena *arena, const char *s)
{
	size_t n = strlen(s) + 1;
	char *copy = wl_arena_calloc(arena, n, 1);

	if (copy)
		memcpy(copy, s, n);
	return copy;
}
