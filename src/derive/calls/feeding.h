/* SPDX-License-Identifier: MIT */
/*
 * feeding.h - the busy time of a device, by the call that launches what it runs next.
 *
 * A gap belongs to the call that launched the operation which ends it (idle.h). Busy time has the
 * same rule: a nanosecond belongs to the launch of the operation that starts next on the device,
 * and after the last start to that of the last one.
 */
#ifndef WL_DERIVE_FEEDING_H
#define WL_DERIVE_FEEDING_H

#include "derive/calls/launch.h"
#include "derive/rows/ops.h"
#include "derive/rows/scope.h"

/*
 * Called for busy time in order, [begin, end) not clipped. Neighbours may be of one call. call:
 * the API row of the launch, WL_NONE where it is not known.
 */
typedef void wl_feeding_fn(void *ctx, uint32_t call, wl_ns begin, wl_ns end);

/*
 * Visit the time in which operations that the scope admits run; the window does not matter. An
 * operation of no length takes part only where one with a length starts at the same time. Linear.
 */
void wl_feeding_visit(const struct wl_trace *trace, const struct wl_links *links,
		      const struct wl_scope *scope, uint32_t device, wl_feeding_fn *take,
		      void *ctx);

#endif
