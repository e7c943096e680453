/* SPDX-License-Identifier: MIT */
#include "analysis/analysis.h"

#include <stdio.h>

#include "support/answer.h"
#include "support/unit.h"

/* A kernel of a GPU whose launch call by the thread 103 ends as it starts. */
static void kernel(struct asked *x, unsigned device, wl_ns start, unsigned corr)
{
	MEM_OP(&x->mem, WL_F_KERNELS, .start = start, .end = start + 100, .device = device,
	       .corr = corr);
	MEM_API(&x->mem, .start = start - 10, .end = start, .tid = 103, .corr = corr);
}

static void sample(struct asked *x, wl_ns at, const char *stack)
{
	MEM_SAMPLE(&x->mem, .start = at, .tid = 103, .stack = stack);
}

/* What the gap with a number has: the outermost function. */
static void expect_gap(struct asked *x, const char *number, const char *function, wl_ns total)
{
	char during[16];

	ask(x, (const char *const[WL_MAX_PARAMS]){ [4] = number });
	assert_string_equal(answer_str(&x->a, 0, "function"), function);
	expect_i64(&x->a, 0, "total", total);
	(void)snprintf(during, sizeof(during), "gap:%s", number);
	ask(x, (const char *const[WL_MAX_PARAMS]){ [0] = during });
	assert_string_equal(answer_str(&x->a, 0, "function"), function);
	expect_i64(&x->a, 0, "total", total);
}

/*
 * Three gaps: 29,900 ns on GPU 0 from 20,200 on, 19,900 ns there before it, and as many on GPU 1
 * as in the latter. A gap of 9,900 ns is not listed.
 */
TEST(gaps_have_the_numbers_of_their_list)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "stacks"));

	kernel(&x, 0, 100, 1);
	kernel(&x, 0, 20100, 2);
	kernel(&x, 0, 50100, 3);
	kernel(&x, 0, 60100, 4);
	kernel(&x, 1, 70000, 5);
	kernel(&x, 1, 90000, 6);
	for (int i = 0; i < 10; i++)
		sample(&x, 10000 * i, i < 2 ? "first" : i < 7 ? "second" : "third");
	expect_gap(&x, "1", "second", 29890);
	expect_gap(&x, "2", "first", 19800);
	expect_gap(&x, "3", "third", 19890);
}

/*
 * Two gaps of the thread 103, 29,900 and 19,900 ns, which end with its launch call of 10 ns, and
 * one of 9,900 ns whose kernel has no launch.
 */
TEST(time_outside_the_account_is_noted)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "stacks"));
	static const char of_all[] = "9.92 us more of idle time has causes that are not counted "
				     "here: unknown 9.9 us, launch 20 ns";
	static const char of_thread[] = "20 ns more of idle time has causes that are not counted "
					"here: launch 20 ns";
	static const char of_window[] = "4.81 us more of idle time has causes that are not counted "
					"here: unknown 4.8 us, launch 10 ns";

	kernel(&x, 0, 100, 1);
	kernel(&x, 0, 20100, 2);
	kernel(&x, 0, 50100, 3);
	MEM_OP(&x.mem, WL_F_KERNELS, .start = 60100, .end = 60200, .corr = 9);
	sample(&x, 0, "first");
	sample(&x, 10000, "first");
	ask(&x, NULL);
	assert_true(answer_has_note(&x.a, of_all));
	ask(&x, (const char *const[WL_MAX_PARAMS]){ [2] = "103" });
	assert_true(answer_has_note(&x.a, of_thread));
	ask(&x, (const char *const[WL_MAX_PARAMS]){ [2] = "7" });
	assert_false(answer_has_note(&x.a, "not counted"));
	ask(&x, (const char *const[WL_MAX_PARAMS]){ [0] = "host" });
	assert_false(answer_has_note(&x.a, "not counted"));
	ask_window(&x, 30000, 55000);
	assert_true(answer_has_note(&x.a, of_window));
}

/*
 * Kernels of 100 ns at 100, 20,100 and 50,100, the last without a launch. The thread launches what
 * follows the first; what follows the second is not known.
 */
TEST(busy_time_is_of_the_thread_that_launches_next)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "stacks"));

	kernel(&x, 0, 100, 1);
	kernel(&x, 0, 20100, 2);
	MEM_OP(&x.mem, WL_F_KERNELS, .start = 50100, .end = 50200, .corr = 9);
	for (int i = 0; i < 6; i++)
		sample(&x, 10000 * i, i < 2 ? "first" : "second");
	ask(&x, (const char *const[WL_MAX_PARAMS]){ [0] = "busy" });
	assert_int_equal(x.a.table.n_rows, 1);
	expect_cells(&x.a, 0, "function=first; total=100");
	assert_true(answer_has_note(&x.a, "200 ns more of busy time is not counted: it is not "
					  "known which thread launched the work"));
	ask(&x, (const char *const[WL_MAX_PARAMS]){ [0] = "BUSY", [2] = "7" });
	assert_int_equal(x.a.table.n_rows, 0);
	assert_false(answer_has_note(&x.a, "more of busy time"));
}
