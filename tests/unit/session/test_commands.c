/* SPDX-License-Identifier: MIT */
#include "session/open/commands.h"

#include <stdio.h>
#include <string.h>

#include "support/unit.h"

enum { EVIDENCE, TEXT, N_COLS };

static const struct wl_col cols[] = {
	[EVIDENCE] = { "evidence", "Evidence", WL_T_STR, WL_PROSE | WL_SHELL, "A command." },
	[TEXT] = { "text", "Text", WL_T_STR, WL_PROSE, "No command." },
};

/* What becomes of a command of the trace "my run.sqlite" with two devices, the first selected. */
static void expect(const struct wl_request *request, const struct wl_cmdline *command,
		   const char *want)
{
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, 1 << 16));
	static const bool on[] = { true, false };
	struct wl_scope scope = { .device_on = on };
	const struct wl_commands c = { .path = "my run.sqlite",
				       .request = request,
				       .scope = &scope,
				       .n_devices = WL_COUNT(on) };
	char sentence[256];
	struct wl_table t;

	wl_table_init(&t, &arena, cols, N_COLS);
	wl_table_row(&t);
	wl_put_command(&t, EVIDENCE, command);
	wl_put_str(&t, TEXT, wl_table_at(&t, 0, EVIDENCE).str);
	wl_table_suggest(&t, false, "more (", command, " lists it)");
	assert_string_equal(wl_table_at(&t, 0, TEXT).str,
			    wl_cmdline_text(command, "TRACE", &arena));
	/* Twice: what an index keeps was spelled once already. */
	for (int i = 0; i < 2; i++) {
		assert_true(wl_commands_fill(&c, &t));
		assert_string_equal(wl_table_at(&t, 0, EVIDENCE).str, want);
		assert_string_equal(wl_table_at(&t, 0, TEXT).str,
				    wl_cmdline_text(command, "TRACE", &arena));
		(void)snprintf(sentence, sizeof(sentence), "more (%s lists it)", want);
		assert_string_equal(t.notes->text, sentence);
	}
}

TEST(a_command_gets_the_path)
{
	const struct wl_request plain = { .marker = NULL };

	expect(&plain, &(struct wl_cmdline){ .verb = "info" }, "warplens info 'my run.sqlite'");
	expect(&plain,
	       &(struct wl_cmdline){ .verb = "x", .option = { { "where", "name = TRACE" } } },
	       "warplens x 'my run.sqlite' --where 'name = TRACE'");
}

TEST(a_command_has_its_gpus_and_steps)
{
	const struct wl_request plain = { .marker = NULL };
	struct wl_cmdline c = { .verb = "nccl", .option = { { "list", NULL } }, .gpu = { 1, 3 } };

	c.gpus = WL_GPUS_ONE;
	expect(&plain, &c, "warplens nccl 'my run.sqlite' --list --gpu 1");
	c.gpus = WL_GPUS_BOTH;
	expect(&plain, &c, "warplens nccl 'my run.sqlite' --list --gpu 1,3");
	c.gpus = WL_GPUS_RANGE;
	c.has_steps = true;
	expect(&plain, &c, "warplens nccl 'my run.sqlite' --list --gpu 1..3 --window iter:0");
	c.step[1] = 4;
	c.gpus = WL_GPUS_AS_ASKED;
	expect(&plain, &c, "warplens nccl 'my run.sqlite' --list --window iter:0..4");
}

/* A job that was given by its files has no path of its own. */
TEST(a_command_names_the_files_of_a_job)
{
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, 1 << 16));
	static const char *const files[] = { "rank0.sqlite", "my rank1.sqlite" };
	const struct wl_request request = { .selection = { .pid = "7" } };
	const struct wl_scope scope = { .device_on = NULL };
	const struct wl_commands c = { .path = "rank0.sqlite and 1 more file",
				       .files = files,
				       .n_files = 2,
				       .request = &request,
				       .scope = &scope };
	const struct wl_cmdline gaps = wl_cmdline_on((struct wl_cmdline){ .verb = "gaps" }, 0);
	struct wl_table t;

	wl_table_init(&t, &arena, cols, N_COLS);
	wl_table_suggest(&t, true, "", &gaps, "");
	assert_true(wl_commands_fill(&c, &t));
	assert_string_equal(t.notes->text,
			    "warplens gaps --job rank0.sqlite 'my rank1.sqlite' --pid 7 --gpu 0");
}

/* However long their names are together; or the directory that stands for them. */
TEST(a_command_names_many_files)
{
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, 1 << 18));
	enum { N = 64 };
	static const char name[] = "a/directory/with/a/name/that/takes/some/room/rank.sqlite";
	const char *files[N];
	const struct wl_request request = { .selection = { .gpu = NULL } };
	struct wl_commands c = {
		.path = "one and more", .files = files, .n_files = N, .request = &request
	};
	const char *line;

	for (size_t i = 0; i < N; i++)
		files[i] = name;
	line = wl_commands_line(&c, "gaps", &arena);
	assert_non_null(line);
	assert_int_equal(strlen(line), strlen("warplens gaps --job") + N * sizeof(name));
	c.directory = "my runs";
	assert_string_equal(wl_commands_line(&c, "gaps", &arena), "warplens gaps 'my runs'");
}

TEST(a_command_keeps_the_selection)
{
	const struct wl_request chosen = {
		.selection = { .gpu = "0", .pid = "7", .window = "1ms..2ms" }, .marker = "a b"
	};
	const struct wl_request whole = { .selection.window = "all" };
	struct wl_cmdline c = { .verb = "gaps" };

	expect(&whole, &c, "warplens gaps 'my run.sqlite'");
	expect(&chosen, &c,
	       "warplens gaps 'my run.sqlite' --gpu 0 --pid 7 --window 1ms..2ms --marker 'a b'");
	/* What it has itself is not repeated. */
	c = wl_cmdline_on((struct wl_cmdline){ .verb = "gaps" }, 0);
	c.has_steps = true;
	c.step[0] = c.step[1] = 3;
	expect(&chosen, &c,
	       "warplens gaps 'my run.sqlite' --pid 7 --marker 'a b' --gpu 0 --window iter:3");
	/* A device that is not selected, and devices side by side, belong to other processes. */
	c = wl_cmdline_on((struct wl_cmdline){ .verb = "gaps" }, 1);
	expect(&chosen, &c,
	       "warplens gaps 'my run.sqlite' --window 1ms..2ms --marker 'a b' --gpu 1");
	c = (struct wl_cmdline){ .verb = "gaps", .gpus = WL_GPUS_BOTH, .gpu = { 0, 1 } };
	expect(&chosen, &c,
	       "warplens gaps 'my run.sqlite' --window 1ms..2ms --marker 'a b' --gpu 0,1");
	/* Nor is one that is not there. */
	c = wl_cmdline_on((struct wl_cmdline){ .verb = "gaps" }, UINT32_MAX);
	expect(&chosen, &c,
	       "warplens gaps 'my run.sqlite' --window 1ms..2ms --marker 'a b' --gpu 4294967295");
}

/* Notes and cells quote names of the trace, which may look like commands. */
TEST(a_text_is_no_command)
{
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, 1 << 16));
	static const char name[] = "lost: warplens TRACE --gpu 99999999999999";
	static const bool on[] = { true };
	const struct wl_scope scope = { .device_on = on };
	const struct wl_request request = { .selection = { .gpu = "0" } };
	const struct wl_commands c = {
		.path = "run.sqlite", .request = &request, .scope = &scope, .n_devices = 1
	};
	struct wl_table t;

	wl_table_init(&t, &arena, cols, N_COLS);
	wl_table_row(&t);
	wl_put_str(&t, EVIDENCE, name);
	wl_put_str(&t, TEXT, name);
	wl_table_note(&t, "%s", name);
	wl_table_suggest(&t, false, name, &(struct wl_cmdline){ .verb = "idle" }, name);
	assert_true(wl_commands_fill(&c, &t));
	assert_string_equal(wl_table_at(&t, 0, EVIDENCE).str, name);
	assert_string_equal(wl_table_at(&t, 0, TEXT).str, name);
	assert_string_equal(t.notes->text, name);
	assert_string_equal(t.last_note->text,
			    "lost: warplens TRACE --gpu 99999999999999warplens idle run.sqlite "
			    "--gpu 0lost: warplens TRACE --gpu 99999999999999");
}
