/* SPDX-License-Identifier: MIT */
/* Copies that nothing hides: what overlap can return, and where the time goes. */
#include "known/exports/codes.h"
#include "support/tape.h"

static const struct mem_op up = {
	.kind = WL_COPY_H2D, .src = WL_MEMORY_PINNED, .dst = 2, .bytes = 1 << 24
};
static const struct mem_op down = {
	.kind = WL_COPY_D2H, .src = 2, .dst = WL_MEMORY_PINNED, .bytes = 1 << 24
};

/* Eight copies up, four down of 1 ms each, four kernels; the first launch loads its module. */
static void transfer_bound(struct tape *t, int64_t engines)
{
	start(t);
	if (engines)
		wl_vec_push(&t->x.mem.build.gpus, &(struct wl_gpu){ .copy_engines = engines,
								    .name = WL_NONE,
								    .bus = WL_NONE,
								    .uuid = WL_NONE });
	for (unsigned i = 0; i < 4; i++) {
		copy(t, "cudaMemcpyAsync", 1 * MS, &up);
		copy(t, "cudaMemcpyAsync", 1 * MS, &up);
		launch(t, "kernel_a", i == 0 ? 700 * US : 5 * US, 100 * US);
		copy(t, "cudaMemcpyAsync", 1 * MS, &down);
	}
	ask_all(t);
}

/* Overlap can return less than the start-up takes, but to copy less returns more. */
TEST(copies_that_fill_the_window_lead)
{
	WITH(struct tape, t, finish, transfer_bound(&t, 1));

	assert_int_equal(row_of(&t, "exposed-copy"), 0);
	assert_int_equal(row_of(&t, "start-up"), 1);
	expect_saving(&t, "exposed-copy", "window", 12 * MS);
	expect_words(&t, "exposed-copy", "scenario", "copies-free");
	expect_words(&t, "exposed-copy", "saves_kind", "at most");
	expect_words(&t, "exposed-copy", "subject", "both directions");
	expect_words(&t, "exposed-copy", "finding",
		     "The copy engine is the bottleneck: 134.2 MB HtoD at 16.78 GB/s (pinned) and "
		     "67.11 MB DtoH at 16.78 GB/s (pinned); copies take 12 ms of the window (");
	expect_words(&t, "exposed-copy", "finding",
		     "alone on GPU 0; overlap can hide only 400 us (");
	expect_words(&t, "exposed-copy", "finding", "(one copy engine for both directions)");
	expect_words(&t, "exposed-copy", "action", "Copy less");
}

/* Two engines copy in both directions at once; so may a GPU of which nothing is known. */
TEST(one_direction_can_hide_the_other)
{
	for (int64_t engines = 0; engines <= 2; engines += 2) {
		struct tape t;

		transfer_bound(&t, engines);
		expect_words(&t, "exposed-copy", "finding", "overlap can hide only 4.4 ms (");
		finish(&t);
	}
}

/* A copy of 1 ms, 100 us of compute, and 9 ms of host code: the GPU mostly waits. */
TEST(a_copy_in_an_idle_window_is_no_bottleneck)
{
	WITH(struct tape, t, finish, start(&t));

	launch(&t, "kernel_a", 5 * US, 50 * US);
	copy(&t, "cudaMemcpyAsync", 1 * MS, &up);
	t.now += 9 * MS;
	launch(&t, "kernel_b", 5 * US, 50 * US);
	ask_all(&t);
	expect_words(&t, "exposed-copy", "finding",
		     "Copies take longer than the work that could hide them");
	assert_int_equal(row_of(&t, "host-starved"), 0);
}
