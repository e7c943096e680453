/* SPDX-License-Identifier: MIT */
#include "numbers.h"

#include <stdio.h>
#include <stdlib.h>

void *need_memory(void *old, size_t n, size_t size)
{
	void *p = reallocarray(old, n, size);

	if (!p) {
		(void)fputs("pfcheck: no memory\n", stderr);
		exit(3);
	}
	return p;
}

void *grow(void *array, size_t n, size_t size)
{
	if (n & (n - 1))
		return array;
	return need_memory(array, n ? 2 * n : 1, size);
}

/* Where a key is or would be. */
static size_t slot_of(const struct numbers *t, uint64_t key)
{
	uint64_t hash = key * UINT64_C(0x9e3779b97f4a7c15);
	size_t slot = (size_t)(hash ^ hash >> 32) & (t->cap - 1);

	while (t->place[slot] && t->key[slot] != key)
		slot = (slot + 1) & (t->cap - 1);
	return slot;
}

uint32_t numbers_find(const struct numbers *t, uint64_t key)
{
	return t->cap ? t->place[slot_of(t, key)] - 1 : NUMBERS_NONE;
}

static void enlarge(struct numbers *t)
{
	struct numbers wide = { .cap = t->cap ? 2 * t->cap : 16, .n = t->n };

	wide.key = need_memory(NULL, wide.cap, sizeof(*wide.key));
	wide.place = need_memory(NULL, wide.cap, sizeof(*wide.place));
	for (size_t i = 0; i < wide.cap; i++)
		wide.place[i] = 0;
	for (size_t i = 0; i < t->cap; i++) {
		if (t->place[i]) {
			size_t slot = slot_of(&wide, t->key[i]);

			wide.key[slot] = t->key[i];
			wide.place[slot] = t->place[i];
		}
	}
	numbers_release(t);
	*t = wide;
}

uint32_t numbers_add(struct numbers *t, uint64_t key, bool *ret_is_new)
{
	size_t slot;

	if (4 * (size_t)t->n >= 3 * t->cap)
		enlarge(t);
	slot = slot_of(t, key);
	*ret_is_new = t->place[slot] == 0;
	if (*ret_is_new) {
		t->key[slot] = key;
		t->place[slot] = ++t->n;
	}
	return t->place[slot] - 1;
}

void numbers_release(struct numbers *t)
{
	free(t->key);
	free(t->place);
	*t = (struct numbers){ 0 };
}
