/* SPDX-License-Identifier: MIT */
#include "analysis/time/gap_list.h"

#include <inttypes.h>

#include "base/memory/sort.h"

struct wl_gap_place wl_gap_place_of(const struct wl_gap *gap, struct wl_interval window)
{
	wl_ns begin = gap->begin > window.begin ? gap->begin : window.begin;
	wl_ns end = gap->end < window.end ? gap->end : window.end;

	return (struct wl_gap_place){ begin, end > begin ? end - begin : 0, gap->device };
}

bool wl_gap_is_before(const struct wl_gap_place *a, const struct wl_gap_place *b)
{
	if (a->duration != b->duration)
		return a->duration > b->duration;
	if (a->device != b->device)
		return a->device < b->device;
	return a->start < b->start;
}

struct finding {
	struct wl_interval window;
	struct wl_vec places; /* struct wl_gap_place */
};

/* Rejects every gap: its place is known without its causes, which cost most to find. */
static bool note_place(void *ctx, const struct wl_gap *gap)
{
	struct finding *f = ctx;
	const struct wl_gap_place place = wl_gap_place_of(gap, f->window);

	if (place.duration >= WL_GAP_LIST_MIN_NS)
		wl_vec_push(&f->places, &place);
	return false;
}

static bool find_places(const struct wl_run *r, struct finding *f)
{
	bool ok = true;

	for (uint32_t d = 0; ok && d < r->trace->n_devices; d++) {
		f->window = r->scope->device[d];
		if (r->scope->device_on[d])
			ok = wl_idle_visit(
				r->derived->idle, r->scope, d, r->arena,
				&(struct wl_gap_visitor){ .ctx = f, .wants = note_place });
	}
	return ok && !f->places.failed;
}

static bool place_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct wl_gap_place *place = ctx;

	return wl_gap_is_before(&place[a], &place[b]);
}

/* False if memory runs out. */
static bool sort_out(const struct wl_run *r, const struct wl_vec *places, size_t at,
		     struct wl_gap_place *ret)
{
	uint32_t *order = WL_NEW(r->arena, uint32_t, 2 * places->n);

	if (!order)
		return false;
	wl_sort_all(order, places->n, place_less, places->data);
	*ret = ((const struct wl_gap_place *)places->data)[order[at]];
	return true;
}

int wl_gap_by_number(const struct wl_run *r, const struct wl_analysis *asking, int64_t number,
		     struct wl_gap_place *ret, struct wl_err *reterr)
{
	struct finding f;
	size_t n;
	bool ok;

	wl_vec_init(&f.places, sizeof(struct wl_gap_place), wl_arena_budget(r->arena));
	ok = find_places(r, &f);
	n = f.places.n;
	if (ok && number >= 1 && (uint64_t)number <= n)
		ok = sort_out(r, &f.places, (size_t)number - 1, ret);
	wl_vec_release(&f.places);
	if (!ok)
		return wl_no_memory(asking, reterr);
	if (number < 1 || (uint64_t)number > n)
		return wl_fail(reterr, WL_E_USAGE,
			       "gap %" PRId64 ": gaps lists %zu here; use a number from 1 on",
			       number, n);
	return WL_OK;
}
