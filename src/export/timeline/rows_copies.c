/* SPDX-License-Identifier: MIT */
/*
 * rows_copies.c - the rows of a GPU's copies by direction and of its memory sets.
 *
 * In timelines they appear among the operations of their streams. Here those of all streams share
 * rows and are read from their families, which are in order of start. One pass per direction that
 * occurs.
 */
#include <stdio.h>

#include "base/memory/sort.h"
#include "export/timeline/walk.h"
#include "known/exports/codes.h"

struct copies {
	struct wl_walk *walk;
	enum wl_family_id family;
	struct wl_ops ops;
	size_t lo, hi;       /* rows of the device */
	const uint8_t *kind; /* for copies; NULL for sets */
	uint8_t only;        /* only this kind of copy */
};

static bool is_shown(const struct copies *c, size_t row)
{
	return (!c->kind || wl_known_copy_kind(c->kind[row]) == c->only) &&
	       wl_op_is_shown(&c->walk->shown, &c->ops, row);
}

static void deal_copy(const struct copies *c, size_t row, struct wl_dealt_rows *rows)
{
	struct wl_op_slice s;
	wl_ns start = c->ops.start[row];

	s.slice = (struct wl_emit_slice){ .start = start,
					  .end = start + wl_dur(c->ops.family, c->ops.dur, row) };
	wl_op_slice_fill(c->walk, c->family, (uint32_t)row, &s);
	wl_dealt_put(rows, &s.slice);
}

static bool longer(const void *ctx, uint32_t a, uint32_t b)
{
	const struct copies *c = ctx;

	return wl_dur(c->ops.family, c->ops.dur, a) > wl_dur(c->ops.family, c->ops.dur, b);
}

/* Put rows that start together, the longer first. */
static void put_together(const struct copies *c, size_t lo, size_t hi, struct wl_dealt_rows *rows)
{
	uint32_t *order = WL_NEW(&c->walk->arena, uint32_t, 2 * (hi - lo));

	if (!order) {
		c->walk->failed = true;
		return;
	}
	for (size_t i = lo; i < hi; i++)
		order[i - lo] = (uint32_t)i;
	wl_sort_index(order, hi - lo, order + (hi - lo), longer, c);
	for (size_t i = 0; i < hi - lo; i++) {
		if (is_shown(c, order[i]))
			deal_copy(c, order[i], rows);
	}
}

static void write_row(const struct copies *c, const char *name, struct wl_lazy_row *gpu)
{
	struct wl_lazy_row row = {
		.row = { .kind = WL_EMIT_SLICES, .name = name, .n_events = c->hi - c->lo },
		.parent = gpu
	};
	struct wl_dealt_rows rows = { .walk = c->walk, .first = &row, .parent = gpu, .name = name };

	wl_dealt_init(&rows, true);
	for (size_t lo = c->lo, hi; lo < c->hi && wl_walk_goes_on(c->walk); lo = hi) {
		for (hi = lo + 1; hi < c->hi && c->ops.start[hi] == c->ops.start[lo];)
			hi++;
		if (hi - lo > 1)
			put_together(c, lo, hi, &rows);
		else if (is_shown(c, lo))
			deal_copy(c, lo, &rows);
	}
	wl_dealt_close(&rows);
}

static struct copies copies_of(struct wl_walk *w, enum wl_family_id family, uint32_t device)
{
	struct copies c = { .walk = w, .family = family, .ops = wl_trace_ops(w->trace, family) };

	wl_ops_on_device(w->trace, &c.ops, device, &c.lo, &c.hi);
	return c;
}

void wl_rows_copies(struct wl_walk *w, uint32_t device, struct wl_lazy_row *gpu)
{
	struct copies c = copies_of(w, WL_F_MEMCPYS, device);
	bool there[UINT8_MAX + 1] = { false };
	char name[64];

	c.kind = wl_memcpys_kind(w->trace);
	for (size_t i = c.lo; i < c.hi; i++)
		there[wl_known_copy_kind(c.kind[i])] = true;
	for (unsigned k = 0; k <= UINT8_MAX; k++) {
		if (!there[k])
			continue;
		c.only = (uint8_t)k;
		(void)snprintf(name, sizeof(name), "Memcpy %s", wl_copy_kind_name(k));
		write_row(&c, name, gpu);
	}
	c = copies_of(w, WL_F_MEMSETS, device);
	write_row(&c, "Memset", gpu);
}
