/* SPDX-License-Identifier: MIT */
/* asked_steps.h - answers questions about steps: percentiles, a trend, two steps, the slowest. */
#ifndef WL_AGENT_ROUTE_ASKED_STEPS_H
#define WL_AGENT_ROUTE_ASKED_STEPS_H

#include "agent/route/question.h"
#include "base/memory/arena.h"
#include "table/document.h"

/*
 * Sentences from the rows of iters; every figure is a cell, or a mean, median or percentile of
 * cells. NULL if the question asks for none of these. Owned by the arena.
 */
const char *wl_asked_steps_say(const struct wl_question *q, const struct wl_document *doc,
			       struct wl_arena *arena);

#endif
