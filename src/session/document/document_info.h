/* SPDX-License-Identifier: MIT */
/*
 * document_info.h - the descriptor of a document: an ordered list of titled analyses, as
 * constant data.
 */
#ifndef WL_SESSION_DOCUMENT_INFO_H
#define WL_SESSION_DOCUMENT_INFO_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/analysis.h"
#include "table/document.h"

/*
 * Whether a trace without GPU work has the section. A document with a section of the second or
 * third kind shows these of such a trace, and one without shows all.
 */
enum wl_section_of {
	WL_OF_GPU,  /* left out */
	WL_OF_HOST, /* only such a trace has it */
	WL_OF_ANY,
};

struct wl_section_info {
	const char *title;
	const char *analysis; /* a verb or a part */
	enum wl_section_of of;
	bool needed;        /* without data for it the whole document has none */
	bool only_file;     /* goes to the file of a report and nowhere else */
	bool only_data;     /* without data it is left out; others say so, and have a file */
	bool only_in_job;   /* left out of a trace that is one file */
	bool only_with_ncu; /* shown where it is asked for, or the request has a report of ncu */
	bool only_in_full;  /* shown where it is asked for, or the document in full */
	size_t limit; /* rows shown in text and Markdown unless -n says otherwise; 0 for all */
	const char *args[WL_MAX_PARAMS]; /* by parameter; NULL for the default */
	const char *full;             /* the parameter that is switched on in full; NULL for none */
	const struct wl_chart *chart; /* NULL for none */
	const struct wl_chart *other; /* a second one beside it; NULL for none */
	const struct wl_split *split; /* NULL for none */
	const char *columns; /* that the pages of a report show; NULL: by the width of the page */
	const char *sort; /* order of its rows, in a report that of its pages; NULL: as they are */
	const char *file; /* where a report writes all rows, without folder; NULL for nowhere */
	struct wl_json *const *docs; /* by parameter, of the user's; NULL for none */
};

enum { WL_MAX_SECTIONS = 48 };

struct wl_document_info {
	const char *name;
	enum wl_topic topic;
	struct wl_listed listed;
	const char *help;  /* imperative, no full stop */
	const char *about; /* a paragraph */
	const struct wl_section_info *sections;
	size_t n_sections; /* at most WL_MAX_SECTIONS */
	/* What each is asked where several traces are given (several.h); NULL: it takes one. */
	const struct wl_document_info *several;
	bool explains;    /* sections say what they were derived from, and their limits */
	const char *next; /* text shows a screen of it, and this verb comes next; NULL: shows all */
	const char *next_of_host; /* instead, of a trace without GPU work; NULL: the same */
	const struct wl_param *params;
	size_t n_params;
	const struct wl_alias *aliases; /* name == NULL ends; NULL for none */
	const struct wl_example *examples;
};

/* In the order of documents.def. */
extern const struct wl_document_info *const wl_documents[];
extern const size_t wl_n_documents;

/*
 * What "warplens report" writes. It is no document of the list above: the command makes a
 * directory of it.
 */
extern const struct wl_document_info wl_report_document;

/* NULL when there is no such document. */
const struct wl_document_info *wl_document_find(const char *name);

/* It says what the file holds, and nothing of a part of it: no selection applies. */
bool wl_document_is_of_file(const struct wl_document_info *d);

#endif
