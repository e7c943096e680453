/* SPDX-License-Identifier: MIT */
/* origins.h - counts the rows of each trace in a table of several (concat.h). */
#ifndef WL_TABLE_ORIGINS_H
#define WL_TABLE_ORIGINS_H

#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "table/table.h"

struct wl_origins {
	const uint32_t *of; /* by row: the number of its trace; NULL: all rows are of one */
	size_t *count;      /* by trace: rows counted so far */
};

/* False when out of memory. */
bool wl_origins_find(const struct wl_table *t, struct wl_arena *arena,
		     struct wl_origins *ret) WL_MUST_CHECK;

/* Count a row; returns how many of its trace were counted before. */
size_t wl_origins_count(struct wl_origins *o, uint32_t row);

#endif
