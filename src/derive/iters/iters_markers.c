/* SPDX-License-Identifier: MIT */
/* iters_markers.c - finds iterations by ranges of a given name. */
#include "base/memory/bound.h"
#include "base/memory/sort.h"
#include "derive/iters/iters_parts.h"

size_t wl_marker_at(const struct wl_markers *m, wl_ns t, size_t *hint)
{
	size_t i = *hint;

	/* It is usually the same marker as before, or the next. */
	if (i + 1 < m->n && m->at[i + 1].start <= t)
		i++;
	if (i >= m->n || m->at[i].start > t || (i + 1 < m->n && m->at[i + 1].start <= t)) {
		i = WL_UPTO_BY(wl_marker, start, m->at, m->n, t);
		if (i == 0)
			return m->n;
		i--;
	}
	*hint = i;
	return t < m->at[i].end ? i : m->n;
}

static uint32_t process_of(const struct wl_trace *t, uint32_t row)
{
	return t->threads[wl_nvtx_thread(t)[row]].process;
}

static wl_ns end_of(const struct wl_trace *t, uint32_t row)
{
	return wl_nvtx_start(t)[row] + wl_dur(&t->family[WL_F_NVTX], wl_nvtx_dur(t), row);
}

/* By process and start, longer first. */
static bool marker_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct wl_trace *t = ctx;
	wl_ns start_a = wl_nvtx_start(t)[a], start_b = wl_nvtx_start(t)[b];

	if (process_of(t, a) != process_of(t, b))
		return process_of(t, a) < process_of(t, b);
	return start_a != start_b ? start_a < start_b : end_of(t, a) > end_of(t, b);
}

static size_t collect(const struct wl_iter_input *in, const bool *wanted, uint32_t *rows)
{
	const struct wl_trace *t = in->trace;
	size_t n = 0;

	for (uint32_t i = 0; i < t->family[WL_F_NVTX].n; i++) {
		if (in->names->of[i] != WL_NONE && wanted[in->names->of[i]] &&
		    wl_span_is_on_one_thread(t, i))
			rows[n++] = i;
	}
	return n;
}

const struct wl_markers *wl_iter_markers(const struct wl_iter_input *in, const bool *wanted,
					 struct wl_arena *arena)
{
	const struct wl_trace *t = in->trace;
	size_t n_rows = t->family[WL_F_NVTX].n, n;
	struct wl_markers *out = WL_NEW(arena, struct wl_markers, t->n_processes);
	uint32_t *rows = WL_NEW(arena, uint32_t, n_rows), *tmp = WL_NEW(arena, uint32_t, n_rows);
	struct wl_marker *at;

	if (!out || !rows || !tmp)
		return NULL;
	n = collect(in, wanted, rows);
	at = WL_NEW(arena, struct wl_marker, n);
	if (!at)
		return NULL;
	wl_sort_index(rows, n, tmp, marker_less, t);
	for (size_t i = 0; i < n; i++, at++) {
		struct wl_markers *m = &out[process_of(t, rows[i])];

		*at = (struct wl_marker){ wl_nvtx_start(t)[rows[i]], end_of(t, rows[i]), rows[i] };
		if (!m->at)
			m->at = at;
		/*
		 * A marker that lies inside another or crosses it does not begin a step. Markers of
		 * a process are adjacent and are packed in place.
		 */
		if (m->n == 0 || at->start >= m->at[m->n - 1].end)
			m->at[m->n++] = *at;
	}
	return out;
}
