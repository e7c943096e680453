/* SPDX-License-Identifier: MIT */
/* What findings say of the calls in which the host waits for the GPU. */
#include "support/tape.h"

/* A call that drains the queue, and host code in two ranges until the next launch. */
static void drain(struct tape *t)
{
	t->now -= 1 * US;
	call(t, "cudaDeviceSynchronize", 1 * US, 0);
	range(t, "decide", t->now, t->now + 10 * US);
	range(t, "prepare", t->now + 10 * US, t->now + 20 * US);
	t->now += 20 * US;
}

TEST(calls_are_counted_and_not_pieces_of_idle_time)
{
	WITH(struct tape, t, finish, start(&t));

	for (unsigned i = 0; i < 14; i++) {
		launch(&t, unsteady(i), 5 * US, 300 * US);
		drain(&t);
	}
	launch(&t, "kernel_a", 5 * US, 300 * US);
	ask_all(&t);
	expect_words(&t, "host-sync-idle", "finding",
		     "all of it at `cudaDeviceSynchronize`, 14 times");
}

/* Five steps, of which 1 to 3 count, with so many calls each. */
static void expect_per_step(unsigned n_calls, const char *words)
{
	WITH(struct tape, t, finish, start(&t));

	for (unsigned i = 0; i < 5; i++) {
		wl_ns begin = t.now;

		for (unsigned k = 0; k < 4; k++) {
			launch(&t, k ? "kernel_b" : "kernel_a", 5 * US, 300 * US);
			if (k < n_calls)
				drain(&t);
		}
		range(&t, "step", begin, t.now);
	}
	ask_all(&t);
	if (words)
		expect_words(&t, "host-sync-idle", "finding", words);
	else
		expect_no_words(&t, "host-sync-idle", "finding", "times");
}

TEST(calls_per_step_are_those_of_the_steps_that_count)
{
	expect_per_step(3, "at `cudaDeviceSynchronize`, 3 times per step");
	expect_per_step(1, NULL);
}

/*
 * Two kernels, a read that waits for them, and a call that finds the GPU done: the read is what
 * makes the host wait, though the other is made as often, and twice at times.
 */
TEST(the_call_that_waits_is_named_and_not_the_most_frequent)
{
	WITH(struct tape, t, finish, start(&t));

	for (unsigned i = 0; i < 200; i++) {
		launch(&t, unsteady(i * i / 7), 5 * US, 10 * US);
		launch(&t, unsteady(i), 5 * US, 10 * US);
		t.now -= 8 * US;
		call(&t, "cudaStreamSynchronize", 8 * US, 0);
		call(&t, "cudaDeviceSynchronize", 1 * US, 0);
		if (i % 4 == 0)
			call(&t, "cudaDeviceSynchronize", 1 * US, 0);
	}
	ask_all(&t);
	expect_words(&t, "launch-bound", "finding",
		     "cudaStreamSynchronize waits for the GPU after every 2.0 kernels");
}
