/* SPDX-License-Identifier: MIT */
/* pages.h - pages for agents, as Markdown: verbs, findings, definitions, tables of an export. */
#ifndef WL_AGENT_PAGES_H
#define WL_AGENT_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum wl_doc_page_kind {
	WL_DOC_PAGE_VERB,
	WL_DOC_PAGE_FINDING,
	WL_DOC_PAGE_DEFINITION,
	WL_DOC_PAGE_TABLE,
	WL_N_DOC_PAGE_KINDS
};

/* The word that an address has for the kind ("verb"), and what a page of it is. */
extern const char *const wl_doc_page_words[WL_N_DOC_PAGE_KINDS];
extern const char *const wl_doc_page_titles[WL_N_DOC_PAGE_KINDS];

/* The i-th page of a kind; NULL past the last. */
const char *wl_doc_page_name(enum wl_doc_page_kind kind, size_t i);

/* What it is about, in a line; "" where that is not known. */
const char *wl_doc_page_about(enum wl_doc_page_kind kind, size_t i);

/* Write a page; false where there is none of this name. */
bool wl_doc_page_write(enum wl_doc_page_kind kind, const char *name, FILE *out);

#endif
