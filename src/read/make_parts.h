/* SPDX-License-Identifier: MIT */
/*
 * make_parts.h - internals of make.c: columns whose cells are numbers of tuples or texts, and
 * access to source cells.
 */
#ifndef WL_READ_MAKE_PARTS_H
#define WL_READ_MAKE_PARTS_H

#include "read/make.h"

/* The cell of a source in the k-th kept row. */
static inline int64_t wl_cell(const struct wl_maker *m, const struct wl_making *g, size_t source,
			      size_t k, int64_t def)
{
	return wl_cell_int(m->batch, g->at[source], m->kept[k], def);
}

static inline bool wl_is_set(const struct wl_maker *m, const struct wl_making *g, size_t source,
			     size_t k)
{
	return wl_cell_is_set(m->batch, g->at[source], m->kept[k]);
}

/* The cell's value if in [0, max], else absent; a present value out of range counts as mistyped. */
static inline int64_t wl_cell_bounded(struct wl_maker *m, const struct wl_making *g, size_t source,
				      size_t k, int64_t max, int64_t absent)
{
	int64_t v = wl_cell(m, g, source, k, absent);

	if (v >= 0 && v <= max)
		return v;
	m->n_mistyped += v != absent;
	return absent;
}

static inline uint32_t wl_cell_u32(struct wl_maker *m, const struct wl_making *g, size_t source,
				   size_t k)
{
	return (uint32_t)wl_cell_bounded(m, g, source, k, UINT32_MAX, UINT32_MAX);
}

/* Size in bytes of the tuples that a column's numbers stand for; 0 if it has none. */
size_t wl_tuple_size(enum wl_make make);

/* Whether a column's numbers stand for texts stored in the rows themselves. */
bool wl_has_texts(enum wl_make make);

/* Write the numbers of the kept rows' tuples, or of their strings and texts. */
void wl_tuples_run(struct wl_making *making, struct wl_maker *maker, uint32_t *out);
void wl_texts_run(struct wl_making *making, const struct wl_maker *maker, uint32_t *out);

#endif
