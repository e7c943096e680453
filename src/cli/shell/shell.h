/* SPDX-License-Identifier: MIT */
/*
 * shell.h - SQL typed on a terminal or in a script: statements over several lines, dot commands.
 *
 * A statement ends with a semicolon. Ctrl-C drops what was typed or interrupts the query, and the
 * shell stays; Ctrl-D leaves.
 */
#ifndef WL_CLI_SHELL_H
#define WL_CLI_SHELL_H

#include "cli/shell/shell_opts.h"

/* Read and answer until the user leaves. WL_E_CANCELED after SIGTERM, SIGHUP or SIGQUIT. */
int wl_shell_run(const struct wl_shell_opts *opts, struct wl_err *reterr) WL_MUST_CHECK;

/*
 * Answer the statements and dot commands of a text, which ends with the first failure. The last
 * semicolon may be left out.
 */
int wl_shell_script(const struct wl_shell_opts *opts, const char *text,
		    struct wl_err *reterr) WL_MUST_CHECK;

#endif
