/* SPDX-License-Identifier: MIT */
#include "agent/tools/tool_words.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/attr.h"

struct phrase {
	const char *said, *instead;
};

/* Where another word is not enough. The first that fits is taken. */
static const struct phrase phrases[] = {
	{ "open the files of one with --job",
	  "give the path of one file, or of a directory that has the files of one job" },
	{ "--top 0 lists all that --where keeps",
	  "options {\"top\": \"0\"} lists all that where keeps" },
	{ "give further traces on the command line",
	  "ask each trace on its own, or compare two with diff" },
	{ ", or use --show-environment", "" },
	{ "; use --show-environment", "; tools do not show it" },
};

/* Arguments of tools have the names of the options; those of a verb are in the object options. */
static const struct phrase words[] = {
	{ "--window", "window" },
	{ "--gpu", "gpu" },
	{ "--pid", "pid" },
	{ "--rank", "rank" },
	{ "--stream", "stream" },
	{ "--marker", "marker" },
	{ "--where", "where" },
	{ "--sort", "sort" },
	{ "--columns", "columns" },
	{ "--section", "section" },
	{ "--threshold", "threshold" },
	{ "--by", "options.by" },
	{ "--top", "options.top" },
	{ "--min", "options.min" },
	{ "--order", "options.order" },
	{ "--range", "options.range" },
	{ "--flops", "options.flops" },
	{ "--peak", "options.peak" },
	{ "--dtype", "options.dtype" },
	{ "--depth", "options.depth" },
	{ "--during", "options.during" },
	{ "--with", "options.with" },
	{ "--all", "options.all" },
};

static bool is_word_char(char c)
{
	return isalnum((unsigned char)c) || c == '-' || c == '_';
}

static const struct phrase *find(const char *text, const char *at)
{
	for (size_t i = 0; i < WL_COUNT(phrases); i++) {
		if (strncmp(at, phrases[i].said, strlen(phrases[i].said)) == 0)
			return &phrases[i];
	}
	if (at > text && is_word_char(at[-1]))
		return NULL;
	for (size_t i = 0; i < WL_COUNT(words); i++) {
		size_t n = strlen(words[i].said);

		/* --gpu=0 and --gpu-metrics-devices are others' ways to write. */
		if (strncmp(at, words[i].said, n) == 0 && !is_word_char(at[n]) && at[n] != '=')
			return &words[i];
	}
	return NULL;
}

/* Writes to out unless it is NULL; the number of bytes without the NUL. */
static size_t rewrite(const char *text, char *out)
{
	bool is_name = false;
	size_t n = 0;

	for (const char *at = text; *at;) {
		const struct phrase *p = is_name ? NULL : find(text, at);
		const char *from = p ? p->instead : at;
		size_t length = p ? strlen(p->instead) : 1;

		is_name = is_name != (*at == '`');
		if (out)
			memcpy(out + n, from, length);
		n += length;
		at += p ? strlen(p->said) : 1;
	}
	if (out)
		out[n] = '\0';
	return n;
}

const char *wl_tool_words(const char *text, struct wl_arena *arena)
{
	char *copy;

	if (!strstr(text, "--") && !strstr(text, "command line"))
		return text;
	copy = wl_arena_calloc(arena, rewrite(text, NULL) + 1, 1);
	if (!copy)
		return text;
	(void)rewrite(text, copy);
	return copy;
}
