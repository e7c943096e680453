/* SPDX-License-Identifier: MIT */
/* raw_map.h - maps the numbers in a table's rows to the model's numbers. */
#ifndef WL_READ_RAW_MAP_H
#define WL_READ_RAW_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/memory/intern.h"
#include "base/memory/vec.h"

struct wl_raw_map {
	struct wl_vec raw; /* int64_t: the file's numbers, ascending once sealed */
	struct wl_vec id;  /* uint32_t: the model's, in the same order */
	bool dense;        /* raw numbers are consecutive */
	bool ascending;    /* the order in which they were put */
};

void wl_raw_map_init(struct wl_raw_map *map, struct wl_budget *budget);
void wl_raw_map_release(struct wl_raw_map *map);
void wl_raw_map_clear(struct wl_raw_map *map);

/* Running out of memory is sticky in the vectors. */
void wl_raw_map_put(struct wl_raw_map *map, int64_t raw, uint32_t id);

/* Sort the map before the first get. False if this or an earlier put ran out of memory. */
bool wl_raw_map_seal(struct wl_raw_map *map) WL_MUST_CHECK;

/* The model's number, the first one put; WL_NONE if the file has no such number. */
uint32_t wl_raw_map_get(const struct wl_raw_map *map, int64_t raw);

#endif
