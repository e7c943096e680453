/* SPDX-License-Identifier: MIT */
/* track_threads.c - the threads that have rows, in the order in which they are shown. */
#include "base/sort.h"
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
static wl_ns time_in_calls(const struct wl_trace *t, struct wl_slice calls,
			   struct wl_track_extent *extent)
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
	if (calls.lo < calls.hi)
		wl_extent_cover(extent, wl_api_start(t)[calls.lo], until);
	return sum;
}

size_t wl_track_n_nvtx(const struct wl_tracks_inside *in, uint32_t thread)
{
	const struct wl_forest *forest = in->forest;

	return forest ? forest->nodes[thread].hi - forest->nodes[thread].lo +
				forest->spans[thread].hi - forest->spans[thread].lo +
				in->marks[thread].hi - in->marks[thread].lo
		      : 0;
}

static void cover_calls(const struct wl_trace *t, struct wl_slice calls, struct wl_track_extent *x)
{
	for (size_t i = calls.lo; i < calls.hi; i++) {
		wl_ns start = wl_osrt_start(t)[i];

		wl_extent_cover(x, start, start + wl_dur(&t->family[WL_F_OSRT], wl_osrt_dur(t), i));
	}
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

		wl_extent_cover(x, at, at + 1); /* so that it lies in what is shown */
	}
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
		size_t n_calls = in->api[i].hi - in->api[i].lo;
		size_t n_os = in->osrt[i].hi - in->osrt[i].lo;

		place[i] = WL_NONE;
		if (!in->scope.process_on[t->threads[i].process] ||
		    n_calls + n_os + wl_track_n_nvtx(in, i) == 0)
			continue;
		cover_calls(t, in->osrt[i], extent);
		if (in->forest)
			cover_nvtx(t, in, i, extent);
		order[n] = (uint32_t)n;
		found[n++] = (struct wl_track_thread){ i, time_in_calls(t, in->api[i], extent) };
	}
	wl_sort_index(order, n, order + t->n_threads, thread_less, &(struct ordering){ t, found });
	for (uint32_t i = 0; i < n; i++) {
		sorted[i] = found[order[i]];
		place[sorted[i].thread] = i;
	}
	*ret = (struct wl_track_threads){ n, sorted, place };
	return true;
}
