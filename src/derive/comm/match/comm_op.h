/* SPDX-License-Identifier: MIT */
/* comm_op.h - an operation that communicates, and a queue of them. */
#ifndef WL_DERIVE_COMM_OP_H
#define WL_DERIVE_COMM_OP_H

#include "derive/comm/collectives.h"
#include "derive/kinds/stream_use.h"

/* An operation that communicates. late and match are for matches.h. */
struct wl_comm_op {
	wl_ns start, dur;
	wl_ns late;     /* how long before the last member this one arrived */
	int64_t bytes;  /* of its message; -1: not recorded */
	uint32_t match; /* index of the matches; WL_NONE: not matched */
	uint32_t row;   /* of kernels, or of memcpys; of MPI calls */
	uint32_t place;
	uint32_t queue;
	uint8_t type;   /* enum wl_collective */
	uint8_t family; /* of MPI calls: enum wl_family_id */
	bool is_copy;
};

static inline wl_ns wl_comm_end(const struct wl_comm_op *op)
{
	return op->start + op->dur;
}

struct wl_comm_queue {
	size_t lo, hi; /* operations, by end */
	uint32_t process, device;
	uint32_t stream;   /* index of the streams; WL_NONE: of MPI calls */
	uint32_t function; /* of MPI calls: string */
	uint64_t comm;     /* hash of the communicator; of MPI calls its handle; WL_NO_U64 */
	enum wl_collective type;
	enum wl_stream_class class;
	uint32_t order; /* of the stream among the member's of that class */
};

static inline bool wl_comm_is_mpi(const struct wl_comm_queue *queue)
{
	return queue->stream == WL_NONE;
}

/* Calls of MPI between two ranks, and waits for such: the collectives of MPI are of other types. */
static inline bool wl_comm_is_message(const struct wl_comm_queue *queue)
{
	return wl_comm_is_mpi(queue) && queue->type == WL_SEND_RECV;
}

#endif
