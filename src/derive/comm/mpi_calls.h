/* SPDX-License-Identifier: MIT */
/*
 * mpi_calls.h - all MPI calls of a trace: those of the tables of MPI, and NVTX ranges of the
 * domain MPI.
 *
 * Captures before the tables have ranges alone; later ones may have both. Ranges of a process
 * count only if no table has a call of it, so that no call counts twice.
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
	const uint32_t *name; /* by row: string; of ranges their texts */
	const int64_t *bytes; /* by row; NULL: not recorded */
};

struct wl_mpi_calls {
	const struct wl_trace *trace;
	const struct wl_range_names *names;
	const bool *has_rows;                      /* by process: a table of MPI has a call of it */
	struct wl_mpi_source of[WL_N_MPI_SOURCES]; /* the last has ranges */
	bool any;
};

/* False when the arena is exhausted. Linear where the rows of a thread are in order. */
bool wl_mpi_calls_find(const struct wl_derived *given, struct wl_arena *arena,
		       struct wl_mpi_calls *ret) WL_MUST_CHECK;

/* Whether a row of a source is a call of MPI that counts. */
bool wl_mpi_counts(const struct wl_mpi_calls *calls, const struct wl_mpi_source *source,
		   size_t row);

enum wl_mpi_kind { WL_MPI_COLLECTIVE, WL_MPI_P2P, WL_MPI_WAIT, WL_MPI_OTHER, WL_N_MPI_KINDS };

const char *wl_mpi_kind_name(enum wl_mpi_kind kind); /* "collective", ... */

/* By the table, and where that has calls of all kinds, by the function. */
enum wl_mpi_kind wl_mpi_kind_of(const struct wl_mpi_source *source, const char *function);

#endif
