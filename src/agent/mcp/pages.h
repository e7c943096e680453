/* SPDX-License-Identifier: MIT */
/* pages.h - Markdown pages for agents: verbs, findings, definitions, export tables. */
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

/* The word for a kind in addresses ("verb"), and what a page of that kind is. */
extern const char *const wl_doc_page_words[WL_N_DOC_PAGE_KINDS];
extern const char *const wl_doc_page_titles[WL_N_DOC_PAGE_KINDS];

/* The i-th page of a kind; NULL past the last. */
const char *wl_doc_page_name(enum wl_doc_page_kind kind, size_t i);

/* A one-line description of the page; "" if there is none. */
const char *wl_doc_page_about(enum wl_doc_page_kind kind, size_t i);

/* Write a page; false if no page has this name. */
bool wl_doc_page_write(enum wl_doc_page_kind kind, const char *name, FILE *out);

#endif
