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

/* So many operations of a process, of which the first ones begin before their calls. */
static void launch(struct asked *x, unsigned pid, unsigned n, unsigned n_early)
{
	for (unsigned i = 0; i < n; i++) {
		wl_ns at = 1000 * ((wl_ns)i + 1);

		MEM_API(&x->mem, .start = at, .end = at + 10, .pid = pid, .tid = pid, .corr = i + 1,
			.name = "cudaLaunchKernel");
		MEM_OP(&x->mem, WL_F_KERNELS, .start = i < n_early ? at - 1 : at + 20,
		       .end = at + 100, .pid = pid, .device = pid, .corr = i + 1, .name = "gemm");
	}
}

TEST(clocks_are_skewed_by_most_operations_of_a_process)
{
	struct asked x;

	asked_init(&x, "coverage");
	launch(&x, 1, 10, 5); /* half of them are not most */
	ask(&x, NULL);
	assert_true(answer_has_note(&x.a, "5 of 10 operations start before their launch call: too "
					  "few to say that CPU and GPU clocks disagree"));
	asked_release(&x);

	asked_init(&x, "coverage");
	launch(&x, 1, 100, 0);
	launch(&x, 2, 10, 6); /* few of all, and most of its own */
	ask(&x, NULL);
	assert_true(answer_has_note(&x.a,
				    "CPU and GPU clocks disagree: 6 of 110 operations start before "
				    "their launch call, most of those of 1 process"));
	asked_release(&x);

	asked_init(&x, "coverage");
	launch(&x, 1, 10, 0);
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_notes, 0);
	asked_release(&x);
}

/* As on_cpu of threads: the last row lasts to the end, and of rows at one time out comes first. */
TEST(the_last_scheduling_row_lasts_to_the_end_of_the_trace)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "host"));

	x.mem.build.duration = 80;
	mem_sched(&x.mem, 10, 0, 1, true);
	mem_sched(&x.mem, 30, 0, 1, false);
	mem_sched(&x.mem, 60, 0, 1, true);
	mem_sched(&x.mem, 60, 0, 1, false);
	mem_sched(&x.mem, 70, 0, 2, true);
	mem_sched(&x.mem, 0, 0, 3, false);
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 1);
	expect_cells(&x.a, 0, "what=CPU scheduling; events=6; threads=3");
	expect_i64(&x.a, 0, "sum", 20 + 20 + 10);
	ask_window(&x, 20, 75);
	expect_i64(&x.a, 0, "sum", 10 + 15 + 5);
}

/* A stream that the file does not have is no number. */
TEST(unknown_streams_are_empty)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "waits"));
	const wl_ns us = 1000;

	for (wl_ns i = 0; i < 20; i++) {
		wl_ns at = 1000 * us * i;
		unsigned corr = 2 * (unsigned)i + 1;

		MEM_API(&x.mem, .start = at, .end = at + us, .pid = 1, .tid = 1, .corr = corr,
			.name = "cudaLaunchKernel");
		MEM_API(&x.mem, .start = at + 2 * us, .end = at + 3 * us, .pid = 1, .tid = 1,
			.corr = corr + 1, .name = "cudaLaunchKernel");
		MEM_OP(&x.mem, WL_F_KERNELS, .start = at + 5 * us, .end = at + 300 * us, .pid = 1,
		       .stream = 7, .corr = corr, .name = "gemm");
		MEM_OP(&x.mem, WL_F_KERNELS, .start = at + 301 * us, .end = at + 400 * us, .pid = 1,
		       .stream = WL_NONE, .corr = corr + 1, .name = "norm");
	}
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 1);
	expect_cells(&x.a, 0, "pid=1; from=7; waits=20");
	assert_false(answer_is_set(&x.a, 0, "stream"));
}
