/* SPDX-License-Identifier: MIT */
#include "session/commands.h"

#include <string.h>

#include "support/unit.h"

enum { EVIDENCE, TEXT, N_COLS };

static const struct wl_col cols[] = {
	[EVIDENCE] = { "evidence", "Evidence", WL_T_STR, WL_PROSE | WL_SHELL, "A command." },
	[TEXT] = { "text", "Text", WL_T_STR, WL_PROSE, "No command." },
};

/* What becomes of a command of the trace "my run.sqlite" with two devices, the first selected. */
static void expect(const struct wl_request *request, const char *command, const char *want)
{
	static const bool on[] = { true, false };
	struct wl_scope scope = { .device_on = on };
	const struct wl_commands c = { .path = "my run.sqlite",
				       .request = request,
				       .scope = &scope };
	struct wl_arena arena;
	struct wl_table t;

	wl_arena_init(&arena, 1 << 16);
	wl_table_init(&t, &arena, cols, N_COLS);
	wl_table_row(&t);
	wl_put_str(&t, EVIDENCE, command);
	wl_put_str(&t, TEXT, command);
	wl_table_note(&t, "%s", command);
	assert_true(wl_commands_fill(&c, &t));
	assert_string_equal(wl_table_at(&t, 0, EVIDENCE).str, want);
	assert_string_equal(wl_table_at(&t, 0, TEXT).str, command);
	assert_string_equal(t.notes->text, want);
	wl_arena_release(&arena);
}

static void a_command_gets_the_path(void **state)
{
	const struct wl_request plain = { .marker = NULL };

	(void)state;
	expect(&plain, "warplens nccl TRACE --gpu 1", "warplens nccl 'my run.sqlite' --gpu 1");
	expect(&plain, "warplens info TRACE", "warplens info 'my run.sqlite'");
	/* Neither other words, nor a second one, which is a name of the user's. */
	expect(&plain, "warplens x CUDA_TRACE TRACES", "warplens x CUDA_TRACE TRACES");
	expect(&plain, "warplens x TRACE --marker TRACE",
	       "warplens x 'my run.sqlite' --marker TRACE");
	expect(&plain, "the profiler wrote TRACE", "the profiler wrote TRACE");
}

/* A job that was given by its files has no path of its own. */
static void a_command_names_the_files_of_a_job(void **state)
{
	static const char *const files[] = { "rank0.sqlite", "my rank1.sqlite" };
	const struct wl_request request = { .selection = { .pid = "7" } };
	const struct wl_scope scope = { .device_on = NULL };
	const struct wl_commands c = { .path = "rank0.sqlite and 1 more file",
				       .files = files,
				       .n_files = 2,
				       .request = &request,
				       .scope = &scope };
	struct wl_arena arena;
	struct wl_table t;

	(void)state;
	wl_arena_init(&arena, 1 << 16);
	wl_table_init(&t, &arena, cols, N_COLS);
	wl_table_note(&t, "warplens gaps TRACE --gpu 0");
	assert_true(wl_commands_fill(&c, &t));
	assert_string_equal(t.notes->text,
			    "warplens gaps --job rank0.sqlite 'my rank1.sqlite' --pid 7 --gpu 0");
	wl_arena_release(&arena);
}

static void a_command_keeps_the_selection(void **state)
{
	const struct wl_request chosen = {
		.selection = { .gpu = "0", .pid = "7", .window = "1ms..2ms" }, .marker = "a b"
	};
	const struct wl_request whole = { .selection.window = "all" };

	(void)state;
	expect(&chosen, "warplens gaps TRACE",
	       "warplens gaps 'my run.sqlite' --gpu 0 --pid 7 --window 1ms..2ms --marker 'a b'");
	/* What it has itself is not repeated. */
	expect(&chosen, "warplens gaps TRACE --gpu 0 --window iter:3",
	       "warplens gaps 'my run.sqlite' --pid 7 --marker 'a b' --gpu 0 --window iter:3");
	/* A device that is not selected, and devices side by side, belong to other processes. */
	expect(&chosen, "warplens gaps TRACE --gpu 1",
	       "warplens gaps 'my run.sqlite' --window 1ms..2ms --marker 'a b' --gpu 1");
	expect(&chosen, "warplens gaps TRACE --gpu 0,1",
	       "warplens gaps 'my run.sqlite' --window 1ms..2ms --marker 'a b' --gpu 0,1");
	expect(&whole, "warplens gaps TRACE", "warplens gaps 'my run.sqlite'");
}

TEST_MAIN(commands)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_command_gets_the_path),
		cmocka_unit_test(a_command_names_the_files_of_a_job),
		cmocka_unit_test(a_command_keeps_the_selection),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
