/* SPDX-License-Identifier: MIT */
/* unused.h - finds what a question says but its command ignores. */
#ifndef WL_AGENT_ROUTE_UNUSED_H
#define WL_AGENT_ROUTE_UNUSED_H

#include "agent/route/question.h"
#include "agent/route/route_result.h"

enum { WL_UNUSED_TEXT = 80 };

/*
 * The first number that chooses rows, or the unit after "per", that neither the verb nor its
 * options cover: the command then answers a different question. Returns buf, or NULL if nothing is
 * ignored. Numbers that state what is already known, as in "is 45% of the time", choose nothing.
 */
const char *wl_route_unused(const struct wl_question *q, const struct wl_route_result *r,
			    char buf[WL_UNUSED_TEXT]);

#endif
