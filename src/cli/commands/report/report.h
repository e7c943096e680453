/* SPDX-License-Identifier: MIT */
/* report.h - the verb report for other commands. */
#ifndef WL_CLI_COMMANDS_REPORT_H
#define WL_CLI_COMMANDS_REPORT_H

#include "cli/line/opt.h"

/* Write the report that a command line asks for. Returns an exit status. */
int wl_report_run(const struct wl_invocation *inv, bool is_quiet);

#endif
