/* SPDX-License-Identifier: MIT */
/* What fixing a finding saves, in words; and the scenario that each rule names. */
#include <string.h>

#include "analysis/path/finding_scenario.h"
#include "derive/graph/scenario/scenario.h"
#include "findings/rule.h"
#include "findings/say_saving.h"
#include "findings/severity.h"
#include "support/unit.h"

enum { US = 1000, MS = 1000000 };

static void expect(const struct wl_finding *f, const struct wl_said_saving *said, const char *words)
{
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, 1 << 16));
	struct wl_run run = { .arena = &arena };
	struct wl_rule_state state = { .run = &run };
	static const struct wl_col cols[] = { { "words", "Words", WL_T_STR, WL_PROSE, "Text." } };
	struct wl_parts parts;
	struct wl_table t;
	size_t n;

	parts = wl_say_saving(&state, f, said);
	wl_table_init(&t, &arena, cols, WL_COUNT(cols));
	wl_table_row(&t);
	wl_put_parts(&t, 0, &parts);
	assert_string_equal(wl_table_at(&t, 0, 0).str, words);
	/* A screen begins with what it saves. */
	assert_memory_equal(wl_table_parts(&t, 0, 0, 1, &n), parts.part[1], strlen(parts.part[1]));
	assert_int_equal(n, strlen(parts.part[1]));
}

static const struct wl_said_saving plain = { .is_replayed = true };

/* A finding whose replay saves so much of a run of 100 ms, which it claims a half of. */
static struct wl_finding make(enum wl_saves_kind kind, wl_ns time, wl_ns error)
{
	return (struct wl_finding){ .kind = WL_FINDING_SAVING,
				    .share = 0.5,
				    .window_share = 0.5,
				    .replayed.is_known = true,
				    .alone = time,
				    .alone_whole = time,
				    .saves = { kind, time, error, 100 * (wl_ns)MS,
					       (double)time / (100 * (double)MS), 0 } };
}

/* The error gives the digits; numbers are in one unit. */
TEST(a_prediction_has_its_error)
{
	struct wl_finding f = make(WL_SAVES_PREDICTION, 6796586, 20463);

	expect(&f, &plain,
	       "fixing this saves 6.80 ms of 100 ms (6.8% of the run, \u00b1 0.02 ms, replayed)");
	f.saves.error = 214000;
	expect(&f, &plain,
	       "fixing this saves 6.8 ms of 100 ms (6.8% of the run, \u00b1 0.2 ms, replayed)");
	f.saves.error = 0;
	expect(&f, &plain,
	       "fixing this saves 6.797 ms of 100 ms (6.8% of the run, \u00b1 0.001 ms, replayed)");
	f.saves.error = -1;
	expect(&f, &plain,
	       "fixing this saves 6.797 ms of 100 ms (6.8% of the run, not validated, replayed)");
}

/* It is rounded as times in sentences are. */
TEST(a_bound_has_no_error)
{
	struct wl_finding f = make(WL_SAVES_AT_MOST, 5616 * US, -1);

	expect(&f, &plain,
	       "fixing this saves at most 5.616 ms of 100 ms (5.6% of the run, replayed)");
	f.saves.kind = WL_SAVES_AT_LEAST;
	expect(&f, &plain,
	       "fixing this saves at least 5.616 ms of 100 ms (5.6% of the run, replayed)");
}

TEST(little_of_a_claim_says_what_is_critical)
{
	const struct wl_said_saving most = { .is_replayed = true,
					     .next = "compute",
					     .next_share = 0.984 };
	struct wl_said_saving some = most;
	struct wl_finding f = make(WL_SAVES_AT_MOST, 4900 * US, -1);

	expect(&f, &most,
	       "fixing this saves at most 4.9 ms of 100 ms (4.9% of the run, replayed); then 98.4% "
	       "of the critical path is compute, which this does not shorten");
	some.next_share = 0.362;
	expect(&f, &some, "fixing this saves at most 4.9 ms of 100 ms (4.9% of the run, replayed)");
	f = make(WL_SAVES_AT_MOST, 5000 * US, -1);
	expect(&f, &most, "fixing this saves at most 5 ms of 100 ms (5.0% of the run, replayed)");
	/* Of a claim that the replay refutes it is always said. */
	f = make(WL_SAVES_AT_MOST, 400 * US, -1);
	expect(&f, &some,
	       "fixing this saves at most 400 us of 100 ms (0.4% of the run, replayed); then 36.2% "
	       "of the critical path is compute");
	f = make(WL_SAVES_PREDICTION, 0, MS);
	expect(&f, &some,
	       "no measurable saving (replayed); then 36.2% of the critical path is compute");
}

TEST(an_error_as_large_as_the_saving_is_said)
{
	struct wl_said_saving held = { .is_replayed = true, .is_held = true };
	struct wl_finding f = make(WL_SAVES_PREDICTION, 8 * MS, 29 * MS);

	expect(&f, &plain, "no measurable saving (replayed: 8 ms, \u00b1 29 ms)");
	f.saves.kind = WL_SAVES_AT_LEAST;
	expect(&f, &held,
	       "no measurable saving (replayed: 8 ms, \u00b1 29 ms); it may save more: the replay "
	       "does not shorten calls that wait for another thread");
	f.saves.kind = WL_SAVES_PREDICTION;
	f.saves.error = 7 * MS;
	expect(&f, &plain,
	       "fixing this saves 8 ms of 100 ms (8.0% of the run, \u00b1 7 ms, replayed)");
	expect(&f, &held,
	       "fixing this saves 8 ms of 100 ms (8.0% of the run, \u00b1 7 ms, replayed); it may "
	       "save more: the replay does not shorten calls that wait for another thread");
	/* What would read "0 ms" beside its error is none. */
	f = make(WL_SAVES_PREDICTION, 400 * US, 20 * MS);
	expect(&f, &plain, "no measurable saving (replayed)");
}

TEST(severity_follows_the_number)
{
	struct wl_finding f = make(WL_SAVES_PREDICTION, 10 * MS, -1);

	assert_string_equal(wl_finding_severity(&f), "high");
	f = make(WL_SAVES_PREDICTION, 9 * MS, MS);
	assert_string_equal(wl_finding_severity(&f), "medium");
	f = make(WL_SAVES_PREDICTION, 2 * MS, MS);
	assert_string_equal(wl_finding_severity(&f), "low");
	f = make(WL_SAVES_PREDICTION, 12 * MS, 13 * MS);
	assert_string_equal(wl_finding_severity(&f), "low");
	/* Half of the run is claimed, and less than 1% saved. */
	f = make(WL_SAVES_AT_MOST, 900 * US, -1);
	assert_string_equal(wl_finding_severity(&f), "info");
	assert_false(wl_finding_is_minor(&f));
	f.window_share = 0.09;
	assert_string_equal(wl_finding_severity(&f), "minor");
	f = make(WL_SAVES_AT_MOST, 50 * MS, -1);
	f.is_doubted = true; /* by counters */
	assert_string_equal(wl_finding_severity(&f), "info");
	f.kind = WL_FINDING_SHARE;
	assert_string_equal(wl_finding_severity(&f), "info");
}

/* A bound counts two thirds. */
TEST(a_bound_is_no_promise)
{
	const struct wl_finding most = make(WL_SAVES_AT_MOST, 30 * MS, -1);
	const struct wl_finding said = make(WL_SAVES_PREDICTION, 20 * MS, 0);

	assert_true(wl_saves_score(&most.saves) < wl_saves_score(&said.saves) + 1e-9);
	assert_true(wl_saves_score(&most.saves) > wl_saves_score(&said.saves) - 1e-9);
	assert_int_equal(wl_saves_kind_named(wl_saves_kind_name(WL_SAVES_AT_MOST)),
			 WL_SAVES_AT_MOST);
	assert_int_equal(wl_saves_kind_named("nothing"), WL_SAVES_NOTHING);
}

TEST(a_bound_says_why_it_was_not_replayed)
{
	struct wl_finding f = make(WL_SAVES_AT_MOST, 40 * MS, -1);
	const struct wl_said_saving none = { .next = NULL };

	expect(&f, &none,
	       "fixing this saves at most 40 ms of 100 ms (40.0% of the run, not replayed)");
	f.unreplayed = "it happens once";
	expect(&f, &none,
	       "fixing this saves at most 40 ms of 100 ms (40.0% of the run, not replayed: it "
	       "happens once)");
}

/* What is counted in the steps only bounds nothing else. */
TEST(a_number_of_the_steps_names_them)
{
	struct wl_finding f = make(WL_SAVES_AT_MOST, 20 * MS, -1);
	struct wl_said_saving said = { .of_steps = true, .first = 1, .last = 18 };

	expect(&f, &said,
	       "fixing this saves at most 20 ms in steps 1-18, of 100 ms (20.0% of the run, "
	       "perhaps more outside of these steps; not replayed)");
	said.is_replayed = true;
	f.saves.whole = 20900 * US;
	expect(&f, &said, "fixing this saves at most 20 ms of 100 ms (20.0% of the run, replayed)");
	f.saves.whole = 31 * MS;
	expect(&f, &said,
	       "fixing this saves at most 20 ms in steps 1-18, of 100 ms (20.0% of the run, "
	       "replayed; in the whole run 31 ms)");
	f.window_share = 0.1;
	f.saves.whole = f.saves.time;
	expect(&f, &said,
	       "fixing this saves at most 20 ms of 100 ms (20.0% of the run, replayed; the "
	       "time above is 10.0%)");
	f.saves.kind = WL_SAVES_PREDICTION;
	f.saves.whole = 31 * MS;
	expect(&f, &said,
	       "fixing this saves 20 ms in steps 1-18, of 100 ms (20.0% of the run, not validated, "
	       "replayed; in the whole run 31 ms; the time above is 10.0%)");
}

/* A bound of more than the sentence names says what it is of. */
TEST(a_bound_without_host_code_says_so)
{
	struct wl_finding f = make(WL_SAVES_AT_MOST, 22 * MS, -1);
	struct wl_said_saving said = { .is_replayed = true };

	f.scenario = "host-starved";
	f.window_share = 0.066;
	expect(&f, &said,
	       "fixing this saves at most 22 ms of 100 ms (22.0% of the run, replayed without any "
	       "host "
	       "code; the time above is 6.6%)");
	f.window_share = 0.22;
	expect(&f, &said, "fixing this saves at most 22 ms of 100 ms (22.0% of the run, replayed)");
}

/* A number besides others is not what fixing it saves: both are said. */
TEST(what_those_before_it_save_is_said)
{
	struct wl_finding f = make(WL_SAVES_AT_MOST, 5 * MS, -1);

	f.window_share = 0.9;
	f.alone = f.alone_whole = 86 * MS;
	expect(&f, &plain,
	       "fixing this saves at most 5 ms of 100 ms besides the findings before it (5.0% of "
	       "the run, replayed; alone 86 ms)");
	f.place = 1;
	expect(&f, &plain,
	       "fixing this saves at most 5 ms of 100 ms besides start-up (5.0% of the run, "
	       "replayed; alone 86 ms)");
	f = make(WL_SAVES_PREDICTION, 0, 28 * MS);
	f.window_share = 0.9;
	f.alone = f.alone_whole = 11 * MS;
	expect(&f, &plain,
	       "no measurable saving besides the findings before it (replayed; alone 11 ms, "
	       "\u00b1 28 ms)");
}

/* Its number is that of saves_alone, whatever those before it leave. */
TEST(what_claims_little_has_its_own_number)
{
	struct wl_finding f = make(WL_SAVES_AT_MOST, 5 * MS, -1);

	f.share = f.window_share = 0.009;
	f.saves.time = MS;
	expect(&f, &plain,
	       "fixing this saves at most 5 ms of 100 ms by itself (5.0% of the run, replayed; the "
	       "time above is 0.9%)");
	f.share = f.window_share = 0.0001;
	expect(&f, &plain,
	       "claims 10 us of 100 ms (<0.1% of the run); the replay's bound, 5 ms, is no "
	       "estimate");
}

TEST(a_bound_may_have_nothing_left)
{
	struct wl_finding f = make(WL_SAVES_AT_MOST, 5 * MS, -1);
	const struct wl_said_saving none = { .next = NULL };

	f.saves.time = 0;
	expect(&f, &none,
	       "fixing this saves at most 5 ms of 100 ms by itself (5.0% of the run, not replayed); "
	       "those before it leave nothing of the run");
}

/* Its own, that of each finding or that of its code; or it says why it has none. */
static bool has_scenario(const struct wl_rule *rule)
{
	return rule->scenario || rule->scenario_of || rule->scenario_of_all || rule->unreplayed;
}

TEST(every_rule_with_a_saving_has_a_scenario)
{
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, 1 << 16));
	/* They are about compute or the trace. */
	static const char *const without[] = { "dominant-kernel",   "idle-gpu",
					       "idle-sms",          "idle-tensor-cores",
					       "out-of-step",       "memory-growth",
					       "graph-mode-opaque", "low-nvtx-coverage",
					       "foreign-work",      "capture-truncated" };
	struct wl_asked ask;
	struct wl_err err;

	for (size_t i = 0; i < wl_n_rules; i++) {
		const struct wl_rule *rule = wl_rules[i];
		const char *of_code;
		bool is_without = false;

		for (size_t k = 0; k < WL_COUNT(without); k++)
			is_without |= strcmp(rule->code, without[k]) == 0;
		if (is_without == has_scenario(rule))
			fail_msg("rule %s %s: without a saving it is in the list above, else it "
				 "has scenario, scenario_of, scenario_of_all or unreplayed "
				 "(findings/rule.h)",
				 rule->code, is_without ? "has one" : "has no scenario");
		if (rule->scenario)
			assert_int_equal(wl_ask_parse(rule->scenario, &arena, &ask, &err), WL_OK);
		/* The code stands for it, as whatif takes it. */
		of_code = wl_finding_scenario(rule->code);
		if (rule->scenario || rule->scenario_of || strncmp(rule->code, "exposed-", 8) == 0)
			assert_int_equal(
				wl_ask_parse(of_code ? of_code : rule->code, &arena, &ask, &err),
				WL_OK);
	}
}
