/* SPDX-License-Identifier: MIT */
/*
 * whole_pages.h - whole pages of docs/ that explain prints: tables as items, commands as code.
 */
#ifndef WL_AGENT_EXPLAIN_WHOLE_PAGES_H
#define WL_AGENT_EXPLAIN_WHOLE_PAGES_H

#include "agent/explain/prose.h"

/* The name of the i-th page, the same as its file's; NULL past the last. */
const char *wl_whole_page_name(size_t i);

/* Add the page that a word names, as plain Markdown. False: no page has that name. */
bool wl_whole_page_put(struct wl_prose *p, const char *word);

#endif
