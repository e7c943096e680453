/* SPDX-License-Identifier: MIT */
/* completions.h - the completion scripts that the program carries. */
#ifndef WL_CLI_COMPLETIONS_H
#define WL_CLI_COMPLETIONS_H

#include "known/builtin.h"

/*
 * Set by main(). NULL in tests and in the program that describes itself while completions are made
 * of that description.
 */
extern const struct wl_builtin *wl_completions;

#endif
