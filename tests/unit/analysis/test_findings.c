/* SPDX-License-Identifier: MIT */
/* The rules of findings: what each fires on, what it leaves alone, and what it says. */
#include <string.h>

#include "known/exports/codes.h"
#include "support/tape.h"

/* One launch call of 5 ms before the first run of a kernel is no habit of a loop. */
TEST(a_first_launch_is_start_up)
{
	WITH(struct tape, t, finish, start(&t));

	launch(&t, "kernel_a", 5 * US, 10 * US);
	launch(&t, "kernel_b", 5 * MS, 10 * US);
	ask_all(&t);
	expect_saving(&t, "start-up", "window", 5 * MS);
	expect_words(&t, "start-up", "subject", "first launches");
	expect_words(&t, "start-up", "finding", "once, in `cudaLaunchKernel`");
	assert_int_equal(row_of(&t, "launch-bound"), -1);
}

TEST(ten_gaps_make_a_launch_bound_loop)
{
	struct tape t;

	start(&t);
	for (unsigned i = 0; i < 14; i++)
		launch(&t, unsteady(i), 20 * US, 10 * US);
	ask_all(&t);
	expect_saving(&t, "launch-bound", "window", US * 13 * 20);
	expect_words(&t, "launch-bound", "action", "CUDA graph");
	finish(&t);
	start(&t);
	for (unsigned i = 0; i < 9; i++)
		launch(&t, unsteady(i), 20 * US, 10 * US);
	ask_all(&t);
	assert_int_equal(row_of(&t, "launch-bound"), -1);
	finish(&t);
}

/* cudaStreamCreate of 3 ms happens once; twelve of them are no start-up. */
TEST(a_long_call_is_start_up_if_it_is_rare)
{
	struct tape t;

	for (unsigned n = 1; n <= 12; n += 11) {
		start(&t);
		launch(&t, "kernel_a", 5 * US, 10 * US);
		launch(&t, "kernel_b", 5 * US, 10 * US);
		for (unsigned i = 0; i < n; i++) {
			call(&t, "cudaStreamCreate", 3 * MS, 0);
			launch(&t, unsteady(i), 5 * US, 10 * US);
		}
		ask_all(&t);
		if (n == 1) {
			expect_saving(&t, "start-up", "window", 3 * MS);
			expect_words(&t, "start-up", "subject", "set-up calls");
		} else {
			assert_int_equal(row_of(&t, "start-up"), -1);
			expect_saving(&t, "host-starved", "window", MS * 12 * 3);
		}
		finish(&t);
	}
}

TEST(compiling_is_start_up_by_its_range)
{
	WITH(struct tape, t, finish, start(&t));

	launch(&t, "kernel_a", 5 * US, 10 * US);
	range(&t, "executor_utils::Nvrtc::CompileProgram", t.now, t.now + 4 * MS);
	t.now += 4 * MS;
	launch(&t, "kernel_a", 5 * US, 10 * US);
	ask_all(&t);
	expect_saving(&t, "start-up", "window", 4 * MS);
	expect_words(&t, "start-up", "subject", "compiling");
}

/* Steps of 100 us, by ranges; before_step puts into a step what a test is about. */
static void steps(struct tape *t, unsigned n, void (*in_step)(struct tape *t, unsigned i))
{
	for (unsigned i = 0; i < n; i++) {
		wl_ns begin = t->now;

		launch(t, "kernel_a", 5 * US, 45 * US);
		in_step(t, i);
		launch(t, "kernel_b", 5 * US, 45 * US);
		range(t, "step", begin, t->now);
		t->now += 1;
	}
}

static void allocate_always(struct tape *t, unsigned i)
{
	(void)i;
	call(t, "cudaMalloc", 30 * US, 0);
}

static void allocate_thrice(struct tape *t, unsigned i)
{
	if (i >= 2 && i < 5)
		call(t, "cudaMalloc", 4 * US, 0);
}

static void allocate_every_third(struct tape *t, unsigned i)
{
	if (i % 3 == 0)
		call(t, "cudaMalloc", 4 * US, 0);
}

static void nothing(struct tape *t, unsigned i)
{
	(void)t;
	(void)i;
}

TEST(an_allocation_in_most_steps_is_in_the_loop)
{
	struct tape t;

	start(&t);
	steps(&t, 10, allocate_always);
	ask_all(&t);
	expect_saving(&t, "alloc-in-loop", "step", 30 * US);
	expect_words(&t, "alloc-in-loop", "finding", "all of it in `cudaMalloc`");
	assert_int_equal(row_of(&t, "start-up"), -1);
	finish(&t);
	start(&t);
	steps(&t, 10, allocate_thrice);
	ask_all(&t);
	assert_int_equal(row_of(&t, "alloc-in-loop"), -1);
	expect_saving(&t, "start-up", "window", US * 3 * 4);
	finish(&t);
	/* Every third of 40 steps is a habit, though not one of most steps. */
	start(&t);
	steps(&t, 40, allocate_every_third);
	ask_all(&t);
	assert_int_equal(row_of(&t, "start-up"), -1);
	expect_saving(&t, "alloc-in-loop", "window", US * 12 * 4);
	finish(&t);
}

TEST(idle_time_before_the_steps_is_start_up)
{
	struct tape t;

	start(&t);
	launch(&t, "kernel_c", 5 * US, 10 * US);
	t.now += 2 * MS;
	steps(&t, 10, nothing);
	ask_all(&t);
	expect_saving(&t, "start-up", "window", 2 * MS + 5 * US);
	expect_words(&t, "start-up", "subject", "before the steps");
	assert_int_equal(row_of(&t, "host-starved"), -1);
	finish(&t);
	/* Five ranges may be phases: what comes before them need not be a warm-up. */
	start(&t);
	launch(&t, "kernel_c", 5 * US, 10 * US);
	t.now += 2 * MS;
	steps(&t, 5, nothing);
	ask_all(&t);
	expect_saving(&t, "start-up", "window", 2 * MS + 5 * US);
	expect_words(&t, "start-up", "action", "See what the host does before the first step");
	finish(&t);
	/* Less than a tenth of the window is left out. */
	start(&t);
	launch(&t, "kernel_c", 5 * US, 10 * US);
	t.now += 20 * US;
	steps(&t, 5, nothing);
	ask_all(&t);
	assert_int_equal(row_of(&t, "start-up"), -1);
	finish(&t);
}

static void save_thrice(struct tape *t, unsigned i)
{
	if (i % 3 == 1) {
		range(t, "save", t->now, t->now + 200 * US);
		t->now += 200 * US;
	}
}

/* What at most half of the steps have is given for the window, with their number. */
TEST(a_rare_cause_is_not_told_per_step)
{
	WITH(struct tape, t, finish, start(&t));

	steps(&t, 10, save_thrice);
	ask_all(&t);
	expect_saving(&t, "host-starved", "window", US * 3 * 200);
	expect_words(&t, "host-starved", "finding", "600 us in 3 of 8 steps");
	expect_words(&t, "launch-bound", "per", "step");
	assert_true(answer_has_note(&t.x.a, "averages over steps 1-8"));
}

/* Two processes with steps of 100 us and of 300 us: the bar of the first screen is of both. */
TEST(the_mean_step_is_that_of_all_gpus)
{
	WITH(struct tape, t, finish, start(&t));

	for (unsigned i = 0; i < 10; i++) {
		for (unsigned rank = 0; rank < 2; rank++) {
			wl_ns length = (rank ? 300 : 100) * US, begin = (i + 1) * length;

			run_on(&t, rank, unsteady(i), begin + 6 * US, begin + length - 10 * US);
			MEM_NVTX(&t.x.mem, .start = begin, .end = begin + length - 1 * US,
				 .pid = 100 + rank, .tid = TID + rank, .name = "step");
		}
	}
	ask_all(&t);
	assert_true(answer_has_note(
		&t.x.a, "averages over steps 1-8 (mean 200 us; by GPU 100 us to 300 us; steps of "
			"100 us to 300 us)"));
}

static void stall_in_seven(struct tape *t, unsigned i)
{
	if (i == 7)
		t->now += 2 * MS;
}

/* A stall at the beginning of a range lies in the period of the step before it. */
TEST(a_stall_is_told_before_the_step_that_it_delays)
{
	struct tape t;

	start(&t);
	for (unsigned i = 0; i < 12; i++) {
		wl_ns begin = t.now;

		t.now += i == 7 ? 2 * MS : 0;
		launch(&t, "kernel_a", 5 * US, 45 * US);
		launch(&t, "kernel_b", 5 * US, 45 * US);
		range(&t, "step", begin, t.now);
		t.now += 1;
	}
	ask_all(&t);
	expect_words(&t, "slow-iterations", "subject", "before step 7");
	expect_words(&t, "slow-iterations", "action", "(window step:6..7)");
	expect_words(&t, "slow-iterations", "finding",
		     "idles 2.005 ms before step 7, once in 10 steps");
	finish(&t);
	start(&t);
	steps(&t, 12, stall_in_seven);
	ask_all(&t);
	expect_words(&t, "slow-iterations", "subject", "step 7");
	expect_words(&t, "slow-iterations", "action", "(window step:7)");
	expect_words(&t, "slow-iterations", "finding",
		     "Step 7 takes 2 ms longer than the others, once in 10 steps");
	finish(&t);
	start(&t);
	steps(&t, 12, nothing);
	ask_all(&t);
	assert_int_equal(row_of(&t, "slow-iterations"), -1);
	finish(&t);
}

static void evaluate_in_seven(struct tape *t, unsigned i)
{
	for (unsigned k = 0; i == 7 && k < 3; k++)
		launch(t, "kernel_c", 5 * US, 500 * US);
}

static void compute_more_in_seven(struct tape *t, unsigned i)
{
	launch(t, "kernel_c", 5 * US, i == 7 ? 500 * US : 10 * US);
}

/* More kernels are other work, and nothing is lost; the same kernels that take longer are slow. */
TEST(a_step_with_other_kernels_is_other_work)
{
	struct tape t;
	int row;

	start(&t);
	steps(&t, 12, evaluate_in_seven);
	ask_all(&t);
	expect_words(&t, "slow-iterations", "subject", "other work");
	expect_words(&t, "slow-iterations", "severity", "info");
	expect_words(&t, "slow-iterations", "finding", "1 of 10 steps runs a different number");
	expect_words(&t, "slow-iterations", "finding", "step 7 runs 5 instead of 2");
	row = row_of(&t, "slow-iterations");
	assert_false(answer_is_set(&t.x.a, (size_t)row, "saving"));
	finish(&t);
	start(&t);
	steps(&t, 12, compute_more_in_seven);
	ask_all(&t);
	expect_words(&t, "slow-iterations", "subject", "step 7");
	expect_words(&t, "slow-iterations", "finding", "mostly compute");
	finish(&t);
}

/* Steps that are guessed from kernels go on after a pause in which memory is allocated. */
TEST(a_pause_between_runs_is_set_up)
{
	struct tape t;

	for (unsigned allocates = 0; allocates < 2; allocates++) {
		start(&t);
		for (unsigned i = 0; i < 40; i++) {
			launch(&t, "kernel_a", 5 * US, 45 * US);
			launch(&t, "kernel_b", 5 * US, 45 * US);
			launch(&t, "kernel_c", 5 * US, 45 * US);
			if (i != 20)
				continue;
			if (allocates)
				call(&t, "cudaMalloc", 3 * MS, 0);
			t.now += 20 * MS;
		}
		ask_all(&t);
		if (allocates) {
			expect_saving(&t, "start-up", "window", 23 * MS);
			expect_words(&t, "start-up", "subject", "between steps");
			assert_int_equal(row_of(&t, "slow-iterations"), -1);
		} else {
			assert_int_equal(row_of(&t, "start-up"), -1);
			expect_words(&t, "slow-iterations", "finding", "mostly host");
		}
		finish(&t);
	}
}

/* The thread is off the CPU for 180 of 200 us of each step, or for 20. */
TEST(a_thread_that_sleeps_runs_nothing)
{
	for (unsigned sleeps = 0; sleeps < 2; sleeps++) {
		struct tape t;

		start(&t);
		mem_sched(&t.x.mem, 0, 0, TID, true);
		for (unsigned i = 0; i < 10; i++) {
			wl_ns begin = t.now;

			launch(&t, "kernel_a", 5 * US, 45 * US);
			mem_sched(&t.x.mem, t.now + 10 * US, 0, TID, false);
			t.now += sleeps ? 190 * US : 30 * US;
			mem_sched(&t.x.mem, t.now, 0, TID, true);
			t.now += sleeps ? 10 * US : 170 * US;
			launch(&t, "kernel_b", 5 * US, 45 * US);
			range(&t, "step", begin, t.now);
			t.now += 1;
		}
		ask_all(&t);
		expect_saving(&t, "host-starved", "step", 200 * US);
		expect_words(&t, "host-starved", "finding",
			     sleeps ? "launching thread is sleeping" : "is running other code");
		if (sleeps)
			expect_words(&t, "host-starved", "action", "Find the wait");
		finish(&t);
	}
}

/* 200 us outside any range in each step: samples, where there are some, name the code. */
TEST(samples_name_code_without_ranges)
{
	for (unsigned sampled = 0; sampled < 2; sampled++) {
		struct tape t;

		start(&t);
		if (sampled)
			MEM_SAMPLE(&t.x.mem, .tid = TID, .stack = "main");
		for (unsigned i = 0; i < 10; i++) {
			wl_ns begin = t.now;

			launch(&t, "kernel_a", 5 * US, 45 * US);
			launch(&t, "kernel_b", 5 * US, 45 * US);
			range(&t, "step", begin, t.now);
			t.now += 200 * US;
		}
		ask_all(&t);
		expect_words(&t, "host-starved", "action",
			     sampled ? "Look at the CPU samples" : "record CPU samples");
		expect_words(&t, "host-starved", "evidence",
			     sampled ? "stacks TRACE --during finding:1 --by function"
				     : "idle TRACE --by detail");
		finish(&t);
	}
}

static void synchronise(struct tape *t, wl_ns host, const char *sync_range, const char *host_range)
{
	call(t, "cudaDeviceSynchronize", 1 * US, 0);
	if (sync_range)
		range(t, sync_range, t->now - 1 * US, t->now);
	if (host_range)
		range(t, host_range, t->now, t->now + host);
	t->now += host;
}

/* A call that began before the gap and ended in it; the host works afterwards. */
static void drained(struct tape *t, wl_ns host, const char *sync_range, const char *host_range)
{
	for (unsigned i = 0; i < 14; i++) {
		launch(t, unsteady(i), 5 * US, 300 * US);
		t->now -= 1 * US;
		synchronise(t, host, sync_range, host_range);
	}
	launch(t, "kernel_a", 5 * US, 300 * US);
}

TEST(a_drained_queue_is_the_calls_fault)
{
	WITH(struct tape, t, finish, start(&t));

	drained(&t, 20 * US, NULL, NULL);
	ask_all(&t);
	expect_saving(&t, "host-sync-idle", "window", US * 14 * 25);
	expect_words(
		&t, "host-sync-idle", "finding",
		"GPU idle in and after `cudaDeviceSynchronize`: 350 us of the window (7.2%) on "
		"GPU 0, 14 times");
	assert_int_equal(row_of(&t, "launch-bound"), -1);
}

/* Work without a name in a long gap: the call exposes it, as the host could run ahead. */
TEST(unnamed_work_after_a_call_is_exposed_by_it)
{
	WITH(struct tape, t, finish, start(&t));

	drained(&t, 200 * US, NULL, NULL);
	ask_all(&t);
	expect_saving(&t, "host-sync-idle", "window", US * 14 * 205);
	assert_int_equal(row_of(&t, "host-starved"), -1);
}

TEST(work_with_a_name_is_the_hosts_own)
{
	WITH(struct tape, t, finish, start(&t));

	drained(&t, 200 * US, "wait", "load batch");
	ask_all(&t);
	expect_saving(&t, "host-starved", "window", US * 14 * 200);
	expect_words(&t, "host-starved", "finding", "all of it in `load batch`");
	expect_words(
		&t, "host-starved", "finding",
		"all of this time follows `cudaDeviceSynchronize`, which emptied the launch queue");
}

/* More work than the GPU has: without the call the host would still be late. */
TEST(more_work_than_the_gpu_has_is_the_hosts_own)
{
	WITH(struct tape, t, finish, start(&t));

	drained(&t, 900 * US, NULL, NULL);
	ask_all(&t);
	expect_saving(&t, "host-starved", "window", US * 14 * 900);
	expect_words(&t, "host-starved", "action", "Add NVTX ranges");
}

/* 60% has a name, or 30%: "mostly" needs more than half. */
TEST(the_largest_part_has_its_share)
{
	struct tape t;

	for (unsigned named = 3; named <= 6; named += 3) {
		start(&t);
		for (unsigned i = 0; i < 14; i++) {
			launch(&t, unsteady(i), 5 * US, 10 * US);
			range(&t, "load", t.now, t.now + US * 100 * named);
			t.now += 1000 * US;
		}
		launch(&t, "kernel_a", 5 * US, 10 * US);
		ask_all(&t);
		expect_words(&t, "host-starved", "finding",
			     named == 6 ? ", 60.0% of it in `load`"
					: ", 70.0% of it in host code outside any NVTX range; "
					  "largest named part: `load` (30.0%)");
		finish(&t);
	}
}

TEST(few_gaps_are_to_be_looked_at)
{
	struct tape t;

	start(&t);
	launch(&t, "kernel_a", 5 * US, 10 * US);
	t.now += 1 * MS;
	launch(&t, "kernel_a", 5 * US, 10 * US);
	ask_all(&t);
	expect_words(&t, "host-starved", "finding", ", in one gap (at 15 us)");
	expect_words(&t, "host-starved", "advice", "--delay");
	finish(&t);
	/* Two gaps have most of it, though fourteen others have some. */
	start(&t);
	for (unsigned i = 0; i < 16; i++) {
		launch(&t, unsteady(i), 5 * US, 10 * US);
		t.now += i == 4 || i == 9 ? 5 * MS : 150 * US;
	}
	launch(&t, "kernel_a", 5 * US, 10 * US);
	ask_all(&t);
	expect_words(&t, "host-starved", "finding",
		     "82.6% of this time is in 2 gaps (at 675 us, 6.35 ms)");
	expect_words(&t, "host-starved", "action", "one by one");
	finish(&t);
}

/* The first others of them by another call. */
static void reads_by(struct tape *t, unsigned n, unsigned others, int64_t bytes)
{
	for (unsigned i = 0; i < n; i++) {
		launch(t, unsteady(i), 5 * US, 10 * US);
		copy(t, i < others ? "cudaMemcpyFromSymbol" : "cudaMemcpy", 10 * US,
		     &(struct mem_op){ .kind = WL_COPY_D2H,
				       .src = 2,
				       .dst = WL_MEMORY_PAGEABLE,
				       .bytes = bytes });
	}
	launch(t, "kernel_a", 5 * US, 10 * US);
}

static void reads(struct tape *t, unsigned n, int64_t bytes)
{
	reads_by(t, n, 0, bytes);
}

TEST(few_bytes_again_and_again_are_tiny_reads)
{
	struct tape t;

	start(&t);
	reads(&t, 12, 4);
	ask_all(&t);
	expect_words(&t, "tiny-reads", "finding",
		     "The host reads back 4 bytes 12 times, and the GPU waits");
	expect_words(&t, "tiny-reads", "action", "every N launches");
	assert_int_equal(row_of(&t, "pageable-copy"), -1);
	assert_int_equal(row_of(&t, "blocking-copy"), -1);
	finish(&t);
	start(&t);
	reads_by(&t, 12, 2, 4);
	ask_all(&t);
	expect_words(&t, "tiny-reads", "finding", "reads counted in the window (10 in cudaMemcpy)");
	finish(&t);
	start(&t);
	reads(&t, 12, 1 << 20);
	ask_all(&t);
	assert_int_equal(row_of(&t, "tiny-reads"), -1);
	expect_words(&t, "pageable-copy", "action", "Pin the host buffers");
	finish(&t);
	start(&t);
	reads(&t, 9, 4);
	ask_all(&t);
	assert_int_equal(row_of(&t, "tiny-reads"), -1);
	finish(&t);
}

static void one_copy(struct tape *t, const char *name, const struct mem_op *what)
{
	start(t);
	launch(t, "kernel_a", 5 * US, 300 * US);
	copy(t, name, 500 * US, what);
	launch(t, "kernel_b", 5 * US, 300 * US);
	ask_all(t);
}

TEST(advice_fits_the_copy)
{
	const int64_t large = 1 << 24;
	struct tape t;

	one_copy(&t, "cudaMemcpyAsync",
		 &(struct mem_op){
			 .kind = WL_COPY_H2D, .src = WL_MEMORY_PINNED, .dst = 2, .bytes = large });
	expect_words(&t, "exposed-copy", "finding", "all of it HtoD (pinned)");
	assert_null(strstr(answer_str(&t.x.a, 0, "action"), "inned"));
	assert_null(strstr(answer_str(&t.x.a, 0, "advice"), "pin"));
	finish(&t);
	one_copy(&t, "cudaMemcpy",
		 &(struct mem_op){
			 .kind = WL_COPY_H2D, .src = WL_MEMORY_PINNED, .dst = 2, .bytes = large });
	expect_words(&t, "blocking-copy", "advice", "pinned already");
	finish(&t);
	one_copy(&t, "cudaMemcpyAsync",
		 &(struct mem_op){ .kind = WL_COPY_P2P, .src = 2, .dst = 2, .bytes = large });
	expect_words(&t, "exposed-copy", "subject", "between GPUs");
	finish(&t);
	one_copy(&t, "cudaMemcpyAsync",
		 &(struct mem_op){
			 .kind = WL_COPY_H2D, .src = WL_MEMORY_PINNED, .dst = 2, .bytes = 4096 });
	expect_words(&t, "exposed-copy", "action", "Pack the small copies");
	finish(&t);
	one_copy(&t, "cudaMemcpyAsync",
		 &(struct mem_op){ .kind = WL_COPY_UVM_D2H, .src = 5, .dst = 5, .bytes = large });
	expect_words(&t, "managed-memory", "action", "Prefetch pages to the host");
	assert_int_equal(row_of(&t, "exposed-copy"), -1);
	finish(&t);
}

/* 12 copies of 1 ms and 13 kernels of 50 us: overlap can hide 650 us; of 1 us, less than 1 %. */
TEST(overlap_hides_at_most_the_compute_there_is)
{
	const struct mem_op what = {
		.kind = WL_COPY_H2D, .src = WL_MEMORY_PINNED, .dst = 2, .bytes = 1 << 24
	};

	for (unsigned is_tiny = 0; is_tiny < 2; is_tiny++) {
		struct tape t;

		start(&t);
		for (unsigned i = 0; i < 12; i++) {
			launch(&t, unsteady(i), 5 * US, is_tiny ? 1 * US : 50 * US);
			copy(&t, "cudaMemcpyAsync", 1 * MS, &what);
		}
		launch(&t, "kernel_a", 5 * US, is_tiny ? 1 * US : 50 * US);
		ask_all(&t);
		expect_words(&t, "exposed-copy", "finding", "copy engine is the bottleneck");
		expect_words(&t, "exposed-copy", "finding", "HtoD at 16.78 GB/s (pinned)");
		expect_words(&t, "exposed-copy", "finding", "copies take 12 ms of the window");
		expect_words(&t, "exposed-copy", "finding",
			     is_tiny ? "overlap can hide only 13 us"
				     : "overlap can hide only 650 us");
		expect_words(&t, "exposed-copy", "action", "Copy less");
		/* Nearly all of the run is claimed, but the host launches no sooner without it. */
		expect_words(&t, "exposed-copy", "severity", "info");
		expect_saving(&t, "exposed-copy", "window", 12 * MS);
		finish(&t);
	}
}

TEST(communication_on_the_compute_stream_is_expected)
{
	WITH(struct tape, t, finish, start(&t));

	launch(&t, "kernel_a", 5 * US, 10 * US);
	launch(&t, "ncclDevKernel_AllReduce_Sum_f32_RING_LL", 5 * US, 100 * US);
	ask_all(&t);
	expect_saving(&t, "stream-serialisation", "window", 100 * US);
	expect_words(&t, "stream-serialisation", "finding",
		     "AllReduce runs on the compute stream; it cannot overlap with compute: "
		     "100 us");
	expect_words(&t, "stream-serialisation", "finding",
		     "; this is usual for tensor parallelism");
	assert_int_equal(row_of(&t, "exposed-comm"), -1);
}

/* Two ranks; stages of a pipeline only where their labels say so. */
TEST(messages_are_of_a_pipeline_where_ranks_say_so)
{
	for (unsigned stages = 0; stages < 2; stages++) {
		static const char *const labels[] = { "rank=0; pp=0/2", "rank=1; pp=1/2" };
		struct tape t;

		start(&t);
		for (unsigned rank = 0; rank < 2; rank++) {
			MEM_NVTX(&t.x.mem, .start = 1, .end = 2, .pid = 100 + rank,
				 .tid = TID + rank, .name = stages ? labels[rank] : "other");
			for (unsigned i = 0; i < 12; i++) {
				MEM_OP(&t.x.mem, WL_F_KERNELS, .start = (i + 1) * MS,
				       .end = (i + 1) * MS + 100 * US, .pid = 100 + rank,
				       .device = rank, .stream = 7, .name = "kernel_a");
				MEM_OP(&t.x.mem, WL_F_KERNELS, .start = (i + 1) * MS + 100 * US,
				       .end = (i + 1) * MS + 200 * US, .pid = 100 + rank,
				       .device = rank, .stream = 7,
				       .name = "ncclDevKernel_SendRecv(int)");
			}
		}
		ask_all(&t);
		expect_words(&t, "stream-serialisation", "finding",
			     "SendRecv between GPUs 0-1 runs on the compute stream");
		expect_words(&t, "stream-serialisation", "finding",
			     stages ? "this is usual for pipeline parallelism"
				    : "if it is an all-to-all of sequence parallelism, its result "
				      "is needed at once");
		if (!stages)
			expect_no_words(&t, "stream-serialisation", "finding", "pipeline");
		finish(&t);
	}
}

TEST(lost_events_are_told)
{
	struct tape t;

	start(&t);
	launch(&t, "kernel_a", 5 * US, 10 * US);
	mem_message(&t.x.mem, 1, "Number of dropped events: 0");
	ask_all(&t);
	assert_int_equal(row_of(&t, "capture-truncated"), -1);
	finish(&t);
	start(&t);
	launch(&t, "kernel_a", 5 * US, 10 * US);
	mem_message(&t.x.mem, 2, "CUDA events were dropped");
	ask_all(&t);
	expect_words(&t, "capture-truncated", "finding", "CUDA events were dropped");
	finish(&t);
}

/* A third of the kernel time is in a range. */
TEST(the_option_says_what_is_too_little_in_ranges)
{
	WITH(struct tape, t, finish, start(&t));

	range(&t, "part", 0, 6 * US);
	launch(&t, "kernel_a", 5 * US, 10 * US);
	launch(&t, "kernel_b", 5 * US, 20 * US);
	ask(&t.x, (const char *const[WL_MAX_PARAMS]){ "true", "0.5" });
	expect_words(&t, "low-nvtx-coverage", "finding", "66.7%");
	ask(&t.x, (const char *const[WL_MAX_PARAMS]){ "true", "0.3" });
	assert_int_equal(row_of(&t, "low-nvtx-coverage"), -1);
}

TEST(a_gpu_without_work_is_told)
{
	struct tape t;

	for (unsigned length = 10; length <= 90; length += 80) {
		start(&t);
		launch(&t, "kernel_a", 5 * US, 100 * US);
		MEM_OP(&t.x.mem, WL_F_KERNELS, .start = 6 * US, .end = (6 + length) * US,
		       .device = 1, .name = "kernel_b");
		ask_all(&t);
		if (length == 10)
			expect_words(&t, "idle-gpu", "finding", "GPU 1 has no work for 90.0%");
		else
			assert_int_equal(row_of(&t, "idle-gpu"), -1);
		finish(&t);
	}
}

TEST(copies_within_a_gpu_are_a_share)
{
	struct tape t;

	for (unsigned length = 1; length <= 11; length += 10) {
		start(&t);
		launch(&t, "kernel_a", 1 * US, 100 * US);
		copy(&t, "cudaMemcpyAsync", length * US,
		     &(struct mem_op){ .kind = WL_COPY_D2D, .src = 2, .dst = 2, .bytes = 1 << 20 });
		ask_all(&t);
		if (length == 11)
			expect_words(&t, "device-copies", "finding", "11 us of the window");
		else
			assert_int_equal(row_of(&t, "device-copies"), -1);
		finish(&t);
	}
}
