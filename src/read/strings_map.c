/* SPDX-License-Identifier: MIT */
#include "read/strings_map.h"

#include <ctype.h>
#include <string.h>

void wl_strings_map_init(struct wl_strings_map *map, struct wl_budget *budget)
{
	map->loaded = false;
	wl_raw_map_init(&map->numbers, budget);
	wl_vec_init(&map->functions, sizeof(uint32_t), budget);
}

void wl_strings_map_release(struct wl_strings_map *map)
{
	wl_raw_map_release(&map->numbers);
	wl_vec_release(&map->functions);
}

struct reading {
	struct wl_strings_map *map;
	struct wl_build *build;
	int id, value;
	size_t n_columns;
};

static int no_memory(const struct wl_build *build, struct wl_err *reterr)
{
	return wl_fail(reterr, WL_E_NOMEM, "%s: no memory for its strings", build->path);
}

static int take_strings(void *ctx, const struct wl_batch *batch, struct wl_err *reterr)
{
	struct reading *r = ctx;

	for (size_t i = 0; i < batch->n; i++) {
		uint32_t id = wl_cell_string(batch, r->value, i, r->build);

		if (id != WL_NONE && wl_cell_is_set(batch, r->id, i))
			wl_raw_map_put(&r->map->numbers, wl_cell_int(batch, r->id, i, 0), id);
	}
	r->build->n_mistyped += wl_batch_mistyped(batch, r->n_columns);
	if (r->map->numbers.raw.failed || r->map->numbers.id.failed || wl_build_failed(r->build))
		return no_memory(r->build, reterr);
	return WL_OK;
}

int wl_strings_map_load(struct wl_strings_map *map, struct wl_probe *probe, struct wl_err *reterr)
{
	struct reading reading = { .map = map, .build = probe->build };
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
		wl_raw_map_clear(&map->numbers);
		r = wl_probe_scan_run(&query, probe, take_strings, &reading, reterr);
	}
	if (r < 0)
		return r;
	if (!wl_raw_map_seal(&map->numbers))
		return no_memory(probe->build, reterr);
	map->loaded = true;
	return WL_OK;
}

uint32_t wl_strings_map_get(const struct wl_strings_map *map, int64_t raw)
{
	return wl_raw_map_get(&map->numbers, raw);
}

/* The length of a name without a trailing _v and digits. */
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
			/* The pool may move when it adds one of its own strings. */
			memcpy(name, full, n);
			*known = wl_string_put(&build->strings, name, n);
		}
	}
	return *known;
}
