/* SPDX-License-Identifier: MIT */
/*
 * registry_page.h - sections about verbs, answer columns, and export tables and columns, made from
 * their descriptors.
 */
#ifndef WL_AGENT_EXPLAIN_REGISTRY_PAGE_H
#define WL_AGENT_EXPLAIN_REGISTRY_PAGE_H

#include "agent/explain/prose.h"

/* The name of the i-th verb, an analysis or a document; NULL past the last. */
const char *wl_registry_verb(size_t i);

/* Each adds a section and returns true, or adds nothing and returns false. */
bool wl_registry_put_verb(struct wl_prose *p, const char *word);

/* "sum", "Exposed comm", or, for a single verb, "kernels.sum". */
bool wl_registry_put_column(struct wl_prose *p, const char *word);

/* "StringIds", "globalTid", "NVTX_EVENTS.text" */
bool wl_registry_put_export(struct wl_prose *p, const char *word);

#endif
