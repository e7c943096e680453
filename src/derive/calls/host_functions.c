/* SPDX-License-Identifier: MIT */
#include "derive/calls/host_functions.h"

#include "base/memory/bound.h"
#include "base/memory/sort.h"
#include "derive/derived.h"

/* The functions as their threads have them. */
struct called {
	const struct wl_trace *trace;
	const uint32_t *order; /* rows by process, id of the launch, start, then end */
	size_t n;
};

static uint32_t process_of(const struct wl_trace *t, uint32_t row)
{
	return t->threads[wl_callbacks_thread(t)[row]].process;
}

static wl_ns end_of(const struct wl_trace *t, uint32_t row)
{
	return wl_callbacks_start(t)[row] +
	       wl_dur(&t->family[WL_F_CALLBACKS], wl_callbacks_dur(t), row);
}

static bool comes_before(const void *ctx, uint32_t a, uint32_t b)
{
	const struct wl_trace *t = ctx;
	const uint32_t *corr = wl_callbacks_corr(t);
	uint32_t pa = process_of(t, a), pb = process_of(t, b);

	if (pa != pb)
		return pa < pb;
	if (corr[a] != corr[b])
		return corr[a] < corr[b];
	if (wl_callbacks_start(t)[a] != wl_callbacks_start(t)[b])
		return wl_callbacks_start(t)[a] < wl_callbacks_start(t)[b];
	return end_of(t, a) != end_of(t, b) ? end_of(t, a) < end_of(t, b) : a < b;
}

static bool sort_called(const struct wl_trace *t, struct wl_arena *arena, struct called *ret)
{
	size_t n = wl_callbacks_corr(t) ? t->family[WL_F_CALLBACKS].n : 0;
	uint32_t *order = WL_NEW(arena, uint32_t, n), *tmp = WL_NEW(arena, uint32_t, n);

	if (!order || !tmp)
		return false;
	for (size_t i = 0; i < n; i++)
		order[i] = (uint32_t)i;
	wl_sort_index(order, n, tmp, comes_before, t);
	*ret = (struct called){ t, order, n };
	return true;
}

struct wanted {
	const struct called *called;
	uint32_t process, corr;
};

static bool is_before(const void *ctx, size_t i)
{
	const struct wanted *w = ctx;
	const struct wl_trace *t = w->called->trace;
	uint32_t row = w->called->order[i], process = process_of(t, row);

	if (process != w->process)
		return process < w->process;
	return wl_callbacks_corr(t)[row] < w->corr;
}

/* That of the first one of its launch that overlaps it: a graph has several. NULL: there is none.
 */
static const char *name_of(const struct called *c, uint32_t node, const struct wl_host_function *of)
{
	const struct wl_trace *t = c->trace;
	const struct wanted w = { c, t->places[wl_host_nodes_place(t)[node]].process,
				  wl_host_nodes_corr(t)[node] };
	const uint32_t *names = wl_callbacks_name(t);

	if (w.corr == WL_NONE || !names)
		return NULL;
	for (size_t i = wl_lower_bound(c->n, is_before, &w); i < c->n; i++) {
		uint32_t row = c->order[i];
		wl_ns start = wl_callbacks_start(t)[row], end = end_of(t, row);

		if (process_of(t, row) != w.process || wl_callbacks_corr(t)[row] != w.corr)
			break;
		if (start < of->end && end > of->begin && names[row] != WL_NONE)
			return wl_str(t, names[row]);
	}
	return NULL;
}

/* Number the streams in the order in which they come, and count what each has. */
static size_t count(const struct wl_trace *t, struct wl_waiting_stream *stream, uint32_t *of_place)
{
	size_t n = t->family[WL_F_HOST_NODES].n, n_streams = 0;

	for (size_t i = 0; i < t->n_places; i++)
		of_place[i] = WL_NONE;
	for (size_t i = 0; i < n; i++) {
		uint32_t place = wl_host_nodes_place(t)[i];

		if (of_place[place] == WL_NONE) {
			of_place[place] = (uint32_t)n_streams;
			stream[n_streams++].place = place;
		}
		stream[of_place[place]].functions.hi++;
	}
	for (size_t i = 0, at = 0; i < n_streams; i++) {
		struct wl_slice *s = &stream[i].functions;
		size_t room = s->hi;

		s->lo = s->hi = at;
		at += room;
	}
	return n_streams;
}

/* Rows of a place come by start. */
static void put(const struct called *c, const uint32_t *of_place, struct wl_waiting_stream *stream,
		struct wl_host_function *function)
{
	const struct wl_trace *t = c->trace;

	for (uint32_t row = 0; row < t->family[WL_F_HOST_NODES].n; row++) {
		struct wl_slice *s = &stream[of_place[wl_host_nodes_place(t)[row]]].functions;
		wl_ns begin = wl_host_nodes_start(t)[row];
		wl_ns until = s->hi > s->lo ? function[s->hi - 1].end : INT64_MIN;
		struct wl_host_function f = {
			begin,
			begin + wl_dur(&t->family[WL_F_HOST_NODES], wl_host_nodes_dur(t), row), NULL
		};

		if (f.end <= begin || f.end <= until)
			continue;
		f.name = name_of(c, row, &f);
		f.begin = begin > until ? begin : until;
		function[s->hi++] = f;
	}
}

bool wl_host_functions_find(const struct wl_derived *given, struct wl_arena *arena,
			    struct wl_host_functions *ret)
{
	const struct wl_trace *t = given->trace;
	size_t n = wl_host_nodes_place(t) ? t->family[WL_F_HOST_NODES].n : 0;
	struct wl_waiting_stream *stream;
	struct wl_host_function *function;
	struct wl_arena scratch;
	struct called called;
	uint32_t *of_place;
	bool ok;

	*ret = (struct wl_host_functions){ .n = 0 };
	if (n == 0)
		return true;
	stream = WL_NEW(arena, struct wl_waiting_stream, t->n_places);
	function = WL_NEW(arena, struct wl_host_function, n);
	of_place = WL_NEW(arena, uint32_t, t->n_places);
	if (!stream || !function || !of_place)
		return false;
	wl_arena_init_child(&scratch, arena);
	ok = sort_called(t, &scratch, &called);
	if (ok) {
		size_t n_streams = count(t, stream, of_place);

		put(&called, of_place, stream, function);
		*ret = (struct wl_host_functions){ n, function, stream, n_streams, of_place };
	}
	wl_arena_release(&scratch);
	return ok;
}

static const struct wl_host_function *find_at(const struct wl_host_functions *all, uint32_t stream,
					      wl_ns t, wl_ns *until)
{
	struct wl_slice s = all->stream[stream].functions;
	size_t i = s.lo + WL_UPTO_BY(wl_host_function, end, all->function + s.lo, s.hi - s.lo, t);
	const struct wl_host_function *f = &all->function[i];
	wl_ns change;

	if (i == s.hi)
		return NULL;
	change = f->begin > t ? f->begin : f->end;
	*until = change < *until ? change : *until;
	return f->begin > t ? NULL : f;
}

static bool is_lower(const struct wl_place *a, const struct wl_place *b)
{
	return a->context != b->context ? a->context < b->context : a->stream < b->stream;
}

const struct wl_host_function *wl_host_function_at(const struct wl_host_functions *all,
						   const struct wl_trace *t, uint32_t place,
						   wl_ns at, wl_ns *until)
{
	const struct wl_place *own = &t->places[place];
	const struct wl_host_function *found = NULL;
	uint32_t found_at = place;
	bool is_own;

	if (all->n == 0)
		return NULL;
	if (all->of_place[place] != WL_NONE)
		found = find_at(all, all->of_place[place], at, until);
	is_own = found != NULL;
	for (uint32_t i = 0; !is_own && i < all->n_streams; i++) {
		const struct wl_place *other = &t->places[all->stream[i].place];
		const struct wl_host_function *f;

		if (other->process != own->process || other->device != own->device ||
		    i == all->of_place[place] || !(f = find_at(all, i, at, until)))
			continue;
		if (!found || f->begin < found->begin ||
		    (f->begin == found->begin && is_lower(other, &t->places[found_at]))) {
			found = f;
			found_at = all->stream[i].place;
		}
	}
	return found;
}

wl_ns wl_host_functions_time(const struct wl_host_functions *all, const uint32_t *place, size_t n,
			     wl_ns begin, wl_ns end)
{
	wl_ns sum = 0, until;

	for (wl_ns t = begin; all->n && t < end; t = until) {
		bool waits = false;

		until = end;
		for (size_t i = 0; i < n; i++) {
			uint32_t stream = all->of_place[place[i]];

			waits |= stream != WL_NONE && find_at(all, stream, t, &until) != NULL;
		}
		sum += waits ? until - t : 0;
	}
	return sum;
}

const struct wl_host_function *wl_host_function_before(const struct wl_host_functions *all,
						       uint32_t place, wl_ns t)
{
	const struct wl_host_function *first;
	struct wl_slice s;
	size_t n;

	if (all->n == 0 || all->of_place[place] == WL_NONE)
		return NULL;
	s = all->stream[all->of_place[place]].functions;
	first = all->function + s.lo;
	n = WL_BELOW_BY(wl_host_function, begin, first, s.hi - s.lo, t);
	return n ? &first[n - 1] : NULL;
}
