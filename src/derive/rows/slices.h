/* SPDX-License-Identifier: MIT */
/* slices.h - the rows of each thread in a family ordered by thread. */
#ifndef WL_DERIVE_SLICES_H
#define WL_DERIVE_SLICES_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "model/trace.h"

/* Rows [lo, hi). */
struct wl_slice {
	size_t lo, hi;
};

/*
 * By thread; empty for threads without rows. Needs the thread column. Owned by
 * the arena; NULL when that is exhausted. Linear in rows.
 */
const struct wl_slice *wl_slices_find(const struct wl_trace *trace, enum wl_family_id family,
				      struct wl_arena *arena) WL_MUST_CHECK;

#endif
