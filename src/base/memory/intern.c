/* SPDX-License-Identifier: MIT */
#include "base/memory/intern.h"

#include <string.h>

void wl_intern_init(struct wl_intern *in, size_t size, struct wl_budget *budget)
{
	wl_vec_init(&in->items, size, budget);
	wl_vec_init(&in->slots, sizeof(uint32_t), budget);
	wl_hash_key_init(&in->key);
	in->last = WL_NONE;
}

void wl_intern_release(struct wl_intern *in)
{
	wl_vec_release(&in->items);
	wl_vec_release(&in->slots);
	in->last = WL_NONE;
}

static const void *item(const struct wl_intern *in, uint32_t id)
{
	return (const char *)in->items.data + (size_t)id * in->items.size;
}

/* The slot that holds the tuple, or the free one where it belongs. Slots are a power of two. */
static uint32_t *probe(const struct wl_intern *in, const void *tuple)
{
	uint32_t *slot = in->slots.data;
	size_t mask = in->slots.n - 1;
	size_t i = (size_t)wl_hash(&in->key, tuple, in->items.size) & mask;

	while (slot[i] && memcmp(item(in, slot[i] - 1), tuple, in->items.size) != 0)
		i = (i + 1) & mask;
	return &slot[i];
}

static bool grow(struct wl_intern *in)
{
	size_t n = in->slots.n ? in->slots.n * 2 : 64;
	struct wl_vec fresh;

	wl_vec_init(&fresh, sizeof(uint32_t), in->slots.budget);
	if (!wl_vec_extend(&fresh, n))
		return false;
	memset(fresh.data, 0, n * sizeof(uint32_t));
	wl_vec_release(&in->slots);
	in->slots = fresh;
	for (uint32_t id = 0; id < in->items.n; id++)
		*probe(in, item(in, id)) = id + 1;
	return true;
}

uint32_t wl_intern_put(struct wl_intern *in, const void *tuple)
{
	uint32_t *slot;

	if (in->last != WL_NONE && memcmp(item(in, in->last), tuple, in->items.size) == 0)
		return in->last;
	if ((in->items.n + 1) * 2 > in->slots.n && !grow(in))
		return WL_NONE;
	slot = probe(in, tuple);
	if (!*slot) {
		if (in->items.n >= WL_NONE - 1)
			return WL_NONE;
		wl_vec_push(&in->items, tuple);
		if (in->items.failed)
			return WL_NONE;
		*slot = (uint32_t)in->items.n;
	}
	in->last = *slot - 1;
	return in->last;
}

uint32_t wl_intern_find(const struct wl_intern *in, const void *tuple)
{
	return in->slots.n ? *probe(in, tuple) - 1 : WL_NONE; /* 0 - 1 is WL_NONE */
}
