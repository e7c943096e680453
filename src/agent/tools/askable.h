/* SPDX-License-Identifier: MIT */
/* askable.h - the verbs and tables of documents that tools may ask, by name. */
#ifndef WL_AGENT_ASKABLE_H
#define WL_AGENT_ASKABLE_H

#include "session/document/document_info.h"

/* A verb, or a table of a document, that tools may ask. */
struct wl_askable {
	const struct wl_analysis *analysis;
	const char *document;         /* of a section: the verb that shows it; NULL for a verb */
	const struct wl_alias *alias; /* by which it was found; NULL for its own name */
};

/* The i-th that there is: verbs, then sections of documents; false past the last. */
bool wl_askable_at(size_t i, struct wl_askable *ret);

/* By name or alias, _ for - will do. WL_E_USAGE with the nearest one. */
int wl_askable_find(const char *name, struct wl_askable *ret, struct wl_err *reterr) WL_MUST_CHECK;

/* How a schema spells a key: _ for -. Returns buf. */
const char *wl_param_spelling(const char *key, char buf[64]);

#endif
