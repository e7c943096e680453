/* SPDX-License-Identifier: MIT */
/*
 * perfetto.h - a timeline as a Perfetto trace: protobuf, one packet sequence per row.
 *
 * Each sequence has its own incremental clock, so that a packet carries the time since the previous
 * one, and its own interned names. Perfetto's times are unsigned; if the trace begins before 0, all
 * are shifted.
 */
#ifndef WL_EXPORT_PERFETTO_H
#define WL_EXPORT_PERFETTO_H

#include "base/attr.h"
#include "base/memory/budget.h"
#include "export/emit.h"
#include "export/sink.h"

/*
 * Returns an emitter, or NULL if out of memory. The memory it keeps per row is charged to the
 * budget; the sink and the budget must outlive it. shift is added to all times.
 */
struct wl_emitter *wl_perfetto_open(struct wl_sink *sink, wl_ns shift,
				    struct wl_budget *budget) WL_MUST_CHECK;
void wl_perfetto_close(struct wl_emitter *e); /* accepts NULL */

#endif
