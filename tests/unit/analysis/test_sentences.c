/* SPDX-License-Identifier: MIT */
/* What derivations found, in sentences: each is made of typed values alone. */
#include "analysis/words/step_words.h"
#include "analysis/words/whatif_words.h"
#include "base/text/marks.h"
#include "support/unit.h"
#include "table/table.h"

static const wl_ns us = 1000;

static const struct wl_step_change since = { .kind = WL_CHANGE_LEVEL,
					     .first = 10,
					     .like_first = 1,
					     .like_last = 9,
					     .changed = 11770000,
					     .reference = 9135000,
					     .more = 0.289 };

TEST(what_a_step_is_has_its_numbers_and_its_mix)
{
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, SIZE_MAX));
	static const struct {
		struct wl_process_iters of;
		const char *said;
	} cases[] = {
		{ { .method = WL_ITER_NONE }, "no steps were found" },
		{ { .method = WL_ITER_NVTX, .is = "NVTX range `step #`", .by = "", .n = 1 },
		  "step = NVTX range `step #` (1 step)" },
		{ { .method = WL_ITER_CONVENTIONS,
		    .is = "NVTX range `step #`",
		    .by = "pithtrain naming",
		    .n = 22564,
		    .n_dropped = 2,
		    .median = 53420000 },
		  "step = NVTX range `step #` (pithtrain naming; 22,564 steps, median 53.42 ms; 2 "
		  "without GPU work left out)" },
		{ { .method = WL_ITER_SEQUENCE,
		    .is = "a repeating sequence of 4 kernels",
		    .by = "",
		    .is_guess = true,
		    .n = 12,
		    .median = 200,
		    .lengths = { { 6, 6 }, { 108, 302 } } },
		  "steps are guessed from a repeating sequence of 4 kernels (12 steps, median 200 "
		  "ns; two lengths (6 x 108 ns, 6 x 302 ns), so averages describe neither); this "
		  "may be a layer, not a step (set " WL_COMMAND_MARK ")" },
		{ { .method = WL_ITER_NVTX,
		    .is = "from one NVTX range `schedule` to the next",
		    .by = "",
		    .n = 12,
		    .median = 200,
		    .has_kinds = true,
		    .kind = { [WL_STEP_PREFILL] = { 2, 200 }, [WL_STEP_DECODE] = { 10, 200 } } },
		  "step = from one NVTX range `schedule` to the next (12 steps, median 200 ns: 10 "
		  "decode, median 200 ns; 2 prefill, median 200 ns)" },
	};

	for (size_t i = 0; i < WL_COUNT(cases); i++)
		assert_string_equal(wl_step_say(&cases[i].of, &arena), cases[i].said);
}

TEST(a_change_of_steps_says_when_and_how_much)
{
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, SIZE_MAX));
	static const struct {
		struct wl_step_change of;
		const char *when;
	} cases[] = {
		{ { .kind = WL_CHANGE_NONE }, "" },
		{ { .kind = WL_CHANGE_LEVEL, .first = 10 }, "since step 10" },
		{ { .kind = WL_CHANGE_WARM_UP, .last = 11, .is_faster_later = true },
		  "until step 11" },
		{ { .kind = WL_CHANGE_EPISODE, .first = 10, .last = 14 }, "in steps 10-14" },
		{ { .kind = WL_CHANGE_EPISODE, .first = 3, .last = 3 }, "in step 3" },
		{ { .kind = WL_CHANGE_EPISODE,
		    .is_around = true,
		    .like_first = 10,
		    .like_last = 14 },
		  "outside steps 10-14" },
		{ { .kind = WL_CHANGE_DRIFT,
		    .first = 7,
		    .last = 23,
		    .like_first = 1,
		    .like_last = 6 },
		  "increasingly, over steps 1-23" },
	};

	for (size_t i = 0; i < WL_COUNT(cases); i++)
		assert_string_equal(wl_step_change_when(&cases[i].of, &arena), cases[i].when);
	assert_string_equal(wl_step_change_say(&since, true, &arena),
			    "Steps take 28.9% longer since step 10" WL_STOP
			    ": median 11.77 ms instead of "
			    "9.135 ms");
}

/* Every reason has its sentence; none has one where there is an answer. */
TEST(every_reason_is_said)
{
	assert_null(wl_refusal_say(WL_NOT_REFUSED));
	for (unsigned i = WL_NOT_REFUSED + 1; i < WL_N_REFUSALS; i++)
		assert_non_null(wl_refusal_say((enum wl_refusal)i));
	for (unsigned i = 0; i < WL_N_SCENARIOS; i++) {
		assert_int_equal(wl_scenario_kinds[i].id, i);
		assert_non_null(wl_scenario_changes((enum wl_scenario_id)i));
	}
}

TEST(what_a_replay_found_is_said_in_order)
{
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, SIZE_MAX));
	const struct {
		struct wl_whatif_result of;
		const char *said;
	} cases[] = {
		{ { .measured = 1000 * us }, "" },
		{ { .remark = { .kind = WL_REMARK_SET_UP, .n = 1, .of_n = 3 } },
		  "1 of 3 slow steps set up a run of steps, which happens once" },
		{ { .remark = { .kind = WL_REMARK_OTHER_MPI,
				.time = 200 * us,
				.of_time = 417 * us } },
		  "matched collectives only: other MPI calls keep 200 us (48.0%) of the critical "
		  "path" },
		{ { .remark = { .kind = WL_REMARK_STEP_CHANGE, .change = &since } },
		  "steps take 28.9% longer since step 10: median 11.77 ms instead of 9.135 ms; the "
		  "slower steps take the median of steps 1-9" },
		{ { .hold = { .rank = -1, .device = 3, .share = 0.025 } },
		  "at least: for 2.5% of the run operations of GPU 3 start later than their "
		  "streams "
		  "and launches explain" },
		{ { .measured = 1000 * us,
		    .held = 2 * us,
		    .remark = { .kind = WL_REMARK_NO_SLOW_STEP },
		    .few = { .n = 1, .time = 30 * us, .of_time = 40 * us } },
		  "no step stands out; no saving of every step: 1 long operation has 30 us of the "
		  "40 us that operations get shorter; up to 2 us more: calls that the blocking "
		  "call "
		  "of another thread seems to hold keep their time" },
	};

	for (size_t i = 0; i < WL_COUNT(cases); i++)
		assert_string_equal(wl_whatif_say(&cases[i].of, &arena), cases[i].said);
}
