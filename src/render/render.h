/* SPDX-License-Identifier: MIT */
/* render.h - prints a document in one of the formats. Every verb supports every format. */
#ifndef WL_RENDER_RENDER_H
#define WL_RENDER_RENDER_H

#include <stdbool.h>
#include <stdio.h>

#include "base/text/units.h"
#include "table/document.h"

struct wl_render_opts {
	int width;                 /* terminal columns, 0 for no limit; text only */
	enum wl_timeunit timeunit; /* text, md and html; other formats have integer nanoseconds */
	bool bold;                 /* the terminal supports ANSI bold; text only */
	bool colour;               /* and 256 colours; text only */
	bool ascii;                /* we add no characters outside ASCII; text only */
	bool is_quiet;             /* omit frame and notes; text only */
	/* The address of a "viewer" page to which findings link; NULL if none; html only. */
	const char *viewer;
};

/* Write errors stay in the stream: the caller checks ferror() once, at the end. */
typedef void wl_renderer(const struct wl_document *doc, const struct wl_render_opts *opts,
			 FILE *out);

struct wl_format {
	const char *name;   /* --format NAME */
	const char *ending; /* file ending for -o, with the dot */
	const char *help;   /* one line */
	bool framed;        /* includes trace, window, coverage and notes; else they go to stderr */
	bool whole;         /* prints all sections of a document; else only the first */
	/* For people: starts with the document's lead, and options default to readable output. */
	bool for_people;
	size_t default_limit; /* rows shown unless -n says otherwise, 0 for all */
	wl_renderer *render;
};

/* In the order of formats.def. */
extern const struct wl_format wl_formats[];
extern const size_t wl_n_formats;

/* NULL if there is no such format, or no format has this file ending. */
const struct wl_format *wl_format_find(const char *name);
const struct wl_format *wl_format_of_file(const char *path);

enum { WL_FORMAT_LIST_BUF = 128 };

/* For messages: the endings of all formats except the terminal's, ".csv .tsv ..."; returns buf. */
const char *wl_format_list_endings(char buf[WL_FORMAT_LIST_BUF]);

/*
 * The frame as lines of text: trace, devices and window of each trace, and the first section's
 * notes and coverage below 100%. For formats that are not framed, the caller writes it to stderr.
 */
void wl_render_frame(const struct wl_document *doc, const struct wl_render_opts *opts, FILE *out);

#endif
