/* SPDX-License-Identifier: MIT */
/*
 * terms.h - what words mean: those of terms.def, of docs/definitions and of docs/glossary.md.
 */
#ifndef WL_AGENT_EXPLAIN_TERMS_H
#define WL_AGENT_EXPLAIN_TERMS_H

#include "agent/explain/prose.h"

/*
 * Whether n bytes are the term, whatever the case, and whether blanks, dashes or underscores
 * are between its words; a plural s of either does not count.
 */
bool wl_term_is(const char *text, size_t n, const char *term);

/* Whether one of the names, which have bars between, is the term. */
bool wl_term_is_among(const char *names, const char *term);

/* Add what is known about a term, and return how many paragraphs that took; 0: nothing. */
size_t wl_term_put(struct wl_prose *p, const char *term);

/* The names of the i-th term of terms.def, bars between; NULL past the last. */
const char *wl_term_name(size_t i);

#endif
