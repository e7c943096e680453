/* SPDX-License-Identifier: MIT */
/* opt.h - parses the command line by options.def and the parameters of the verb. */
#ifndef WL_CLI_OPT_H
#define WL_CLI_OPT_H

#include "base/attr.h"
#include "base/err.h"
#include "cli/line/invocation.h"

/*
 * Parse. The first operand is the verb, or the first two; if it is no verb but may be a file, the
 * verb is summary, or report where the output is a directory. An option that an alias implies
 * counts as given. Unknown verbs and options are WL_E_USAGE, with the nearest known one in the
 * message, and so are values that are malformed.
 */
int wl_opt_parse(int argc, char *const *argv, struct wl_invocation *ret,
		 struct wl_err *reterr) WL_MUST_CHECK;

/*
 * Make the verb another one, by name or alias, which must exist; its own options are those that
 * the name implies.
 */
int wl_opt_as(struct wl_invocation *inv, const char *name, struct wl_err *reterr) WL_MUST_CHECK;

#endif
