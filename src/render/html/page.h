/* SPDX-License-Identifier: MIT */
/*
 * page.h - the frame of an HTML page: its head, with style and policy, and its scripts. The page
 * loads no external resources and works without its scripts.
 */
#ifndef WL_RENDER_PAGE_H
#define WL_RENDER_PAGE_H

#include <stdbool.h>
#include <stdio.h>

/* What a page contains besides tables. */
struct wl_html_page {
	bool tree;   /* rows that fold */
	bool report; /* is a report: see has_front of a document */
	bool charts; /* has pictures or lists of findings */
	bool tools;  /* has buttons for light or dark and print */
	/* The page's own script, and the hash of a newline followed by the script, "sha256-...";
	 * NULL if none. */
	const char *script, *hash;
};

/*
 * A style or script of src/render/pages, such as "tree.css", without its first line. Styles:
 * style.css is for all pages; charts.css for pictures, with two such sections side by side if there
 * is room; tree.css indents each level, in print ten at most, and unfolds everything in print;
 * report.css is for reports: in print, tables do not repeat what the bar and cards show, and a card
 * breaks only before or in its evidence.
 */
const char *wl_html_part(const char *name);

/*
 * Write the head up to its title. The page's policy admits only our scripts, by their hashes: no
 * name can inject another.
 */
void wl_html_put_head(FILE *out, const struct wl_html_page *page);

/* Write the scripts, at the end of the body. */
void wl_html_put_scripts(FILE *out, const struct wl_html_page *page);

#endif
