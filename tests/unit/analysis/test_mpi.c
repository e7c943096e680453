/* SPDX-License-Identifier: MIT */
#include "analysis/analysis.h"

#include "support/answer.h"
#include "support/unit.h"

static const char *const by_rank[] = { "rank" };
static const char *const by_kind[] = { "kind" };
static const char *const by_comm[] = { "comm" };

static struct mem_call call(wl_ns start, wl_ns end, unsigned pid, const char *name)
{
	return (struct mem_call){ .start = start, .end = end, .pid = pid, .tid = 1, .name = name };
}

static void put_calls(struct asked *x)
{
	const struct mem_call reduce = call(0, 40, 100, "MPI_Allreduce");
	const struct mem_call again = call(50, 60, 200, "MPI_Allreduce");
	const struct mem_call send = call(60, 65, 100, "MPI_Send");
	const struct mem_call wait = call(70, 73, 100, "MPI_Waitall");
	const struct mem_call old = call(80, 82, 100, "MPI_Isend");

	mem_mpi_coll(&x->mem, &reduce, 1, 8);
	mem_mpi_coll(&x->mem, &again, 1, 24);
	mem_mpi_p2p(&x->mem, &send, &(struct mem_p2p){ .comm = 1 });
	mem_mpi_wait(&x->mem, &wait);
	mem_mpi_other(&x->mem, &old);
}

TEST(calls_of_all_tables_are_ranked)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "mpi"));

	put_calls(&x);
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 4);
	expect_cells(&x.a, 0,
		     "name=MPI_Allreduce; kind=collective; calls=2; sum=50; bytes=32; max_size=24");
	assert_true(answer_f64(&x.a, 0, "share") == 50.0 / 60.0);
	expect_cells(&x.a, 3, "name=MPI_Isend; kind=p2p");
}

TEST(ranks_and_kinds_are_told_apart)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "mpi"));

	put_calls(&x);
	ask(&x, by_rank);
	assert_int_equal(x.a.table.n_rows, 5);
	expect_cells(&x.a, 1, "pid=200; sum=10");
	ask(&x, by_kind);
	assert_int_equal(x.a.table.n_rows, 3);
	expect_cells(&x.a, 1, "kind=p2p; sum=7");
}

TEST(each_process_has_its_window)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "mpi"));

	put_calls(&x);
	ask_window(&x, 30, 55);
	assert_int_equal(x.a.table.n_rows, 1);
	expect_cells(&x.a, 0, "sum=15; bytes=32");
}

/* Without ranks the numbers are all that is known; calls of all ranks share one. */
TEST(communicators_are_told_apart)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "mpi"));

	put_calls(&x);
	mem_mpi_coll(
		&x.mem,
		&(struct mem_call){ .start = 90, .end = 91, .tid = 1, .name = "MPI_Allreduce" },
		0x44000000, 8);
	ask(&x, by_comm);
	assert_int_equal(x.a.table.n_rows, 5);
	expect_cells(&x.a, 0, "comm=0x1; calls=2");
	assert_false(answer_is_set(&x.a, 0, "comm_size"));
	expect_cells(&x.a, 1, "name=MPI_Send; comm=0x1");
	assert_false(answer_is_set(&x.a, 2, "comm")); /* of a wait */
	assert_string_equal(answer_str(&x.a, 4, "comm"), "0x44000000");
}

TEST(calls_without_communicators_are_said)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "mpi"));
	const struct mem_call old = call(80, 82, 100, "MPI_Allreduce");
	const struct mem_comm world = { 10, 0, 1000, 0, 4, NULL };

	mem_mpi_other(&x.mem, &old);
	mem_mpi_comm(&x.mem, &world);
	ask(&x, by_comm);
	assert_true(answer_has_note(&x.a, "the trace has 1, the largest with 4 ranks"));
}
