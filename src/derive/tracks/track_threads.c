/* SPDX-License-Identifier: MIT */
/* track_threads.c - the threads that have rows, in the order in which they are shown. */
#include "base/memory/sort.h"
#include "derive/tracks/tracks_inside.h"

void wl_extent_cover(struct wl_track_extent *x, wl_ns begin, wl_ns end)
{
	if (!x->any || begin < x->at.begin)
		x->at.begin = begin;
	if (!x->any || end > x->at.end)
		x->at.end = end;
	x->any = true;
}

/* The time of a thread in CUDA calls; one inside another counts once. */
static wl_ns time_in_calls(const struct wl_trace *t, struct wl_slice calls)
{
	wl_ns until = INT64_MIN, sum = 0;

	for (size_t i = calls.lo; i < calls.hi; i++) {
		wl_ns start = wl_api_start(t)[i];
		wl_ns end = start + wl_dur(&t->family[WL_F_API], wl_api_dur(t), i);

		if (end > until) {
			sum += end - (start > until ? start : until);
			until = end;
		}
	}
	return sum;
}

/* The number of NVTX ranges that a thread began, plus its marks. */
static size_t n_nvtx(const struct wl_tracks_inside *in, uint32_t thread)
{
	const struct wl_forest *forest = in->forest;

	return forest ? forest->nodes[thread].hi - forest->nodes[thread].lo +
				forest->spans[thread].hi - forest->spans[thread].lo +
				in->marks[thread].hi - in->marks[thread].lo
		      : 0;
}

size_t wl_track_n_of_thread(const struct wl_tracks_inside *in, const struct wl_row_kind *kind,
			    uint32_t thread)
{
	const struct wl_slice *calls = in->calls[kind->family];

	return kind->holds == WL_HOLDS_CALLS ? calls[thread].hi - calls[thread].lo
					     : n_nvtx(in, thread);
}

static void cover_calls(const struct wl_trace *t, enum wl_family_id family, struct wl_slice calls,
			struct wl_track_extent *x)
{
	const struct wl_thread_rows rows = wl_trace_thread_rows(t, family);

	for (size_t i = calls.lo; i < calls.hi; i++)
		wl_extent_cover(x, rows.start[i], wl_thread_row_end(&rows, i));
}

static void cover_nvtx(const struct wl_trace *t, const struct wl_tracks_inside *in, uint32_t thread,
		       struct wl_track_extent *x)
{
	const struct wl_forest *f = in->forest;

	for (size_t i = f->nodes[thread].lo; i < f->nodes[thread].hi; i++)
		wl_extent_cover(x, f->start[i], f->end[i]);
	for (size_t i = f->spans[thread].lo; i < f->spans[thread].hi; i++) {
		wl_ns start = wl_nvtx_start(t)[f->span[i]];

		wl_extent_cover(x, start,
				start + wl_dur(&t->family[WL_F_NVTX], wl_nvtx_dur(t), f->span[i]));
	}
	for (size_t i = in->marks[thread].lo; i < in->marks[thread].hi; i++) {
		wl_ns at = wl_nvtx_start(t)[in->mark[i]];

		wl_extent_cover(x, at, at + 1); /* so that it is inside the extent */
	}
}

/* False if the thread has no events, and thus no rows. */
static bool cover_thread(const struct wl_trace *t, const struct wl_tracks_inside *in,
			 uint32_t thread, struct wl_track_extent *extent)
{
	size_t n = 0;

	for (size_t k = 0; k < WL_N_TRACK_KINDS; k++) {
		const struct wl_row_kind *kind = &wl_row_kinds[k];

		if (!wl_row_is_of_thread(kind))
			continue;
		n += wl_track_n_of_thread(in, kind, thread);
		if (kind->holds == WL_HOLDS_CALLS)
			cover_calls(t, kind->family, in->calls[kind->family][thread], extent);
	}
	if (in->forest)
		cover_nvtx(t, in, thread, extent);
	return n > 0;
}

struct ordering {
	const struct wl_trace *trace;
	const struct wl_track_thread *thread;
};

static bool thread_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct ordering *o = ctx;
	const struct wl_track_thread *x = &o->thread[a], *y = &o->thread[b];
	uint32_t px = o->trace->threads[x->thread].process;
	uint32_t py = o->trace->threads[y->thread].process;

	if (px != py)
		return px < py;
	/*
	 * The busiest thread first, which most likely feeds the GPU; thread ids break ties, because
	 * they do not depend on the order of rows.
	 */
	return x->api != y->api
		       ? x->api > y->api
		       : o->trace->threads[x->thread].tid < o->trace->threads[y->thread].tid;
}

bool wl_track_threads_find(const struct wl_trace *t, const struct wl_tracks_inside *in,
			   struct wl_arena *arena, struct wl_track_extent *extent,
			   struct wl_track_threads *ret)
{
	struct wl_track_thread *found = WL_NEW(arena, struct wl_track_thread, t->n_threads);
	struct wl_track_thread *sorted = WL_NEW(arena, struct wl_track_thread, t->n_threads);
	uint32_t *order = WL_NEW(arena, uint32_t, 2 * t->n_threads);
	uint32_t *place = WL_NEW(arena, uint32_t, t->n_threads);
	size_t n = 0;

	if (!found || !sorted || !order || !place)
		return false;
	for (uint32_t i = 0; i < t->n_threads; i++) {
		place[i] = WL_NONE;
		if (!in->scope.process_on[t->threads[i].process] || !cover_thread(t, in, i, extent))
			continue;
		order[n] = (uint32_t)n;
		found[n++] =
			(struct wl_track_thread){ i, time_in_calls(t, in->calls[WL_F_API][i]) };
	}
	wl_sort_index(order, n, order + t->n_threads, thread_less, &(struct ordering){ t, found });
	for (uint32_t i = 0; i < n; i++) {
		sorted[i] = found[order[i]];
		place[sorted[i].thread] = i;
	}
	*ret = (struct wl_track_threads){ n, sorted, place };
	return true;
}
