/* SPDX-License-Identifier: MIT */
/*
 * ops.h - the operations of a device in order of start, over all four families.
 *
 * If operations start together, kernels come first, then copies, sets and graph replays, each
 * family in the trace's row order. Definitions that break ties by row mean this order.
 */
#ifndef WL_DERIVE_OPS_H
#define WL_DERIVE_OPS_H

#include "model/trace.h"

/* An operation, not clipped. */
struct wl_op {
	enum wl_family_id family;
	enum wl_op_kind kind;
	uint32_t place;
	size_t row; /* of its family */
	wl_ns start, end;
};

/* Usually many operations of one family follow each other; they form a run. */
struct wl_op_cursor {
	const struct wl_trace *trace;
	struct wl_ops ops[WL_N_OP_FAMILIES];
	size_t row[WL_N_OP_FAMILIES], end[WL_N_OP_FAMILIES];
	enum wl_op_kind kind; /* of the run */
	wl_ns until;          /* operations that start before this belong to the run */
};

/* Set the cursor before the device's first operation. Needs start, dur and place. Logarithmic. */
void wl_ops_begin(const struct wl_trace *trace, uint32_t device, struct wl_op_cursor *ret);

/* Advance to before the first operation that starts at a time or later; never moves back. */
void wl_ops_skip(struct wl_op_cursor *cursor, wl_ns to);

/* Begin the next run; false past the last. */
bool wl_ops_turn(struct wl_op_cursor *cursor);

/* The next operation; false past the last. */
static inline bool wl_ops_next(struct wl_op_cursor *c, struct wl_op *ret)
{
	const struct wl_ops *ops = &c->ops[c->kind];
	size_t row = c->row[c->kind];

	if (row >= c->end[c->kind] || ops->start[row] >= c->until) {
		if (!wl_ops_turn(c))
			return false;
		ops = &c->ops[c->kind];
		row = c->row[c->kind];
	}
	c->row[c->kind]++;
	*ret = (struct wl_op){
		.family = wl_op_families[c->kind],
		.kind = c->kind,
		.place = ops->place[row],
		.row = row,
		.start = ops->start[row],
		.end = ops->start[row] + wl_dur(ops->family, ops->dur, row),
	};
	return true;
}

/*
 * Whether a counts rather than b, if they start or end together: by stream, then row, so as not to
 * depend on the order of rows.
 */
static inline bool wl_op_counts_first(const struct wl_trace *trace, const struct wl_op *a,
				      const struct wl_op *b)
{
	uint32_t sa = trace->places[a->place].stream, sb = trace->places[b->place].stream;

	if (sa != sb)
		return sa < sb;
	return a->kind != b->kind ? a->kind < b->kind : a->row < b->row;
}

/*
 * The usual name: a kernel's demangled name, "[CUDA memcpy HtoD]", "[CUDA memset]", "(graph)".
 * Needs kernels name and memcpys kind.
 */
const char *wl_op_name(const struct wl_trace *trace, enum wl_family_id family, size_t row);

#endif
