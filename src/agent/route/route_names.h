/* SPDX-License-Identifier: MIT */
/* route_names.h - names in a question as filters: kernels, calls, ranges, kinds of work. */
#ifndef WL_AGENT_ROUTE_ROUTE_NAMES_H
#define WL_AGENT_ROUTE_ROUTE_NAMES_H

#include "agent/route/reading.h"

/* Add conditions for what the question names and the verb has columns for. */
void wl_route_names_find(struct wl_reading *r);

/* The category of kernels that a word names, such as "matmuls"; NULL for none. */
const char *wl_route_names_category(const char *key);

/* What is searched for: a name, or the first word that is not about searching; NULL for none. */
const char *wl_route_names_sought(const struct wl_reading *r);

#endif
