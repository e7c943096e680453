/* SPDX-License-Identifier: MIT */
/* shown.h - selects the trace events that are written: those in scope and not too short. */
#ifndef WL_EXPORT_SHOWN_H
#define WL_EXPORT_SHOWN_H

#include "derive/kinds/metric_series.h"
#include "derive/rows/scope.h"
#include "derive/tracks/tracks.h"

struct wl_shown {
	const struct wl_trace *trace;
	const struct wl_scope *scope;
	wl_ns min_dur;
	struct wl_metric_scope metrics; /* for wl_samples_shown() */
};

/* Whether an operation is written; not those that rows cannot name (wl_track_ref()). */
static inline bool wl_op_is_shown(const struct wl_shown *s, const struct wl_ops *ops, size_t row)
{
	uint32_t device = s->trace->places[ops->place[row]].device;
	wl_ns start, end;

	return row >> WL_REF_BITS == 0 && wl_dur(ops->family, ops->dur, row) >= s->min_dur &&
	       device != WL_NONE && s->scope->device_on[device] &&
	       wl_op_clip(s->trace, s->scope, ops, row, &start, &end);
}

static inline bool wl_host_row_is_shown(const struct wl_shown *s, const struct wl_thread_rows *rows,
					size_t row)
{
	wl_ns start = rows->start[row], end = wl_thread_row_end(rows, row);

	return end - start >= s->min_dur &&
	       wl_host_clip(s->trace, s->scope, rows->thread[row], &start, &end);
}

/*
 * Metric samples begin here at the earliest: sampling starts a moment before a capture, and earlier
 * samples would require shifting all times of a file.
 */
static inline wl_ns wl_first_sample(const struct wl_tracks *tracks)
{
	return tracks->extent.begin < 0 ? tracks->extent.begin : 0;
}

/* The samples of a metric to write: all that hold after that time, or those that hold in a part of
 * the window. */
static inline struct wl_slice wl_samples_shown(const struct wl_shown *s,
					       const struct wl_tracks *tracks, uint32_t series)
{
	const struct wl_metric_series *all = tracks->metric_series;
	struct wl_slice in = all->of[series];
	size_t first;

	if (in.lo == in.hi || !wl_metric_series_is_on(s->trace, all, &s->metrics, series))
		return (struct wl_slice){ 0, 0 };
	first = wl_metric_sample_after(s->trace, all, series, wl_first_sample(tracks));
	if (!s->scope->whole) {
		const struct wl_interval window =
			wl_metric_window(s->trace, all, &s->metrics, series);

		if (window.begin >= window.end)
			return (struct wl_slice){ 0, 0 };
		in = wl_metric_samples_in(s->trace, all, series, window);
	}
	in.lo = in.lo > first ? in.lo : first;
	return in;
}

#endif
