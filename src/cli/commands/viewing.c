/* SPDX-License-Identifier: MIT */
#include "cli/commands/viewing.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checksum.h"
#include "index/identity.h"

bool wl_state_path(const char *trace, char ret_path[WL_PATH_CAP])
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	struct wl_trace_identity id;
	uint64_t name;
	int n;

	if (wl_trace_identify(trace, &id, NULL) < 0)
		return false;
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

static bool is_plain(const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_-./:,+=@%";

	return *word && word[strspn(word, plain)] == '\0';
}

/* A blank and the word, in quotes where a shell would see more than a word. */
static void put_word(FILE *out, const char *word)
{
	(void)fputc(' ', out);
	if (is_plain(word)) {
		(void)fputs(word, out);
		return;
	}
	(void)fputc('\'', out);
	for (; *word; word++) {
		if (*word == '\'')
			(void)fputs("'\\''", out);
		else
			(void)fputc(*word, out);
	}
	(void)fputc('\'', out);
}

static void put_command(const struct wl_invocation *inv, const char *verb, FILE *out)
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
		put_word(out, option);
		put_word(out, inv->given[kept[i]]);
	}
	/* A name that looks like an option is a name all the same. */
	for (size_t i = 0; i < inv->n_operands; i++) {
		char path[WL_PATH_CAP];
		const char *operand = inv->operand[i];

		(void)snprintf(path, sizeof(path), "%s%s", operand[0] == '-' ? "./" : "", operand);
		put_word(out, path);
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
	put_command(inv, verb, out);
	failed = ferror(out);
	if (fclose(out) != 0 || failed) {
		free(text);
		return NULL;
	}
	copy = wl_arena_strdup(arena, text);
	free(text);
	return copy;
}
