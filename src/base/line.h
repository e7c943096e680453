/* SPDX-License-Identifier: MIT */
/*
 * line.h - things done one after the other on a thread of their own.
 *
 * For what only one thread at a time may do, while others wait for none of it: they
 * put it in the line and are told by the function itself when it is done.
 */
#ifndef WL_BASE_LINE_H
#define WL_BASE_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"
#include "base/pool.h"

struct wl_line;

/* A line in which at most so many wait. NULL without memory or thread. */
struct wl_line *wl_line_new(size_t most) WL_MUST_CHECK;

/*
 * Have fn(ctx) called when all before it is done. False where too many wait or the line is
 * closed; then fn is not called. Any thread may add, fn itself too.
 */
bool wl_line_add(struct wl_line *line, wl_job_fn *fn, void *ctx) WL_MUST_CHECK;

/*
 * Take fn(ctx) out of the line, which is then never called. False where it is not in it: it was
 * never added, is done, or is being done now.
 */
bool wl_line_drop(struct wl_line *line, wl_job_fn *fn, const void *ctx) WL_MUST_CHECK;

/* Nothing is being done and nothing waits, at this moment. */
bool wl_line_is_idle(struct wl_line *line);

/* Take nothing any more, do what waits, and return when that is done. Accepts NULL. */
void wl_line_close(struct wl_line *line);

/* After the close; nobody may add at that moment. Accepts NULL. */
void wl_line_free(struct wl_line *line);

#endif
