/* SPDX-License-Identifier: MIT */
/* figures.h - the figures that a question asks for, as cells of the rows of the answer. */
#ifndef WL_AGENT_ROUTE_FIGURES_H
#define WL_AGENT_ROUTE_FIGURES_H

#include <stdbool.h>

#include "agent/route/question.h"
#include "base/memory/arena.h"
#include "table/document.h"

/*
 * "gemm: avg 250 us, max 310 us", "Compute: most 2.8 s on GPU 2, least 2.4 s on GPU 0"; where the
 * question has a bound in per cent, yes or no first. is_chosen: the rows are those that the
 * question names, or in its order. NULL where it asks for no figure that the rows have. Owned by
 * the arena.
 */
const char *wl_figures_say(const struct wl_question *q, const struct wl_document *doc,
			   bool is_chosen, struct wl_arena *arena);

#endif
