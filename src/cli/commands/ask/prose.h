/* SPDX-License-Identifier: MIT */
/* prose.h - prints pages in plain Markdown: headings, paragraphs, items and fenced code. */
#ifndef WL_CLI_COMMANDS_PROSE_H
#define WL_CLI_COMMANDS_PROSE_H

#include <stdio.h>

#include "base/attr.h"
#include "base/err.h"

enum { WL_PROSE_MEMORY = 1 << 22 }; /* enough for any page */

/* Wraps prose, and prints code as it is. WL_E_NOMEM. */
int wl_prose_print(FILE *out, const char *text, struct wl_err *reterr) WL_MUST_CHECK;

#endif
