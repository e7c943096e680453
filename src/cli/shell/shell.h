/* SPDX-License-Identifier: MIT */
/*
 * shell.h - SQL typed on a terminal: statements over several lines, dot commands, history.
 *
 * A statement ends with a semicolon. Ctrl-C drops what was typed or interrupts the query, and the
 * shell stays; Ctrl-D leaves.
 */
#ifndef WL_CLI_SHELL_H
#define WL_CLI_SHELL_H

#include "cli/shell/shell_opts.h"

/* Read and answer until the user leaves. WL_E_CANCELED after SIGTERM, SIGHUP or SIGQUIT. */
int wl_shell_run(const struct wl_shell_opts *opts, struct wl_err *reterr) WL_MUST_CHECK;

#endif
