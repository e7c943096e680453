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
	/* A script of the page's own and its hash, "sha256-..."; NULL for none. */
	const char *script, *hash;
};

/*
 * The head up to and without its title. The policy of the page admits the scripts of ours
 * by their hashes: no name can smuggle in another.
 */
void wl_html_put_head(FILE *out, const struct wl_html_page *page);

/* The scripts, at the end of the body. */
void wl_html_put_scripts(FILE *out, const struct wl_html_page *page);

#endif
