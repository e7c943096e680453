/* SPDX-License-Identifier: MIT */
#include "model/strings.h"

#include <string.h>

#include "base/memory/intern.h"
#include "base/text/utf8.h"

void wl_string_pool_init(struct wl_string_pool *pool, struct wl_budget *budget)
{
	wl_vec_init(&pool->blob, 1, budget);
	wl_vec_init(&pool->offsets, sizeof(uint64_t), budget);
	wl_vec_init(&pool->slots, sizeof(uint32_t), budget);
	wl_vec_init(&pool->clean, 1, budget);
	wl_vec_init(&pool->retired, sizeof(struct wl_vec), budget);
	wl_hash_key_init(&pool->key);
	pool->n_repaired = 0;
	pool->handed_out = pool->failed = false;
}

void wl_string_pool_release(struct wl_string_pool *pool)
{
	for (size_t i = 0; i < pool->retired.n; i++)
		wl_vec_release((struct wl_vec *)pool->retired.data + i);
	wl_vec_release(&pool->retired);
	wl_vec_release(&pool->blob);
	wl_vec_release(&pool->offsets);
	wl_vec_release(&pool->slots);
	wl_vec_release(&pool->clean);
}

const char *wl_string_get(const struct wl_string_pool *pool, uint32_t id)
{
	return (const char *)pool->blob.data + ((const uint64_t *)pool->offsets.data)[id];
}

size_t wl_string_length(const struct wl_string_pool *pool, uint32_t id)
{
	const uint64_t *offset = pool->offsets.data;
	uint64_t end = id + 1 < pool->offsets.n ? offset[id + 1] : pool->blob.n;

	return (size_t)(end - offset[id]) - 1;
}

static uint32_t *probe(const struct wl_string_pool *pool, const char *text, size_t len)
{
	uint32_t *slot = pool->slots.data;
	size_t mask = pool->slots.n - 1;
	size_t i = (size_t)wl_hash(&pool->key, text, len) & mask;

	while (slot[i] && (wl_string_length(pool, slot[i] - 1) != len ||
			   memcmp(wl_string_get(pool, slot[i] - 1), text, len) != 0))
		i = (i + 1) & mask;
	return &slot[i];
}

static bool grow(struct wl_string_pool *pool)
{
	size_t n = pool->slots.n ? pool->slots.n * 2 : 256;
	struct wl_vec fresh;

	wl_vec_init(&fresh, sizeof(uint32_t), pool->slots.budget);
	if (!wl_vec_extend(&fresh, n))
		return false;
	memset(fresh.data, 0, n * sizeof(uint32_t));
	wl_vec_release(&pool->slots);
	pool->slots = fresh;
	for (uint32_t id = 0; id < pool->offsets.n; id++)
		*probe(pool, wl_string_get(pool, id), wl_string_length(pool, id)) = id + 1;
	return true;
}

static size_t count_nul(const char *text, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++)
		n += text[i] == '\0';
	return n;
}

/*
 * A repaired copy in the scratch buffer. NUL is replaced but not counted: nsys itself writes
 * environments as strings that contain NUL.
 */
static const char *repair(struct wl_string_pool *pool, const char *text, size_t len,
			  size_t *ret_len, bool *ret_malformed)
{
	char *copy;

	*ret_len = wl_utf8_clean_size(text, len);
	pool->clean.n = 0;
	copy = wl_vec_extend(&pool->clean, *ret_len);
	if (copy)
		*ret_malformed = wl_utf8_clean(text, len, copy) > count_nul(text, len);
	return copy;
}

/* Makes room for n more bytes. Text that was handed out must not move, so growing then copies the
 * blob and keeps the old one. */
static char *extend_blob(struct wl_string_pool *pool, size_t n)
{
	struct wl_vec fresh;
	char *copy;

	if (!pool->handed_out || !pool->blob.data || pool->blob.cap - pool->blob.n >= n)
		return wl_vec_extend(&pool->blob, n);
	wl_vec_init(&fresh, 1, pool->blob.budget);
	copy = wl_vec_extend(&fresh, pool->blob.n + n);
	if (copy)
		wl_vec_push(&pool->retired, &pool->blob);
	if (!copy || pool->retired.failed) {
		wl_vec_release(&fresh);
		return NULL;
	}
	memcpy(copy, pool->blob.data, pool->blob.n);
	copy += pool->blob.n;
	pool->blob = fresh;
	pool->handed_out = false;
	return copy;
}

/* A text that needs no repair. */
static uint32_t add_string(struct wl_string_pool *pool, const char *text, size_t len, bool *ret_new)
{
	uint64_t offset = pool->blob.n;
	uint32_t *slot;
	char *copy;

	/*
	 * At most half of the slots are used, so probes are short and always reach a free slot.
	 */
	if (pool->failed || !text || ((pool->offsets.n + 1) * 2 > pool->slots.n && !grow(pool))) {
		pool->failed = true;
		return WL_NONE;
	}
	slot = probe(pool, text, len);
	*ret_new = !*slot;
	if (*slot)
		return *slot - 1;
	wl_vec_push(&pool->offsets, &offset);
	copy = extend_blob(pool, len + 1);
	if (!copy || pool->offsets.failed || pool->offsets.n >= WL_NONE) {
		pool->failed = true;
		return WL_NONE;
	}
	if (len)
		memcpy(copy, text, len);
	copy[len] = '\0';
	/* The number plus one; 0 marks a free slot. */
	*slot = (uint32_t)pool->offsets.n;
	return *slot - 1;
}

uint32_t wl_string_put(struct wl_string_pool *pool, const char *text, size_t len)
{
	bool malformed = false, is_new = false;
	uint32_t id;

	if (!wl_utf8_is_valid(text, len))
		text = repair(pool, text, len, &len, &malformed);
	id = add_string(pool, text, len, &is_new);
	pool->n_repaired += is_new && malformed;
	return id;
}

uint32_t wl_string_put_raw(struct wl_string_pool *pool, const char *text, size_t len)
{
	bool is_new;

	return add_string(pool, text, len, &is_new);
}

struct wl_strings wl_string_view(struct wl_string_pool *pool)
{
	/* Views point into the blob: from now on it may be replaced but not moved. */
	pool->handed_out = true;
	return (struct wl_strings){ pool->blob.data, pool->offsets.data, pool->offsets.n };
}
