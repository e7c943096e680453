/* SPDX-License-Identifier: MIT */
/* figures.h - the figures that a question asks for, taken from the cells of the answer's rows. */
#ifndef WL_AGENT_ROUTE_FIGURES_H
#define WL_AGENT_ROUTE_FIGURES_H

#include <stdbool.h>

#include "agent/route/question.h"
#include "base/memory/arena.h"
#include "table/document.h"

/*
 * "gemm: avg 250 us, max 310 us", "Compute: most 2.8 s on GPU 2, least 2.4 s on GPU 0"; if the
 * question has a bound in percent, yes or no comes first. is_chosen: the rows are those that the
 * question names, or are in its order. NULL if it asks for no figure that the rows have. Owned by
 * the arena.
 */
const char *wl_figures_say(const struct wl_question *q, const struct wl_document *doc,
			   bool is_chosen, struct wl_arena *arena);

#endif
