/* SPDX-License-Identifier: MIT */
/* tracks_sources.c - finds the sources of rows, once, before the rows. */
#include "base/memory/sort.h"
#include "derive/derived.h"
#include "derive/kinds/category_times.h"
#include "derive/nvtx/ranks.h"
#include "derive/tracks/tracks_inside.h"
#include "known/exports/codes.h"
#include "known/palette.h"

/* A copy, because the caller's scope need not live as long as the rows. */
static bool copy_scope(const struct wl_trace *t, const struct wl_scope *scope,
		       struct wl_arena *arena, struct wl_tracks_inside *in)
{
	bool *device_on = WL_NEW(arena, bool, t->n_devices);
	bool *place_on = WL_NEW(arena, bool, t->n_places);
	bool *process_on = WL_NEW(arena, bool, t->n_processes);
	struct wl_interval *device = WL_NEW(arena, struct wl_interval, t->n_devices);

	if (!device_on || !place_on || !process_on || !device)
		return false;
	for (size_t i = 0; i < t->n_devices; i++)
		device_on[i] = scope->device_on[i];
	for (size_t i = 0; i < t->n_places; i++)
		place_on[i] = scope->place_on[i] && t->places[i].device != WL_NONE &&
			      device_on[t->places[i].device];
	for (size_t i = 0; i < t->n_processes; i++)
		process_on[i] = scope->process_on[i];
	/* Rows cover the whole trace: a window only sets the first view, which the user may
	 * leave. */
	in->scope = (struct wl_scope){ .whole = true,
				       .device = device,
				       .device_on = device_on,
				       .place_on = place_on,
				       .process_on = process_on };
	return true;
}

/*
 * Parts of gaps carry labels as pointers; sorted by address, the label of a pointer is found with a
 * search. The order itself is never shown.
 */
static bool address_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct wl_range_name *name = ctx;

	return (uintptr_t)name[a].label_text < (uintptr_t)name[b].label_text;
}

static bool find_marks(const struct wl_trace *t, struct wl_arena *arena,
		       struct wl_tracks_inside *in)
{
	const struct wl_slice *rows = wl_slices_find(t, WL_F_NVTX, arena);
	struct wl_slice *marks = WL_NEW(arena, struct wl_slice, t->n_threads + 1);
	const uint8_t *kind = wl_nvtx_kind(t);
	uint32_t *mark;
	size_t n = 0;

	for (size_t row = 0; row < t->family[WL_F_NVTX].n; row++)
		n += kind[row] == WL_NVTX_MARK;
	mark = WL_NEW(arena, uint32_t, n + 1);
	if (!rows || !marks || !mark)
		return false;
	n = 0;
	for (size_t i = 0; i < t->n_threads; i++) {
		marks[i].lo = n;
		for (size_t row = rows[i].lo; row < rows[i].hi; row++) {
			if (kind[row] == WL_NVTX_MARK)
				mark[n++] = (uint32_t)row;
		}
		marks[i].hi = n;
	}
	in->marks = marks;
	in->mark = mark;
	return true;
}

/* False if out of memory. */
static bool find_nvtx(const struct wl_derived *d, struct wl_arena *arena,
		      struct wl_tracks_inside *in)
{
	uint32_t *order;

	in->forest = d->forest;
	in->names = d->range_names;
	in->stages = d->stages;
	if (!wl_spans_find(d->trace, in->forest, arena, &in->spans) ||
	    !find_marks(d->trace, arena, in))
		return false;
	order = WL_NEW(arena, uint32_t, 2 * in->names->n);
	if (!order)
		return false;
	wl_sort_all(order, in->names->n, address_less, in->names->name);
	in->names_by_address = order;
	return true;
}

static bool find_calls(const struct wl_trace *t, struct wl_arena *arena,
		       struct wl_tracks_inside *in)
{
	for (size_t k = 0; k < WL_N_TRACK_KINDS; k++) {
		const struct wl_row_kind *kind = &wl_row_kinds[k];

		if (!wl_row_is_of_thread(kind) || kind->holds != WL_HOLDS_CALLS)
			continue;
		in->calls[kind->family] = wl_slices_find(t, kind->family, arena);
		if (!in->calls[kind->family])
			return false;
	}
	return true;
}

/* The rules own their words. */
static const char *const *copy_words(const struct wl_category_rules *rules, struct wl_arena *arena)
{
	const char **word = WL_NEW(arena, const char *, rules->n + 1);

	for (size_t i = 0; word && i < rules->n; i++) {
		word[i] = wl_arena_strdup(arena, rules->category[i]);
		if (!word[i])
			return NULL;
	}
	return word;
}

/* The category and the colour of each distinct name. False if out of memory. */
static bool find_categories(struct wl_arena *arena, struct wl_tracks *tracks)
{
	const struct wl_trace *t = tracks->trace;
	struct wl_category_map *map = WL_NEW(arena, struct wl_category_map, 1);
	uint8_t *colour = WL_NEW(arena, uint8_t, t->n_kernel_names);
	/* Generic rules, whatever the engine: colours are the same for every trace. */
	struct wl_category_rules rules = { .n = 0 };
	bool ok = map && colour && wl_category_map_generic(t, tracks->named, arena, &rules, map);

	tracks->category_word = ok ? copy_words(&rules, arena) : NULL;
	tracks->n_category_words = rules.n;
	wl_category_rules_release(&rules);
	if (!tracks->category_word)
		return false;
	for (size_t i = 0; i < t->n_kernel_names; i++)
		colour[i] = (uint8_t)wl_swatch_of(tracks->category_word[map->of_kernel_name[i]], 0)
				    .colour;
	tracks->categories = map;
	tracks->kernel_category = colour;
	return true;
}

bool wl_track_sources_find(const struct wl_derived *derived, const struct wl_scope *scope,
			   struct wl_arena *arena, struct wl_tracks_inside *in,
			   struct wl_tracks *tracks)
{
	const struct wl_trace *t = derived->trace;
	const struct wl_ranks *ranks;

	in->classes = derived->classes;
	tracks->named = derived->named;
	in->links = derived->links;
	in->collectives = derived->collectives;
	tracks->iterations = derived->iterations;
	tracks->idle = derived->idle;
	tracks->path = derived->path;
	tracks->metric_series = derived->metric_series;
	ranks = derived->ranks;
	if (!copy_scope(t, scope, arena, in) || !find_nvtx(derived, arena, in))
		return false;
	tracks->links = in->links;
	in->rank = ranks->of;
	return find_calls(t, arena, in) && find_categories(arena, tracks) &&
	       wl_track_counters_find(derived, arena, in, tracks) &&
	       wl_streams_find(t, arena, &in->streams) &&
	       wl_device_users_find(t, &in->scope, &in->streams, arena, &in->users);
}
