/* SPDX-License-Identifier: MIT */
/* files.h - several files on a command line: which of them are meant as one job. */
#ifndef WL_CLI_FILES_H
#define WL_CLI_FILES_H

#include "base/attr.h"
#include "base/err.h"
#include "cli/line/invocation.h"

/* --job: all files become one operand, which stands for the job. */
int wl_files_take(struct wl_invocation *inv, struct wl_err *reterr) WL_MUST_CHECK;

/*
 * Without --job and --separate: files that stand together become one operand where the verb opens
 * several as one job; that they are one is proven when they are opened. One trace, and files of a
 * verb that compares them, stay as they are. is_assumed: the verb was not given.
 */
void wl_files_guess(struct wl_invocation *inv, bool is_assumed);

/* The same command line with each file as an operand of its own, into *ret. */
void wl_files_separate(const struct wl_invocation *inv, struct wl_invocation *ret);

#endif
