/* SPDX-License-Identifier: MIT */
#include "derive/comm/mpi_calls.h"

#include <string.h>

#include "support/unit.h"

TEST(kinds_go_by_table_and_function)
{
	static const struct {
		enum wl_family_id family;
		const char *function, *kind;
	} known[] = {
		{ WL_F_MPI_COLLS, "MPI_Ibarrier", "collective" },
		{ WL_F_MPI_P2P, "MPI_Start", "p2p" },
		{ WL_F_MPI_WAITS, "MPI_Start", "wait" },
		{ WL_F_MPI_OTHERS, "MPI_Barrier", "collective" },
		{ WL_F_MPI_OTHERS, "MPI_Iallreduce", "collective" },
		{ WL_F_MPI_OTHERS, "MPI_Irecv", "p2p" },
		{ WL_F_MPI_OTHERS, "MPI_Waitany", "wait" },
		{ WL_F_MPI_OTHERS, "MPI_Init", "other" },
		{ WL_F_NVTX, "MPI_Sendrecv", "p2p" },
		{ WL_F_NVTX, "MPI_I", "other" },
		{ WL_F_NVTX, "", "other" },
		{ WL_F_NVTX,
		  "MPI_"
		  "Iaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
		  "other" },
	};

	for (size_t i = 0; i < WL_COUNT(known); i++) {
		const struct wl_mpi_source source = { .family = known[i].family };

		assert_string_equal(wl_mpi_kind_name(wl_mpi_kind_of(&source, known[i].function)),
				    known[i].kind);
	}
}
