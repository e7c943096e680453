/* SPDX-License-Identifier: MIT */
/* dots.h - the commands of the shell itself, which begin with a dot. */
#ifndef WL_CLI_DOTS_H
#define WL_CLI_DOTS_H

#include "cli/shell/shell_state.h"

/* Run a line that begins with a dot; a file to read is left in the state. */
void wl_shell_dot(struct wl_shell *s, const char *line);

/* Names of dot commands, and what their arguments can be. */
struct wl_continuations wl_shell_complete_dot(struct wl_shell *s, const char *line, size_t cursor);

#endif
