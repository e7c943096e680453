/* SPDX-License-Identifier: MIT */
/* wrap.h - wraps text to lines of at most 80 columns. */
#ifndef WL_CLI_WRAP_H
#define WL_CLI_WRAP_H

#include <stdio.h>

enum { WL_HELP_WIDTH = 79 };

/* Print text in lines that begin at column indent; the first begins at column at. */
void wl_wrap(FILE *out, const char *text, int at, int indent);

/* Print a term at column 2 and its explanation from the given column on. */
void wl_wrap_term(FILE *out, const char *term, const char *text, int indent);

#endif
