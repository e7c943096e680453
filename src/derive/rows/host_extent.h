/* SPDX-License-Identifier: MIT */
/* host_extent.h - the extent of the rows of host threads. */
#ifndef WL_DERIVE_HOST_EXTENT_H
#define WL_DERIVE_HOST_EXTENT_H

#include "derive/rows/scope.h"

/*
 * From the first start to the last end of a family's rows in selected processes, regardless of the
 * window; false if there are none. NVTX rows that only name a domain or a thread have arbitrary
 * times and do not count. The family is ordered by thread. Linear.
 */
bool wl_host_extent(const struct wl_trace *trace, const struct wl_scope *scope,
		    enum wl_family_id family, struct wl_interval *ret);

#endif
