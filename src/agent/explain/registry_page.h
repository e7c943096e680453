/* SPDX-License-Identifier: MIT */
/*
 * registry_page.h - sections about verbs, columns of answers, and tables and columns of exports,
 * made from their descriptors.
 */
#ifndef WL_AGENT_EXPLAIN_REGISTRY_PAGE_H
#define WL_AGENT_EXPLAIN_REGISTRY_PAGE_H

#include "agent/explain/prose.h"

/* The name of the i-th analysis or document that is a verb; NULL past the last. */
const char *wl_registry_verb(size_t i);

/* Each adds a section and returns true, or adds nothing and returns false. */
bool wl_registry_put_verb(struct wl_prose *p, const char *word);

/* "sum", "Exposed comm", or of one verb "kernels.sum". */
bool wl_registry_put_column(struct wl_prose *p, const char *word);

/* "StringIds", "globalTid", "NVTX_EVENTS.text" */
bool wl_registry_put_export(struct wl_prose *p, const char *word);

#endif
