/* SPDX-License-Identifier: MIT */
/*
 * call_costs.h - what the calls of a thread spend time on besides their own work: waiting for
 * room in a full launch queue, loading code, the profiler.
 *
 * Rows are dealt into pieces that do not overlap: of rows in one another the outermost counts, and
 * of compilations and other rows the compilation, which says more. A piece belongs to the calls of
 * its thread that surround it, as far as they do.
 */
#ifndef WL_DERIVE_CALL_COSTS_H
#define WL_DERIVE_CALL_COSTS_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "derive/rows/slices.h"
#include "known/calls/call_costs.h"
#include "model/trace.h"

struct wl_derived;

struct wl_cost_piece {
	wl_ns begin, end;
	const char
		*name; /* in words of nsys, of a compilation in ours; NULL where a row has none */
	enum wl_call_cost class;
	uint32_t jit; /* row of the jits family; WL_NONE */
};

struct wl_call_costs {
	size_t n; /* pieces; 0 where none was recorded, and lists are not there then */
	const struct wl_cost_piece *piece;
	const struct wl_slice *list; /* by thread: pieces in order of time */
};

/* Whether the trace says what calls spent their time on. */
static inline bool wl_has_call_costs(const struct wl_trace *trace)
{
	return trace->family[WL_F_CALL_COSTS].n || trace->family[WL_F_JITS].n;
}

/* False when the arena is exhausted. Linear in rows. */
bool wl_call_costs_find(const struct wl_derived *given, struct wl_arena *arena,
			struct wl_call_costs *ret) WL_MUST_CHECK;

/* Add what of [begin, end) of a thread went to each class. Logarithmic, and linear in pieces there.
 */
void wl_call_costs_add(const struct wl_call_costs *costs, uint32_t thread, wl_ns begin, wl_ns end,
		       wl_ns sum[WL_N_CALL_COSTS]);

/* The piece of a thread around t, or NULL. *until is lowered to where the answer changes. */
const struct wl_cost_piece *wl_call_cost_at(const struct wl_call_costs *costs, uint32_t thread,
					    wl_ns t, wl_ns *until);

/* The last piece of a thread that begins before t, or NULL. Logarithmic. */
const struct wl_cost_piece *wl_call_cost_before(const struct wl_call_costs *costs, uint32_t thread,
						wl_ns t);

#endif
