/* SPDX-License-Identifier: MIT */
/*
 * timeline.h - passes the rows of a trace to a format, in one walk.
 *
 * From top to bottom: iterations of each process; findings; per GPU a group with its counters
 * (busy, exposed communication), sampled metrics, NVTX ranges where their work runs, streams with
 * their role, copies by direction, gaps by cause; per process its threads with CUDA calls, NVTX
 * ranges and OS calls; the profiler's own work. Rows and labels are those of
 * derive/tracks/tracks.h, except that copies and sets have their own rows. Overlapping events go to
 * further rows ("Stream 7 compute (overlap)") and nothing is lost. Rows without events are not
 * written.
 *
 * An event that lies partly in the scope's window is written whole, with its true times.
 *
 * It streams: besides the trace and its rows, memory grows with the events open at a time and with
 * the numbers of rows, iterations and launch configurations; flows take four bytes per call.
 */
#ifndef WL_EXPORT_TIMELINE_H
#define WL_EXPORT_TIMELINE_H

#include "base/err.h"
#include "derive/derived.h"
#include "export/emit.h"
#include "export/timeline/plan.h"

/* Add what rows, their arguments and finding the tracks need. */
void wl_export_want(struct wl_wanted *wanted);

/* Write all rows and call finish() of the emitter. WL_E_NOMEM, WL_E_CANCELED. */
int wl_export_timeline(const struct wl_tracks *tracks, const struct wl_export_opts *opts,
		       const struct wl_export_plan *plan, struct wl_emitter *emitter,
		       struct wl_export_done *ret, struct wl_err *reterr) WL_MUST_CHECK;

#endif
