/* SPDX-License-Identifier: MIT */
/* The code of a finding stands for a scenario that "whatif" knows. */
#include "analysis/path/finding_scenario.h"

#include "derive/graph/scenario/scenario.h"
#include "findings/codes.h"
#include "support/unit.h"

TEST(codes_stand_for_scenarios_that_there_are)
{
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, SIZE_MAX));
	const char *code, *scenario;
	struct wl_asked ask;
	struct wl_err err;

	for (size_t i = 0; (code = wl_finding_code(i)) != NULL; i++) {
		scenario = wl_finding_scenario(code);
		if (scenario)
			assert_int_equal(wl_ask_parse(scenario, &arena, &ask, &err), WL_OK);
	}
}

/* Rules whose findings name a call or a collective each: the code is of all of them. */
TEST(a_code_is_of_all_that_its_rule_finds)
{
	static const char *const expected[][2] = {
		{ "straggler", "no-straggler" },   { "pageable-copy", "pinned" },
		{ "launch-bound", "launch-free" }, { "stream-serialisation", "overlap" },
		{ "exposed-comm", "comm-free" },   { "exposed-copy", "copies-free" },
	};

	for (size_t i = 0; i < WL_COUNT(expected); i++)
		assert_string_equal(wl_finding_scenario(expected[i][0]), expected[i][1]);
	assert_string_equal(wl_finding_scenario("host-sync-idle"), "no-sync=re:.");
	assert_string_equal(wl_finding_scenario("device-copies"), "exposed-copy=within a GPU");
	assert_null(wl_finding_scenario("managed-memory"));
	assert_null(wl_finding_scenario("gemm"));
}
