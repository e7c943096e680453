/* SPDX-License-Identifier: MIT */
/*
 * comm_queues.h - the operations that communicate, by stream and kind of collective.
 *
 * A queue is what one stream of a member, a (process, device) pair, issues of one
 * kind, in the order in which it ends. The role of its stream is the stream's class
 * (stream_use.h) over the whole trace and its order among the member's streams of that
 * class: stream numbers differ between processes that run the same program, roles do
 * not.
 */
#ifndef WL_DERIVE_COMM_QUEUES_H
#define WL_DERIVE_COMM_QUEUES_H

#include "base/arena.h"
#include "base/attr.h"
#include "derive/comm/collectives.h"
#include "derive/kinds/stream_use.h"
#include "derive/rows/streams.h"

struct wl_derived;

/* An operation that communicates. late and match are for matches.h. */
struct wl_comm_op {
	wl_ns start, dur;
	wl_ns late;     /* how long before the last member this one arrived */
	uint32_t match; /* index of the matches; WL_NONE: not matched */
	uint32_t row;   /* of kernels, or of memcpys */
	uint32_t place;
	uint8_t type; /* enum wl_collective */
	bool is_copy;
};

static inline wl_ns wl_comm_end(const struct wl_comm_op *op)
{
	return op->start + op->dur;
}

struct wl_comm_queue {
	size_t lo, hi; /* operations, by end */
	uint32_t process, device;
	uint32_t stream; /* index of the streams */
	enum wl_collective type;
	enum wl_stream_class class;
	uint32_t order; /* of the stream among the member's of that class */
};

struct wl_comm_queues {
	struct wl_streams streams;
	struct wl_comm_op *op;
	size_t n_ops;
	const struct wl_comm_queue *queue; /* by device, process, context, stream and kind */
	size_t n;
};

/*
 * Of the whole trace. Two passes over operations; queues whose operations overlap
 * are sorted. Owned by the arena; false when that is exhausted.
 */
bool wl_comm_queues_find(const struct wl_derived *derived, struct wl_arena *arena,
			 struct wl_comm_queues *ret) WL_MUST_CHECK;

#endif
