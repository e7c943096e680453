/* SPDX-License-Identifier: MIT */
/*
 * terms.h - definitions of words, from terms.def, docs/definitions and docs/glossary.md.
 */
#ifndef WL_AGENT_EXPLAIN_TERMS_H
#define WL_AGENT_EXPLAIN_TERMS_H

#include "agent/explain/prose.h"

/*
 * Whether n bytes are the term. Case does not matter, nor whether blanks, dashes or underscores
 * separate its words; a plural s of either is ignored.
 */
bool wl_term_is(const char *text, size_t n, const char *term);

/* Whether one of the names, separated by bars, is the term. */
bool wl_term_is_among(const char *names, const char *term);

/* Add what is known about a term. Returns the number of paragraphs added; 0: nothing is known. */
size_t wl_term_put(struct wl_prose *p, const char *term);

/* The names of the i-th term in terms.def, separated by bars; NULL past the last. */
const char *wl_term_name(size_t i);

#endif
