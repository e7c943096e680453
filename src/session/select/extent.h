/* SPDX-License-Identifier: MIT */
/* extent.h - first start and last end of the GPU operations of a trace. */
#ifndef WL_SESSION_EXTENT_H
#define WL_SESSION_EXTENT_H

#include "derive/rows/scope.h"
#include "model/trace.h"

/*
 * First start and last end of the selected devices' operations, of all without a scope;
 * false if there are none. Looks at each device's first row and its last few seconds.
 */
bool wl_extent_find(const struct wl_trace *trace, const struct wl_scope *scope,
		    struct wl_interval *ret);

/*
 * From when to when anything was recorded: GPU operations, the capture's own length, and,
 * only where these do not contain the asked interval, the host rows that are loaded, which
 * is linear in them. False if nothing was recorded.
 */
bool wl_recorded_find(const struct wl_trace *trace, struct wl_interval asked,
		      struct wl_interval *ret);

/* Whether both ends of the asked interval, in either order, lie in the hull or on its ends. */
bool wl_is_within(struct wl_interval hull, struct wl_interval asked);

#endif
