/*
 * chrome.h - a timeline as JSON of the Trace Event Format, for tools that read nothing newer.
 *
 * Complete events (X) on one thread per row, whose numbers are our own; times in µs written
 * from integers with three decimals, so that no nanosecond is lost; flows as s and f.
 */
#ifndef WL_EXPORT_CHROME_H
#define WL_EXPORT_CHROME_H

#include "base/attr.h"
#include "base/budget.h"
#include "export/emit.h"
#include "export/sink.h"

/*
 * An emitter, or NULL without memory. What it keeps per row is charged to the budget; the
 * sink and the budget must outlive it.
 */
struct wl_emitter *wl_chrome_open(struct wl_sink *sink, struct wl_budget *budget) WL_MUST_CHECK;
void wl_chrome_close(struct wl_emitter *e); /* accepts NULL */

#endif
