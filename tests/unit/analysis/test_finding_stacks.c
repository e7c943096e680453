/* SPDX-License-Identifier: MIT */
/* Findings name the function that the launching thread ran, where call stacks tell. */
#include "support/tape.h"

/* Host code of that length after a kernel, with samples 50 us apart; every third has the second
 * stack.
 */
static void work(struct tape *t, wl_ns length, const char *stack, const char *other)
{
	wl_ns end = t->now + length;

	for (unsigned i = 0; t->now < end; i++, t->now += 50 * US)
		MEM_SAMPLE(&t->x.mem, .start = t->now, .tid = TID,
			   .stack = i % 3 == 2 ? other : stack);
	t->now = end;
}

/* The same twelve gaps of 600 us each. */
static void make(struct tape *t, const char *stack, const char *other)
{
	start(t);
	for (unsigned i = 0; i < 12; i++) {
		launch(t, unsteady(i), 5 * US, 50 * US);
		work(t, 600 * US, stack, other);
	}
	launch(t, "kernel_a", 5 * US, 50 * US);
	ask_all(t);
}

TEST(a_function_with_most_of_the_time_is_named)
{
	struct tape t;

	make(&t, "main;load_batch;libc.so.6!read", "main;step");
	expect_words(&t, "host-starved", "finding",
		     "; call stacks show `read` under `load_batch` for 66.7% of this time");
	expect_no_words(&t, "host-starved", "finding", "no stack");
	expect_words(&t, "host-starved", "evidence", "stacks");
	finish(&t);
}

TEST(stacks_of_a_finding_are_those_of_its_time)
{
	struct tape t;
	int64_t claimed, counted = 0;

	make(&t, "main;load_batch;libc.so.6!read", "main;step");
	assert_string_equal(answer_str(&t.x.a, 0, "code"), "host-starved");
	claimed = answer_i64(&t.x.a, 0, "gpu_time");
	t.x.q.analysis = "stacks";
	ask(&t.x, (const char *const[WL_MAX_PARAMS]){ [0] = "finding:1" });
	assert_string_equal(answer_str(&t.x.a, 0, "function"), "main");
	for (size_t i = 0; i < t.x.a.table.n_rows; i++)
		counted += answer_i64(&t.x.a, i, "self");
	assert_int_equal(counted, claimed);
	assert_true(answer_has_note(&t.x.a, "of finding 1, host-starved: "));
	finish(&t);
}

TEST(samples_without_a_stack_are_said)
{
	struct tape t;

	make(&t, "main;load_batch;libc.so.6!read", NULL);
	expect_words(&t, "host-starved", "finding", "for 66.7% of this time (no stack: 33.3%)");
	finish(&t);
}

/* Several functions of one caller. */
TEST(a_caller_with_most_of_the_time_is_named)
{
	WITH(struct tape, t, finish, start(&t));

	for (unsigned i = 0; i < 12; i++) {
		launch(&t, unsteady(i), 5 * US, 50 * US);
		work(&t, 300 * US, "save;libc.so.6!write", "save;libm.so.6!pow");
		work(&t, 300 * US, "save;libm.so.6!exp", "save;libc.so.6!write");
	}
	launch(&t, "kernel_a", 5 * US, 50 * US);
	ask_all(&t);
	expect_words(&t, "host-starved", "finding",
		     "; call stacks show `save` for 100.0% of this time, in it `write` for 50.0%");
}

/* Most stacks of the function have no caller: what is around the others is not shown. */
TEST(a_caller_of_few_is_not_named)
{
	struct tape t;

	make(&t, "libpy.so!dtoa", "libpy.so!Remainder;libpy.so!dtoa");
	expect_words(&t, "host-starved", "finding", "; call stacks show `dtoa` for 100.0% of");
	expect_no_words(&t, "host-starved", "finding", "Remainder");
	finish(&t);
}

/* What is under another function counts alone. */
TEST(only_stacks_with_both_count_under)
{
	struct tape t;

	make(&t, "libpy.so!Remainder;libpy.so!dtoa", "libpy.so!dtoa");
	expect_words(&t, "host-starved", "finding",
		     "; call stacks show `dtoa` under `Remainder` for 66.7% of this time");
	finish(&t);
}

/* A library without names is around all of it, and what is in it has a third each. */
TEST(a_library_with_most_of_the_time_is_named)
{
	WITH(struct tape, t, finish, start(&t));

	for (unsigned i = 0; i < 12; i++) {
		launch(&t, unsteady(i), 5 * US, 50 * US);
		work(&t, 300 * US, "libblas.so.12!;libcuda.so.1!", "libblas.so.12!;libm.so.6!");
		work(&t, 300 * US, "libblas.so.12!create;libblas.so.12!",
		     "libblas.so.12!;libm.so.6!");
	}
	launch(&t, "kernel_a", 5 * US, 50 * US);
	ask_all(&t);
	expect_words(&t, "host-starved", "finding",
		     "; call stacks show `(libblas.so.12)` for 100.0% of this time");
	expect_no_words(&t, "host-starved", "finding", "create");
}

TEST(few_samples_name_nothing)
{
	WITH(struct tape, t, finish, start(&t));

	for (unsigned i = 0; i < 12; i++) {
		launch(&t, unsteady(i), 5 * US, 50 * US);
		if (i < 9)
			work(&t, 50 * US, "main;step", "main;step");
		t.now += 550 * US;
	}
	launch(&t, "kernel_a", 5 * US, 50 * US);
	ask_all(&t);
	assert_true(row_of(&t, "host-starved") >= 0);
	expect_no_words(&t, "host-starved", "finding", "call stacks");
}

/* Time in a call with a stack is exact: no samples are needed. */
TEST(calls_with_a_stack_need_no_samples)
{
	WITH(struct tape, t, finish, start(&t));

	for (unsigned i = 0; i < 12; i++) {
		launch(&t, unsteady(i), 5 * US, 50 * US);
		MEM_OSRT(&t.x.mem, .start = t.now, .end = t.now + 600 * US, .tid = TID,
			 .name = "read", .stack = "main;load_batch;libc.so.6!read");
		t.now += 600 * US;
	}
	launch(&t, "kernel_a", 5 * US, 50 * US);
	ask_all(&t);
	expect_words(&t, "host-starved", "finding",
		     "; call stacks show `read` under `load_batch` for 100.0% of this time");
}
