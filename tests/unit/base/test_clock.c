/* SPDX-License-Identifier: MIT */
#include "base/clock.h"

#include <time.h>

#include "support/unit.h"

TEST(sleeping_takes_time_but_no_cpu)
{
	int64_t wall = wl_clock_wall_ns(), cpu = wl_clock_cpu_ns();

	assert_int_equal(nanosleep(&(struct timespec){ .tv_nsec = 50000000 }, NULL), 0);
	assert_true(wl_clock_wall_ns() - wall >= 50000000);
	assert_in_range(wl_clock_cpu_ns() - cpu, 0, 49999999);
}

TEST(working_takes_both)
{
	int64_t wall = wl_clock_wall_ns(), cpu = wl_clock_cpu_ns();

	while (wl_clock_cpu_ns() - cpu < 10000000)
		;
	assert_true(wl_clock_wall_ns() - wall >= 1);
}

TEST(the_time_of_day_is_that_of_the_system)
{
	struct timespec before, after;
	int64_t ms;

	assert_int_equal(clock_gettime(CLOCK_REALTIME, &before), 0);
	ms = wl_clock_utc_ms();
	assert_int_equal(clock_gettime(CLOCK_REALTIME, &after), 0);
	assert_in_range(ms, (int64_t)before.tv_sec * 1000 + before.tv_nsec / 1000000,
			(int64_t)after.tv_sec * 1000 + after.tv_nsec / 1000000);
}
