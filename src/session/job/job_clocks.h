/* SPDX-License-Identifier: MIT */
/*
 * job_clocks.h - the clocks of a job's hosts become one before anything is answered.
 *
 * Files say when they were begun by UTC, which is good to milliseconds between hosts. What
 * collectives say (derive/comm/clocks/host_clocks.h) is good to microseconds.
 */
#ifndef WL_SESSION_JOB_CLOCKS_H
#define WL_SESSION_JOB_CLOCKS_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "derive/derived.h"

/* What must be loaded and derived to fit them; false where all processes share a clock. */
bool wl_job_clocks_want(const struct wl_trace *trace, struct wl_wanted *wanted);

/*
 * The clock of each file, by file: those of the trace, corrected. Owned by the arena; NULL when
 * that is exhausted.
 */
struct wl_trace_file *wl_job_clocks_fit(const struct wl_derived *derived,
					struct wl_arena *arena) WL_MUST_CHECK;

#endif
