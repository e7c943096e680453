/* SPDX-License-Identifier: MIT */
#include "support/line.h"

#include <stdio.h>
#include <string.h>

int line_parse(struct line *l, const char *words)
{
	static char program[] = "warplens";
	char *rest = l->text, *word;

	(void)snprintf(l->text, sizeof(l->text), "%s", words);
	l->argc = 0;
	l->argv[l->argc++] = program;
	while (l->argc < LINE_MAX_WORDS && (word = strtok_r(rest, " ", &rest)) != NULL)
		l->argv[l->argc++] = strcmp(word, "\"\"") == 0 ? word + 2 : word;
	l->err = (struct wl_err){ .code = WL_OK };
	return wl_opt_parse(l->argc, l->argv, &l->inv, &l->err);
}
