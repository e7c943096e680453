/* SPDX-License-Identifier: MIT */
#include "read/raw_map.h"

#include <stdlib.h>

#include "base/memory/bound.h"

void wl_raw_map_init(struct wl_raw_map *map, struct wl_budget *budget)
{
	*map = (struct wl_raw_map){ .dense = true, .ascending = true };
	wl_vec_init(&map->raw, sizeof(int64_t), budget);
	wl_vec_init(&map->id, sizeof(uint32_t), budget);
}

void wl_raw_map_release(struct wl_raw_map *map)
{
	wl_vec_release(&map->raw);
	wl_vec_release(&map->id);
}

void wl_raw_map_clear(struct wl_raw_map *map)
{
	map->raw.n = map->id.n = 0;
	map->dense = map->ascending = true;
}

void wl_raw_map_put(struct wl_raw_map *map, int64_t raw, uint32_t id)
{
	const int64_t *all = map->raw.data;

	if (map->raw.n && raw <= all[map->raw.n - 1])
		map->ascending = false;
	if (map->raw.n && (uint64_t)raw - (uint64_t)all[0] != map->raw.n)
		map->dense = false;
	wl_vec_push(&map->raw, &raw);
	wl_vec_push(&map->id, &id);
}

struct pair {
	int64_t raw;
	uint32_t id, seq;
};

static int by_raw(const void *va, const void *vb)
{
	const struct pair *a = va, *b = vb;

	if (a->raw != b->raw)
		return a->raw > b->raw ? 1 : -1;
	return (a->seq > b->seq) - (a->seq < b->seq);
}

/* Only edited files need sorting: nsys writes the numbers in order. */
bool wl_raw_map_seal(struct wl_raw_map *map)
{
	int64_t *raw = map->raw.data;
	uint32_t *id = map->id.data;
	struct wl_vec pairs;
	struct pair *p;

	if (map->raw.failed || map->id.failed)
		return false;
	if (map->ascending)
		return true;
	wl_vec_init(&pairs, sizeof(struct pair), map->raw.budget);
	p = wl_vec_extend(&pairs, map->raw.n);
	if (p) {
		for (size_t i = 0; i < map->raw.n; i++)
			p[i] = (struct pair){ raw[i], id[i], (uint32_t)i };
		qsort(p, map->raw.n, sizeof(*p), by_raw);
		for (size_t i = 0; i < map->raw.n; i++) {
			raw[i] = p[i].raw;
			id[i] = p[i].id;
		}
	}
	wl_vec_release(&pairs);
	map->dense = false;
	return p != NULL;
}

uint32_t wl_raw_map_get(const struct wl_raw_map *map, int64_t raw)
{
	const int64_t *all = map->raw.data;
	const uint32_t *id = map->id.data;
	size_t n = map->raw.n, i;

	if (n == 0 || raw < all[0])
		return WL_NONE;
	if (map->dense)
		return (uint64_t)raw - (uint64_t)all[0] < n ? id[raw - all[0]] : WL_NONE;
	i = WL_BELOW(all, n, raw);
	return i < n && all[i] == raw ? id[i] : WL_NONE;
}
