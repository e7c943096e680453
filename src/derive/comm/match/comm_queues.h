/* SPDX-License-Identifier: MIT */
/*
 * comm_queues.h - the operations that communicate, by stream and kind of collective.
 *
 * A queue is what one stream of a member, a (process, device) pair, issues of one
 * kind on one communicator (payloads.h), in the order in which it ends. The role of its stream is
 * the stream's class (stream_use.h) over the whole trace and its order among the member's streams
 * of that class: stream numbers differ between processes that run the same program, roles do not.
 * MPI collectives (mpi_queues.h) are queues without a stream.
 */
#ifndef WL_DERIVE_COMM_QUEUES_H
#define WL_DERIVE_COMM_QUEUES_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "derive/comm/match/comm_op.h"
#include "derive/rows/streams.h"

struct wl_derived;

struct wl_comm_queues {
	struct wl_streams streams;
	struct wl_comm_op *op;
	size_t n_ops;
	/*
	 * By device, process, context, stream, kind and communicator; those of MPI calls last in a
	 * process.
	 */
	const struct wl_comm_queue *queue;
	size_t n;
	const uint32_t *first; /* by stream and kind: the first queue, or where it would be */
};

/* The queue of an operation of a GPU that communicates; there are few per stream and kind. */
static inline uint32_t wl_comm_queue_of(const struct wl_comm_queues *q, uint32_t place,
					enum wl_collective type, uint64_t comm)
{
	uint32_t i = q->first[(size_t)q->streams.of_place[place] * WL_N_COLLECTIVES + type];

	while (q->queue[i].comm != comm)
		i++;
	return i;
}

/*
 * Of the whole trace. Two passes over operations; queues whose operations overlap
 * are sorted. Owned by the arena; false when that is exhausted.
 */
bool wl_comm_queues_find(const struct wl_derived *derived, struct wl_arena *arena,
			 struct wl_comm_queues *ret) WL_MUST_CHECK;

#endif
