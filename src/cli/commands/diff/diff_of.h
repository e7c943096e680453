/* SPDX-License-Identifier: MIT */
/* diff_of.h - "diff A B --of VERB": the tables of a verb, row by row. */
#ifndef WL_CLI_DIFF_OF_H
#define WL_CLI_DIFF_OF_H

#include "cli/commands/diff/sides.h"
#include "cli/print.h"

/*
 * Ask both traces, which are the operands, and print one table. WL_E_USAGE where the verb
 * is no analysis, or one that must be given more.
 */
int wl_diff_of(struct wl_siding *siding, const struct wl_printing *print, const char *verb,
	       struct wl_err *reterr) WL_MUST_CHECK;

#endif
