/* SPDX-License-Identifier: MIT */
/* markup.h - escapes text for HTML and SVG: whatever a name holds, it stays text. */
#ifndef WL_RENDER_MARKUP_H
#define WL_RENDER_MARKUP_H

#include <stddef.h>
#include <stdio.h>

/* Write a text; also for the value of an attribute in either quotes. */
void wl_put_markup(FILE *out, const char *s);

/* The same for at most width columns of a terminal, with an ellipsis where it is cut. */
void wl_put_markup_cut(FILE *out, const char *s, size_t width);

/* A text of ours or of the trace between two pieces of markup of ours. */
void wl_put_element(FILE *out, const char *open, const char *text, const char *close);

#endif
