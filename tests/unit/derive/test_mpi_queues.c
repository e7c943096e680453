/* SPDX-License-Identifier: MIT */
#include "derive/comm/match/mpi_queues.h"

#include "derive/comm/clocks/host_clocks.h"
#include "derive/comm/match/matches.h"
#include "derive/derived.h"
#include "derive/graph/build/graph.h"
#include "known/exports/codes.h"
#include "support/mem.h"
#include "support/unit.h"

static const wl_ns us = 1000;

/* Each process uses a GPU, which is what makes it a member. */
static void kernels(struct mem *m, unsigned n)
{
	mem_init(m);
	for (unsigned pid = 1; pid <= n; pid++)
		MEM_OP(m, WL_F_KERNELS, .start = 0, .end = us, .pid = pid);
}

static void call(struct mem *m, unsigned pid, const char *name, wl_ns start, wl_ns end)
{
	MEM_MPI_OTHER(m, .start = start, .end = end, .pid = pid, .tid = pid, .name = name);
}

static const struct wl_matches *seal(struct mem *m)
{
	(void)mem_seal(m);
	return m->derived.matches;
}

/* Two of three wait 30 and 10 us in each of 10; exchanges without a rank stay alone. */
TEST(calls_that_end_together_are_one_collective)
{
	WITH(struct mem, m, mem_release, kernels(&m, 3));
	const struct wl_matches *f;

	for (unsigned pid = 1; pid <= 3; pid++) {
		wl_ns arrival = pid == 1 ? 0 : pid == 2 ? 20 * us : 30 * us;

		call(&m, pid, "MPI_Init", 0, 50 * us);
		for (int i = 1; i <= 10; i++) {
			wl_ns at = i * 1000 * us;

			call(&m, pid, "MPI_Allreduce", at + arrival, at + 40 * us + pid);
			call(&m, pid, "MPI_Iallreduce", at + 50 * us, at + 51 * us);
			call(&m, pid, "MPI_Sendrecv", at + 60 * us, at + 80 * us);
		}
		call(&m, pid, "MPI_Barrier", 20000 * us + arrival, 20040 * us);
	}
	f = seal(&m);
	assert_int_equal(f->queues.n, 9);
	assert_int_equal(f->n_members, 3);
	assert_int_equal(f->n, 11);
	assert_int_equal(f->n_groups, 1);
	for (size_t i = 0; i < f->queues.n_ops; i++) {
		const struct wl_comm_op *op = &f->queues.op[i];
		bool is_message = wl_comm_is_message(&f->queues.queue[op->queue]);

		assert_true(is_message ? op->dur == 20 * us : op->dur <= 41 * us);
		assert_int_equal(op->match == WL_NONE, is_message);
	}
	assert_int_equal(f->at[0].caused, 40 * us);
	assert_int_equal(f->at[0].alone, 10 * us);
	assert_int_equal(f->at[0].last, 2);
	assert_true(wl_comm_is_mpi(&f->queues.queue[0]));
	/* The first and the last end are 2 ns apart in 10 of 11 matches. */
	assert_int_equal(m.derived.host_clocks->error, 2);
	assert_int_equal(m.derived.host_clocks->n_ends, 0);
}

/* Handles are a process's own: the same communicator has another one elsewhere. */
TEST(communicators_are_queues_of_their_own)
{
	WITH(struct mem, m, mem_release, kernels(&m, 4));
	const struct wl_matches *f;

	for (unsigned pid = 1; pid <= 4; pid++) {
		for (int i = 1; i <= 20; i++) {
			wl_ns half = pid <= 2 ? 0 : 200 * us, at = i * 1000 * us;

			mem_mpi_coll(&m,
				     &(struct mem_call){ .start = at,
							 .end = at + 50 * us,
							 .pid = pid,
							 .name = "MPI_Allreduce" },
				     100 * pid, 8);
			mem_mpi_coll(&m,
				     &(struct mem_call){ .start = at + 100 * us + half,
							 .end = at + 150 * us + half,
							 .pid = pid,
							 .name = "MPI_Allreduce" },
				     100 * pid + 1, 4096);
		}
	}
	f = seal(&m);
	assert_int_equal(f->queues.n, 8);
	assert_int_equal(f->n, 60);
	assert_int_equal(f->n_groups, 3);
	assert_int_equal(f->queues.op[0].bytes, 8);
	assert_int_equal(f->queues.op[20].bytes, 4096);
}

/* MPI calls stand between the streams of their process and those of the next. */
TEST(queues_are_in_the_order_of_members)
{
	WITH(struct mem, m, mem_release, kernels(&m, 2));
	const struct wl_matches *f;

	for (unsigned pid = 1; pid <= 2; pid++) {
		for (int i = 1; i <= 3; i++) {
			MEM_OP(&m, WL_F_KERNELS, .start = i * 1000 * us,
			       .end = i * 1000 * us + 30 * us, .pid = pid, .stream = 20,
			       .name = "ncclDevKernel_AllReduce_x");
			call(&m, pid, "MPI_Barrier", i * 1000 * us, i * 1000 * us + 30 * us);
		}
	}
	f = seal(&m);
	assert_int_equal(f->queues.n, 4);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(wl_comm_is_mpi(&f->queues.queue[i]), i % 2);
		assert_int_equal(f->queues.queue[i].device, i / 2);
		for (size_t k = f->queues.queue[i].lo; k < f->queues.queue[i].hi; k++)
			assert_int_equal(f->queues.op[k].queue, i);
	}
	assert_int_equal(f->n_members, 2);
	assert_int_equal(f->n_sets, 2);
	assert_int_equal(f->n_groups, 1);
	assert_int_equal(f->n, 6);
}

/* Ranges of the domain MPI are matched, and are in the graph, as rows of the tables; others not. */
TEST(ranges_are_calls)
{
	struct wl_match at[2] = { { .caused = 0 } };

	for (int as_ranges = 0; as_ranges < 2; as_ranges++) {
		const struct wl_matches *f;
		const struct wl_graph *g;
		struct mem m;
		size_t n_calls = 0;

		kernels(&m, 2);
		for (unsigned pid = 1; pid <= 2; pid++) {
			const wl_ns start = 100 * us + pid * us, end = 150 * us;

			if (as_ranges) {
				MEM_NVTX(&m, .kind = WL_NVTX_DOMAIN_CREATE, .pid = pid, .tid = pid,
					 .domain = 1, .name = "MPI");
				MEM_NVTX(&m, .start = start, .end = end, .pid = pid, .tid = pid,
					 .domain = 1, .name = "MPI_Barrier");
				MEM_NVTX(&m, .start = start - us, .end = end + us, .pid = pid,
					 .tid = pid, .name = "MPI_Barrier");
			} else {
				call(&m, pid, "MPI_Barrier", start, end);
			}
		}
		f = seal(&m);
		g = m.derived.graph;
		for (size_t i = 0; i < g->n_order; i++)
			n_calls += g->order[i] >= g->n_ops;
		assert_int_equal(n_calls, 2);
		assert_int_equal(f->queues.n, 2);
		assert_int_equal(f->n, 1);
		assert_int_equal(g->n_slots, 2);
		at[as_ranges] = f->at[0];
		mem_release(&m);
	}
	assert_int_equal(at[0].caused, at[1].caused);
	assert_int_equal(at[0].last, at[1].last);
}

/* A process without a GPU is no member. */
TEST(without_a_gpu_there_is_no_queue)
{
	WITH(struct mem, m, mem_release, kernels(&m, 1));
	const struct wl_matches *f;

	call(&m, 1, "MPI_Barrier", 0, 5);
	call(&m, 2, "MPI_Barrier", 0, 5);
	f = seal(&m);
	assert_int_equal(f->queues.n, 1);
	assert_int_equal(f->n, 0);
}
