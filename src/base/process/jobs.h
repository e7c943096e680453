/* SPDX-License-Identifier: MIT */
/*
 * jobs.h - a serial job queue with its own thread.
 *
 * It does what only one thread at a time may do. No caller waits for it: a job itself reports
 * when it is done.
 */
#ifndef WL_BASE_JOBS_H
#define WL_BASE_JOBS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"
#include "base/process/pool.h"

struct wl_jobs;

/* A queue in which at most that many jobs wait. NULL without memory or thread. */
struct wl_jobs *wl_jobs_new(size_t most) WL_MUST_CHECK;

/*
 * Call fn(ctx) when all jobs before it are done. False where too many wait or the queue is
 * closed; then fn is not called. Any thread may add a job, and a job may add others.
 */
bool wl_jobs_add(struct wl_jobs *jobs, wl_job_fn *fn, void *ctx) WL_MUST_CHECK;

/*
 * Remove fn(ctx) from the queue; it is then never called. False where it is not in the queue: it
 * was never added, is done, or is running.
 */
bool wl_jobs_drop(struct wl_jobs *jobs, wl_job_fn *fn, const void *ctx) WL_MUST_CHECK;

/* No job is running and none waits, at this moment. */
bool wl_jobs_is_idle(struct wl_jobs *jobs);

/* Accept no more jobs, do those that wait, and return when they are done. Accepts NULL. */
void wl_jobs_close(struct wl_jobs *jobs);

/* After the close; no thread may add at that moment. Accepts NULL. */
void wl_jobs_free(struct wl_jobs *jobs);

#endif
