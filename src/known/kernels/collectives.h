/* SPDX-License-Identifier: MIT */
/* collectives.h - kinds of collective communication, by name; see collectives.def. */
#ifndef WL_KNOWN_COLLECTIVES_H
#define WL_KNOWN_COLLECTIVES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum wl_collective {
#define WL_COLLECTIVE(TYPE, key, title) WL_##TYPE,
#define WL_COLLECTIVE_NAME(TYPE, part)
#include "known/kernels/collectives.def"
#undef WL_COLLECTIVE
#undef WL_COLLECTIVE_NAME
	WL_N_COLLECTIVES
};

/* "AllReduce" and "allreduce"; the last one is "other" twice. */
const char *wl_collective_title(enum wl_collective type);
const char *wl_collective_key(enum wl_collective type);

/*
 * What a kernel with this demangled name does, or a call with this name. Only the
 * function's own name speaks, not its return type, template arguments or parameters.
 */
enum wl_collective wl_collective_named(const char *demangled);

/*
 * Whether a range is around an all-to-all, as "c10d::alltoall_base_" and "nccl:all_to_all" are:
 * anything in its name may say so.
 */
bool wl_range_is_all_to_all(const char *name);

/*
 * Bytes of an operation of n members whose message has so many, as nccl-tests count them: the
 * message of an all-gather, reduce-scatter or all-to-all is one member's part. And by how much
 * what crosses a link differs from that.
 */
double wl_collective_volume(enum wl_collective type, int64_t bytes, size_t n);
double wl_collective_bus_factor(enum wl_collective type, size_t n);

/*
 * Whether a call of MPI returns when its collective is over, as "MPI_Allreduce" and
 * "MPI_Barrier" do, and "MPI_Iallreduce", "MPI_Send" and "MPI_Init" do not.
 */
bool wl_mpi_is_collective(const char *function);

/* What a call of MPI between two ranks waits for. */
enum wl_mpi_message {
	WL_MPI_NO_MESSAGE, /* none, or only begins or tests it: "MPI_Isend", "MPI_Test" */
	WL_MPI_SEND,
	WL_MPI_RECEIVE,
	WL_MPI_EXCHANGE, /* both: "MPI_Sendrecv" */
	WL_MPI_AWAIT,    /* messages that it does not name: "MPI_Waitall", "MPI_Probe" */
};

enum wl_mpi_message wl_mpi_message_of(const char *function);

#endif
