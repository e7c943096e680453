/* SPDX-License-Identifier: MIT */
#include "derive/rows/streams.h"

#include "base/memory/sort.h"

struct places {
	const struct wl_place *place;
};

/*
 * Context ids belong to a process, so the process comes before the context. Streams of one device
 * are contiguous; wl_streams_from_device() relies on it.
 */
static int compare(const struct wl_place *a, const struct wl_place *b)
{
	const uint32_t ka[] = { a->device, a->process, a->context, a->stream };
	const uint32_t kb[] = { b->device, b->process, b->context, b->stream };

	for (size_t i = 0; i < WL_COUNT(ka); i++) {
		if (ka[i] != kb[i])
			return ka[i] < kb[i] ? -1 : 1;
	}
	return 0;
}

static bool place_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct places *p = ctx;

	return compare(&p->place[a], &p->place[b]) < 0;
}

bool wl_streams_find(const struct wl_trace *trace, struct wl_arena *arena, struct wl_streams *ret)
{
	size_t n = trace->n_places, n_streams = 0;
	uint32_t *of = WL_NEW(arena, uint32_t, n), *order = WL_NEW(arena, uint32_t, 2 * n);

	if (!of || !order)
		return false;
	wl_sort_all(order, n, place_less, &(struct places){ trace->places });
	/* The first of equal places represents them; the list is compacted in place. */
	for (size_t i = 0; i < n; i++) {
		uint32_t place = order[i];

		if (n_streams == 0 ||
		    compare(&trace->places[order[n_streams - 1]], &trace->places[place]) != 0)
			order[n_streams++] = place;
		of[place] = (uint32_t)(n_streams - 1);
	}
	*ret = (struct wl_streams){ n_streams, of, order };
	return true;
}

struct wanted {
	const struct wl_trace *trace;
	const struct wl_streams *streams;
	uint32_t device;
};

static bool stream_before(const void *ctx, size_t i)
{
	const struct wanted *w = ctx;

	return w->trace->places[w->streams->place[i]].device < w->device;
}

size_t wl_streams_from_device(const struct wl_trace *trace, const struct wl_streams *streams,
			      uint32_t device)
{
	return wl_lower_bound(streams->n, stream_before,
			      &(struct wanted){ trace, streams, device });
}
