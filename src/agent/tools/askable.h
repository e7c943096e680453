/* SPDX-License-Identifier: MIT */
/* askable.h - looks up the verbs and document tables that tools may ask. */
#ifndef WL_AGENT_ASKABLE_H
#define WL_AGENT_ASKABLE_H

#include "session/document/document_info.h"

/* A verb, or a document's table, that tools may ask. */
struct wl_askable {
	const struct wl_analysis *analysis;
	const char *document;         /* for a section, the verb that shows it; NULL for a verb */
	const struct wl_alias *alias; /* the alias by which it was found; NULL if by its own name */
};

/* The i-th of all: verbs, then sections of documents; false past the last. */
bool wl_askable_at(size_t i, struct wl_askable *ret);

/* Find one by name or alias; _ is accepted for -. WL_E_USAGE with the nearest name. */
int wl_askable_find(const char *name, struct wl_askable *ret, struct wl_err *reterr) WL_MUST_CHECK;

/* The key as a schema spells it: _ for -. Returns buf. */
const char *wl_param_spelling(const char *key, char buf[64]);

#endif
