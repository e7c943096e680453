/* SPDX-License-Identifier: MIT */
/*
 * chrome.h - a timeline as JSON of the Trace Event Format, for tools that cannot read newer
 * formats.
 *
 * Complete events (X), a process per GPU and process of the trace, a thread per row. Processes and
 * threads are numbered by this writer and cannot collide, whatever pids, threads and streams the
 * trace has; names hold the real numbers. A slice that ends when the next one of its row begins is
 * a pair (B, E) instead, because readers that add start and length as doubles would see the two
 * overlap.
 *
 * Times are in µs with three decimals, written from integers, on the trace's own clock: no
 * nanosecond is lost and no shift is needed. Counters are C events in percent; flows are s and f,
 * called "launch". An event has its correlation next to its arguments.
 *
 * One event per line. A row is introduced (M) before its first event, and not at all if it has
 * none; the order of rows follows at the end, when all are known.
 */
#ifndef WL_EXPORT_CHROME_H
#define WL_EXPORT_CHROME_H

#include "base/attr.h"
#include "base/memory/budget.h"
#include "export/emit.h"
#include "export/sink.h"

/*
 * Returns an emitter, or NULL if out of memory. The memory it keeps per row is charged to the
 * budget and does not grow with events or names. The sink and the budget must outlive it.
 */
struct wl_emitter *wl_chrome_open(struct wl_sink *sink, struct wl_budget *budget) WL_MUST_CHECK;
void wl_chrome_close(struct wl_emitter *e); /* accepts NULL */

#endif
