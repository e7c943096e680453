/* SPDX-License-Identifier: MIT */
#include "read/strings_map.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"

void wl_strings_map_init(struct wl_strings_map *map, struct wl_budget *budget)
{
	*map = (struct wl_strings_map){ .dense = true };
	wl_vec_init(&map->raw, sizeof(int64_t), budget);
	wl_vec_init(&map->id, sizeof(uint32_t), budget);
	wl_vec_init(&map->functions, sizeof(uint32_t), budget);
}

void wl_strings_map_release(struct wl_strings_map *map)
{
	wl_vec_release(&map->raw);
	wl_vec_release(&map->id);
	wl_vec_release(&map->functions);
}

struct reading {
	struct wl_strings_map *map;
	struct wl_build *build;
	int id, value;
	size_t n_columns;
	bool ascending;
};

static int take_strings(void *ctx, const struct wl_batch *batch, struct wl_err *reterr)
{
	struct reading *r = ctx;
	struct wl_strings_map *map = r->map;

	for (size_t i = 0; i < batch->n; i++) {
		int64_t raw = wl_cell_int(batch, r->id, i, 0);
		uint32_t id = wl_cell_string(batch, r->value, i, r->build);
		const int64_t *all = map->raw.data;

		if (id == WL_NONE || !wl_cell_is_set(batch, r->id, i))
			continue;
		if (map->raw.n && raw <= all[map->raw.n - 1])
			r->ascending = false;
		if (map->raw.n && (uint64_t)raw - (uint64_t)all[0] != map->raw.n)
			map->dense = false;
		wl_vec_push(&map->raw, &raw);
		wl_vec_push(&map->id, &id);
	}
	r->build->n_mistyped += wl_batch_mistyped(batch, r->n_columns);
	if (map->raw.failed || map->id.failed || wl_build_failed(r->build))
		return wl_fail(reterr, WL_E_NOMEM, "%s: no memory for its strings", r->build->path);
	return WL_OK;
}

struct pair {
	int64_t raw;
	uint32_t id;
};

static int by_raw(const void *va, const void *vb)
{
	const struct pair *a = va, *b = vb;

	return (a->raw > b->raw) - (a->raw < b->raw);
}

/* Only a file someone edited gets here: nsys writes the numbers in order. */
static bool sort_pairs(struct wl_strings_map *map)
{
	int64_t *raw = map->raw.data;
	uint32_t *id = map->id.data;
	struct wl_vec pairs;
	struct pair *p;

	wl_vec_init(&pairs, sizeof(struct pair), map->raw.budget);
	p = wl_vec_extend(&pairs, map->raw.n);
	if (p) {
		for (size_t i = 0; i < map->raw.n; i++)
			p[i] = (struct pair){ raw[i], id[i] };
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

int wl_strings_map_load(struct wl_strings_map *map, struct wl_probe *probe, struct wl_err *reterr)
{
	struct reading reading = { .map = map, .build = probe->build, .ascending = true };
	struct wl_probe_scan query;
	int r;

	if (map->loaded)
		return WL_OK;
	wl_probe_scan_init(&query, probe, "StringIds");
	reading.id = wl_probe_scan_ask(&query, probe, "id", WL_WANT_INT);
	reading.value = wl_probe_scan_ask(&query, probe, "value", WL_WANT_TEXT);
	reading.n_columns = query.scan.n_columns;
	r = wl_probe_scan_run(&query, probe, take_strings, &reading, reterr);
	if (r == WL_E_RETRY) {
		map->raw.n = map->id.n = 0;
		map->dense = reading.ascending = true;
		r = wl_probe_scan_run(&query, probe, take_strings, &reading, reterr);
	}
	if (r < 0)
		return r;
	if (!reading.ascending && !sort_pairs(map))
		return wl_fail(reterr, WL_E_NOMEM, "%s: no memory for its strings",
			       probe->build->path);
	map->loaded = true;
	return WL_OK;
}

struct wanted_raw {
	const int64_t *all;
	int64_t raw;
};

static bool raw_before(const void *ctx, size_t i)
{
	const struct wanted_raw *w = ctx;

	return w->all[i] < w->raw;
}

uint32_t wl_strings_map_get(const struct wl_strings_map *map, int64_t raw)
{
	const int64_t *all = map->raw.data;
	const uint32_t *id = map->id.data;
	size_t n = map->raw.n, i;

	if (n == 0 || raw < all[0])
		return WL_NONE;
	if (map->dense)
		return (uint64_t)raw - (uint64_t)all[0] < n ? id[raw - all[0]] : WL_NONE;
	i = wl_lower_bound(n, raw_before, &(struct wanted_raw){ all, raw });
	return i < n && all[i] == raw ? id[i] : WL_NONE;
}

/* Length without a trailing _v and digits. */
static size_t function_length(const char *name)
{
	size_t n = strlen(name), i = n;

	while (i > 0 && isdigit((unsigned char)name[i - 1]))
		i--;
	return i < n && i > 2 && name[i - 1] == 'v' && name[i - 2] == '_' ? i - 2 : n;
}

uint32_t wl_strings_map_function(struct wl_strings_map *map, struct wl_build *build, int64_t raw)
{
	uint32_t id = wl_strings_map_get(map, raw), *known;
	char name[256];
	size_t n;

	if (id == WL_NONE)
		return WL_NONE;
	while (map->functions.n <= id && !map->functions.failed)
		wl_vec_push(&map->functions, &(uint32_t){ WL_NONE });
	if (map->functions.failed) {
		build->strings.failed = true;
		return WL_NONE;
	}
	known = (uint32_t *)map->functions.data + id;
	if (*known == WL_NONE) {
		const char *full = wl_string_get(&build->strings, id);

		n = function_length(full);
		*known = id;
		if (n < sizeof(name) && full[n]) {
			/* The pool may move while it takes a string of its own. */
			memcpy(name, full, n);
			*known = wl_string_put(&build->strings, name, n);
		}
	}
	return *known;
}
