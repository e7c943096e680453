/* SPDX-License-Identifier: MIT */
#include "facts/texts.h"

#include <string.h>

void wl_facts_texts_init(struct wl_facts_texts *t, struct wl_budget *budget)
{
	wl_vec_init(&t->bytes, 1, budget);
	wl_vec_init(&t->at, sizeof(uint32_t), budget);
	wl_vec_init(&t->slots, sizeof(uint32_t), budget);
	wl_hash_key_init(&t->key);
}

void wl_facts_texts_release(struct wl_facts_texts *t)
{
	wl_vec_release(&t->bytes);
	wl_vec_release(&t->at);
	wl_vec_release(&t->slots);
}

const char *wl_facts_text(const struct wl_facts_texts *t, uint32_t number)
{
	if (number >= t->at.n)
		return "";
	return (const char *)t->bytes.data + ((const uint32_t *)t->at.data)[number];
}

/* The slot that holds a text, or the free slot where it belongs. */
static uint32_t *slot_of(const struct wl_facts_texts *t, const char *text, size_t n)
{
	uint32_t *slot = t->slots.data;
	size_t mask = t->slots.n - 1;

	for (size_t i = wl_hash(&t->key, text, n) & mask;; i = (i + 1) & mask) {
		const char *other = slot[i] ? wl_facts_text(t, slot[i] - 1) : NULL;

		if (!other || (strncmp(other, text, n) == 0 && other[n] == '\0'))
			return &slot[i];
	}
}

/* Double the slots, so that at most half are taken. */
static bool grow(struct wl_facts_texts *t)
{
	size_t n = t->slots.n ? 2 * t->slots.n : 64;

	t->slots.n = 0;
	if (!wl_vec_extend(&t->slots, n))
		return false;
	memset(t->slots.data, 0, n * sizeof(uint32_t));
	for (uint32_t i = 0; i < t->at.n; i++) {
		const char *text = wl_facts_text(t, i);

		*slot_of(t, text, strlen(text)) = i + 1;
	}
	return true;
}

static uint32_t add(struct wl_facts_texts *t, const char *text, size_t n)
{
	uint32_t at = (uint32_t)t->bytes.n;
	char *to = t->bytes.n + n < UINT32_MAX ? wl_vec_extend(&t->bytes, n + 1) : NULL;

	if (!to)
		return WL_NONE;
	memcpy(to, text, n);
	to[n] = '\0';
	wl_vec_push(&t->at, &at);
	return t->at.failed ? WL_NONE : (uint32_t)t->at.n - 1;
}

uint32_t wl_facts_texts_put(struct wl_facts_texts *t, const char *text, size_t n)
{
	uint32_t *slot, number;

	/* The empty text comes first: cells without a text hold its number. */
	if (t->at.n == 0 && add(t, "", 0) != 0)
		return WL_NONE;
	if (2 * (t->at.n + 1) > t->slots.n && !grow(t))
		return WL_NONE;
	slot = slot_of(t, text, n);
	if (*slot)
		return *slot - 1;
	number = add(t, text, n);
	if (number != WL_NONE)
		*slot = number + 1;
	return number;
}
