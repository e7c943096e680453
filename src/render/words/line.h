/* SPDX-License-Identifier: MIT */
/*
 * line.h - text on a terminal: measured, cut and wrapped in terminal columns.
 * Whatever a string holds, what is written is safe to show, and no line that it begins looks like a
 * command of a CI log or like a shell's prompt: these lose their first character.
 */
#ifndef WL_RENDER_LINE_H
#define WL_RENDER_LINE_H

#include "render/render.h"

/* opts->width as a number to compare with; SIZE_MAX when there is no limit. */
size_t wl_line_limit(const struct wl_render_opts *opts);

/* Terminal columns that s takes. */
size_t wl_line_width(const char *s);

/*
 * Write s in at most width columns, cut in the middle where it is longer, because
 * names of kernels differ at both ends. Returns the columns used.
 */
size_t wl_line_put_fitted(FILE *out, const char *s, size_t width, bool ascii);

/* The same for prose, which is cut at its end. */
size_t wl_line_put_cut(FILE *out, const char *s, size_t width, bool ascii);

/* Write prefix and s as lines within opts->width, broken at spaces, indented after the first. */
void wl_line_put_wrapped(FILE *out, const char *prefix, const char *s,
			 const struct wl_render_opts *opts);

/* Write the first n bytes of s, which end with a character; returns the columns they take. */
size_t wl_line_put_part(FILE *out, const char *s, size_t n, bool ascii);
size_t wl_line_part_width(const char *s, size_t n);

/* n spaces. */
void wl_line_put_spaces(FILE *out, size_t n);

#endif
