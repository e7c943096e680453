/* SPDX-License-Identifier: MIT */
/* Findings in words: what is rare, what one step has, and what the names of the host's work say. */
#include "findings/rule_state.h"
#include "known/exports/codes.h"
#include "support/tape.h"

/* A step of two kernels of 50 us each, with so much host time between them, in a range. */
static void step(struct tape *t, const char *host_range, wl_ns host)
{
	wl_ns begin = t->now;

	launch(t, "kernel_a", 5 * US, 50 * US);
	if (host_range)
		range(t, host_range, t->now, t->now + host);
	t->now += host;
	launch(t, "kernel_b", 5 * US, 50 * US);
	range(t, "step", begin, t->now);
	t->now += 1;
}

/*
 * In 16 steps 5 stall, too many to stand out; the others have gaps, too, of 30% of the mean.
 * The sum is not told per step, and operators of a framework are not work to be moved.
 */
TEST(a_cause_in_few_steps_is_told_with_its_longest_gap)
{
	WITH(struct tape, t, finish, start(&t));
	static const wl_ns stall[18] = {
		[5] = 2 * MS, [6] = 2 * MS, [11] = 1 * MS, [13] = 2 * MS, [15] = 4500 * US
	};

	for (unsigned i = 0; i < 18; i++)
		step(&t, "aten::native_layer_norm, seq = 7, op_id = 9",
		     stall[i] ? stall[i] : 240 * US);
	ask_all(&t);
	assert_int_equal(row_of(&t, "slow-iterations"), -1);
	expect_saving(&t, "host-starved", "window", 11500 * US + 2640 * US);
	expect_words(&t, "host-starved", "finding",
		     "stalls in framework operators, 14.14 ms in 5 of 16 steps");
	expect_words(&t, "host-starved", "finding",
		     "longest gap: 4.5 ms in step 15 (at 11.3 ms); all of this time is in "
		     "`aten::native_layer_norm`");
	expect_words(&t, "host-starved", "action", "GC pauses");
	expect_no_words(&t, "host-starved", "finding", "op_id");
	expect_no_words(&t, "host-starved", "advice", "data loader");
}

/* One gap of one step needs no word about the longest. */
TEST(a_single_gap_is_told_with_its_step)
{
	WITH(struct tape, t, finish, start(&t));

	for (unsigned i = 0; i < 18; i++) {
		wl_ns begin = t.now, host = i == 15 ? 120 * US : 0; /* too short for an outlier */

		launch(&t, "kernel_a", 5 * US, 3 * MS);
		if (host)
			range(&t, "load", t.now, t.now + host);
		t.now += host;
		launch(&t, "kernel_b", 5 * US, 50 * US);
		range(&t, "step", begin, t.now);
	}
	ask_all(&t);
	expect_words(&t, "host-starved", "finding", "120 us in 1 of 16 steps");
	expect_words(&t, "host-starved", "finding", "on GPU 0, in step 15 (at ");
	expect_words(&t, "host-starved", "finding", ", all of it in `load`");
	expect_no_words(&t, "host-starved", "finding", "longest");
}

TEST(a_small_share_is_not_told_as_none)
{
	char buf[WL_UNITS_BUF];

	assert_string_equal(wl_fmt_share(buf, 0.00049), "<0.1%");
	assert_string_equal(wl_fmt_share(buf, 0.0005), "0.1%");
	assert_string_equal(wl_fmt_share(buf, 0), "0.0%");
}

/* What launches cannot be moved to another thread, however long it takes; what loads can. */
TEST(operators_in_every_step_are_launching)
{
	static const char *const name[] = { "FSDP::pre_forward (blocks.1), op_id = 7",
					    "FlashAttnFunc, seq = 4, op_id = 5", "load_batch" };

	for (unsigned i = 0; i < WL_COUNT(name); i++) {
		struct tape t;
		bool loads = i == 2;

		start(&t);
		for (unsigned k = 0; k < 12; k++)
			step(&t, name[i], 300 * US);
		ask_all(&t);
		expect_saving(&t, "host-starved", "step", 300 * US);
		expect_words(&t, "host-starved", "finding",
			     loads ? "is running other code" : "is busy in framework operators");
		expect_words(&t, "host-starved", "action",
			     loads ? "Move this work to" : "CUDA graph");
		finish(&t);
	}
}

/*
 * A kernel of 2 us per step after 198 us of host code: overlap hides 2 us. Without a part that
 * has most of it, the advice is to launch more work at once, and the step is no part of itself.
 */
TEST(overlap_hides_no_more_than_the_gpu_works)
{
	WITH(struct tape, t, finish, start(&t));

	for (unsigned i = 0; i < 12; i++) {
		wl_ns begin = t.now;

		range(&t, "dispatch", t.now + 90 * US, t.now + 150 * US);
		range(&t, "arguments", t.now + 150 * US, t.now + 185 * US);
		t.now += 195 * US;
		launch(&t, "kernel_a", 3 * US, 2 * US);
		range(&t, "step", begin, t.now);
	}
	ask_all(&t);
	expect_saving(&t, "host-starved", "step", 195 * US);
	expect_words(&t, "host-starved", "finding",
		     "51.3% of it in host code outside any NVTX range inside the step; largest "
		     "named part: `dispatch` (30.8%)");
	expect_words(&t, "host-starved", "finding",
		     "overlap could hide at most 2 us per step: the GPU has no more work");
	expect_words(&t, "host-starved", "advice", "less of this work per launch");
	expect_no_words(&t, "host-starved", "action", "prefetch");
	expect_no_words(&t, "host-starved", "advice", "data loader");
}

/* A step goes from one `schedule` to the next: that range is a part of it, and names the loss. */
TEST(a_range_that_begins_the_step_names_its_loss)
{
	WITH(struct tape, t, finish, start(&t));

	for (unsigned i = 0; i < 20; i++) {
		wl_ns begin = t.now;

		t.now += 200 * US;
		range(&t, "schedule", begin, t.now);
		begin = t.now;
		launch(&t, "kernel_a", 5 * US, 100 * US);
		launch(&t, "kernel_b", 5 * US, 50 * US);
		range(&t, "forward", begin, t.now);
		begin = t.now;
		launch(&t, "kernel_c", 5 * US, 100 * US);
		range(&t, "sampling", begin, t.now);
	}
	ask_all(&t);
	expect_words(&t, "host-starved", "finding", "of it in `schedule`");
	expect_no_words(&t, "host-starved", "finding", "outside any NVTX range");
	expect_words(&t, "host-starved", "action", "Move this work to");
	expect_no_words(&t, "host-starved", "action", "NVTX");
}

/* Four gaps of 5 ms, a little longer each time, between runs: all count, and none is set-up. */
TEST(gaps_that_are_alike_are_counted_together)
{
	WITH(struct tape, t, finish, start(&t));

	for (unsigned i = 0; i < 5; i++) {
		launch(&t, unsteady(i), 5 * US, 2 * MS);
		t.now += 5 * MS + (wl_ns)i * 100 * US;
	}
	ask_all(&t);
	expect_saving(&t, "host-starved", "window", 20600 * US);
	expect_words(&t, "host-starved", "finding",
		     "in 4 gaps, 5 ms to 5.3 ms in each (the first at 2.005 ms)");
	expect_words(&t, "host-starved", "action", "Add NVTX ranges to this code");
	expect_words(&t, "host-starved", "cuda", "nvtxRangePushA");
	expect_words(&t, "host-starved", "pytorch", "torch.cuda.nvtx.range");
	expect_words(&t, "host-starved", "jax", "nvtx.annotate");
	expect_no_words(&t, "host-starved", "advice", "set-up");
}

/*
 * 20 kernels per step, 10 us late each. With a wait of 500 us for the first kernel in each step
 * the host has time enough, and loses its lead there.
 */
TEST(a_wait_in_each_step_takes_the_lead_away)
{
	for (unsigned waits = 0; waits < 2; waits++) {
		struct tape t;

		start(&t);
		for (unsigned i = 0; i < 12; i++) {
			wl_ns begin = t.now;

			launch(&t, "kernel_a", 5 * US, 600 * US);
			t.now -= 550 * US;
			if (waits)
				call(&t, "cudaStreamSynchronize", 500 * US, 0);
			t.now = begin + 605 * US;
			for (unsigned k = 0; k < 20; k++) {
				t.now += 5 * US;
				launch(&t, "kernel_b", 5 * US, 20 * US);
			}
			range(&t, "step", begin, t.now);
		}
		ask_all(&t);
		expect_words(&t, "launch-bound", "finding",
			     waits ? "the host blocks in cudaStreamSynchronize for 500 us per step"
				   : "the host cannot launch fast enough");
		expect_words(&t, "launch-bound", "action",
			     waits ? "waits for the GPU" : "Capture the step in a CUDA graph");
		finish(&t);
	}
}

/* 200 launches without steps; a short call waits after every second or every twentieth. */
TEST(a_graph_is_not_captured_across_waits)
{
	for (unsigned every = 2; every <= 20; every += 18) {
		struct tape t;

		start(&t);
		for (unsigned i = 0; i < 200; i++) {
			launch(&t, unsteady(i * i / 7), 5 * US, 10 * US);
			if (i % every == 0)
				call(&t, "cudaStreamSynchronize", 1 * US, 0);
		}
		ask_all(&t);
		expect_words(&t, "launch-bound", "per", "window");
		if (every == 2) {
			expect_words(&t, "launch-bound", "finding",
				     "cudaStreamSynchronize waits for the GPU after every 2.0 "
				     "kernels");
			expect_words(&t, "launch-bound", "action", "Remove waits");
			expect_words(&t, "launch-bound", "advice",
				     "cannot contain a call that waits");
		} else {
			expect_no_words(&t, "launch-bound", "finding", "waits for the GPU");
			expect_words(&t, "launch-bound", "action",
				     "Capture the step in a CUDA graph");
		}
		finish(&t);
	}
}

/*
 * 14 times four launches of 5 us, one after the other, and then a pause. The first kernel starts 1
 * us after its launch, and 5 us after the one before it if there is no pause; the others are
 * queued, 3, 3 and 0.5 us apart.
 */
static void launch_in_fours(struct tape *t, wl_ns pause)
{
	static const wl_ns begin[] = { 6000, 14000, 18500, 20500 };
	static const wl_ns end[] = { 11000, 15500, 20000, 21000 };

	start(t);
	for (unsigned i = 0; i < 14; i++) {
		wl_ns at = t->now;

		for (unsigned k = 0; k < WL_COUNT(begin); k++) {
			call(t, "cudaLaunchKernel", 5 * US, ++t->corr);
			mem_op(&t->x.mem, WL_F_KERNELS,
			       &(struct mem_op){ .start = at + begin[k],
						 .end = at + end[k],
						 .corr = t->corr,
						 .name = unsteady((4 * i + k) * i / 7) });
		}
		t->now += pause;
	}
	ask_all(t);
}

/* A host that always launches is late for queued work, too: nothing else is there to run. */
TEST(idle_time_of_queued_work_is_told)
{
	struct tape t;

	launch_in_fours(&t, 0);
	expect_saving(&t, "launch-bound", "window", 13 * 5 * US);
	expect_words(&t, "launch-bound", "finding",
		     "; for 91 us more of the window the GPU is idle between queued operations, "
		     "and the host is in launch calls for 99.6% of the time");
	finish(&t);
	launch_in_fours(&t, 20 * US);
	assert_true(row_of(&t, "launch-bound") >= 0);
	expect_no_words(&t, "launch-bound", "finding", "queued operations");
	finish(&t);
}

/* The same of operators that take 200 us in each step: the wait of 500 us comes first. */
TEST(a_wait_comes_before_a_graph_of_operators)
{
	for (unsigned waits = 0; waits < 2; waits++) {
		struct tape t;

		start(&t);
		for (unsigned i = 0; i < 12; i++) {
			wl_ns begin = t.now;

			launch(&t, "kernel_a", 5 * US, 600 * US);
			t.now -= 550 * US;
			if (waits)
				call(&t, "cudaStreamSynchronize", 500 * US, 0);
			t.now = begin + 605 * US;
			range(&t, "FSDP::pre_forward", t.now, t.now + 200 * US);
			t.now += 200 * US;
			launch(&t, "kernel_b", 5 * US, 20 * US);
			range(&t, "step", begin, t.now);
			t.now++;
		}
		ask_all(&t);
		expect_words(&t, "host-starved", "finding", "is busy in framework operators");
		expect_words(&t, "host-starved", "action",
			     waits ? "waits for the GPU" : "Capture the step in a CUDA graph");
		finish(&t);
	}
}

/* A call in the gap of each step, by what it does. */
TEST(os_calls_are_known_by_their_whole_names)
{
	static const struct {
		const char *name, *finding, *action;
	} calls[] = {
		{ "pthread_mutex_unlock", "is running other code", "Move this work to" },
		{ "pthread_mutex_lock", "is sleeping", "holds the lock" },
		{ "poll", "is sleeping", "Find the wait" },
		{ "nanosleep", "is sleeping", "Remove the sleep" },
		{ "pread64", "is running other code", "Read one step ahead" },
		{ "fwrite", "is writing output", "Write from another thread" },
		{ "write", "is writing output", "Write from another thread" },
	};

	for (unsigned i = 0; i < WL_COUNT(calls); i++) {
		struct tape t;

		start(&t);
		for (unsigned k = 0; k < 12; k++) {
			MEM_OSRT(&t.x.mem, .start = t.now + 60 * US, .end = t.now + 340 * US,
				 .tid = TID, .name = calls[i].name);
			step(&t, NULL, 300 * US);
		}
		ask_all(&t);
		expect_words(&t, "host-starved", "finding", calls[i].finding);
		expect_words(&t, "host-starved", "action", calls[i].action);
		finish(&t);
	}
}

/* Ranks compute for 400 us and meet in an AllReduce of 100 us; in step 5 rank 1 is 40 ms late. */
static void meet(struct tape *t, unsigned n_recorded)
{
	for (unsigned i = 0; i < 14; i++) {
		wl_ns begin = t->now + 10 * US, late = i == 5 ? 40 * MS : 0;
		wl_ns end = begin + 500 * US + late;

		for (unsigned rank = 0; rank < n_recorded; rank++) {
			wl_ns ready = begin + 400 * US + (rank == 1 ? late : 0);

			run_on(t, rank, "kernel_a", begin, ready);
			run_on(t, rank, "ncclDevKernel_AllReduce_Sum_f32_RING", ready, end);
			MEM_NVTX(&t->x.mem, .start = begin - 6 * US, .end = end, .pid = 100 + rank,
				 .tid = TID + rank, .name = "step");
		}
		t->now = end;
	}
}

TEST(one_long_collective_is_told_once)
{
	WITH(struct tape, t, finish, start(&t));

	meet(&t, 1);
	ask_all(&t);
	expect_saving(&t, "slow-iterations", "window", 40 * MS);
	expect_words(&t, "slow-iterations", "finding",
		     "Step 5 takes 40 ms longer than the others, once in 12 steps");
	expect_words(&t, "slow-iterations", "finding",
		     "one AllReduce takes 40.1 ms, 401 times the median (100 us)");
	expect_words(&t, "slow-iterations", "finding",
		     "probably a rank that is not in this trace arrived late");
	expect_words(&t, "slow-iterations", "action", "step 5 on all ranks (window step:5)");
	expect_no_words(&t, "slow-iterations", "finding", "per step");
	expect_no_words(&t, "slow-iterations", "advice", "data loader");
}

TEST(who_is_late_is_known_where_all_are_recorded)
{
	WITH(struct tape, t, finish, start(&t));

	meet(&t, 2);
	ask_all(&t);
	expect_words(&t, "slow-iterations", "finding", "once in 12 steps");
	expect_words(&t, "slow-iterations", "finding", "mostly exposed communication");
	expect_words(&t, "slow-iterations", "finding", "GPU 1 arrived last");
}

/* Copies of 7 us, of which 3 us lie beside a kernel, in each step of 300 us or in one of ten. */
TEST(copies_count_where_they_run_alone)
{
	for (unsigned every = 1; every <= 10; every += 9) {
		struct tape t;

		start(&t);
		for (unsigned i = 0; i < 12; i++) {
			wl_ns begin = t.now;

			launch(&t, "kernel_a", 5 * US, 295 * US);
			t.now -= 3 * US;
			if (i % every == 5 % every)
				copy(&t, "cudaMemcpyAsync", 7 * US * every,
				     &(struct mem_op){ .kind = WL_COPY_D2D,
						       .src = 2,
						       .dst = 2,
						       .bytes = 1 << 20 });
			range(&t, "step", begin, t.now);
		}
		ask_all(&t);
		if (every == 1)
			expect_words(&t, "device-copies", "finding",
				     "run alone for 4 us of each step (1.3%): 1 copy per step, the "
				     "largest 1.049 MB");
		else
			expect_words(&t, "device-copies", "finding",
				     "67 us in 1 of 10 steps (1.8%): 1 copy");
		finish(&t);
	}
}

/* Step 7 has 2 ms more of what all steps have: the rows show both, and the findings share them. */
TEST(the_caveat_tells_what_other_findings_claim)
{
	WITH(struct tape, t, finish, start(&t));

	for (unsigned i = 0; i < 12; i++)
		step(&t, "load_batch", i == 7 ? 2300 * US : 300 * US);
	ask_all(&t);
	expect_saving(&t, "slow-iterations", "window", 2 * MS);
	expect_saving(&t, "host-starved", "step", 300 * US);
	expect_words(&t, "host-starved", "limits",
		     "he evidence shows 3 ms of this and 2 ms that other findings claim.");
}

/* An AllReduce of 2 us after 500 us of compute is small; with a Broadcast there are two kinds. */
TEST(small_communication_is_told_by_its_kind)
{
	for (unsigned n_kinds = 1; n_kinds <= 2; n_kinds++) {
		struct tape t;

		start(&t);
		for (unsigned i = 0; i < 12; i++) {
			wl_ns begin = t.now + 10 * US, end = begin + 500 * US;

			run_on(&t, 0, "kernel_a", begin, end);
			run_on(&t, 0, "ncclDevKernel_AllReduce_Sum_f32_RING", end, end + 2 * US);
			if (n_kinds == 2)
				run_on(&t, 0, "ncclDevKernel_Broadcast_RING", end + 2 * US,
				       end + 4 * US);
			MEM_NVTX(&t.x.mem, .start = begin - 6 * US, .end = end + 4 * US, .tid = TID,
				 .name = "step");
			t.now = end + 4 * US;
		}
		ask_all(&t);
		expect_words(&t, "exposed-comm", "finding",
			     n_kinds == 1
				     ? "Other exposed AllReduce, each call site below 1%: "
				     : "Other exposed communication, each call site below 1%: ");
		finish(&t);
	}
}

/*
 * In turn one of two ranks is 40 us late for an all-reduce that takes 20 us: each waits 20 us per
 * step, and neither is a straggler. The transfer is what can be hidden; of a single rank nobody
 * knows what is wait.
 */
TEST(waits_for_others_in_turn_are_not_claimed)
{
	for (unsigned n_ranks = 1; n_ranks <= 2; n_ranks++) {
		struct tape t;

		start(&t);
		for (unsigned i = 0; i < 14; i++) {
			wl_ns begin = t.now + 10 * US, late = begin + 540 * US;

			for (unsigned r = 0; r < n_ranks; r++) {
				wl_ns ready = i % 2 == r ? late : late - 40 * US;

				run_on(&t, r, "kernel_a", begin, ready);
				run_on(&t, r, "ncclDevKernel_AllReduce_Sum_f32_RING", ready,
				       late + 20 * US);
				MEM_NVTX(&t.x.mem, .start = begin - 6 * US, .end = late + 20 * US,
					 .pid = 100 + r, .tid = TID + r, .name = "step");
			}
			t.now = late + 20 * US;
		}
		ask_all(&t);
		assert_int_equal(row_of(&t, "straggler"), -1);
		expect_saving(&t, "exposed-comm", "step", (n_ranks == 1 ? 40 : 20) * US);
		finish(&t);
	}
}

/* A blocking copy from pageable memory begins 60 us into its call and takes 40 us. */
TEST(a_pageable_copy_is_told_from_its_call)
{
	WITH(struct tape, t, finish, start(&t));

	for (unsigned i = 0; i < 12; i++) {
		wl_ns begin = t.now;

		launch(&t, "kernel_a", 5 * US, 300 * US);
		t.corr++;
		MEM_OP(&t.x.mem, WL_F_MEMCPYS, .start = t.now + 60 * US, .end = t.now + 100 * US,
		       .corr = t.corr, .kind = WL_COPY_H2D, .src = WL_MEMORY_PAGEABLE, .dst = 2,
		       .bytes = 1 << 20);
		call(&t, "cudaMemcpy", 100 * US, t.corr);
		range(&t, "step", begin, t.now);
	}
	ask_all(&t);
	expect_saving(&t, "pageable-copy", "step", 100 * US);
	expect_words(&t, "pageable-copy", "finding", "60.0% of it GPU idle during the copy calls");
}

/* In each step of 300 us of host work, so much of it in a call of the operating system. */
static void work_in(struct tape *t, const char *range_name, const char *os_call, wl_ns length)
{
	start(t);
	for (unsigned k = 0; k < 12; k++) {
		if (os_call)
			MEM_OSRT(&t->x.mem, .start = t->now + 60 * US,
				 .end = t->now + 60 * US + length, .tid = TID, .name = os_call);
		step(t, range_name, 300 * US);
	}
	ask_all(t);
}

/* Calls decide where the name does not; output is not prefetched. */
TEST(output_is_written_and_not_prefetched)
{
	static const struct {
		const char *range, *call;
		wl_ns length;
		const char *action;
	} works[] = {
		{ "IO 1", "write", 30, "Format and write output in another thread" },
		{ "IO 1", "read", 30, "Move this work to" },
		{ "saveResults", NULL, 0, "Write from another thread" },
		{ "IO 1", NULL, 0, "Move this work to" },
		{ "forward", "write", 30, "Move this work to" },
		{ "MPI", NULL, 0, "Overlap the exchange with compute" },
	};

	for (size_t i = 0; i < WL_COUNT(works); i++) {
		struct tape t;

		work_in(&t, works[i].range, works[i].call, works[i].length * US);
		expect_words(&t, "host-starved", "action", works[i].action);
		if (works[i].call && *works[i].range == 'I')
			expect_words(&t, "host-starved", "finding",
				     "OS calls take 10.0% of this time, the rest is CPU work");
		else
			expect_no_words(&t, "host-starved", "finding", "CPU work");
		finish(&t);
	}
}

/* 12 steps of 100 us of kernels; that of the fifth one has a first exchange besides. */
static void exchange(struct tape *t, wl_ns length, wl_ns first)
{
	start(t);
	for (unsigned k = 0; k < 12; k++) {
		wl_ns ns = length + (k == 5 ? first : 0);

		if (length)
			MEM_MPI_OTHER(&t->x.mem, .start = t->now + 60 * US,
				      .end = t->now + 60 * US + ns, .tid = TID,
				      .name = "MPI_Sendrecv");
		step(t, "MPI", 300 * US + ns);
	}
	ask_all(t);
}

/*
 * The advice is about the exchange: so is what it saves, where calls of MPI were recorded. Kernels
 * of a step hide no more than they take, of its MPI calls.
 */
TEST(messages_are_replayed_as_such)
{
	static const struct {
		wl_ns length, first;
		const char *scenario, *saves, *action;
	} cases[] = {
		{ 0, 0, "host-starved", "", "Overlap the exchange" },
		{ 800 * US, 0, "class=mpi:0", "at most 9.6 ms of", "Exchange less" },
		{ 80 * US, 0, "overlap-mpi", "at most 960 us of", "Overlap the exchange" },
		{ 190 * US, 0, "overlap-mpi", "at most 1.2 ms of", "Overlap the exchange" },
		{ 190 * US, 20 * MS, "overlap-mpi", "at most 1.2 ms of", "Overlap the exchange" },
	};

	for (size_t i = 0; i < WL_COUNT(cases); i++) {
		struct tape t;

		exchange(&t, cases[i].length, cases[i].first);
		expect_words(&t, "host-starved", "scenario", cases[i].scenario);
		expect_words(&t, "host-starved", "fixing", cases[i].saves);
		expect_words(&t, "host-starved", "action", cases[i].action);
		finish(&t);
	}
}

/* The first exchange has its own finding, and neither has the time of the other. */
TEST(a_first_exchange_is_a_slow_step)
{
	struct tape t;

	exchange(&t, 190 * US, 20 * MS);
	expect_words(&t, "slow-iterations", "finding", "Step 5 takes 20 ms longer");
	expect_words(&t, "slow-iterations", "fixing", "saves 20");
	expect_words(&t, "host-starved", "fixing",
		     "with MPI calls behind the kernels of their step");
	finish(&t);
}

static bool has_scenario(struct tape *t)
{
	bool ret = false;

	for (size_t i = 0; i < t->x.a.table.n_rows; i++)
		ret |= answer_is_set(&t->x.a, i, "scenario");
	return ret;
}

/* The graph is large: a run in which nothing is to be replayed does without it. */
TEST(a_graph_is_made_where_a_finding_has_a_scenario)
{
	static const char *const no_args[WL_MAX_PARAMS];
	struct tape t;

	for (unsigned pause = 0; pause <= 40; pause += 40) {
		start(&t);
		for (unsigned i = 0; i < 30; i++) {
			wl_ns begin = (wl_ns)i * (50 + pause) * US;

			run_on(&t, 0, unsteady(i), begin, begin + 50 * US);
		}
		ask(&t.x, no_args);
		assert_non_null(t.x.a.derivations.all.stragglers);
		assert_true(has_scenario(&t) == (pause > 0));
		assert_true((t.x.a.derivations.all.graph != NULL) == (pause > 0));
		assert_true((t.x.a.derivations.all.replay_plan != NULL) == (pause > 0));
		finish(&t);
	}
}
