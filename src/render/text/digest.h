/* SPDX-License-Identifier: MIT */
/*
 * digest.h - a document on one screen: a few lines of each section, and what shows the rest.
 *
 * With 80 columns and more it takes at most WL_DIGEST_LINES lines. Sections are distinguished by
 * what they hold: a bar, a strip, a list, a split, roofs, prose alone, or a table.
 */
#ifndef WL_RENDER_DIGEST_H
#define WL_RENDER_DIGEST_H

#include "render/render.h"

enum { WL_DIGEST_LINES = 24 };

/* Prints a plain table. */
typedef void wl_put_table(FILE *out, const struct wl_view *view, const struct wl_render_opts *opts);

void wl_text_digest(FILE *out, const struct wl_document *doc, wl_put_table *put_table,
		    const struct wl_render_opts *opts);

/*
 * Where the time goes: a row per part, of idle time its largest causes, with its share of the
 * whole and a bar. list, of findings, says which of them explains a cause; NULL where there is
 * none.
 */
size_t wl_digest_budget_lines(const struct wl_section *section);
void wl_digest_budget(FILE *out, const struct wl_document *doc, const struct wl_section *section,
		      const struct wl_section *list, const struct wl_render_opts *opts);

/* The first findings, two lines each: what each saves and says; what to do, and its code. */
enum { WL_DIGEST_FINDINGS = 3 };
size_t wl_digest_findings_lines(const struct wl_section *section, size_t max,
				const struct wl_render_opts *opts);
void wl_digest_findings(FILE *out, const struct wl_section *section, size_t max,
			const struct wl_render_opts *opts);

/*
 * How rows such as ranks or GPUs divide the window: a line per group of rows that are alike and
 * have the same reason, of many the most telling, and one with the means of the others. Lines that
 * it writes: 0 where all rows are alike.
 */
size_t wl_digest_ranks_lines(const struct wl_section *section);
void wl_digest_ranks(FILE *out, const struct wl_section *section,
		     const struct wl_render_opts *opts);

/*
 * How near to their roofs kernels are, of a section with a chart of roofs: a line per roof, at
 * most max, each with as many kernels as fit. Returns the lines; out == NULL only counts them.
 */
size_t wl_digest_roofs(FILE *out, const struct wl_section *section, size_t max,
		       const struct wl_render_opts *opts);

/*
 * Write a text of a table in at most width columns, as many of its parts as fit. Where the first
 * does not, its names lose their middle, and it is cut at a word. Returns the columns used.
 */
size_t wl_digest_claim(FILE *out, const struct wl_table *t, size_t row, size_t col, size_t width,
		       bool ascii);

/* The same of a note. */
void wl_digest_note(FILE *out, const struct wl_note *note, size_t width, bool ascii);

/* Write a sentence that has no parts, cut at a word. */
size_t wl_digest_words(FILE *out, const char *sentence, size_t width, bool ascii);

#endif
