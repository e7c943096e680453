/* SPDX-License-Identifier: MIT */
/* asked_page.h - whether a question asks why another tool has other numbers. */
#ifndef WL_AGENT_ROUTE_ASKED_PAGE_H
#define WL_AGENT_ROUTE_ASKED_PAGE_H

#include <stdbool.h>

#include "agent/route/route_result.h"

/* Where the question asks that, make the verb explain with the page, and return true. */
bool wl_asked_page_find(const char *question, struct wl_route_result *ret);

#endif
