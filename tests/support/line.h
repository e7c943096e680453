/* SPDX-License-Identifier: MIT */
/* line.h - command lines for tests, written as one text. */
#ifndef WL_TESTS_LINE_H
#define WL_TESTS_LINE_H

#include "cli/line/opt.h"

enum { LINE_MAX_WORDS = 96 };

/* The words of a line, which must stay as long as what was parsed from it is used. */
struct line {
	char text[1024];
	char *argv[LINE_MAX_WORDS];
	int argc;
	struct wl_invocation inv;
	struct wl_err err;
};

/* Parse "warplens" and the words, which blanks separate; "" stands for an empty one. */
int line_parse(struct line *l, const char *words);

#endif
