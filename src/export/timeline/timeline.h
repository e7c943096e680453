/* SPDX-License-Identifier: MIT */
/*
 * timeline.h - the rows of a trace, walked over once and handed to a format.
 *
 * From top to bottom: iterations of each process; findings; per GPU a group with its
 * counters (busy, exposed communication), sampled metrics, NVTX where its work lies, streams with
 * their role, copies by direction, gaps by cause; per process its threads with CUDA calls, NVTX and
 * calls of the operating system; the profiler's own work. Rows and labels are those of
 * derive/tracks/tracks.h, but that copies and sets have rows of their own. What overlaps gets
 * further rows ("Stream 7 compute (overlap)"), so that nothing is lost. Rows without events
 * are not there.
 *
 * An event with a part in the scope's window is there whole, with its true times.
 *
 * Streams: besides the trace and its rows, memory goes by what is under way at a time, by the
 * number of rows, of iterations and of launch configurations, and for flows it is four
 * bytes per call.
 */
#ifndef WL_EXPORT_TIMELINE_H
#define WL_EXPORT_TIMELINE_H

#include "base/err.h"
#include "derive/derived.h"
#include "export/emit.h"
#include "export/timeline/plan.h"

/* Add what rows and their arguments are made of, and what finding the tracks wants. */
void wl_export_want(struct wl_wanted *wanted);

/* Write all rows; finish() of the emitter is called. WL_E_NOMEM, WL_E_CANCELED. */
int wl_export_timeline(const struct wl_tracks *tracks, const struct wl_export_opts *opts,
		       const struct wl_export_plan *plan, struct wl_emitter *emitter,
		       struct wl_export_done *ret, struct wl_err *reterr) WL_MUST_CHECK;

#endif
