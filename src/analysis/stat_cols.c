/* SPDX-License-Identifier: MIT */
#include "analysis/stat_cols.h"

void wl_put_stats(struct wl_table *out, size_t first, unsigned which, const struct wl_stats *s)
{
	/* Indexed by bit of enum wl_stat. */
	const int64_t value[] = {
		s->sum, s->avg, s->p50, s->p90, s->p99, s->min, s->max, s->stddev
	};

	for (size_t i = 0; i < WL_COUNT(value); i++) {
		if (which >> i & 1)
			wl_put_i64(out, first++, value[i]);
	}
}
