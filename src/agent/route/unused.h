/* SPDX-License-Identifier: MIT */
/* unused.h - what a question says that the command for it leaves out. */
#ifndef WL_AGENT_ROUTE_UNUSED_H
#define WL_AGENT_ROUTE_UNUSED_H

#include "agent/route/question.h"
#include "agent/route/route_result.h"

enum { WL_UNUSED_TEXT = 80 };

/*
 * The first number by which the question chooses, or what it asks "per" which, that neither the
 * verb nor its options stand for: the command answers another question then. buf, or NULL where
 * nothing is left out. Numbers that say what is known already, as in "is 45% of the time", choose
 * nothing.
 */
const char *wl_route_unused(const struct wl_question *q, const struct wl_route_result *r,
			    char buf[WL_UNUSED_TEXT]);

#endif
