/* SPDX-License-Identifier: MIT */
/* route_args.h - finds the options that a question implies: GPUs, windows, names, row limits. */
#ifndef WL_AGENT_ROUTE_ROUTE_ARGS_H
#define WL_AGENT_ROUTE_ROUTE_ARGS_H

#include <stdbool.h>

#include "agent/route/question.h"
#include "agent/route/route_result.h"

/*
 * Add operand and args to the result, whose verb is set: args, separated by blanks, and what the
 * question names if the verb has columns for it. What does not fit is left out. The result abstains
 * if the verb needs an operand that the question does not name. If the trace has no ranks, ranks
 * named in the question are GPUs.
 */
void wl_route_args_find(const struct wl_question *q, const char *args, bool has_ranks,
			struct wl_route_result *ret);

#endif
