/* SPDX-License-Identifier: MIT */
/* launches.h - links from API calls to what they launched: launch.h the other way round. */
#ifndef WL_DERIVE_LAUNCHES_H
#define WL_DERIVE_LAUNCHES_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "derive/calls/launch.h"

/*
 * The operations of call c are op[first[c]] .. op[first[c + 1] - 1], family by family and in
 * the order of its rows. An operation is the number of its row, counted on over the
 * families.
 */
struct wl_launches {
	const uint32_t *first; /* by API row, and once more behind the last */
	const uint32_t *op;
};

/*
 * Owned by the arena, four bytes per launched operation and per call; false when that is
 * exhausted. Linear.
 */
bool wl_launches_find(const struct wl_trace *trace, const struct wl_links *links,
		      struct wl_arena *arena, struct wl_launches *ret) WL_MUST_CHECK;

/* The family and row of an operation that is counted on over the families. */
enum wl_family_id wl_launches_op(const struct wl_trace *trace, uint32_t op, uint32_t *ret_row);

#endif
