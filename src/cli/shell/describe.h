/* SPDX-License-Identifier: MIT */
/* describe.h - lists of tables, and the columns of one, on standard output. */
#ifndef WL_CLI_DESCRIBE_H
#define WL_CLI_DESCRIBE_H

#include "cli/shell/shell_state.h"

/* By kind, those whose names match the pattern of a file name; "" matches all. */
void wl_shell_list_tables(struct wl_shell *s, const char *pattern);

/* Its columns with types and meaning, then its parameters. */
void wl_shell_describe(struct wl_shell *s, const char *table);

/* "table(column, column)" for each. */
void wl_shell_describe_all(struct wl_shell *s);

#endif
