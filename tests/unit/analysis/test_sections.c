/* SPDX-License-Identifier: MIT */
/* Parts of info and of the summary. */
#include "analysis/analysis.h"

#include "support/answer.h"
#include "support/unit.h"

/* The verb that a reader is sent to is one, and of these events. */
TEST(mpi_calls_are_listed_by_the_verb_of_mpi)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "host"));

	MEM_MPI_OTHER(&x.mem, .start = 0, .end = 10, .tid = 1, .name = "MPI_Barrier");
	mem_mpi_coll(&x.mem,
		     &(struct mem_call){ .start = 20, .end = 50, .tid = 1, .name = "MPI_Bcast" }, 1,
		     8);
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 1);
	expect_cells(&x.a, 0, "what=MPI calls; events=2; threads=1; sum=40; largest=MPI_Bcast");
	assert_string_equal(answer_str(&x.a, 0, "verb"), "mpi");
	assert_non_null(wl_analysis_find(answer_str(&x.a, 0, "verb")));
}
