/* SPDX-License-Identifier: MIT */
/*
 * chrome.h - a timeline as JSON of the Trace Event Format, for tools that read nothing newer.
 *
 * Complete events (X), a process per GPU and process of the trace, a thread per row. Their
 * numbers are our own and cannot collide, whatever pids, threads and streams the trace
 * has; names hold the real ones. A slice that ends when the next of its row begins is a
 * pair (B, E) instead, because readers who add start and length in doubles would see
 * the two overlap.
 *
 * Times are µs written from integers with three decimals, on the trace's own clock, so that no
 * nanosecond is lost and no shift is needed. Counters are C events in percent; flows are
 * s and f, called "launch". An event has its correlation next to its arguments.
 *
 * One event per line. A row is introduced (M) before its first event, and not at all if it has
 * none; how they are ordered follows at the end, when all are known.
 */
#ifndef WL_EXPORT_CHROME_H
#define WL_EXPORT_CHROME_H

#include "base/attr.h"
#include "base/memory/budget.h"
#include "export/emit.h"
#include "export/sink.h"

/*
 * An emitter, or NULL without memory. What it keeps per row is charged to the budget; the
 * sink and the budget must outlive it. Nothing grows with events or names.
 */
struct wl_emitter *wl_chrome_open(struct wl_sink *sink, struct wl_budget *budget) WL_MUST_CHECK;
void wl_chrome_close(struct wl_emitter *e); /* accepts NULL */

#endif
