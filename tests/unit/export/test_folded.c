/* SPDX-License-Identifier: MIT */
/* Folded stacks: one line per stack, and weights that add up. */
#include "support/stack_text.h"

TEST(weights_are_nanoseconds_and_time_without_a_stack_counts)
{
	WITH(struct stack_text, x, stack_text_end, stack_text_begin(&x));

	stack_text_sample(&x, 7, 100, "main;step");
	stack_text_sample(&x, 7, 110, "main;step;read");
	stack_text_sample(&x, 7, 120, "main;step");
	stack_text_sample(&x, 7, 130, "main");
	stack_text_sample(&x, 7, 150, "main");
	stack_text_write(&x, &wl_export_folded, 0);
	assert_string_equal(x.text, "main 30\n"
				    "main;step 20\n"
				    "main;step;read 10\n"
				    "[no sample] 5\n");
	assert_int_equal(x.done.time, 65);
	assert_int_equal(x.done.n_stacks, 4);
}

TEST(names_do_not_break_lines_or_stacks)
{
	WITH(struct stack_text, x, stack_text_end, stack_text_begin(&x));

	stack_text_sample(&x, 7, 0, "a\nb c");
	stack_text_sample(&x, 7, 10, "a\nb c");
	stack_text_write(&x, &wl_export_folded, 0);
	assert_string_equal(x.text, "a b c 25\n");
}

TEST(only_idle_time_counts_where_gaps_are_chosen)
{
	WITH(struct stack_text, x, stack_text_end, stack_text_begin(&x));

	stack_text_gap(&x);
	stack_text_write(&x, &wl_export_folded, WL_STACK_CAUSES);
	/* The rest of the gap, from 900 on, is of the launch. */
	assert_string_equal(x.text, "main;step 700\n");
}

TEST(without_memory_it_fails)
{
	stack_text_starve(&wl_export_folded);
}
