/* SPDX-License-Identifier: MIT */
/* route_args.h - options that a question implies: GPUs, windows, names, how many rows. */
#ifndef WL_AGENT_ROUTE_ROUTE_ARGS_H
#define WL_AGENT_ROUTE_ROUTE_ARGS_H

#include <stdbool.h>

#include "agent/route/question.h"
#include "agent/route/route_result.h"

/*
 * Add operand and args to the result, whose verb is set: those of the wording, with blanks
 * between, and those that the question names and the verb has columns for. What does not fit
 * is left out. A verb that needs an operand which the question does not name makes the result
 * abstain. Without ranks in the trace, those that are named are GPUs.
 */
void wl_route_args_find(const struct wl_question *q, const char *args, bool has_ranks,
			struct wl_route_result *ret);

#endif
