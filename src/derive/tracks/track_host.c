/* SPDX-License-Identifier: MIT */
/* track_host.c - rows of calls, of one thread or of all threads. */
#include "base/memory/sort.h"
#include "derive/tracks/tracks_inside.h"
#include "known/palette.h"

static void put_row(struct wl_filling *f, const struct wl_thread_rows *rows, uint32_t row,
		    wl_ns min_dur)
{
	wl_ns start = rows->start[row], end = wl_thread_row_end(rows, row);

	if (end - start >= min_dur)
		wl_filling_put(f, &(struct wl_lane_event){ start, end, row, WL_COLOUR_HOST });
}

bool wl_fill_calls(struct wl_filling *f)
{
	const struct wl_track *at = &f->tracks->at[f->track];
	enum wl_family_id family = wl_row_kind(at)->family;
	const struct wl_thread_rows rows = wl_trace_thread_rows(f->tracks->trace, family);
	const struct wl_slice slice = f->tracks->inside->calls[family][at->thread];

	for (size_t i = slice.lo; i < slice.hi; i++)
		put_row(f, &rows, (uint32_t)i, f->filter->min_dur);
	return true;
}

static bool start_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct wl_thread_rows *rows = ctx;

	return rows->start[a] < rows->start[b];
}

/* Calls of all threads, whose rows are contiguous. Filters do not apply. */
bool wl_fill_all_calls(struct wl_filling *f)
{
	const struct wl_trace *t = f->tracks->trace;
	enum wl_family_id family = wl_row_kind(&f->tracks->at[f->track])->family;
	const struct wl_thread_rows rows = wl_trace_thread_rows(t, family);
	size_t n = 0, n_rows = rows.n;
	uint32_t *order = WL_NEW(&f->scratch, uint32_t, 2 * n_rows);

	if (!order)
		return false;
	for (uint32_t i = 0; i < n_rows; i++) {
		if (f->tracks->inside->scope.process_on[t->threads[rows.thread[i]].process])
			order[n++] = i;
	}
	/* One ordered run per thread: the sort merges them. */
	wl_sort_index(order, n, order + n_rows, start_less, &rows);
	for (size_t i = 0; i < n; i++)
		put_row(f, &rows, order[i], 0);
	return true;
}
