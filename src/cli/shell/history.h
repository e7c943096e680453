/* SPDX-License-Identifier: MIT */
/*
 * history.h - the file of statements that were typed: a line each, the newest last.
 *
 * Only the user can read it. Several shells may append at once; one that begins cuts a long file to
 * the newest statements.
 */
#ifndef WL_CLI_HISTORY_H
#define WL_CLI_HISTORY_H

#include <stdbool.h>

#include "base/file/file.h"

/*
 * $XDG_STATE_HOME/warplens/sql_history, else below ~/.local/state; false where neither is an
 * absolute path.
 */
bool wl_history_path(char ret_path[WL_PATH_CAP]);

typedef void wl_history_fn(void *ctx, const char *line);

/* The lines of the file, the oldest first, at most the last 1000. No file is no lines. */
void wl_history_load(const char *path, wl_history_fn *fn, void *ctx);

/*
 * Append a line, which has no newline; makes the file and its directories. A file that cannot be
 * written is no reason to stop: false.
 */
bool wl_history_add(const char *path, const char *line);

#endif
