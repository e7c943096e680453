/* SPDX-License-Identifier: MIT */
/*
 * page.h - the frame of an HTML page: its head, with style and policy, and its scripts.
 * Nothing comes from elsewhere, and the page is complete without its scripts.
 */
#ifndef WL_RENDER_PAGE_H
#define WL_RENDER_PAGE_H

#include <stdbool.h>
#include <stdio.h>

/* What a page has beyond tables. */
struct wl_html_page {
	bool tree;   /* rows that fold */
	bool report; /* is mailed: see has_front of a document */
	bool charts; /* pictures, and lists of findings */
	bool tools;  /* buttons: light or dark, print */
	/* A script of the page's own, and the hash of a new line and it, "sha256-..."; NULL for
	 * none. */
	const char *script, *hash;
};

/*
 * A style or script of src/render/pages, such as "tree.css", without its first line. A style is of:
 * style.css all pages; charts.css pictures, where two sections that have some stand side by side if
 * there is room; tree.css a level is a step to the right, on paper ten at most, where nothing is
 * folded; report.css a page that is mailed: on paper what its bar and cards say is not said again
 * as a table, and a card breaks only before or in its evidence.
 */
const char *wl_html_part(const char *name);

/*
 * The head up to and without its title. The policy of the page admits the scripts of ours
 * by their hashes: no name can smuggle in another.
 */
void wl_html_put_head(FILE *out, const struct wl_html_page *page);

/* The scripts, at the end of the body. */
void wl_html_put_scripts(FILE *out, const struct wl_html_page *page);

#endif
