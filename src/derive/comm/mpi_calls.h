/* SPDX-License-Identifier: MIT */
/*
 * mpi_calls.h - all MPI calls of a trace, from the MPI tables and from NVTX ranges of the domain
 * MPI.
 *
 * Captures made before the tables existed have only ranges; later ones may have both. To avoid
 * counting a call twice, the ranges of a process count only if no table has a call of that process.
 */
#ifndef WL_DERIVE_MPI_CALLS_H
#define WL_DERIVE_MPI_CALLS_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "derive/nvtx/range_names.h"
#include "derive/rows/outermost.h"

struct wl_derived;

enum { WL_N_MPI_SOURCES = 5 };

/* Calls of one family. */
struct wl_mpi_source {
	enum wl_family_id family;
	struct wl_thread_rows rows;
	struct wl_outer_lists by_thread;
	const uint32_t *name; /* by row: a string; for ranges, their texts */
	const int64_t *bytes; /* by row; NULL if not recorded */
};

struct wl_mpi_calls {
	const struct wl_trace *trace;
	const struct wl_range_names *names;
	const bool *has_rows; /* by process: an MPI table has one of its calls */
	struct wl_mpi_source of[WL_N_MPI_SOURCES]; /* the last one holds ranges */
	bool any;
};

/* False when the arena is exhausted. Takes linear time if the rows of each thread are in order. */
bool wl_mpi_calls_find(const struct wl_derived *given, struct wl_arena *arena,
		       struct wl_mpi_calls *ret) WL_MUST_CHECK;

/* Whether a row of a source is an MPI call that counts. */
bool wl_mpi_counts(const struct wl_mpi_calls *calls, const struct wl_mpi_source *source,
		   size_t row);

enum wl_mpi_kind { WL_MPI_COLLECTIVE, WL_MPI_P2P, WL_MPI_WAIT, WL_MPI_OTHER, WL_N_MPI_KINDS };

const char *wl_mpi_kind_name(enum wl_mpi_kind kind); /* "collective", ... */

/* Decided by the table, or by the function if the table holds calls of all kinds. */
enum wl_mpi_kind wl_mpi_kind_of(const struct wl_mpi_source *source, const char *function);

#endif
