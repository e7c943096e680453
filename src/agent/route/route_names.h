/* SPDX-License-Identifier: MIT */
/* route_names.h - turns names in a question into filters: kernels, calls, ranges, kinds of work. */
#ifndef WL_AGENT_ROUTE_ROUTE_NAMES_H
#define WL_AGENT_ROUTE_ROUTE_NAMES_H

#include "agent/route/reading.h"

/* Add conditions for names in the question, where the verb has columns for them. */
void wl_route_names_find(struct wl_reading *r);

/* The category of kernels that a word names, such as "matmuls"; NULL for none. */
const char *wl_route_names_category(const char *key);

/* The text to search for: a name, or the first word not about searching; NULL for none. */
const char *wl_route_names_sought(const struct wl_reading *r);

#endif
