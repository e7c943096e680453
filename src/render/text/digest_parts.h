/* SPDX-License-Identifier: MIT */
/* digest_parts.h - the lines of a screen that no section holds; see digest.h. */
#ifndef WL_RENDER_DIGEST_PARTS_H
#define WL_RENDER_DIGEST_PARTS_H

#include "render/render.h"

/* The text of a cell; "" for an empty one. */
const char *wl_digest_text(const struct wl_view *view, size_t row, size_t col);

/* Whether a section before this one has the same note. */
bool wl_digest_was_said(const struct wl_document *doc, size_t before, const char *text);

/* Trace, GPUs and window in one line, what a step is in another, if the answer speaks of steps. */
void wl_digest_head(FILE *out, const struct wl_document *doc, const struct wl_render_opts *opts);

/* The lines of head and headline. */
size_t wl_digest_head_lines(const struct wl_document *doc);

/* "GPUs busy 99.5%: compute 89.0%, exposed comm 10.5%; biggest finding: straggler 12.9%" */
void wl_digest_headline(FILE *out, const struct wl_section *bar, const struct wl_section *list,
			const struct wl_render_opts *opts);

/* "not recorded: OS waits (add osrt to --trace), ..." in one line; nothing where nothing is
 * missing. */
void wl_digest_lacks(FILE *out, const struct wl_view *view, const struct wl_render_opts *opts);

/* "more: warplens findings|idle run.sqlite; all tables: -v" */
void wl_digest_more(FILE *out, const struct wl_document *doc, const struct wl_render_opts *opts);

#endif
