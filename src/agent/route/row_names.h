/* SPDX-License-Identifier: MIT */
/* row_names.h - finds the rows of an answer that the words of a question name. */
#ifndef WL_AGENT_ROUTE_ROW_NAMES_H
#define WL_AGENT_ROUTE_ROW_NAMES_H

#include "agent/route/question.h"
#include "base/memory/arena.h"
#include "table/document.h"

/*
 * Keep the rows of a verb's answer that the question names, such as the ranges "forward" and
 * "backward", and return the equivalent condition for --where. NULL, with nothing changed, if it
 * names none or all of them, or if the verb's rows are not identified by names.
 */
const char *wl_row_names_keep(const struct wl_question *q, const char *verb,
			      struct wl_document *doc, struct wl_arena *arena);

#endif
