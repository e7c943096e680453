/* SPDX-License-Identifier: MIT */
/* verb_of_line.h - the verb of a command line, which decides what options there are. */
#ifndef WL_CLI_VERB_OF_LINE_H
#define WL_CLI_VERB_OF_LINE_H

#include "base/attr.h"
#include "base/err.h"
#include "cli/verb.h"

/*
 * The verb, and how many words of the line name it: 0 where it begins with a trace; the verb is the
 * default one then. None of both, and WL_OK, where there are only options. WL_E_USAGE for a word
 * that is neither a verb nor a file, and for an option before it that no verb has.
 */
int wl_verb_of_line(int argc, char *const *argv, struct wl_verb *ret, int *ret_words,
		    struct wl_err *reterr) WL_MUST_CHECK;

#endif
