/* SPDX-License-Identifier: MIT */
/*
 * timeline_twins.c - pairs rows of the second trace with rows of the first.
 *
 * GPU rows pair if kind, device and name are equal; among several equal rows the first pairs with
 * the first. Both lists are sorted and walked together.
 */
#include <string.h>

#include "base/memory/sort.h"
#include "tui/timeline/timeline_parts.h"

/* Tracks of both traces: the second's numbers follow the first's. */
struct both {
	const struct wl_tracks *a, *b;
};

static const struct wl_track *get(const struct both *both, uint32_t i)
{
	return i < both->a->n ? &both->a->at[i] : &both->b->at[i - both->a->n];
}

static int compare(const struct both *both, uint32_t a, uint32_t b)
{
	const struct wl_track *of_a = get(both, a), *of_b = get(both, b);

	if (of_a->kind != of_b->kind)
		return of_a->kind < of_b->kind ? -1 : 1;
	if (of_a->device != of_b->device)
		return of_a->device < of_b->device ? -1 : 1;
	return strcmp(of_a->brief, of_b->brief);
}

static bool less(const void *ctx, uint32_t a, uint32_t b)
{
	return compare(ctx, a, b) < 0;
}

static size_t list(const struct wl_tracks *tracks, size_t offset, uint32_t *ret)
{
	size_t n = 0;

	for (size_t i = 0; i < tracks->n; i++)
		if (tracks->at[i].device != WL_NONE && tracks->at[i].n_events > 0)
			ret[n++] = (uint32_t)(offset + i);
	return n;
}

static void pair_up(const struct both *both, const uint32_t *a, size_t n_a, const uint32_t *b,
		    size_t n_b, uint32_t *ret)
{
	for (size_t i = 0, k = 0; i < n_a && k < n_b;) {
		int order = compare(both, a[i], b[k]);

		if (order == 0)
			ret[a[i]] = b[k] - (uint32_t)both->a->n;
		i += order <= 0;
		k += order >= 0;
	}
}

bool wl_timeline_twins_make(struct wl_timeline *t)
{
	const struct wl_scene *first = wl_timeline_scene(t), *second = wl_app_scene(t->app, 1);
	struct both both = { &first->tracks, &second->tracks };
	size_t n = both.a->n + both.b->n + 1, n_a, n_b;
	uint32_t *a = WL_NEW(&t->arena, uint32_t, n), *b = WL_NEW(&t->arena, uint32_t, n);
	uint32_t *tmp = WL_NEW(&t->arena, uint32_t, n);
	uint32_t *twin = WL_NEW(&t->arena, uint32_t, n);

	if (!a || !b || !tmp || !twin)
		return false;
	for (size_t i = 0; i < both.a->n; i++)
		twin[i] = WL_NONE;
	n_a = list(both.a, 0, a);
	n_b = list(both.b, both.a->n, b);
	wl_sort_index(a, n_a, tmp, less, &both);
	wl_sort_index(b, n_b, tmp, less, &both);
	pair_up(&both, a, n_a, b, n_b, twin);
	t->rows.twin = twin;
	return true;
}

uint32_t wl_timeline_twin(const struct wl_timeline *t, uint32_t track)
{
	return t->rows.twin && t->rows.second != WL_SECOND_OFF ? t->rows.twin[track] : WL_NONE;
}
