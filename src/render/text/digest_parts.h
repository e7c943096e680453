/* SPDX-License-Identifier: MIT */
/* digest_parts.h - the lines of a screen that no section holds; see digest.h. */
#ifndef WL_RENDER_DIGEST_PARTS_H
#define WL_RENDER_DIGEST_PARTS_H

#include "render/render.h"

/* The text of a cell; "" for an empty one. */
const char *wl_digest_text(const struct wl_view *view, size_t row, size_t col);

/* Whether a section before this one has the same note. */
bool wl_digest_was_said(const struct wl_document *doc, size_t before, const char *text);

/* Trace, GPUs and window in one line, what a step is in another, if the answer speaks of steps;
 * that there are none where it has a budget, NULL for none. */
void wl_digest_head(FILE *out, const struct wl_document *doc, const struct wl_section *budget,
		    const struct wl_render_opts *opts);

size_t wl_digest_head_lines(const struct wl_document *doc, const struct wl_section *budget,
			    const struct wl_render_opts *opts);

/* Idle time is in doubt where a finding that saves nothing is the first of those that save. */
bool wl_digest_is_in_doubt(const struct wl_section *list);

/* The number, from 1, of the finding that claims most of a part of the budget; 0 for none. */
size_t wl_digest_explained_by(const struct wl_section *list, const char *part);

/* The titles of a list: what the percentages in front of those shown are of. Returns its lines; out
 * == NULL only counts them. */
size_t wl_digest_list_title(FILE *out, const struct wl_section *list, size_t shown,
			    const struct wl_render_opts *opts);

/* "Not recorded: OS waits (add osrt to --trace), ..." in one line; nothing where nothing is
 * missing. */
void wl_digest_lacks(FILE *out, const struct wl_view *view, const struct wl_render_opts *opts);

/* "Next: warplens findings run.sqlite", ready to be pasted. Lines; out == NULL only counts them. */
size_t wl_digest_next(FILE *out, const struct wl_document *doc, const struct wl_render_opts *opts);

#endif
