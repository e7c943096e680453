/* SPDX-License-Identifier: MIT */
/* delimited.h - writes rows in base units with separators, for csv and tsv. */
#ifndef WL_RENDER_DELIMITED_H
#define WL_RENDER_DELIMITED_H

#include "render/render.h"

typedef void wl_put_text(FILE *out, const char *s);

struct wl_delimited {
	char separator;
	wl_put_text *put_text; /* quotes or escapes a text cell */
};

extern const struct wl_delimited wl_csv;       /* RFC 4180; controls are neutralised */
extern const struct wl_delimited wl_csv_as_is; /* the same, but texts are unchanged */

/* The keys of the view's columns, and a row of its table; for a tree, id and parent come first. */
void wl_delimited_header(const struct wl_delimited *d, const struct wl_view *view, FILE *out);
void wl_delimited_row(const struct wl_delimited *d, const struct wl_view *view, size_t row,
		      FILE *out);

/* Write the first section: the header, then one line per row. */
void wl_put_delimited(const struct wl_delimited *d, const struct wl_document *doc, FILE *out);

#endif
