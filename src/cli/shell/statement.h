/* SPDX-License-Identifier: MIT */
/* statement.h - runs a statement and prints its result in the mode that was chosen. */
#ifndef WL_CLI_STATEMENT_H
#define WL_CLI_STATEMENT_H

#include "cli/shell/shell_state.h"

/* A whole statement with its semicolon. FROM t and DESCRIBE t are statements here. */
void wl_shell_answer(struct wl_shell *s, const char *statement);

#endif
