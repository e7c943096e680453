/* SPDX-License-Identifier: MIT */
/* looks.h - sections on a terminal that are not plain tables; see enum wl_look. */
#ifndef WL_RENDER_LOOKS_H
#define WL_RENDER_LOOKS_H

#include "render/render.h"

/*
 * Which columns of a table make a list: the word that weighs a row, what it says, what to
 * do, and its code. The first column of type ENUM after the keys weighs, the first of keys
 * is the code, prose that is not minor says what to do. False when one is missing.
 */
struct wl_list_columns {
	size_t code, weight, says, action;
};

bool wl_list_find(const struct wl_table *table, struct wl_list_columns *ret);

/* "fixing this saves 6.80 ms ...": what a row says of its saving; "" for nothing. */
const char *wl_list_fixing(const struct wl_view *view, size_t row);

/* What fixing a row saves of the run; -1 for a row without a saving. */
double wl_list_saved(const struct wl_view *view, size_t row);

/* Whether it has a severity, and what fixing it saves is not known: no replay can say it. */
bool wl_list_is_unknown(const struct wl_view *view, size_t row);

/*
 * "12.8%", "\u226469.9%": what fixing it saves of the run, which lists and headlines print in
 * front; "" for a row without a saving.
 */
const char *wl_list_saves(const struct wl_view *view, size_t row, bool ascii,
			  char buf[WL_UNITS_BUF]);

/* The same for a front that is never empty: "-" saves nothing by itself, "?" is not known. */
const char *wl_list_front(const struct wl_view *view, size_t row, bool ascii,
			  char buf[WL_UNITS_BUF]);

extern const char wl_list_is_empty[]; /* the line that stands for no row */

/* Numbered paragraphs, as wide as the terminal; in full, also what is minor of the prose. */
void wl_text_list(FILE *out, const struct wl_view *view, const struct wl_list_columns *cols,
		  const struct wl_render_opts *opts, bool in_full);

/* The same for each run of rows of one trace, below its name; the first column names it. */
void wl_text_lists(FILE *out, const struct wl_view *view, const struct wl_list_columns *cols,
		   const struct wl_render_opts *opts);

/*
 * A command from a column on; it goes on after a backslash, so that its lines can be pasted as they
 * are. Returns its lines; out == NULL only counts them.
 */
size_t wl_text_command(FILE *out, size_t column, const char *line,
		       const struct wl_render_opts *opts);

/*
 * A bar whose blocks are the rows' parts of the whole, and what each block is. The first key
 * names a row, the first length of time is its size. False, with nothing written, where the
 * table has no such columns or no time.
 */
bool wl_text_bar(FILE *out, const struct wl_view *view, const struct wl_render_opts *opts);

/*
 * A column per row of the table, whatever the view leaves out, as high as its first share, and
 * with has_total the share of all. False, with nothing
 * written, where the table has no such column.
 */
bool wl_text_strip(FILE *out, const char *title, const struct wl_view *view, bool has_total,
		   const struct wl_render_opts *opts);

#endif
