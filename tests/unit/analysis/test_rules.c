/* SPDX-License-Identifier: MIT */
/* Rules that no test of another subject fires: one trace for each, and one that just misses it. */
#include "support/tape.h"

#include "known/exports/codes.h"

/* The profiler works on the launching thread until the next call. */
static void flush(struct tape *t, wl_ns length)
{
	uint32_t thread = mem_thread(&t->x.mem, 0, TID);
	uint32_t name = mem_string(&t->x.mem, "Buffer Flush");

	mem_row(&t->x.mem, WL_F_OVERHEAD, t->now, t->now + length);
	mem_put(&t->x.mem, WL_OVERHEAD_THREAD, &thread);
	mem_put(&t->x.mem, WL_OVERHEAD_NAME, &name);
	t->now += length;
}

TEST(the_profilers_own_work_is_overhead)
{
	WITH(struct tape, t, finish, start(&t));

	for (unsigned i = 0; i < 12; i++) {
		launch(&t, unsteady(i), 5 * US, 50 * US);
		flush(&t, 40 * US);
	}
	launch(&t, "kernel_a", 5 * US, 50 * US);
	ask_all(&t);
	expect_saving(&t, "profiler-overhead", "window", US * 12 * 40);
	expect_words(&t, "profiler-overhead", "finding", "all of it in `Buffer Flush`");
}

/* The launch call that ends now spent this long on something else than its own work. */
static void spend(struct tape *t, const char *on, wl_ns begin, wl_ns length)
{
	uint32_t thread = mem_thread(&t->x.mem, 0, TID), name = mem_string(&t->x.mem, on);

	mem_row(&t->x.mem, WL_F_CALL_COSTS, begin, begin + length);
	mem_put(&t->x.mem, WL_CALL_COSTS_THREAD, &thread);
	mem_put(&t->x.mem, WL_CALL_COSTS_NAME, &name);
	mem_put(&t->x.mem, WL_CALL_COSTS_KIND, &(uint8_t){ 0 });
}

/* The same long launch calls, of which nsys says nothing, or what they are. */
TEST(to_launch_faster_is_no_advice_where_calls_wait_or_load)
{
	static const char *const on[] = { NULL, "Command Buffer Full", "Lazy Function Loading" };

	for (size_t n = 0; n < WL_COUNT(on); n++) {
		struct tape t;

		start(&t);
		for (unsigned i = 0; i < 100; i++) {
			wl_ns begin = t.now;

			launch(&t, unsteady(i * i / 7), 60 * US, 10 * US);
			if (on[n])
				spend(&t, on[n], begin, 60 * US);
		}
		ask_all(&t);
		assert_int_equal(row_of(&t, "launch-bound") >= 0, !on[n]);
		finish(&t);
	}
}

/* In every step of 12 the second kernel is queued, and its stream waits for a function. */
TEST(a_queued_kernel_waits_for_a_host_function)
{
	struct tape t;

	start(&t);
	for (unsigned i = 0; i < 12; i++) {
		wl_ns begin = t.now;

		t.corr += 2;
		for (unsigned k = 0; k < 2; k++) {
			mem_api(&t.x.mem, &(struct mem_call){ .start = begin + k * 5 * US,
							      .end = begin + (k + 1) * 5 * US,
							      .tid = TID,
							      .corr = t.corr + k });
			mem_op(&t.x.mem, WL_F_KERNELS,
			       &(struct mem_op){ .start = begin + (k ? 80 : 10) * US,
						 .end = begin + (k ? 120 : 50) * US,
						 .corr = t.corr + k,
						 .name = "kernel" });
		}
		mem_host_function(&t.x.mem, &(struct mem_op){ .start = begin + 50 * US,
							      .end = begin + 80 * US,
							      .corr = 5000 + i,
							      .name = "sample" });
		t.now = begin + 120 * US;
		range(&t, "step", begin, t.now);
		t.now += 1;
	}
	ask_all(&t);
	expect_saving(&t, "host-callback", "step", 30 * US);
	expect_words(&t, "host-callback", "finding", "all of it in `sample`");
	finish(&t);
}

/* A module is loaded in every step of 12, or for a shorter time in three of them. */
TEST(modules_loaded_in_every_step_are_in_the_loop)
{
	for (unsigned always = 0; always < 2; always++) {
		struct tape t;

		start(&t);
		for (unsigned i = 0; i < 12; i++) {
			wl_ns begin = t.now;

			launch(&t, "kernel_a", 5 * US, 45 * US);
			if (always || (i >= 2 && i < 5))
				call(&t, "cuModuleLoadData", always ? 30 * US : 4 * US, 0);
			launch(&t, "kernel_b", 5 * US, 45 * US);
			range(&t, "step", begin, t.now);
			t.now += 1;
		}
		ask_all(&t);
		if (always) {
			expect_saving(&t, "module-load-in-loop", "step", 30 * US);
			expect_words(&t, "module-load-in-loop", "finding",
				     "all of it in `cuModuleLoadData`");
		} else {
			assert_int_equal(row_of(&t, "module-load-in-loop"), -1);
			expect_saving(&t, "start-up", "window", US * 3 * 4);
		}
		finish(&t);
	}
}

/* Twelve steps; those of a set, as bits, load a module, or copy, for 1 ms. */
static void some_slow_steps(struct tape *t, unsigned slow, bool copies)
{
	start(t);
	for (unsigned i = 0; i < 12; i++) {
		wl_ns begin = t->now;

		launch(t, "kernel_a", 5 * US, 45 * US);
		if (slow >> i & 1 && !copies)
			call(t, "cuModuleLoadData", 1 * MS, 0);
		else if (slow >> i & 1)
			copy(t, "cudaMemcpyAsync", 1 * MS,
			     &(struct mem_op){
				     .kind = WL_COPY_D2H, .src = 2, .dst = 1, .bytes = 1 << 24 });
		launch(t, "kernel_b", 5 * US, 45 * US);
		range(t, "step", begin, t->now);
		t->now += 1;
	}
	ask_all(t);
}

/* A cause with a rule makes steps 4 and 9 slow; step 7 alone, or steps 1 and 2, it makes slow once.
 */
TEST(slow_steps_are_left_to_the_rule_of_their_cause)
{
	struct tape t;

	some_slow_steps(&t, 1U << 4 | 1U << 9, false);
	assert_int_equal(row_of(&t, "slow-iterations"), -1);
	expect_saving(&t, "module-load-in-loop", "window", 2 * MS);
	expect_words(&t, "module-load-in-loop", "finding", "in 2 of 10 steps");
	finish(&t);
	some_slow_steps(&t, 1U << 4 | 1U << 9, true);
	assert_int_equal(row_of(&t, "slow-iterations"), -1);
	expect_saving(&t, "exposed-copy", "window", 2 * MS);
	expect_no_words(&t, "exposed-copy", "advice", "set-up");
	finish(&t);
	some_slow_steps(&t, 1U << 7, false);
	assert_int_equal(row_of(&t, "module-load-in-loop"), -1);
	expect_saving(&t, "slow-iterations", "window", 1 * MS);
	finish(&t);
	some_slow_steps(&t, 1U << 1 | 1U << 2, false);
	assert_int_equal(row_of(&t, "module-load-in-loop"), -1);
	expect_saving(&t, "slow-iterations", "window", 2 * MS);
	finish(&t);
}

/* kernel_a takes 30 us, or 10 us, of a window of 100 us. */
TEST(a_fifth_of_the_window_is_dominant)
{
	for (wl_ns length = 10; length <= 30; length += 20) {
		struct tape t;

		start(&t);
		for (unsigned i = 0; i < 10; i++)
			launch(&t, i == 4 ? "kernel_a" : "other", i > 0 ? 1 * US : 0,
			       (i == 4 ? length : 1) * US);
		t.now = (100 - 5) * US;
		launch(&t, "last", 1 * US, 4 * US);
		ask_all(&t);
		if (length == 30)
			expect_words(
				&t, "dominant-kernel", "finding",
				"One kernel, kernel_a, takes 30 us of the window: 30.0% of the window on GPU 0");
		else
			assert_int_equal(row_of(&t, "dominant-kernel"), -1);
		finish(&t);
	}
}

/*
 * Of 1000 kernels, or of 999, half take 5 us or 3 us and the others 6 us. Those of 3 us follow ones
 * of 5 us: of 20 us and 4 us between, which are the host's, 3 us are claimed.
 */
TEST(a_thousand_kernels_can_be_tiny)
{
	static const wl_ns length[] = { 5, 3, 6, 6 };

	for (unsigned n = 999; n <= 1000; n++) {
		struct tape t;

		start(&t);
		for (unsigned i = 0; i < n; i++)
			launch(&t, unsteady(i), 1 * US, length[i % 4] * US);
		ask_all(&t);
		if (n == 1000) {
			expect_words(&t, "tiny-kernels", "finding",
				     "50.0% of the kernels take 5 us or less");
			expect_words(&t, "tiny-kernels", "finding", " (12.5%) on GPU 0");
			expect_words(&t, "tiny-kernels", "scenario", "tiny-kernels");
		} else
			assert_int_equal(row_of(&t, "tiny-kernels"), -1);
		finish(&t);
	}
}

/* Kernels of 100 us one after the other, with samples of 10 us; most of the GPU's SMs are idle. */
static void sampled_kernels(struct tape *t, const char *kernel, const char *metric, int64_t value)
{
	start(t);
	mem_gpu(&t->x.mem, 0, 0);
	t->now = 5 * US;
	for (unsigned i = 0; i < 20; i++) {
		MEM_OP(&t->x.mem, WL_F_KERNELS, .start = t->now, .end = t->now + 100 * US,
		       .name = kernel);
		t->now += 100 * US;
	}
	for (wl_ns at = 0; at < t->now; at += 10 * US)
		mem_metric(&t->x.mem, 0, metric, at, value);
}

TEST(idle_sms_are_found_where_counters_show_them)
{
	static const struct {
		const char *kernel, *metric;
		int64_t value;
		bool is_found;
	} cases[] = {
		{ "kernel", "SMs Active [Throughput %]", 31, true },
		{ "kernel", "SM Active", 31, true },
		{ "kernel", "SM Active", 50, false },
		{ "kernel", "SM Issue", 31, false },
		/* communication is not expected to use all */
		{ "ncclDevKernel_AllReduce_Sum_f32_RING_LL", "SM Active", 12, false },
	};

	for (size_t i = 0; i < WL_COUNT(cases); i++) {
		struct tape t;

		sampled_kernels(&t, cases[i].kernel, cases[i].metric, cases[i].value);
		ask_all(&t);
		if (cases[i].is_found)
			expect_words(
				&t, "idle-sms", "finding",
				"GPU 0 is busy, but 69.0% of its SMs are idle: 31.0% of them are "
				"active while compute kernels run, for 1.99 ms (99.5% of the window)");
		else
			assert_int_equal(row_of(&t, "idle-sms"), -1);
		finish(&t);
	}
}

/* Twelve steps, or fewer; each keeps some bytes of what it allocates. */
static void steps_with_memory(struct tape *t, unsigned n, int64_t kept)
{
	start(t);
	mem_allocation(&t->x.mem, 1, 0, 2, 10000, false);
	for (unsigned i = 1; i <= n; i++) {
		wl_ns at = i * 1000 * US;

		MEM_NVTX(&t->x.mem, .start = at, .end = at + 900 * US, .name = "step");
		MEM_API(&t->x.mem, .start = at + US, .end = at + 2 * US, .corr = i,
			.name = "cudaLaunchKernel");
		MEM_OP(&t->x.mem, WL_F_KERNELS, .start = at + 3 * US, .end = at + 800 * US,
		       .corr = i);
		mem_allocation(&t->x.mem, at + 10 * US, 0, 2, 500, false);
		mem_allocation(&t->x.mem, at + 20 * US, 0, 2, 500 - kept, true);
	}
}

TEST(memory_that_grows_is_found)
{
	static const struct {
		unsigned n;
		int64_t kept;
		bool is_found;
	} cases[] = {
		{ 12, 100, true },
		{ 9, 100, true },
		{ 8, 100, false }, /* seven ends: the last step is left out */
		{ 12, 0, false },
		{ 12, 10, false }, /* 100 bytes in ten steps, of a peak above 10,000 */
		{ 12, 12, true },
		{ 600, 100, true }, /* of which 512 are compared */
	};

	for (size_t i = 0; i < WL_COUNT(cases); i++) {
		struct tape t;

		steps_with_memory(&t, cases[i].n, cases[i].kept);
		ask_all(&t);
		if (cases[i].is_found)
			expect_words(&t, "memory-growth", "finding", "Memory on GPU 0 grows by ");
		else
			assert_int_equal(row_of(&t, "memory-growth"), -1);
		finish(&t);
	}
}

/* Kernels of 9 us and pauses of 1 us: no sample of 10 us is without one. */
TEST(samples_with_pauses_prove_nothing)
{
	WITH(struct tape, t, finish, start(&t));

	mem_gpu(&t.x.mem, 0, 0);
	for (wl_ns at = 0; at < 1000 * US; at += 10 * US) {
		MEM_OP(&t.x.mem, WL_F_KERNELS, .start = at, .end = at + 9 * US);
		mem_metric(&t.x.mem, 0, "SM Active", at, 10);
	}
	ask_all(&t);
	assert_int_equal(row_of(&t, "idle-sms"), -1);
}

/* Kernels for 100 us at either end; in the 800 us between them samples of 10 us show this value. */
TEST(work_that_is_not_recorded_is_found)
{
	static const struct {
		int64_t value;
		bool is_found;
	} cases[] = { { 71, true }, { 10, true }, { 9, false } };

	for (size_t i = 0; i < WL_COUNT(cases); i++) {
		struct tape t;

		start(&t);
		mem_gpu(&t.x.mem, 0, 0);
		MEM_OP(&t.x.mem, WL_F_KERNELS, .start = 0, .end = 100 * US);
		MEM_OP(&t.x.mem, WL_F_KERNELS, .start = 900 * US, .end = 1000 * US);
		/* While kernels run, the counter may be anything. */
		for (wl_ns at = 0; at < 1000 * US; at += 10 * US)
			mem_metric(&t.x.mem, 0, "SM Active", at,
				   at < 100 * US || at >= 900 * US ? 100 : cases[i].value);
		ask_all(&t);
		if (i == 0)
			expect_words(
				&t, "foreign-work", "finding",
				"71.0% of the SMs of GPU 0 are active while nothing recorded runs");
		/* It comes first, and what is idle there is not free. */
		if (i == 0)
			assert_int_equal(row_of(&t, "foreign-work"), 0);
		if (i == 0 && row_of(&t, "host-starved") >= 0)
			expect_words(&t, "host-starved", "severity", "info");
		assert_int_equal(row_of(&t, "foreign-work") >= 0, cases[i].is_found);
		finish(&t);
	}
}

/* Every answer with idle time says so, and those of other traces say nothing. */
TEST(idle_time_that_counters_contradict_is_in_doubt)
{
	static const char *const verbs[] = { "idle", "overlap", "gaps" };

	for (size_t i = 0; i < 2 * WL_COUNT(verbs); i++) {
		struct asked x;
		bool is_said = false;

		asked_init(&x, verbs[i / 2]);
		mem_gpu(&x.mem, 0, 0);
		MEM_OP(&x.mem, WL_F_KERNELS, .start = 0, .end = 100 * US);
		MEM_OP(&x.mem, WL_F_MEMSETS, .start = 10 * US, .end = 20 * US);
		MEM_OP(&x.mem, WL_F_KERNELS, .start = 900 * US, .end = 1000 * US);
		for (wl_ns at = 0; at < 1000 * US; at += 10 * US)
			mem_metric(&x.mem, 0, "SM Active", at, i % 2 ? 71 : 5);
		ask(&x, NULL);
		for (const struct wl_note *n = x.a.table.notes; n; n = n->next)
			is_said = is_said || n->is_verdict;
		assert_int_equal(is_said, i % 2);
		asked_release(&x);
	}
}

TEST(matrix_products_without_tensor_cores_are_found)
{
	static const struct {
		const char *kernel;
		int64_t value;
		bool is_found;
	} cases[] = { { "ampere_sgemm_128x64_tn", 0, true },
		      { "ampere_sgemm_128x64_tn", 1, false },
		      { "elementwise_kernel", 0, false } };

	for (size_t i = 0; i < WL_COUNT(cases); i++) {
		struct tape t;

		sampled_kernels(&t, cases[i].kernel, "Tensor Active", cases[i].value);
		ask_all(&t);
		if (cases[i].is_found)
			expect_words(&t, "idle-tensor-cores", "finding",
				     "Matrix multiplications on GPU 0 do not use tensor cores");
		else
			assert_int_equal(row_of(&t, "idle-tensor-cores"), -1);
		finish(&t);
	}
}

/* A graph, traced as a whole, for a tenth of the window, and for less than a hundredth. */
TEST(replays_without_kernels_are_opaque)
{
	for (wl_ns length = 9; length <= 100; length += 91) {
		struct tape t;

		start(&t);
		launch(&t, "kernel_a", 0, (1000 - length) * US);
		call(&t, "cudaGraphLaunch", 0, ++t.corr);
		MEM_OP(&t.x.mem, WL_F_GRAPHS, .start = t.now, .end = t.now + length * US,
		       .corr = t.corr);
		ask_all(&t);
		if (length == 100)
			expect_words(&t, "graph-mode-opaque", "finding",
				     "Kernels inside CUDA graphs were not recorded; graph "
				     "replays take 10.0% of the time");
		else
			assert_int_equal(row_of(&t, "graph-mode-opaque"), -1);
		finish(&t);
	}
}

/* Four ranks meet in an AllReduce of 100 us; rank 2 computes that much longer than 400 us. */
static void meet(struct tape *t, wl_ns late)
{
	for (unsigned i = 0; i < 14; i++) {
		wl_ns begin = t->now + 10 * US, end = begin + 500 * US + late;

		for (unsigned rank = 0; rank < 4; rank++) {
			wl_ns ready = begin + 400 * US + (rank == 2 ? late : 0);

			run_on(t, rank, "kernel_a", begin, ready);
			run_on(t, rank, "ncclDevKernel_AllReduce_Sum_f32_RING", ready, end);
			/* Without it the host would launch as late however fast the GPU is. */
			MEM_API(&t->x.mem, .start = ready, .end = end + 1 * US, .pid = 100 + rank,
				.tid = TID + rank, .name = "cudaDeviceSynchronize");
			MEM_NVTX(&t->x.mem, .start = begin - 6 * US, .end = end, .pid = 100 + rank,
				 .tid = TID + rank, .name = "step");
		}
		t->now = end;
	}
}

TEST(the_gpu_that_all_wait_for_is_the_straggler)
{
	for (wl_ns late = 0; late <= 80 * US; late += 80 * US) {
		struct tape t;

		start(&t);
		meet(&t, late);
		ask_all(&t);
		if (late > 0) {
			expect_saving(&t, "straggler", "step", late);
			expect_words(&t, "straggler", "subject", "GPU 2");
		} else {
			assert_int_equal(row_of(&t, "straggler"), -1);
		}
		finish(&t);
	}
}

/* Twenty all-gathers, of which the second GPU leaves the twelfth out: from there on it is ahead. */
TEST(a_gpu_that_leaves_out_a_collective_is_out_of_step)
{
	for (unsigned left_out = 11; left_out <= 20; left_out += 9) {
		struct tape t;

		start(&t);
		for (unsigned i = 0; i < 20; i++) {
			for (unsigned rank = 0; rank < 3; rank++) {
				if (rank != 1 || i != left_out)
					run_on(&t, rank, "ncclDevKernel_AllGather_x", (i + 1) * MS,
					       (i + 1) * MS + 50 * US);
			}
		}
		ask_all(&t);
		if (left_out < 20)
			expect_words(&t, "out-of-step", "finding",
				     "GPU 1 does not call the same collective as its group: "
				     "at AllGather number 11 of GPUs 0-2 it calls another one");
		else
			assert_int_equal(row_of(&t, "out-of-step"), -1);
		finish(&t);
	}
}

/* In each step of 155 us a kernel of 40 us, by its name. */
TEST(kernels_that_change_layouts_are_named)
{
	for (unsigned changes = 0; changes < 2; changes++) {
		struct tape t;

		start(&t);
		for (unsigned i = 0; i < 12; i++) {
			wl_ns begin = t.now;

			launch(&t, "conv", 5 * US, 100 * US);
			launch(&t, changes ? "nchwToNhwcKernel" : "bias_nhwc", 5 * US, 40 * US);
			range(&t, "step", begin, t.now);
			t.now += 5 * US;
		}
		ask_all(&t);
		if (changes) {
			expect_saving(&t, "layout-change", "step", 40 * US);
			expect_words(&t, "layout-change", "finding",
				     "tensor layouts: 1 per step, 40 us per step (25.8%) on GPU "
				     "0, 100.0% of it in nchwToNhwcKernel");
			expect_words(&t, "layout-change", "scenario", "layout-change");
			expect_words(&t, "layout-change", "evidence",
				     "--where 'kernel ~ nchwToNhwcKernel'");
		} else {
			assert_int_equal(row_of(&t, "layout-change"), -1);
		}
		finish(&t);
	}
}
