/* SPDX-License-Identifier: MIT */
#include "table/origins.h"

#include <string.h>

bool wl_origins_find(const struct wl_table *t, struct wl_arena *arena, struct wl_origins *ret)
{
	const bool has_traces = t->n_cols && t->cols[0].flags & WL_ORIGIN;
	uint32_t *of = has_traces ? WL_NEW(arena, uint32_t, t->n_rows) : NULL;
	const char *last = "";
	uint32_t n = 0;

	/* The rows of a trace follow each other, so that there are at most as many as rows. */
	*ret = (struct wl_origins){ .of = of,
				    .count =
					    WL_NEW(arena, size_t, has_traces ? t->n_rows + 1 : 1) };
	if (!ret->count || (has_traces && !of))
		return false;
	for (size_t row = 0; of && row < t->n_rows; row++) {
		const struct wl_cell trace = wl_table_at(t, row, 0);

		n += trace.set && strcmp(last, trace.str) != 0;
		last = trace.set ? trace.str : last;
		of[row] = n;
	}
	return true;
}

size_t wl_origins_count(struct wl_origins *o, uint32_t row)
{
	return o->count[o->of ? o->of[row] : 0]++;
}
