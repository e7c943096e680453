/* SPDX-License-Identifier: MIT */
#include "cli/commands/timeline/viewing.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/file/checksum.h"
#include "base/text/shell.h"
#include "index/identity.h"

bool wl_state_path(const char *trace, char ret_path[WL_PATH_CAP])
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	struct wl_trace_identity id;
	uint64_t name;
	int n;

	if (wl_trace_identify(trace, &id, NULL) < 0)
		return false;
	/*
	 * By what the file is and not by where: a trace that was moved keeps its view and
	 * bookmarks.
	 */
	name = wl_checksum(&id, sizeof(id));
	/* The standard has it that a path which is not absolute does not count. */
	if (state && state[0] == '/')
		n = snprintf(ret_path, WL_PATH_CAP, "%s/warplens/%016" PRIx64 ".json", state, name);
	else if (home && home[0] == '/')
		n = snprintf(ret_path, WL_PATH_CAP, "%s/.local/state/warplens/%016" PRIx64 ".json",
			     home, name);
	else
		return false;
	return n > 0 && n < WL_PATH_CAP;
}

/* A blank and the word as a shell reads it. */
static void put_word(FILE *out, const char *word, struct wl_arena *arena)
{
	const char *quoted = wl_shell_word(word, arena);

	(void)fputc(' ', out);
	(void)fputs(quoted ? quoted : "?", out);
}

/* A name that looks like an option is a name all the same. */
static void put_paths(const char *const *file, size_t n, struct wl_arena *arena, FILE *out)
{
	for (size_t i = 0; i < n; i++) {
		char path[WL_PATH_CAP];

		(void)snprintf(path, sizeof(path), "%s%s", file[i][0] == '-' ? "./" : "", file[i]);
		put_word(out, path, arena);
	}
}

static void put_command(const struct wl_invocation *inv, const char *verb, struct wl_arena *arena,
			FILE *out)
{
	static const enum wl_option_id kept[] = { WL_OPT_GPU,      WL_OPT_PID,
						  WL_OPT_RANK,     WL_OPT_STREAM,
						  WL_OPT_MARKER,   WL_OPT_CONVENTIONS,
						  WL_OPT_INDEX_DIR };

	(void)fprintf(out, "warplens %s", verb);
	for (size_t i = 0; i < WL_COUNT(kept); i++) {
		char option[64];

		if (!inv->given[kept[i]])
			continue;
		(void)snprintf(option, sizeof(option), "--%s", wl_options[kept[i]].long_name);
		put_word(out, option, arena);
		put_word(out, inv->given[kept[i]], arena);
	}
	if (inv->n_job > 1)
		(void)fputs(" --job", out);
	for (size_t i = 0; i < inv->n_operands; i++) {
		if (inv->n_job > 1 && i == inv->job_at)
			put_paths(inv->job, inv->n_job, arena, out);
		else
			put_paths(&inv->operand[i], 1, arena, out);
	}
}

const char *wl_again_command(const struct wl_invocation *inv, const char *verb,
			     struct wl_arena *arena)
{
	char *text = NULL, *copy;
	size_t n;
	FILE *out = open_memstream(&text, &n);
	bool failed;

	if (!out)
		return NULL;
	put_command(inv, verb, arena, out);
	failed = ferror(out);
	if (fclose(out) != 0 || failed) {
		free(text);
		return NULL;
	}
	copy = wl_arena_strdup(arena, text);
	free(text);
	return copy;
}
