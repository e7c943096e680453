/* SPDX-License-Identifier: MIT */
/* help.h - help texts and introspection, made from the registries. */
#ifndef WL_CLI_HELP_H
#define WL_CLI_HELP_H

#include <stdio.h>

#include "cli/verb.h"

/* The verbs that most people need in their first week; 24 lines of 80 columns. */
void wl_help_overview(FILE *out);

/* All verbs, and the options of all verbs. */
void wl_help_all(FILE *out);
void wl_help_options(FILE *out);

/* The newest traces of the working directory, or what to do where there is none. */
void wl_help_traces(FILE *out);

/* The same below what to type. */
void wl_help_usage(FILE *out);

/* A verb on one screen of 40 lines: examples, what it does, options, names of columns. */
void wl_help_brief(const struct wl_verb *verb, FILE *out);

/* A verb with all of its options, columns and examples, as the manual has it. */
void wl_help_verb(const struct wl_verb *verb, FILE *out);

/* What its columns mean, or of a document its sections. */
void wl_help_columns(const struct wl_verb *verb, FILE *out);

/* Everything as JSON: manual pages and completions are made from it. */
void wl_help_introspect(FILE *out);

struct wl_exit_info {
	int code;
	const char *help;
};

/* help == NULL ends it. */
extern const struct wl_exit_info wl_exits[];

#endif
