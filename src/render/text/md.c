/* SPDX-License-Identifier: MIT */
/* md.c - a document for pull requests and wikis: tables of GitHub Markdown. */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "render/formats.h"
#include "render/text/looks.h"
#include "render/words/frame.h"
#include "render/words/human.h"
#include "render/words/spelling.h"

#define UNCUT (SIZE_MAX / 4) /* columns that no text has */

/* Everything that could begin markup in the middle of a line. */
static const char *escape(uint32_t cp)
{
	static const char special[] = "\\`*_<>&[]|~$";
	static const char *const escaped[] = { "\\\\", "\\`", "\\*", "\\_", "\\<", "\\>",
					       "\\&",  "\\[", "\\]", "\\|", "\\~", "\\$" };
	const char *found = cp < 0x80 && cp != 0 ? strchr(special, (int)cp) : NULL;

	return found ? escaped[found - special] : wl_escape_human(cp);
}

/* Inside code a bar still ends the cell of a table. */
static const char *escape_code(uint32_t cp)
{
	return cp == '|' ? "\\|" : wl_escape_human(cp);
}

/* As code, fenced by more backquotes than it has in a row; padded where one is at its ends. */
static void put_code(FILE *out, const char *s, size_t most)
{
	size_t longest = 0;

	for (const char *at = s; *at; at += *at == '`' ? strspn(at, "`") : 1)
		longest = strspn(at, "`") > longest ? strspn(at, "`") : longest;
	for (size_t i = 0; i <= longest; i++)
		(void)fputc('`', out);
	(void)fputs(longest ? " " : "", out);
	wl_put_escaped_cut(out, s, most, escape_code);
	(void)fputs(longest ? " " : "", out);
	for (size_t i = 0; i <= longest; i++)
		(void)fputc('`', out);
}

/* Sites that show Markdown turn "@user", "#12", "GH-12" and addresses into links and notices. */
static bool is_live(const char *s)
{
	if (strstr(s, "://") || strstr(s, "www.") || strstr(s, "GH-"))
		return true;
	for (; (s = strpbrk(s, "@#")) != NULL; s++)
		if (s[0] == '@' ? isalnum((unsigned char)s[1]) : isdigit((unsigned char)s[1]))
			return true;
	return false;
}

/* At most this many columns. No backslash stops a site from linking what is live, but code does. */
static void put_cut(FILE *out, const char *s, size_t most)
{
	if (is_live(s))
		put_code(out, s, most);
	else
		wl_put_escaped_cut(out, s, most, escape);
}

static void put_text(FILE *out, const char *s)
{
	put_cut(out, s, UNCUT);
}

static void put_header(FILE *out, const struct wl_view *v)
{
	for (size_t i = 0; i < v->n_cols; i++) {
		(void)fputs(i ? " | " : "| ", out);
		put_text(out, v->table->cols[v->cols[i]].title);
	}
	(void)fputs(" |\n|", out);
	for (size_t i = 0; i < v->n_cols; i++)
		(void)fputs(wl_human_is_number(v->table->cols[v->cols[i]].type) ? " ---: |"
										: " --- |",
			    out);
	(void)fputc('\n', out);
}

/*
 * The level of a row in a tree. GitHub strips spaces at the beginning of a cell, so a dot
 * stands for each level.
 */
static void put_level(FILE *out, uint32_t level)
{
	for (uint32_t i = 0; i < level && i < WL_MAX_INDENT; i++)
		(void)fputs("\u00b7 ", out);
	if (level > WL_MAX_INDENT)
		(void)fprintf(out, "%" PRIu32 ": ", level);
}

static void put_row(FILE *out, const struct wl_spelling *spelling, size_t row, size_t most)
{
	const struct wl_view *v = spelling->view;
	char buf[WL_UNITS_BUF];

	for (size_t i = 0; i < v->n_cols; i++) {
		size_t col = v->cols[i];

		(void)fputs(i ? " | " : "| ", out);
		put_level(out, wl_view_level(v, row, col));
		put_cut(out, wl_spelling_cell(spelling, row, col, buf), most);
	}
	(void)fputs(" |\n", out);
}

/* Coverage and notes, as a list. */
static void put_remarks(FILE *out, const struct wl_table *t)
{
	char buf[WL_FRAME_BUF];
	bool any = false;

	for (size_t i = 0; i < t->n_coverage; i++) {
		const char *text = wl_frame_coverage(&t->coverage[i], buf);

		if (!text)
			continue;
		(void)fputs(any ? "- coverage: " : "\n- coverage: ", out);
		put_text(out, text);
		(void)fputc('\n', out);
		any = true;
	}
	for (const struct wl_note *n = t->notes; n; n = n->next) {
		(void)fputs(any ? "- " : "\n- ", out);
		put_text(out, n->text);
		(void)fputc('\n', out);
		any = true;
	}
}

/* Where the rows are that are not shown. */
static void put_rest(FILE *out, const struct wl_section *s)
{
	(void)fprintf(out, "\n%zu of %zu rows; ", s->view.n_rows, s->view.n_total);
	if (s->file) {
		(void)fputs("all are in ", out);
		put_text(out, s->file);
		(void)fputc('\n', out);
	} else {
		(void)fputs("-n 0 shows all\n", out);
	}
}

static void put_cell_text(FILE *out, const struct wl_view *v, size_t row, size_t col)
{
	struct wl_cell cell = wl_table_at(v->table, v->rows[row], col);

	put_text(out, cell.set ? cell.str : "");
}

/* Prose that is minor, as a list below the item: "- How: ..." */
static void put_more(FILE *out, const struct wl_view *v, size_t row)
{
	for (size_t i = 0; i < v->table->n_cols; i++) {
		const struct wl_col *c = &v->table->cols[i];
		struct wl_cell cell = wl_table_at(v->table, v->rows[row], i);

		if (!(c->flags & WL_PROSE) || !(c->flags & WL_MINOR) || !cell.set)
			continue;
		(void)fputs("   - ", out);
		put_text(out, c->title);
		(void)fputs(": ", out);
		if (c->flags & WL_SHELL)
			put_code(out, cell.str, UNCUT);
		else
			put_text(out, cell.str);
		(void)fputc('\n', out);
	}
}

/* "1. **high** What it is (code)", and what to do in a line of its own. */
static void put_list(FILE *out, const struct wl_view *v, const struct wl_list_columns *cols,
		     bool in_full)
{
	for (size_t row = 0; row < v->n_rows; row++) {
		(void)fprintf(out, "%zu. **", row + 1);
		put_cell_text(out, v, row, cols->weight);
		(void)fputs("** ", out);
		put_cell_text(out, v, row, cols->says);
		(void)fputs(*wl_list_fixing(v, row) ? "; " : "", out);
		put_text(out, wl_list_fixing(v, row));
		(void)fputs(" (", out);
		put_cell_text(out, v, row, cols->code);
		(void)fputs(")", out);
		if (wl_table_at(v->table, v->rows[row], cols->action).set) {
			(void)fputs("\\\n   \u2192 ", out);
			put_cell_text(out, v, row, cols->action);
		}
		(void)fputc('\n', out);
		if (in_full)
			put_more(out, v, row);
	}
	if (v->n_rows == 0)
		(void)fputs(wl_list_is_empty, out);
}

static void put_table(FILE *out, const struct wl_section *s, enum wl_timeunit unit)
{
	size_t most = s->file ? WL_CUT_NAME : UNCUT;
	uint16_t cols[WL_MAX_COLS];
	const struct wl_view v = wl_view_filled(&s->view, cols);
	struct wl_spelling spelling;

	put_header(out, &v);
	wl_spelling_init(&spelling, &v, unit);
	for (size_t row = 0; row < v.n_rows; row++)
		put_row(out, &spelling, row, most);
	wl_spelling_release(&spelling);
}

/* in_full: the table is the answer, or the document explains its sections. */
static void put_view(FILE *out, const struct wl_section *s, enum wl_timeunit unit, bool in_full)
{
	const struct wl_view *v = &s->view;
	struct wl_list_columns list;

	if (s->look == WL_LOOK_STRIP && s->title && !v->chosen_cols &&
	    wl_text_strip(out, "", v, true, &(struct wl_render_opts){ .width = 0 }))
		return;
	if (s->look == WL_LOOK_LIST && !v->chosen_cols && wl_list_find(v->table, &list)) {
		put_list(out, v, &list, in_full);
		if (v->n_rows < v->n_total)
			put_rest(out, s);
		put_remarks(out, v->table);
		return;
	}
	if (v->n_rows == 0)
		(void)fputs("(no rows)\n", out);
	else if (v->n_cols)
		put_table(out, s, unit);
	if (v->n_rows < v->n_total)
		put_rest(out, s);
	put_remarks(out, v->table);
}

/* What it was derived from; definition and limits are folded where Markdown is shown as HTML. */
static void put_method(FILE *out, const struct wl_section *s)
{
	if (s->from) {
		(void)fputc('\n', out);
		put_text(out, s->from);
		(void)fputc('\n', out);
	}
	if (s->about) {
		(void)fputs("\n<details><summary>Definition and limits</summary>\n\n", out);
		put_text(out, s->about);
		(void)fputs("\n\n</details>\n", out);
	}
}

/* Blocks are separated by one blank line; returns whether there was a block. */
static bool put_head(FILE *out, const struct wl_document *doc, enum wl_timeunit unit)
{
	bool any = doc->title != NULL;

	if (doc->title) {
		(void)fputs("# ", out);
		put_text(out, doc->title);
		(void)fputs("\n\n", out);
	}
	if (doc->lead) {
		(void)fputs("**", out);
		put_text(out, doc->lead);
		(void)fputs("**\n\n", out);
		put_text(out, doc->reason ? doc->reason : "");
		(void)fputs(doc->reason && *doc->reason ? "\n\n" : "", out);
	}
	for (size_t i = 0; i < wl_frame_n_traces(doc); i++) {
		struct wl_frame f;

		wl_frame_init(&f, wl_frame_trace(doc, i), unit);
		for (size_t k = 0; k < f.n; k++) {
			(void)fputs(k ? " \u00b7 " : doc->n_traces ? "- " : "", out);
			put_text(out, f.part[k]);
		}
		if (f.n)
			(void)fputc('\n', out);
		any = any || f.n > 0;
	}
	return any;
}

void wl_render_md(const struct wl_document *doc, const struct wl_render_opts *opts, FILE *out)
{
	bool any = put_head(out, doc, opts->timeunit);
	char window[WL_FRAME_BUF];

	for (size_t i = 0; i < doc->n_sections; i++) {
		const struct wl_section *s = &doc->sections[i];

		(void)fputs(any ? "\n" : "", out);
		any = true;
		if (s->title) {
			(void)fputs("## ", out);
			put_text(out, s->title);
			(void)fputs("\n\n", out);
		}
		if (s->missing) {
			put_text(out, s->missing);
			(void)fputc('\n', out);
		} else {
			if (wl_frame_section_window(s, opts->timeunit, window)) {
				put_text(out, window);
				(void)fputs("\n\n", out);
			}
			put_view(out, s, opts->timeunit, doc->single || s->about);
		}
		put_method(out, s);
	}
}
