/* SPDX-License-Identifier: MIT */
/* answer.h - runs an analysis or a document for the command line and prints it. */
#ifndef WL_CLI_ANSWER_H
#define WL_CLI_ANSWER_H

#include "cli/opt.h"

/* Returns an exit status; failures were reported. */
int wl_answer(const struct wl_invocation *inv);

#endif
