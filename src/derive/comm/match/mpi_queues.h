/* SPDX-License-Identifier: MIT */
/*
 * mpi_queues.h - MPI collectives and blocking sends, receives and waits, queued by function and
 * communicator, for processes that use a GPU.
 *
 * A call has no stream and counts as an operation of its process's first device. Communicator
 * handles are local to a process and cannot be compared between processes.
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

/* The type of a function: a collective or a message; WL_N_COLLECTIVES if it waits for no rank. */
unsigned wl_mpi_queue_type(const char *function);

/* Sorts the calls that wait for other ranks. The arena owns the result; false when it is
 * exhausted. */
bool wl_mpi_queues_find(const struct wl_mpi_calls *calls, const struct wl_streams *streams,
			struct wl_arena *arena, struct wl_mpi_queues *ret) WL_MUST_CHECK;

#endif
