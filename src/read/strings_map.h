/* SPDX-License-Identifier: MIT */
/* strings_map.h - maps the numbers of the table StringIds to strings of the model. */
#ifndef WL_READ_STRINGS_MAP_H
#define WL_READ_STRINGS_MAP_H

#include "read/probe.h"
#include "read/raw_map.h"

struct wl_strings_map {
	struct wl_raw_map numbers;
	struct wl_vec
		functions; /* uint32_t by model string: without version suffix; WL_NONE unknown */
	bool loaded;
};

void wl_strings_map_init(struct wl_strings_map *map, struct wl_budget *budget);
void wl_strings_map_release(struct wl_strings_map *map);

/* Read the table, once. */
int wl_strings_map_load(struct wl_strings_map *map, struct wl_probe *probe,
			struct wl_err *reterr) WL_MUST_CHECK;

/* The model's string, or WL_NONE if the file has no such number. */
uint32_t wl_strings_map_get(const struct wl_strings_map *map, int64_t raw);

/* The same without the suffix that nsys appends for API versions: cuMemAlloc_v2 becomes
 * cuMemAlloc. */
uint32_t wl_strings_map_function(struct wl_strings_map *map, struct wl_build *build, int64_t raw);

#endif
