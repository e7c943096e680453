/* SPDX-License-Identifier: MIT */
#include "capture/plan/nsys_words.h"

#include <string.h>

#include "support/unit.h"

struct taken {
	struct wl_arena arena;
	struct wl_wishes wishes;
	struct wl_nsys_words words;
	struct wl_err err;
};

static int make(void **state)
{
	static struct taken taken;

	taken = (struct taken){ .err.code = WL_OK };
	wl_arena_init(&taken.arena, 1 << 20);
	*state = &taken;
	return 0;
}

static int release(void **state)
{
	struct taken *t = *state;

	wl_arena_release(&t->arena);
	return 0;
}

static const char *const program[] = { "./a", NULL };

static const char *variable(const char *name)
{
	return strcmp(name, "RANK") == 0 ? "3" : NULL;
}

static int take(struct taken *t, const struct wl_nsys_setting *set, size_t n, bool is_gated)
{
	t->wishes = (struct wl_wishes){ .program = program };
	return wl_nsys_words_take(set, n, is_gated, variable, &t->arena, &t->wishes, &t->words,
				  &t->err);
}

#define TAKE(t, is_gated, ...)                                                                     \
	take(t, (const struct wl_nsys_setting[]){ __VA_ARGS__ },                                   \
	     sizeof((const struct wl_nsys_setting[]){ __VA_ARGS__ }) /                             \
		     sizeof(struct wl_nsys_setting),                                               \
	     is_gated)

static void has(struct taken *t, const char *text)
{
	struct wl_capture_plan plan;
	const char *line;

	assert_int_equal(wl_capture_plan_make(&t->wishes, &t->arena, &plan, &t->err), WL_OK);
	line = wl_capture_plan_line(&plan.step[0], &t->arena);
	assert_non_null(line);
	if (!strstr(line, text))
		fail_msg("\"%s\" lacks \"%s\"", line, text);
}

TEST_WITH(delay_and_duration_are_a_gate, make, release)
{
	struct taken *t = *state;

	assert_int_equal(TAKE(t, false, { "--delay", "30" }, { "--duration", "600" }), WL_OK);
	assert_string_equal(t->words.ours, " --gate delay:30,duration:600");
	assert_int_equal(t->wishes.gate.kind, WL_GATE_TIME);
	assert_int_equal(t->wishes.gate.delay_s, 30);
	assert_int_equal(t->wishes.gate.duration_s, 600);
	assert_string_equal(t->words.passed, "");
}

TEST_WITH(variables_in_the_output_are_expanded, make, release)
{
	struct taken *t = *state;

	assert_int_equal(TAKE(t, false, { "--output", "run_%q{RANK}_50%%" }), WL_OK);
	assert_string_equal(t->words.dir, "run_3_50%");
	assert_int_equal(TAKE(t, false, { "--output", "a/x.nsys-rep" }), WL_OK);
	assert_string_equal(t->words.dir, "a/x");
	assert_int_equal(TAKE(t, false, { "--output", "run_%q{NONE}" }), WL_E_USAGE);
	assert_int_equal(TAKE(t, false, { "--output", "run_%q{RANK" }), WL_E_USAGE);
	assert_int_equal(TAKE(t, false, { "--output", "run_%p" }), WL_E_USAGE);
	assert_int_equal(TAKE(t, false, { "--output", "run_%" }), WL_E_USAGE);
}

TEST_WITH(a_range_needs_both_options, make, release)
{
	struct taken *t = *state;

	assert_int_equal(TAKE(t, false, { "--capture-range", "nvtx" }, { "--nvtx-capture", "a@B" }),
			 WL_OK);
	assert_string_equal(t->words.ours, " --gate nvtx:a@B");
	assert_int_equal(TAKE(t, false, { "--capture-range", "nvtx" }), WL_E_USAGE);
	assert_int_equal(TAKE(t, false, { "--nvtx-capture", "a@B" }), WL_E_USAGE);
	assert_int_equal(TAKE(t, false, { "--capture-range", "cudaProfilerApi" }), WL_OK);
	assert_int_equal(t->wishes.gate.kind, WL_GATE_CUDA_API);
	assert_int_equal(TAKE(t, false, { "--capture-range", "hotkey" }), WL_E_USAGE);
	assert_int_equal(TAKE(t, false, { "--capture-range", "none" }), WL_OK);
	assert_int_equal(t->wishes.gate.kind, WL_GATE_NONE);
}

TEST_WITH(two_gates_are_refused, make, release)
{
	struct taken *t = *state;

	assert_int_equal(TAKE(t, true, { "--delay", "30" }), WL_E_USAGE);
	assert_int_equal(
		TAKE(t, false, { "--capture-range", "cudaProfilerApi" }, { "--duration", "5" }),
		WL_E_USAGE);
	assert_int_equal(TAKE(t, false, { "--delay", "soon" }), WL_E_USAGE);
}

TEST_WITH(what_is_chosen_replaces_what_is_planned, make, release)
{
	struct taken *t = *state;

	assert_int_equal(TAKE(t, false, { "--trace", "cuda" }, { "--sample", "cpu" },
			      { "--odd-option", "7" }, { "--stop-on-exit", "false" }),
			 WL_OK);
	assert_string_equal(t->words.passed,
			    " --trace=cuda --sample=cpu --odd-option=7 --stop-on-exit=false");
	has(t, " --trace=cuda --sample=cpu --cpuctxsw=none ");
	has(t, " --odd-option=7 --stop-on-exit=false ");
}

TEST_WITH(variables_join_those_of_the_gate, make, release)
{
	struct taken *t = *state;

	assert_int_equal(TAKE(t, false, { "--env-var", "A=1" }, { "--capture-range", "nvtx" },
			      { "--nvtx-capture", "a@B" }),
			 WL_OK);
	has(t, " --env-var=A=1,NSYS_NVTX_PROFILER_REGISTER_ONLY=0 ");
}

TEST_WITH(nothing_is_dropped_silently, make, release)
{
	struct taken *t = *state;

	assert_int_equal(TAKE(t, false, { "--force-overwrite", "true" }, { "--stats", "true" },
			      { "--export", "sqlite" }, { "--output", "x" }),
			 WL_OK);
	assert_non_null(strstr(t->words.unneeded, "--force-overwrite ("));
	assert_non_null(strstr(t->words.unneeded, "--stats ("));
	assert_non_null(strstr(t->words.unneeded, "--export ("));
	assert_string_equal(t->words.dir, "x");
	assert_int_equal(TAKE(t, false, { "--export", "hdf" }), WL_E_USAGE);
	assert_int_equal(TAKE(t, false, { "--session-new", "x" }), WL_E_USAGE);
}
