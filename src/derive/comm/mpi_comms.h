/* SPDX-License-Identifier: MIT */
/*
 * mpi_comms.h - the communicators that MPI_COMMUNICATORS lists, for each rank and time.
 *
 * The number of a communicator is valid only within its process and may be reused after the
 * communicator is freed. Rows of several ranks are one communicator if they exist from the start
 * and have the same size, or if they list the same members; every other row is a communicator by
 * itself.
 */
#ifndef WL_DERIVE_MPI_COMMS_H
#define WL_DERIVE_MPI_COMMS_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "model/trace.h"

struct wl_mpi_comm {
	const char *name; /* "MPI_COMM_WORLD", "MPI_COMM_SELF", "ranks 0,1", "0x5555 of rank 3" */
	uint64_t size;    /* WL_NO_U64 if unknown */
};

struct wl_mpi_comms {
	const struct wl_trace *trace;
	const uint32_t *row;          /* by rank, number and time */
	const uint32_t *comm;         /* by row of the table: an index into at */
	const struct wl_mpi_comm *at; /* the distinct communicators */
	const int64_t *rank; /* by process: its rank in MPI_COMM_WORLD by MPI_RANKS, or -1 */
	size_t n_rows, n;
};

/* Reads the columns of mpi_comms, and MPI_RANKS because labels may number ranks differently. Sorts
 * the rows. False when the arena is exhausted. */
bool wl_mpi_comms_find(const struct wl_trace *trace, struct wl_arena *arena,
		       struct wl_mpi_comms *ret) WL_MUST_CHECK;

/*
 * The communicator that a number stood for on a rank at a given time: the last one created by then,
 * else the first. WL_NONE if the table does not list it. Takes logarithmic time.
 */
uint32_t wl_mpi_comm_of(const struct wl_mpi_comms *comms, int64_t rank, uint64_t number,
			wl_ns time);

#endif
