/* SPDX-License-Identifier: MIT */
/*
 * asked_yes.h - a leading yes or no, if the question asks for one and its verb's rows can tell.
 *
 * Every figure is a cell of the table, a sum of cells, or a share of such sums.
 */
#ifndef WL_AGENT_ROUTE_ASKED_YES_H
#define WL_AGENT_ROUTE_ASKED_YES_H

#include "agent/route/route_result.h"
#include "base/memory/arena.h"
#include "table/document.h"

/*
 * The sentence, "Yes: ...", "No: ..." or "Cannot say: ..."; NULL if no such question was asked, the
 * answer has other tables, or memory runs out. Owned by the arena.
 */
const char *wl_asked_yes_say(enum wl_asked_for asked, const struct wl_document *doc,
			     struct wl_arena *arena);

#endif
