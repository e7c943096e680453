/* SPDX-License-Identifier: MIT */
/* Findings say and advise nothing that the trace rules out. */
#include "known/exports/codes.h"
#include "support/tape.h"

/* A program of PyTorch waits after every second kernel, and may read one result at the end. */
static void ask_for_waits(struct tape *t, bool reads)
{
	start(t);
	for (unsigned i = 0; i < 200; i++) {
		launch(t, i % 3 ? "void at::native::kernel<4>" : unsteady(i), 20 * US, 10 * US);
		if (i % 2)
			call(t, "cudaStreamSynchronize", 1 * US, 0);
	}
	if (reads)
		copy(t, "cudaMemcpyAsync", 2 * US,
		     &(struct mem_op){ .kind = WL_COPY_D2H, .bytes = 4 });
	ask_all(t);
}

TEST(reads_are_advised_on_only_where_there_are_some)
{
	struct tape t;

	ask_for_waits(&t, false);
	expect_words(&t, "launch-bound", "pytorch", "remove torch.cuda.synchronize()");
	expect_no_words(&t, "launch-bound", "pytorch", ".item()");
	finish(&t);
	ask_for_waits(&t, true);
	expect_words(&t, "launch-bound", "pytorch", "avoid .item() and .cpu()");
	expect_no_words(&t, "launch-bound", "pytorch", "synchronize()");
	finish(&t);
}

/* An idle gap in a rank, which is in the MPI call for most of it. */
static void exchange(struct tape *t, unsigned rank, const char *call, wl_ns length)
{
	run_on(t, rank, "kernel_a", 10 * US, 20 * US);
	mem_mpi_p2p(&t->x.mem,
		    &(struct mem_call){ .start = 20 * US,
					.end = 20 * US + length,
					.pid = 100 + rank,
					.tid = TID + rank,
					.name = call },
		    &(struct mem_p2p){ .comm = 1, .tag = 1, .remote = 0 });
	run_on(t, rank, "kernel_b", 30 * US + length, 40 * US + length);
}

/* The sender is idle for longest; both receivers together are for longer. */
TEST(a_detail_is_of_the_gpu_that_the_sentence_names)
{
	WITH(struct tape, t, finish, start(&t));

	exchange(&t, 0, "MPI_Send", 10 * MS);
	exchange(&t, 1, "MPI_Recv", 9 * MS);
	exchange(&t, 2, "MPI_Recv", 9 * MS);
	ask_all(&t);
	expect_words(&t, "host-starved", "finding", "on GPU 0");
	expect_words(&t, "host-starved", "finding", "of it in `MPI_Send`");
	expect_no_words(&t, "host-starved", "finding", "MPI_Recv");
}

/* MPI registers its buffers for 8 of 10 ms: no rank is late. Of 4 ms it may be. */
TEST(a_call_of_cuda_inside_a_message_is_named)
{
	for (wl_ns inside = 4 * MS; inside <= 8 * MS; inside += 4 * MS) {
		struct tape t;
		bool is_most = inside == 8 * MS;

		start(&t);
		exchange(&t, 0, "MPI_Send", 10 * MS);
		exchange(&t, 1, "MPI_Recv", 9 * MS);
		/* The call of the driver is inside that of the runtime: it does not count again. */
		for (unsigned k = 0; k < 2; k++)
			MEM_API(&t.x.mem, .start = 1 * MS + k, .end = 1 * MS + inside - k,
				.pid = 100, .tid = TID,
				.name = k ? "cuMemHostRegister_v2" : "cudaHostRegister");
		ask_all(&t);
		expect_words(&t, "host-starved", "action",
			     is_most ? "registered buffers" : "Find the rank");
		if (is_most)
			expect_words(&t, "host-starved", "finding",
				     "`cudaHostRegister` takes 80.0% of the time of its MPI calls");
		else
			expect_no_words(&t, "host-starved", "finding", "HostRegister");
		finish(&t);
	}
}
