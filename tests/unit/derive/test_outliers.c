/* SPDX-License-Identifier: MIT */
#include "derive/iters/outliers.h"

#include "support/unit.h"

/* Of steps written as letters, 's' for a slow one. */
static size_t at_start(const char *steps, bool is_guess)
{
	const struct wl_process_iters iters = { .n = strlen(steps), .is_guess = is_guess };
	bool slow[32] = { false };

	assert_true(iters.n <= WL_COUNT(slow));
	for (size_t i = 0; i < iters.n; i++)
		slow[i] = steps[i] == 's';
	return wl_outliers_at_start(&iters, slow);
}

TEST(a_run_starts_with_its_first_steps)
{
	assert_int_equal(at_start("s.......", false), 1);
	assert_int_equal(at_start("ss......", false), 2);
	assert_int_equal(at_start("sss.........", false), 3);
	assert_int_equal(at_start("........", false), 0);
	/* More than a quarter are no start, and what comes again is none. */
	assert_int_equal(at_start("sss.....", false), 0);
	assert_int_equal(at_start("s...s...", false), 0);
	assert_int_equal(at_start(".s......", false), 0);
	assert_int_equal(at_start("s......s", false), 0);
	/* Few steps, or guessed ones, tell nothing. */
	assert_int_equal(at_start("s......", false), 0);
	assert_int_equal(at_start("s.......", true), 0);
	assert_int_equal(at_start("", false), 0);
}
