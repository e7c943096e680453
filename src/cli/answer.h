/* SPDX-License-Identifier: MIT */
/* answer.h - run an analysis or a document for the command line, and print it. */
#ifndef WL_CLI_ANSWER_H
#define WL_CLI_ANSWER_H

#include "cli/opt.h"

struct wl_budget;
struct wl_pool;

/* Returns an exit status; failures were reported. */
int wl_answer(const struct wl_invocation *inv);

/* As many threads as -j says, or as there are CPUs. Free it; NULL, without memory, is one. */
int wl_pool_option(const struct wl_invocation *inv, struct wl_pool **ret,
		   struct wl_err *reterr) WL_MUST_CHECK;

/* Give a budget the limit of --memory, if any, before the first byte is taken. */
int wl_memory_option(const struct wl_invocation *inv, struct wl_budget *budget,
		     struct wl_err *reterr) WL_MUST_CHECK;

#endif
