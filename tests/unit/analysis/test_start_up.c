/* SPDX-License-Identifier: MIT */
/* Start-up: what happens once, how long it takes, and where it stands in the list. */
#include "support/tape.h"

/* A step of 200 us: 5 us of launch, then a kernel, then host code. */
static void step(struct tape *t, wl_ns run)
{
	wl_ns begin = t->now;

	launch(t, "kernel_a", 5 * US, run);
	t->now = begin + 200 * US;
	range(t, "step", begin, t->now);
	t->now += 1;
}

/* A compile of 4 ms before 20 steps, of which the GPU works for so long. */
static void compile_then_steps(struct tape *t, wl_ns run)
{
	start(t);
	launch(t, "kernel_c", 5 * US, 10 * US);
	range(t, "Nvrtc::CompileProgram", t->now, t->now + 4 * MS);
	t->now += 4 * MS;
	for (unsigned i = 0; i < 20; i++)
		step(t, run);
	ask_all(t);
}

/* It takes half of the window; 90% of each step is idle, but all steps are the other half. */
TEST(start_up_takes_its_place_by_what_it_saves)
{
	struct tape t;

	compile_then_steps(&t, 20 * US);
	assert_int_equal(row_of(&t, "start-up"), 0);
	assert_int_equal(row_of(&t, "host-starved"), 1);
	assert_true(answer_f64(&t.x.a, 0, "saves_share") > answer_f64(&t.x.a, 1, "saves_share"));
	expect_words(&t, "start-up", "finding", "compiling kernels before the first step");
	/* Both are host time; of that in the steps, which the budget is of, start-up has none. */
	assert_string_equal(answer_str(&t.x.a, 0, "part"), "host");
	assert_string_equal(answer_str(&t.x.a, 1, "part"), "host");
	expect_i64(&t.x.a, 0, "part_time", 0);
	expect_i64(&t.x.a, 1, "part_time", 18 * (175 * US + 1));
	finish(&t);
	compile_then_steps(&t, 150 * US);
	assert_int_equal(row_of(&t, "start-up"), 0);
	finish(&t);
}

/* OS calls cut the range into parts: its length is told, not theirs. */
TEST(the_length_is_of_the_whole_range)
{
	WITH(struct tape, t, finish, start(&t));

	launch(&t, "kernel_a", 5 * US, 10 * US);
	range(&t, "Nvrtc::CompileProgram", t.now, t.now + 10 * MS);
	for (wl_ns i = 1; i < 4; i++)
		MEM_OSRT(&t.x.mem, .start = t.now + i * 2 * MS, .end = t.now + i * 2 * MS + 1 * US,
			 .tid = TID, .name = "read");
	t.now += 10 * MS;
	launch(&t, "kernel_a", 5 * US, 10 * US);
	call(&t, "cuModuleLoadData", 1 * MS, 0);
	launch(&t, "kernel_a", 5 * US, 10 * US);
	ask_all(&t);
	expect_saving(&t, "start-up", "window", 11 * MS - 3 * US);
	expect_words(&t, "start-up", "finding", "the longest 10 ms in `Nvrtc::CompileProgram`");
}

/* A buffer for each of twelve copies: the steps are sound, and a note says so. */
TEST(a_loop_of_allocations_before_the_steps_can_be_mended)
{
	WITH(struct tape, t, finish, start(&t));

	launch(&t, "kernel_c", 5 * US, 10 * US);
	for (unsigned i = 0; i < 12; i++) {
		call(&t, "cudaMalloc", 30 * US, 0);
		launch(&t, "kernel_c", 1 * US, 10 * US);
	}
	for (unsigned i = 0; i < 20; i++)
		step(&t, 195 * US);
	ask(&t.x, NULL);
	assert_int_equal(row_of(&t, "start-up"), 0);
	expect_words(&t, "start-up", "finding", "memory before the first step, 360 us");
	expect_words(&t, "start-up", "finding",
		     "of it in `cudaMalloc` (12 gaps, the longest 30 us)");
	expect_words(&t, "start-up", "action", "Allocate once and reuse");
}

/* Two calls of a model; the first sets everything up, and takes so long. */
static void call_twice(struct tape *t, wl_ns first, bool has_ranges)
{
	wl_ns begin;

	start(t);
	for (unsigned i = 0; i < 4; i++) {
		launch(t, unsteady(i), 5 * US, 10 * US);
		t->now += 1 * MS;
	}
	begin = t->now;
	for (unsigned i = 0; i < 15; i++) {
		launch(t, unsteady(i), 5 * US, 50 * US);
		t->now += first / 15;
	}
	if (has_ranges)
		range(t, "Model", begin, t->now);
	begin = t->now;
	for (unsigned i = 4; i < 8; i++) {
		launch(t, unsteady(i), 5 * US, 50 * US);
		t->now += 150 * US;
	}
	if (has_ranges)
		range(t, "Model", begin, t->now);
	ask_all(t);
}

TEST(a_first_call_ten_times_as_long_is_a_warm_up)
{
	WITH(struct tape, t, finish, call_twice(&t, 30 * MS, true));

	expect_words(&t, "start-up", "subject", "warm-up");
	expect_words(
		&t, "start-up", "finding",
		"GPU idle until the first `Model` ends (it takes 30.83 ms, the second 820 us)");
	/* Four pauses of 1 ms, 15 of 2 ms, and the launches between: all but the first one's. */
	expect_saving(&t, "start-up", "window", 34 * MS + US * 18 * 5);
	/* What remains is of the second call. */
	expect_saving(&t, "host-starved", "window", US * 3 * 150);
}

/* A load of 3 ms in the warm-up is a finding of its own: the other one is about the rest. */
TEST(a_warm_up_with_loads_is_told_as_the_rest)
{
	WITH(struct tape, t, finish, start(&t));

	for (unsigned i = 0; i < 15; i++) {
		launch(&t, unsteady(i), 5 * US, 50 * US);
		if (i == 7)
			call(&t, "cuModuleLoadData", 3 * MS, 0);
		t.now += 2 * MS;
	}
	range(&t, "Model", 0, t.now);
	range(&t, "Model", t.now, t.now + 820 * US);
	for (unsigned i = 4; i < 8; i++) {
		launch(&t, unsteady(i), 5 * US, 50 * US);
		t.now += 150 * US;
	}
	ask_all(&t);
	expect_words(&t, "start-up", "finding", "GPU idle until the first `Model` ends");
}

/* Without the factor, or without a range, nothing proves a warm-up. */
TEST(two_calls_alike_are_no_warm_up)
{
	struct tape t;

	call_twice(&t, 6 * MS, true);
	assert_int_equal(row_of(&t, "start-up"), -1);
	finish(&t);
	call_twice(&t, 30 * MS, false);
	assert_int_equal(row_of(&t, "start-up"), -1);
	finish(&t);
}
