/* extent.h - from when to when a trace has GPU operations. */
#ifndef WL_SESSION_EXTENT_H
#define WL_SESSION_EXTENT_H

#include "derive/scope.h"
#include "model/trace.h"

/*
 * First start and last end of the selected devices' operations, of all without a scope;
 * false if there are none. Looks at each device's first row and its last few seconds.
 */
bool wl_extent_find(const struct wl_trace *trace, const struct wl_scope *scope,
		    struct wl_interval *ret);

#endif
