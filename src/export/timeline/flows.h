/* SPDX-License-Identifier: MIT */
/*
 * flows.h - flows: arrows from calls to the operations they launched.
 *
 * A call has at most one arrow, to the earliest of its operations that is written. Among those that
 * start together, kernels come first, then copies, sets and graph replays, then the lowest row. An
 * arrow needs both ends to be written and the operation to begin after its call: when both ends
 * have the same time, the order is ambiguous.
 */
#ifndef WL_EXPORT_FLOWS_H
#define WL_EXPORT_FLOWS_H

#include "base/memory/arena.h"
#include "export/timeline/shown.h"

/* Zeroed: no flows. */
struct wl_flows {
	const uint32_t *to; /* by API row: ref of the operation, or WL_NONE */
	uint64_t n;
	uint64_t backward; /* left out, because the operation does not begin after its call */
};

/* Takes four bytes per call from the arena; false when that is exhausted. Linear. */
bool wl_flows_find(const struct wl_tracks *tracks, const struct wl_shown *shown,
		   struct wl_arena *arena, struct wl_flows *ret) WL_MUST_CHECK;

/* The id of the arrow that begins at a call, or ends at an operation; 0 for none. */
uint64_t wl_flow_out(const struct wl_flows *flows, const struct wl_trace *trace, uint32_t call);
uint64_t wl_flow_in(const struct wl_flows *flows, const struct wl_tracks *tracks,
		    enum wl_op_kind kind, uint32_t row);

#endif
