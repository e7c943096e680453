/* SPDX-License-Identifier: MIT */
/*
 * explanation.h - explains a word: a finding, a page, a verb, a column, a term, an export table or
 * a kernel name. No trace is read.
 */
#ifndef WL_AGENT_EXPLAIN_EXPLANATION_H
#define WL_AGENT_EXPLAIN_EXPLANATION_H

#include "base/attr.h"
#include "base/err.h"
#include "base/memory/arena.h"

enum wl_explained {
	WL_EXPLAINED_FINDING,
	WL_EXPLAINED_PAGE, /* a page of docs/ */
	WL_EXPLAINED_VERB,
	WL_EXPLAINED_TERM,
	WL_EXPLAINED_COLUMN,
	WL_EXPLAINED_EXPORT, /* a table or column of an Nsight Systems export */
	WL_EXPLAINED_KERNEL,
};

struct wl_explanation {
	enum wl_explained kind; /* the first kind, if the word has several */
	/* Plain Markdown: headings, paragraphs, items ("- "), fenced code. Owned by the arena, or
	 * constant. */
	const char *text;
};

/*
 * Explain a word from the user, or a name from a trace. A word with several meanings gets a section
 * for each. A name of no known library is still explained if it looks like a kernel name: the text
 * then says what is not known. WL_E_USAGE when nothing is known, with the nearest known word in the
 * message.
 */
int wl_explanation_of(const char *what, struct wl_arena *arena, struct wl_explanation *ret,
		      struct wl_err *reterr) WL_MUST_CHECK;

/* The i-th word that has an explanation under its own name, for lists and completion: finding
 * codes, pages, then verbs; NULL past the last. */
const char *wl_explain_word(size_t i);

#endif
