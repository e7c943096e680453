/* SPDX-License-Identifier: MIT */
/*
 * mpi_queues.h - MPI collectives, and blocking sends, receives and waits, of the processes that use
 * a GPU, by function and communicator.
 *
 * A call is an operation that its process's first device takes part in: it has no stream.
 * Handles of communicators are numbers of a process and say nothing between processes.
 */
#ifndef WL_DERIVE_MPI_QUEUES_H
#define WL_DERIVE_MPI_QUEUES_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "derive/comm/match/comm_op.h"
#include "derive/comm/mpi_calls.h"
#include "derive/rows/streams.h"

struct wl_mpi_queues {
	struct wl_comm_op *op; /* by queue, then end */
	size_t n_ops;
	struct wl_comm_queue *queue; /* by device, process, function and communicator; lo
					and hi count from op */
	size_t n;
};

/* What a function is: a type of collective, or a message; WL_N_COLLECTIVES: waits for no rank. */
unsigned wl_mpi_queue_type(const char *function);

/* Sorts the calls that wait for other ranks. Owned by the arena; false when that is exhausted. */
bool wl_mpi_queues_find(const struct wl_mpi_calls *calls, const struct wl_streams *streams,
			struct wl_arena *arena, struct wl_mpi_queues *ret) WL_MUST_CHECK;

#endif
