/* SPDX-License-Identifier: MIT */
/* What findings say of a pause between two runs of steps. */
#include "known/exports/codes.h"
#include "support/tape.h"

/* Between two runs memory is allocated for 3 ms, the host computes, and a result is copied. */
static void copy_between_runs(struct tape *t, wl_ns host, wl_ns copying)
{
	start(t);
	for (unsigned i = 0; i < 40; i++) {
		launch(t, "kernel_a", 5 * US, 45 * US);
		launch(t, "kernel_b", 5 * US, 45 * US);
		launch(t, "kernel_c", 5 * US, 45 * US);
		if (i != 20)
			continue;
		call(t, "cudaMalloc", 3 * MS, 0);
		t->now += host;
		call(t, "cudaMemcpy", copying, ++t->corr);
		MEM_OP(&t->x.mem, WL_F_MEMCPYS, .start = t->now - copying + 1 * US, .end = t->now,
		       .corr = t->corr, .kind = WL_COPY_D2H, .src = 2, .dst = WL_MEMORY_PINNED,
		       .bytes = 1 << 28);
	}
	ask_all(t);
}

TEST(a_pause_between_runs_names_its_copy)
{
	struct tape t;

	copy_between_runs(&t, 4 * MS, 21 * MS + 1 * US);
	expect_words(&t, "start-up", "finding",
		     "mostly exposed copies; a DtoH copy of 268.4 MB takes 21 ms (75.0%)");
	expect_words(&t, "start-up", "advice", "copy on a separate stream");
	expect_words(&t, "start-up", "evidence", "transfers TRACE --sort exposed");
	finish(&t);
	copy_between_runs(&t, 18 * MS, 7 * MS);
	expect_words(&t, "start-up", "finding",
		     "mostly host code; a DtoH copy of 268.4 MB takes 6.999 ms (25.0%)");
	expect_words(&t, "start-up", "advice", "allocates memory or loads code");
	finish(&t);
	copy_between_runs(&t, 23 * MS, 2 * MS);
	expect_words(&t, "start-up", "finding", "mostly host code");
	expect_no_words(&t, "start-up", "finding", "DtoH");
	expect_words(&t, "start-up", "evidence", "gaps TRACE");
	finish(&t);
}
