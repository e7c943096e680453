/* SPDX-License-Identifier: MIT */
/* asked_page.h - recognizes questions about why another tool shows different numbers. */
#ifndef WL_AGENT_ROUTE_ASKED_PAGE_H
#define WL_AGENT_ROUTE_ASKED_PAGE_H

#include <stdbool.h>

#include "agent/route/route_result.h"

/* If so, set the verb to explain, with the page as its operand, and return true. */
bool wl_asked_page_find(const char *question, struct wl_route_result *ret);

#endif
