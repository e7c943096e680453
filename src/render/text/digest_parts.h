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

/* The lines of head and headlines; bar is NULL where there is none. */
size_t wl_digest_head_lines(const struct wl_document *doc, const struct wl_section *bar);

/*
 * "mean of 18 steps, 53.37 ms: compute 89.0%, exposed comm 10.5%, idle 0.5%", and such a line for
 * each of two kinds or lengths of steps. Idle time is in doubt where a finding that saves nothing
 * is the first of those that save: "idle 99.1% (in doubt: see 1)". Else, where most of it is the
 * largest part and a later finding claims most of that: "idle 62.0% (mostly managed: see 3)", if it
 * fits.
 * list is NULL where there is none.
 */
void wl_digest_headlines(FILE *out, const struct wl_document *doc, const struct wl_section *bar,
			 const struct wl_section *list, const struct wl_render_opts *opts);

/* Whether counters contradict idle time, and what stands behind it then. */
bool wl_digest_is_in_doubt(const struct wl_section *list);
extern const char wl_digest_doubt[];

/* What the percentages in front of findings are of. */
void wl_digest_list_title(FILE *out, const struct wl_section *list,
			  const struct wl_render_opts *opts);

/* "not recorded: OS waits (add osrt to --trace), ..." in one line; nothing where nothing is
 * missing. */
void wl_digest_lacks(FILE *out, const struct wl_view *view, const struct wl_render_opts *opts);

/* "next: warplens findings run.sqlite", ready to be pasted. Lines; out == NULL only counts them. */
size_t wl_digest_next(FILE *out, const struct wl_document *doc, const struct wl_render_opts *opts);

#endif
