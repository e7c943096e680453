/* SPDX-License-Identifier: MIT */
/* row_names.h - rows of an answer whose names the words of a question are. */
#ifndef WL_AGENT_ROUTE_ROW_NAMES_H
#define WL_AGENT_ROUTE_ROW_NAMES_H

#include "agent/route/question.h"
#include "base/memory/arena.h"
#include "table/document.h"

/*
 * Keep the rows of the answer of a verb that the question names, such as the ranges "forward" and
 * "backward", and return the condition for --where that does the same. NULL, and nothing is
 * changed, where it names none or all, and of verbs whose rows are not known by names.
 */
const char *wl_row_names_keep(const struct wl_question *q, const char *verb,
			      struct wl_document *doc, struct wl_arena *arena);

#endif
