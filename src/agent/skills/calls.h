/* SPDX-License-Identifier: MIT */
/* calls.h - what a skill's call may name: verbs, tables of documents, and their options. */
#ifndef WL_AGENT_CALLS_H
#define WL_AGENT_CALLS_H

#include "agent/skills/skill.h"
#include "session/document/verb_call.h"

/* A verb or a document; exactly one of the two is set. */
struct wl_called {
	const struct wl_analysis *analysis;
	const struct wl_document_info *document;
};

/* Find a verb or document by its name, or by that of a document's table. False if there is none. */
bool wl_called_find(const char *verb, struct wl_called *ret);

/* The index of a verb's own value option, by key or alias; their number if there is none. */
size_t wl_called_param(const struct wl_called *called, const char *key);

/* Whether the key is a common option that skills may set: "window", "where", ... */
bool wl_called_is_common(const char *key);

#endif
