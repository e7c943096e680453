/* SPDX-License-Identifier: MIT */
/* prose.h - prints pages in plain Markdown: headings, paragraphs, items and fenced code. */
#ifndef WL_CLI_PROSE_H
#define WL_CLI_PROSE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/attr.h"
#include "base/err.h"

enum { WL_PROSE_MEMORY = 1 << 22 }; /* enough for any page */

/* Wraps prose, and prints code as it is. WL_E_NOMEM. */
int wl_prose_print(FILE *out, const char *text, struct wl_err *reterr) WL_MUST_CHECK;

/*
 * Print what is known of a word on standard output; WL_E_USAGE for an unknown one, and unless
 * is_any for one that could only be the name of a kernel.
 */
int wl_prose_explain(const char *word, bool is_any, struct wl_err *reterr) WL_MUST_CHECK;

#endif
