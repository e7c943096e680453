/* SPDX-License-Identifier: MIT */
/* graph_lanes.c - the streams of operations, waits and records, numbered alike. */
#include "base/memory/sort.h"
#include "derive/graph/build/graph_parts.h"

/* The device is compared last, and unknown devices sort after known ones of the same stream. */
static int compare(const struct wl_place *a, const struct wl_place *b, unsigned n_keys)
{
	const uint32_t ka[] = { a->process, a->context, a->stream, a->device };
	const uint32_t kb[] = { b->process, b->context, b->stream, b->device };

	for (unsigned i = 0; i < n_keys; i++) {
		if (ka[i] != kb[i])
			return ka[i] < kb[i] ? -1 : 1;
	}
	return 0;
}

enum { OF_CONTEXT = 2, OF_STREAM = 3, OF_LANE = 4 };

static bool place_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct wl_trace *t = ctx;

	return compare(&t->places[a], &t->places[b], OF_LANE) < 0;
}

bool wl_graph_lanes(struct wl_graph_making *m)
{
	const struct wl_trace *t = m->trace;
	uint32_t *lane = WL_NEW(m->arena, uint32_t, t->n_places);
	uint32_t *context = WL_NEW(m->scratch, uint32_t, t->n_places);
	uint32_t *order = WL_NEW(m->scratch, uint32_t, 2 * t->n_places);
	uint32_t n = 0, n_contexts = 0;

	if (!lane || !context || !order)
		return false;
	wl_sort_all(order, t->n_places, place_less, t);
	for (size_t i = 0; i < t->n_places; i++) {
		const struct wl_place *p = &t->places[order[i]];
		const struct wl_place *before = i ? &t->places[order[i - 1]] : NULL;

		n_contexts += !before || compare(before, p, OF_CONTEXT) != 0;
		/* A wait or a record without a device belongs to the stream of the operations. */
		n += !before || compare(before, p, p->device == WL_NONE ? OF_STREAM : OF_LANE) != 0;
		lane[order[i]] = n - 1;
		context[n - 1] = n_contexts - 1;
	}
	m->to->lane = lane;
	m->to->n_lanes = n;
	m->context = context;
	m->n_contexts = n_contexts;
	return true;
}
