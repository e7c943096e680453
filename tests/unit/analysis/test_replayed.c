/* SPDX-License-Identifier: MIT */
/* What fixing a finding saves, in words; and the scenario that each rule names. */
#include <string.h>

#include "derive/graph/scenario.h"
#include "findings/rule.h"
#include "findings/say_saving.h"
#include "findings/severity.h"
#include "support/unit.h"

enum { US = 1000, MS = 1000000 };

static void expect(const struct wl_said_saving *say, const char *words)
{
	struct wl_arena arena;
	struct wl_run run = { .arena = &arena };
	struct wl_docket docket = { .run = &run };

	wl_arena_init(&arena, 1 << 16);
	assert_string_equal(wl_say_saving(&docket, say), words);
	wl_arena_release(&arena);
}

/* The error gives the digits; numbers are in one unit. */
static void a_replayed_saving_has_its_error(void **state)
{
	struct wl_said_saving say = { .saving = 6796586,
				      .error = 20463,
				      .whole = 53372000,
				      .bound = 6910893,
				      .is_replayed = true };

	(void)state;
	expect(&say, "fixing this saves 6.80 ms of 53.37 ms (\u00b1 0.02 ms, replayed)");
	say.error = 214000;
	expect(&say, "fixing this saves 6.8 ms of 53.37 ms (\u00b1 0.2 ms, replayed)");
	say.error = 0;
	expect(&say, "fixing this saves 6.797 ms of 53.37 ms (\u00b1 0.001 ms, replayed)");
	say.error = -1;
	expect(&say, "fixing this saves 6.797 ms of 53.37 ms (replayed, not validated)");
	say.least = true;
	expect(&say, "fixing this saves at least 6.797 ms of 53.37 ms (replayed, not validated)");
}

/* 24 - 18 = 6 and 24 + 18 = 42, or the bound, if that is less. */
static void a_bound_with_an_error_is_one_number(void **state)
{
	struct wl_said_saving say = { .saving = 24 * MS,
				      .error = 18 * MS,
				      .whole = 90 * MS,
				      .bound = 50 * MS,
				      .least = true,
				      .is_replayed = true };

	(void)state;
	expect(&say, "fixing this saves at least 6 ms of 90 ms (replayed)");
	say.error = 23999 * US;
	expect(&say, "fixing this saves at least 1 us of 90 ms (replayed)");
	say.error = 24 * MS;
	expect(&say,
	       "fixing this saves 24 ms of 90 ms (\u00b1 24 ms, replayed), and may save nothing");
	say.error = 18 * MS;
	say.least = false;
	say.most = true;
	expect(&say, "fixing this saves at most 42 ms of 90 ms (replayed)");
	say.bound = 40 * MS;
	expect(&say, "fixing this saves at most 40 ms of 90 ms (replayed)");
}

static void little_of_a_bound_says_what_is_critical(void **state)
{
	struct wl_said_saving say = { .saving = 9 * US,
				      .error = 2 * US,
				      .whole = 10 * MS,
				      .bound = 100 * US,
				      .is_replayed = true,
				      .next = "compute",
				      .next_share = 0.984 };

	(void)state;
	expect(&say, "fixing this saves 9 us of 10 ms (\u00b1 2 us, replayed); then 98.4% of the "
		     "critical path is compute, which this does not shorten");
	say.saving = 10 * US;
	expect(&say, "fixing this saves 10 us of 10 ms (\u00b1 2 us, replayed)");
	say.saving = 0;
	expect(&say, "fixing this saves nothing (replayed); then 98.4% of the critical path is "
		     "compute, which this does not shorten");
	say.saving = say.bound;
	say.alone = 3 * MS;
	expect(&say, "fixing this saves 100 us of 10 ms (\u00b1 2 us, replayed); with the part "
		     "that other "
		     "findings claim it saves 3 ms");
	/* Numbers that differ by less than the error, or by less than 5 %, are said once. */
	say.alone = say.saving + say.error;
	expect(&say, "fixing this saves 100 us of 10 ms (\u00b1 2 us, replayed)");
	say.error = -1;
	say.alone = say.saving + say.saving / 21;
	expect(&say, "fixing this saves 100 us of 10 ms (replayed, not validated)");
}

/* What has less than half of the path then is not said to be what is critical. */
static void an_error_as_large_as_the_saving_is_said(void **state)
{
	struct wl_said_saving say = { .saving = 8 * MS,
				      .error = 29 * MS,
				      .whole = 5202 * (wl_ns)MS,
				      .bound = 575 * MS,
				      .is_replayed = true,
				      .next = "compute",
				      .next_share = 0.362 };

	(void)state;
	expect(&say,
	       "fixing this saves 8 ms of 5.202 s (\u00b1 29 ms, replayed), and may save nothing");
	say.error = 7 * MS;
	expect(&say, "fixing this saves 8 ms of 5.202 s (\u00b1 7 ms, replayed)");
	say.is_held = true;
	expect(&say,
	       "fixing this saves 8 ms of 5.202 s (\u00b1 7 ms, replayed); it may save more: the "
	       "replay does not shorten calls that wait for another thread");
	say.least = true;
	expect(&say, "fixing this saves at least 1 ms of 5.202 s (replayed)");
}

/* Of a step, a bound of 20% that the replay leaves, cuts, or cannot tell from nothing. */
static void severity_follows_the_replay(void **state)
{
	struct wl_finding f = { .kind = WL_FINDING_SAVING, .saving = 20 * MS, .share = 0.2 };

	(void)state;
	assert_string_equal(wl_finding_severity(&f), "high");
	f.replayed = (struct wl_replayed){ .is_known = true, .saving = 12 * MS, .error = MS };
	assert_string_equal(wl_finding_severity(&f), "high");
	f.replayed.saving = 4 * MS;
	assert_string_equal(wl_finding_severity(&f), "medium");
	f.replayed.saving = 2 * MS;
	assert_string_equal(wl_finding_severity(&f), "low");
	f.replayed.saving = -MS;
	assert_string_equal(wl_finding_severity(&f), "low");
	f.replayed = (struct wl_replayed){ .is_known = true, .saving = 12 * MS, .error = 13 * MS };
	assert_string_equal(wl_finding_severity(&f), "low");
	f.replayed.error = -1; /* not validated: no interval is known */
	assert_string_equal(wl_finding_severity(&f), "high");
	f.share = 0.009;
	assert_string_equal(wl_finding_severity(&f), "minor");
	f.kind = WL_FINDING_SHARE;
	assert_string_equal(wl_finding_severity(&f), "info");
}

static void a_bound_says_why_it_was_not_replayed(void **state)
{
	struct wl_said_saving say = {
		.saving = 40 * US, .error = -1, .whole = 270 * US, .most = true
	};

	(void)state;
	expect(&say, "fixing this saves at most 40 us of 270 us (not replayed)");
	say.why_not = "it happens once";
	expect(&say, "fixing this saves at most 40 us of 270 us (not replayed: it happens once)");
}

/* A rule without one is about compute or the trace, or each of its findings names its own. */
static void every_rule_with_a_saving_has_a_scenario(void **state)
{
	static const char *const others[] = {
		"exposed-comm",      "exposed-copy",  "dominant-kernel",   "tiny-kernels",
		"device-copies",     "idle-gpu",      "idle-sms",          "idle-tensor-cores",
		"out-of-step",       "memory-growth", "graph-mode-opaque", "low-nvtx-coverage",
		"capture-truncated", "foreign-work"
	};
	struct wl_arena arena;
	struct wl_asked ask;
	struct wl_err err;

	(void)state;
	wl_arena_init(&arena, 1 << 16);
	for (size_t i = 0; i < wl_n_rules; i++) {
		const struct wl_rule *rule = wl_rules[i];
		bool is_other = false;

		for (size_t k = 0; k < WL_COUNT(others); k++)
			is_other |= strcmp(rule->code, others[k]) == 0;
		assert_true(is_other != (rule->scenario || rule->scenario_of || rule->unreplayed));
		if (rule->scenario)
			assert_int_equal(wl_ask_parse(rule->scenario, &arena, &ask, &err), WL_OK);
		/* The code stands for it. */
		if (rule->scenario || rule->scenario_of || strncmp(rule->code, "exposed-", 8) == 0)
			assert_int_equal(wl_ask_parse(rule->code, &arena, &ask, &err), WL_OK);
	}
	wl_arena_release(&arena);
}

TEST_MAIN(replayed)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_replayed_saving_has_its_error),
		cmocka_unit_test(a_bound_with_an_error_is_one_number),
		cmocka_unit_test(little_of_a_bound_says_what_is_critical),
		cmocka_unit_test(an_error_as_large_as_the_saving_is_said),
		cmocka_unit_test(severity_follows_the_replay),
		cmocka_unit_test(a_bound_says_why_it_was_not_replayed),
		cmocka_unit_test(every_rule_with_a_saving_has_a_scenario),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
