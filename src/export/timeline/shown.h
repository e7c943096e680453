/* SPDX-License-Identifier: MIT */
/* shown.h - the events of the trace that are written: in their scope, and not too short. */
#ifndef WL_EXPORT_SHOWN_H
#define WL_EXPORT_SHOWN_H

#include "derive/rows/scope.h"
#include "derive/tracks/tracks.h"

struct wl_shown {
	const struct wl_trace *trace;
	const struct wl_scope *scope;
	wl_ns min_dur;
};

/* An operation; not those that rows cannot name (wl_track_ref()). */
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

#endif
