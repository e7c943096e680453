/* SPDX-License-Identifier: MIT */
/* names.h - the names that a statement can have, for completion: tables, columns, functions. */
#ifndef WL_CLI_SHELL_NAMES_H
#define WL_CLI_SHELL_NAMES_H

#include "base/memory/vec.h"
#include "cli/shell/lines.h"
#include "sql/sql.h"

struct wl_shell_names {
	struct wl_arena arena; /* of all below */
	const struct wl_sql_table *tables;
	size_t n_tables;
	const char **functions; /* with the open parenthesis */
	size_t n_functions;
	struct wl_vec found; /* const char *: of the last question */
	struct wl_arena found_arena;
};

/* Zeroed before the first load. Release also after a failure. */
int wl_shell_names_load(struct wl_shell_names *names, struct wl_sql *sql,
			struct wl_err *reterr) WL_MUST_CHECK;
void wl_shell_names_release(struct wl_shell_names *names);

/* What is typed: a line, its cursor, and the lines of the statement before it. */
struct wl_typed {
	const char *before, *line;
	size_t cursor;
};

/*
 * What the word before the cursor can become. After FROM and JOIN it is a table, after "t." a
 * column of t, else any name that fits: columns are those of tables that the statement names, or of
 * all where it names none. A column that SQL would take for a word of its own is in quotes.
 */
struct wl_continuations wl_shell_names_complete(struct wl_shell_names *names,
						const struct wl_typed *typed);

/* The same where it can only be a table. */
struct wl_continuations wl_shell_names_complete_table(struct wl_shell_names *names,
						      const struct wl_typed *typed);

/* The same for words of a list, NULL ends; word is where it begins in the line. */
struct wl_continuations wl_shell_names_among(struct wl_shell_names *names, const char *const *list,
					     const char *word, size_t n);

#endif
