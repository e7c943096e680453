/* SPDX-License-Identifier: MIT */
/* html_list.h - a table of findings as numbered articles of an HTML page. */
#ifndef WL_RENDER_HTML_LIST_H
#define WL_RENDER_HTML_LIST_H

#include <stdbool.h>
#include <stdio.h>

#include "render/render.h"

/* Whether the table has the columns that a list needs. */
bool wl_html_list_fits(const struct wl_view *v);

/*
 * Each row becomes a card: a sentence, its severity, the possible saving and what to do; the rest
 * is folded. Cards have ids such as "finding-1" and link to the finding in the viewer.
 */
void wl_html_list_put(FILE *out, const struct wl_section *s, const struct wl_render_opts *opts,
		      bool cards);

#endif
