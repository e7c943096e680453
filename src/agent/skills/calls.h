/* SPDX-License-Identifier: MIT */
/* calls.h - what a call of a skill may name: verbs, tables of documents, and their options. */
#ifndef WL_AGENT_CALLS_H
#define WL_AGENT_CALLS_H

#include "agent/skills/skill.h"
#include "session/document/verb_call.h"

/* A verb, or a document; one of the two is set. */
struct wl_called {
	const struct wl_analysis *analysis;
	const struct wl_document_info *document;
};

/* By its own name, or one of a table of a document. False where there is none. */
bool wl_called_find(const char *verb, struct wl_called *ret);

/* The index of a verb's own option that is a value, by key or alias; else its number of them. */
size_t wl_called_param(const struct wl_called *called, const char *key);

/* Whether the key is an option of all verbs that skills may set: "window", "where", ... */
bool wl_called_is_common(const char *key);

#endif
