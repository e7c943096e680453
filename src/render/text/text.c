/* SPDX-License-Identifier: MIT */
/* text.c - a document for a terminal; the format named "table". */
#include <string.h>

#include "render/formats.h"
#include "render/text/digest.h"
#include "render/text/digest_parts.h"
#include "render/text/layout.h"
#include "render/text/looks.h"
#include "render/words/frame.h"
#include "render/words/human.h"
#include "render/words/line.h"
#include "render/words/spelling.h"

static void put_bold(FILE *out, const char *s, const struct wl_render_opts *opts)
{
	(void)fputs(opts->bold ? "\033[1m" : "", out);
	(void)wl_line_put_fitted(out, s, wl_line_limit(opts), opts->ascii);
	(void)fputs(opts->bold ? "\033[0m\n" : "\n", out);
}

/* A table on its way out. */
struct printing {
	FILE *out;
	const struct wl_spelling *spelling;
	const struct wl_layout *layout;
	const struct wl_render_opts *opts;
};

/* The i-th cell of a line in its width; the last one is not padded. */
static void put_cell(const struct printing *p, size_t i, const struct wl_col *col, const char *s)
{
	const struct wl_layout *l = p->layout;
	bool ascii = p->opts->ascii;
	FILE *out = p->out;
	bool right = wl_human_is_number(col->type);
	size_t width = wl_line_width(s);
	size_t pad = width < l->width[i] ? l->width[i] - width : 0;

	if (right)
		wl_line_put_spaces(out, pad);
	width = col->flags & WL_PROSE ? wl_line_put_cut(out, s, l->width[i], ascii)
				      : wl_line_put_fitted(out, s, l->width[i], ascii);
	if (i + 1 == l->n_cols)
		return;
	wl_line_put_spaces(out, WL_COL_GAP + (right ? 0 : l->width[i] - width));
}

/*
 * The name of a row below others in a tree: two spaces per level, or as many as the
 * layout has room for. In that room then stands the level, if it fits.
 */
static void put_name(const struct printing *p, size_t i, const char *s, size_t level)
{
	const struct wl_layout *l = p->layout;
	size_t indent = level * WL_LEVEL_STEP, width;
	char number[32] = "";

	if (indent > l->indent) {
		indent = l->indent;
		if ((size_t)snprintf(number, sizeof(number), "%zu: ", level) > indent)
			number[0] = '\0';
	}
	(void)fprintf(p->out, "%*s", (int)indent, number);
	width = indent + wl_line_put_fitted(p->out, s, l->width[i] - indent, p->opts->ascii);
	if (i + 1 < l->n_cols)
		wl_line_put_spaces(p->out, WL_COL_GAP + l->width[i] - width);
}

/* Where the title of a column that is too narrow for it is broken; 0 where it is not. */
static size_t broken_at(const struct wl_layout *l, size_t i, const char *title)
{
	bool is_broken = l->two_lines && wl_line_width(title) > l->width[i];

	return is_broken ? wl_layout_break(title) : 0;
}

/* The first line of broken titles; the others stand in the second one only. */
static void put_tops(const struct printing *p, const struct wl_table *t)
{
	const struct wl_layout *l = p->layout;
	size_t blank = 0; /* columns before the next text */

	for (size_t i = 0; i < l->n_cols; i++) {
		const struct wl_col *col = &t->cols[l->cols[i]];
		size_t at = broken_at(l, i, col->title);
		size_t rest = l->width[i] - at;
		bool right = wl_human_is_number(col->type);

		if (at) {
			wl_line_put_spaces(p->out, blank + (right ? rest : 0));
			(void)fprintf(p->out, "%.*s", (int)at, col->title);
			blank = right ? 0 : rest;
		} else {
			blank += l->width[i];
		}
		blank += WL_COL_GAP;
	}
	(void)fputc('\n', p->out);
}

static void put_header(const struct printing *p, const struct wl_table *t)
{
	(void)fputs(p->opts->bold ? "\033[1m" : "", p->out);
	if (p->layout->two_lines)
		put_tops(p, t);
	for (size_t i = 0; i < p->layout->n_cols; i++) {
		const struct wl_col *col = &t->cols[p->layout->cols[i]];
		size_t at = broken_at(p->layout, i, col->title);

		put_cell(p, i, col, col->title + at + (at > 0));
	}
	(void)fputs(p->opts->bold ? "\033[0m\n" : "\n", p->out);
}

/* Columns that do not fit beside each other: a line for each cell. */
static void put_records(const struct printing *p)
{
	const struct wl_view *v = p->spelling->view;
	const struct wl_layout *l = p->layout;
	size_t title = 0, limit = wl_line_limit(p->opts);
	char buf[WL_UNITS_BUF];

	for (size_t i = 0; i < l->n_cols; i++) {
		size_t width = wl_line_width(v->table->cols[l->cols[i]].title);

		title = width > title ? width : title;
	}
	for (size_t row = 0; row < v->n_rows; row++) {
		(void)fputs(row ? "\n" : "", p->out);
		for (size_t i = 0; i < l->n_cols; i++) {
			const struct wl_col *col = &v->table->cols[l->cols[i]];
			size_t room = limit > title + WL_COL_GAP ? limit - title - WL_COL_GAP : 1;

			wl_line_put_spaces(p->out,
					   title + WL_COL_GAP -
						   wl_line_put_fitted(p->out, col->title, title,
								      p->opts->ascii));
			(void)wl_line_put_fitted(
				p->out, wl_spelling_cell(p->spelling, row, l->cols[i], buf), room,
				p->opts->ascii);
			(void)fputc('\n', p->out);
		}
	}
}

/* Prose in the last column goes on in its width on lines below: it is never cut. */
static void put_prose(const struct printing *p, const char *s)
{
	const struct wl_layout *l = p->layout;
	const size_t last = l->n_cols - 1, room = l->width[last];
	size_t before = 0, at = 0;

	for (size_t i = 0; i < last; i++)
		before += l->width[i] + WL_COL_GAP;
	while (*s) {
		const size_t bytes = strcspn(s, " "), width = wl_line_part_width(s, bytes);
		char word[256];

		if (at && at + 1 + width > room) {
			(void)fputc('\n', p->out);
			wl_line_put_spaces(p->out, before);
			at = 0;
		} else if (at) {
			wl_line_put_spaces(p->out, 1);
			at++;
		}
		(void)snprintf(word, sizeof(word), "%.*s",
			       (int)(bytes < sizeof(word) ? bytes : sizeof(word) - 1), s);
		at += wl_line_put_fitted(p->out, word, room, p->opts->ascii);
		s += bytes + strspn(s + bytes, " ");
	}
}

static void put_rows(const struct printing *p)
{
	const struct wl_view *v = p->spelling->view;
	const struct wl_layout *l = p->layout;
	char buf[WL_UNITS_BUF];

	for (size_t row = 0; row < v->n_rows; row++) {
		for (size_t i = 0; i < l->n_cols; i++) {
			const struct wl_col *col = &v->table->cols[l->cols[i]];
			const char *s = wl_spelling_cell(p->spelling, row, l->cols[i], buf);
			size_t level = wl_view_level(v, row, l->cols[i]);

			if (level)
				put_name(p, i, s, level);
			else if (i > 0 && i + 1 == l->n_cols && col->flags & WL_PROSE)
				put_prose(p, s);
			else
				put_cell(p, i, col, s);
		}
		(void)fputc('\n', p->out);
	}
}

/*
 * One line for what is not on the screen: rows beyond the limit, columns beyond the width.
 * A document is to be read, not taken apart: it does not count columns. verb, NULL for none, has
 * help on its columns.
 */
static void put_rest(const struct printing *p, const struct wl_view *v, bool is_single,
		     const char *verb)
{
	const struct wl_layout *l = p->layout;
	char line[512] = "", rows[WL_UNITS_BUF], all[WL_UNITS_BUF];
	size_t n = 0;

	if (v->n_rows < v->n_total)
		n += (size_t)snprintf(line, sizeof(line), "%s of %s rows (%s-n 0 for all)",
				      wl_fmt_count(rows, (int64_t)v->n_rows),
				      wl_fmt_count(all, (int64_t)v->n_total),
				      wl_table_is_nested(v->table) ? "-n limits those in each row; "
								   : "");
	if (is_single && l->n_left_out && n < sizeof(line))
		n += (size_t)snprintf(line + n, sizeof(line) - n, "%s%s more column%s (%s%s%s)",
				      n ? "; " : "", wl_fmt_count(rows, (int64_t)l->n_left_out),
				      l->n_left_out == 1 ? "" : "s", verb ? "help " : "--columns ",
				      verb ? verb : "LIST", verb ? " columns" : "");
	if (n)
		wl_line_put_wrapped(p->out, "", line, p->opts);
}

static void put_table(FILE *out, const struct wl_view *view, const struct wl_render_opts *opts,
		      bool is_single, const char *verb)
{
	uint16_t cols[WL_MAX_COLS];
	const struct wl_view v = wl_view_filled(view, cols);
	struct wl_layout l;
	struct wl_spelling spelling;
	const struct printing p = { out, &spelling, &l, opts };

	/* Titles of nothing would stand between the question and the notes, which say why. */
	if (v.n_rows == 0) {
		(void)fputs("(no rows)\n", out);
		return;
	}
	wl_spelling_init(&spelling, &v, opts->timeunit);
	wl_layout_fit(&spelling, opts, &l);
	for (size_t i = 0; !l.is_too_wide && i < l.n_cols; i++)
		wl_spelling_cut(&spelling, l.cols[i],
				&(struct wl_spelling_width){ l.width[i], WL_LEVEL_STEP, l.indent,
							     opts->ascii });
	if (l.is_too_wide) {
		put_records(&p);
	} else {
		put_header(&p, v.table);
		put_rows(&p);
	}
	put_rest(&p, &v, is_single, verb);
	wl_spelling_release(&spelling);
}

/* A table in a document: with a word on rows that are left out, and none on columns. */
static void put_part(FILE *out, const struct wl_view *v, const struct wl_render_opts *opts)
{
	put_table(out, v, opts, false, NULL);
}

static void put_notes(FILE *out, const struct wl_document *doc, size_t section,
		      const struct wl_render_opts *opts)
{
	const struct wl_table *t = wl_section_table(&doc->sections[section]);

	for (const struct wl_note *n = opts->is_quiet ? NULL : t->notes; n; n = n->next) {
		if (!wl_digest_was_said(doc, section, n->text))
			wl_line_put_wrapped(out, "note: ", n->text, opts);
	}
}

/* A section that is drawn; of one that is asked for alone, people want the numbers. */
static bool put_picture(FILE *out, const struct wl_document *doc, const struct wl_section *s,
			const struct wl_render_opts *opts)
{
	if (s->look == WL_LOOK_STRIP && !doc->single)
		return wl_text_strip(out, "", &s->view, true, opts);
	return s->look == WL_LOOK_BAR && wl_text_bar(out, &s->view, opts);
}

static void put_section(FILE *out, const struct wl_document *doc, size_t i,
			const struct wl_render_opts *opts)
{
	const struct wl_section *s = &doc->sections[i];
	struct wl_list_columns list;
	char window[WL_FRAME_BUF];

	if (s->title)
		put_bold(out, s->title, opts);
	if (s->missing) {
		wl_line_put_wrapped(out, "", s->missing, opts);
		return;
	}
	if (wl_frame_section_window(s, opts->timeunit, window))
		wl_line_put_wrapped(out, "", window, opts);
	wl_frame_put_coverage(s->view.table, opts, out);
	if (s->title && s->view.n_total == 0 && s->look != WL_LOOK_LIST) {
		(void)fputs("(none)\n", out);
		put_notes(out, doc, i, opts);
		return;
	}
	if (s->look == WL_LOOK_LIST && !s->view.chosen_cols && wl_list_find(s->view.table, &list))
		wl_text_list(out, &s->view, &list, opts, doc->single);
	else if (s->look == WL_LOOK_LISTS && !s->view.chosen_cols &&
		 wl_list_find(s->view.table, &list))
		wl_text_lists(out, &s->view, &list, opts);
	else if (s->view.chosen_cols || !put_picture(out, doc, s, opts))
		put_table(out, &s->view, opts, doc->single, doc->window_spec ? doc->name : NULL);
	put_notes(out, doc, i, opts);
}

void wl_render_text(const struct wl_document *doc, const struct wl_render_opts *opts, FILE *out)
{
	if (doc->brief) {
		wl_text_digest(out, doc, put_part, opts);
		return;
	}
	if (doc->title)
		put_bold(out, doc->title, opts);
	if (doc->lead)
		wl_line_put_wrapped(out, "", doc->lead, opts);
	if (doc->lead && doc->reason && *doc->reason)
		wl_line_put_wrapped(out, "", doc->reason, opts);
	(void)fputs(doc->lead ? "\n" : "", out);
	if (!opts->is_quiet)
		wl_frame_put_head(doc, opts, out);
	for (size_t i = 0; i < doc->n_sections; i++) {
		/* A table alone follows its frame; sections stand apart. */
		if (i > 0 || !doc->single)
			(void)fputc('\n', out);
		put_section(out, doc, i, opts);
	}
}
