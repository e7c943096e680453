/* SPDX-License-Identifier: MIT */
/* order_keys.c - the columns that order rows, and where the long lengths of a row begin. */
#include "base/memory/bound.h"
#include "model/order_parts.h"

struct wl_order_keys wl_ordering_keys(const struct wl_ordering *o)
{
	struct wl_key_columns c = wl_family_keys(o->family);
	const struct wl_vec *column = o->build->column;
	const uint32_t *dur = c.dur < WL_N_COLUMNS ? column[c.dur].data : NULL;

	return (struct wl_order_keys){ column[c.start].data,
				       dur,
				       dur && wl_family_infos[o->family].order == WL_BY_THREAD,
				       { .n_long = o->f->long_row.n,
					 .long_row = o->f->long_row.data,
					 .long_dur = o->f->long_dur.data } };
}

size_t wl_longs_from(const struct wl_build_family *f, size_t row)
{
	return WL_BELOW((const uint32_t *)f->long_row.data, f->long_row.n, row);
}
