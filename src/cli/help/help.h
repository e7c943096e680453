/* SPDX-License-Identifier: MIT */
/* help.h - help texts and introspection, made from the registries. */
#ifndef WL_CLI_HELP_H
#define WL_CLI_HELP_H

#include <stdio.h>

#include "cli/verb.h"

/* What the program is, its verbs by the question that they answer, and where to read on. */
void wl_help_overview(FILE *out);

/* A verb with its options, columns and examples. */
void wl_help_verb(const struct wl_verb *verb, FILE *out);

/* Everything as JSON: manual pages and completions are made from it. */
void wl_help_introspect(FILE *out);

struct wl_exit_info {
	int code;
	const char *help;
};

/* help == NULL ends it. */
extern const struct wl_exit_info wl_exits[];

#endif
