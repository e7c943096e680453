/* SPDX-License-Identifier: MIT */
/* What findings say of stages of a pipeline that wait for each other. */
#include "support/tape.h"

enum { STAGES = 3, STEPS = 8 };

static const char send_recv[] = "ncclDevKernel_SendRecv(int)";
static const char all_reduce[] = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(int)";

/* Both leave when it has taken 10 us since the second of them arrived. */
static void exchange(struct tape *t, unsigned stage, wl_ns first, wl_ns second)
{
	wl_ns end = (first > second ? first : second) + 10 * US;

	run_on(t, stage, send_recv, first, end);
	run_on(t, stage + 1, send_recv, second, end);
}

/*
 * One microbatch on three stages: 100 us forward and 200 us backward each. All meet at the end.
 * The first waits 620 us for its gradient, the second 100, 300 and 200, the third 210 and 410.
 */
static void train(struct tape *t, wl_ns at)
{
	run_on(t, 0, "forward", at, at + 100 * US);
	exchange(t, 0, at + 100 * US, at);
	run_on(t, 1, "forward", at + 110 * US, at + 210 * US);
	exchange(t, 1, at + 210 * US, at);
	run_on(t, 2, "forward", at + 220 * US, at + 320 * US);
	run_on(t, 2, "backward", at + 320 * US, at + 520 * US);
	exchange(t, 1, at + 220 * US, at + 520 * US);
	run_on(t, 1, "backward", at + 530 * US, at + 730 * US);
	exchange(t, 0, at + 110 * US, at + 730 * US);
	run_on(t, 0, "backward", at + 740 * US, at + 940 * US);
	run_on(t, 0, all_reduce, at + 940 * US, at + 950 * US);
	run_on(t, 1, all_reduce, at + 740 * US, at + 950 * US);
	run_on(t, 2, all_reduce, at + 530 * US, at + 950 * US);
}

/* Nothing comes back. */
static void infer(struct tape *t, wl_ns at)
{
	run_on(t, 0, "forward", at, at + 100 * US);
	exchange(t, 0, at + 100 * US, at);
	run_on(t, 1, "forward", at + 110 * US, at + 210 * US);
	exchange(t, 1, at + 210 * US, at);
	run_on(t, 2, "forward", at + 220 * US, at + 320 * US);
}

static void fill(struct tape *t, void (*step)(struct tape *t, wl_ns at))
{
	start(t);
	for (unsigned i = 0; i < STEPS; i++) {
		wl_ns at = (i + 1) * MS;

		for (unsigned stage = 0; stage < STAGES; stage++)
			MEM_NVTX(&t->x.mem, .start = at, .end = at + 990 * US, .pid = 100 + stage,
				 .tid = TID + stage, .name = "step");
		step(t, at + 20 * US);
	}
	ask_all(t);
}

/* (3-1)/1 of 300 us is what the second stage waits; twice as many microbatches halve it. */
TEST(the_bubble_is_what_every_stage_waits)
{
	WITH(struct tape, t, finish, fill(&t, train));

	expect_words(&t, "pipeline-bubble", "finding",
		     "Pipeline bubble: 3 stages and 1 microbatch per step; fill and drain are "
		     "66.7% of a step of equal stages, (3-1)/(1+3-1); each stage waits at least "
		     "600 us (60.0%)");
	expect_saving(&t, "pipeline-bubble", "step", 300 * US);
	expect_words(&t, "pipeline-bubble", "action", "more microbatches");
}

TEST(what_only_goes_forward_has_no_bubble)
{
	WITH(struct tape, t, finish, fill(&t, infer));

	assert_int_equal(row_of(&t, "pipeline-bubble"), -1);
}
