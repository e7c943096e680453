/* SPDX-License-Identifier: MIT */
#include "export/timeline/walk.h"

#include <stdio.h>
#include <string.h>

enum { MAX_NAME = 256 /* bytes; labels are shorter */, PROGRESS_EVERY = 1 << 16 };

/* The description of a top-level row: its own text, and a note if times are shifted. */
static const char *describe(struct wl_walk *w, const char *own)
{
	size_t size = 128 + (own ? strlen(own) : 0);
	char *text;

	if (w->plan->shift == 0)
		return own;
	text = WL_NEW(&w->arena, char, size);
	if (text)
		(void)snprintf(text, size,
			       "All times of this file are %lld ns later than in the trace.%s%s",
			       (long long)w->plan->shift, own ? " " : "", own ? own : "");
	w->failed = w->failed || !text;
	return text;
}

uint32_t wl_lazy_row_id(struct wl_walk *w, struct wl_lazy_row *row)
{
	struct wl_emit_row announced;

	if (row->row.id)
		return row->row.id;
	if (row->parent)
		row->row.parent = wl_lazy_row_id(w, row->parent);
	if (row->row.order == 0)
		row->row.order = row->parent ? ++row->parent->next_order : ++w->next_order;
	row->row.id = (uint32_t)++w->done.rows;
	announced = row->row;
	if (!row->parent)
		announced.description = describe(w, row->row.description);
	w->emitter->ops->row(w->emitter, &announced);
	return row->row.id;
}

void wl_dealt_init(struct wl_dealt_rows *d, bool flat)
{
	wl_nest_init(&d->nest, flat || d->walk->emitter->ops->flat, d->walk->budget);
	wl_vec_init(&d->id, sizeof(uint32_t), d->walk->budget);
}

/* Announce the row after the existing ones. */
static uint32_t announce(struct wl_dealt_rows *d)
{
	struct wl_lazy_row row = { .parent = d->parent };
	char name[MAX_NAME];
	size_t n = d->id.n;

	if (n == 0)
		return wl_lazy_row_id(d->walk, d->first);
	if (d->further == WL_FURTHER_NUMBER)
		(void)snprintf(name, sizeof(name), "%s (%zu)", d->name, n + 1);
	else if (n == 1)
		(void)snprintf(name, sizeof(name), "%s (overlap)", d->name);
	else
		(void)snprintf(name, sizeof(name), "%s (overlap %zu)", d->name, n);
	row.row.kind = WL_EMIT_SLICES;
	row.row.name = name;
	row.row.n_events = 1; /* usually few */
	return wl_lazy_row_id(d->walk, &row);
}

void wl_dealt_put(struct wl_dealt_rows *d, const struct wl_emit_slice *slice)
{
	struct wl_walk *w = d->walk;
	uint32_t at = wl_nest_put(&d->nest, slice->start, slice->end);

	/* Rows are made in order: a new one is always the next. */
	if (at != WL_NONE && at == d->id.n)
		wl_vec_push(&d->id, &(uint32_t){ announce(d) });
	if (at == WL_NONE || d->id.failed) {
		w->failed = true;
		return;
	}
	w->emitter->ops->slice(w->emitter, ((const uint32_t *)d->id.data)[at], slice);
	w->done.flows += slice->flow_out != 0;
	if (++w->done.slices % PROGRESS_EVERY == 0 && w->opts->progress)
		w->opts->progress(w->opts->progress_ctx, (int64_t)w->done.slices,
				  (int64_t)w->plan->slices);
}

void wl_dealt_close(struct wl_dealt_rows *d)
{
	const uint32_t *id = d->id.data;

	for (size_t i = 0; i < d->id.n; i++)
		d->walk->emitter->ops->close(d->walk->emitter, id[i]);
	wl_vec_release(&d->id);
	wl_nest_release(&d->nest);
}
