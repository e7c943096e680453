/* SPDX-License-Identifier: MIT */
#include "known/calls/call_costs.h"

#include "support/unit.h"

TEST(rows_and_the_enum_name_a_cost_alike)
{
	assert_int_equal(wl_call_cost_of("Command Buffer Full", 0), WL_COST_QUEUE);
	assert_int_equal(wl_call_cost_of("COMMAND_BUFFER_FULL", 0), WL_COST_QUEUE);
	assert_int_equal(wl_call_cost_of("Lazy Function Loading", 0), WL_COST_LOADING);
	assert_int_equal(wl_call_cost_of("Runtime Triggered Module Loading", 0), WL_COST_LOADING);
	assert_int_equal(wl_call_cost_of("CUPTI Buffer flush", 0), WL_COST_PROFILER);
}

TEST(the_name_wins_over_the_code_which_other_versions_may_number_otherwise)
{
	assert_int_equal(wl_call_cost_of("Lazy Function Loading", 8), WL_COST_LOADING);
	assert_int_equal(wl_call_cost_of("words of tomorrow", 8), WL_COST_QUEUE);
	assert_int_equal(wl_call_cost_of("", 6), WL_COST_LOADING);
	assert_int_equal(wl_call_cost_of(NULL, 2), WL_COST_LOADING);
}

TEST(what_nobody_knows_is_the_profilers)
{
	assert_int_equal(wl_call_cost_of("Unknown", 1), WL_COST_PROFILER);
	assert_int_equal(wl_call_cost_of("Command Buffer", 99), WL_COST_PROFILER);
	assert_int_equal(wl_call_cost_of("Command Buffer Fuller", 99), WL_COST_PROFILER);
	assert_int_equal(wl_call_cost_of(NULL, UINT8_MAX), WL_COST_PROFILER);
}
