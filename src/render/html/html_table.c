/* SPDX-License-Identifier: MIT */
#include "render/html/html_table.h"

#include <inttypes.h>
#include <string.h>

#include "render/words/human.h"
#include "render/words/markup.h"
#include "render/words/spelling.h"

/* Tables with at least this many columns are printed without the minor ones. */
enum { MANY = 11, MAX_TITLE = 4000 };
/* Tree rows with a smaller share are left out of a printed report. */
static const double least_share = 0.01;

/* A bit set of the columns that are left out when printed. */
static uint64_t find_minor(const struct wl_view *v)
{
	uint64_t minor = 0;

	if (v->n_cols < MANY || v->chosen_cols)
		return 0;
	for (size_t i = 0; i < v->n_cols; i++)
		minor |= (uint64_t)wl_view_is_minor(v, v->cols[i]) << v->cols[i];
	return minor;
}

/* The CSS classes of this column's cells and header. */
static const char *class_of(const struct wl_col *col, bool minor)
{
	if (wl_human_is_number(col->type))
		return minor ? " class=\"num minor\"" : " class=\"num\"";
	/* Only columns that name a row get a minimum width: an empty text cell needs none. */
	if (col->type == WL_T_STR && (col->flags & WL_KEY))
		return minor ? " class=\"name minor\"" : " class=\"name\"";
	if (col->type == WL_T_STR)
		return minor ? " class=\"words minor\"" : " class=\"words\"";
	return minor ? " class=\"minor\"" : "";
}

static void put_header(FILE *out, const struct wl_view *v, uint64_t minor)
{
	(void)fputs("<thead><tr>", out);
	for (size_t i = 0; i < v->n_cols; i++) {
		const struct wl_col *col = &v->table->cols[v->cols[i]];

		(void)fprintf(out, "<th scope=\"col\"%s", class_of(col, minor >> v->cols[i] & 1));
		if (col->help)
			wl_put_element(out, " title=\"", col->help, "\"");
		wl_put_element(out, ">", col->title, "</th>");
	}
	(void)fputs("</tr></thead>\n", out);
}

/* A table being written. */
struct printing {
	FILE *out;
	struct wl_spelling spelling;
	uint64_t minor; /* bits of columns */
	size_t most;    /* most columns for a name */
	size_t share;   /* column that decides which tree rows are small; WL_MAX_COLS if none */
	size_t n_small;
};

static size_t share_column(const struct wl_view *v)
{
	for (size_t i = 0; v->levels && i < v->n_cols; i++) {
		const struct wl_col *col = &v->table->cols[v->cols[i]];

		if (col->type == WL_T_RATIO && strcmp(col->key, "share") == 0)
			return v->cols[i];
	}
	return WL_MAX_COLS;
}

static bool is_small(const struct printing *p, size_t row)
{
	const struct wl_view *v = p->spelling.view;
	struct wl_cell cell = { .set = false };

	if (p->share < WL_MAX_COLS)
		cell = wl_table_at(v->table, v->rows[row], p->share);
	return cell.set && cell.f64 < least_share;
}

/* Whether the column names the row or a kernel; other texts are never cut. */
static bool is_name(const struct wl_col *col)
{
	return col->type == WL_T_STR && col->flags & (WL_KEY | WL_KERNEL);
}

/* The beginning of a cell, up to its text. If the text cuts a name, the title has the whole name.

 */
static void open_cell(const struct printing *p, size_t row, size_t col, const char *text)
{
	const struct wl_view *v = p->spelling.view;
	FILE *out = p->out;
	const struct wl_col *c = &v->table->cols[col];
	struct wl_cell cell = wl_table_at(v->table, v->rows[row], col);
	uint32_t level = wl_view_level(v, row, col);

	if (v->levels && col == v->name_col)
		(void)fprintf(out, "<td class=\"name node\" style=\"--level:%" PRIu32 "\"",
			      level < WL_MAX_INDENT ? level : WL_MAX_INDENT);
	else
		(void)fprintf(out, "<td%s", class_of(c, p->minor >> col & 1));
	if (is_name(c) && cell.set && strcmp(cell.str, text) != 0) {
		(void)fputs(" title=\"", out);
		wl_put_markup_cut(out, cell.str, MAX_TITLE);
		(void)fputc('"', out);
	}
	(void)fputc('>', out);
	if (level > WL_MAX_INDENT)
		(void)fprintf(out, "%" PRIu32 ": ", level);
}

static void put_row(struct printing *p, size_t row)
{
	const struct wl_view *v = p->spelling.view;
	FILE *out = p->out;
	bool small = is_small(p, row);
	char buf[WL_UNITS_BUF];

	p->n_small += small;
	if (v->levels)
		(void)fprintf(out, "<tr aria-level=\"%" PRIu64 "\"%s>",
			      (uint64_t)v->levels[row] + 1, small ? " class=\"small\"" : "");
	else
		(void)fputs("<tr>", out);
	for (size_t i = 0; i < v->n_cols; i++) {
		const char *text = wl_spelling_cell(&p->spelling, row, v->cols[i], buf);

		open_cell(p, row, v->cols[i], text);
		wl_put_markup_cut(out, text, p->most);
		(void)fputs("</td>", out);
	}
	(void)fputs("</tr>\n", out);
}

/* The number of rows, and where to find the rest. */
static void put_caption(FILE *out, const struct wl_section *s)
{
	const struct wl_view *v = &s->view;

	if (v->n_rows == v->n_total)
		(void)fprintf(out, "<caption>%zu row%s", v->n_rows, v->n_rows == 1 ? "" : "s");
	else
		(void)fprintf(out, "<caption>%zu of %zu rows", v->n_rows, v->n_total);
	if (s->file) {
		wl_put_element(out, "; all are in <a href=\"", s->file, "\">");
		wl_put_element(out, "", s->file, "</a>");
	} else if (v->n_rows < v->n_total) {
		(void)fputs("; -n 0 shows all", out);
	}
	(void)fputs("</caption>\n", out);
}

/* Cuts longer names so that they still differ (known/kernels/cuts.h); the title has the whole name.

 */
static void cut_names(struct wl_spelling *spelling)
{
	const struct wl_spelling_width to = { .width = 120 };

	for (size_t i = 0; i < spelling->view->n_cols; i++) {
		const size_t col = spelling->view->cols[i];

		if (is_name(&spelling->view->table->cols[col]))
			wl_spelling_cut(spelling, col, &to);
	}
}

/* A table that is too wide scrolls in its own region, also with the keyboard. */
void wl_html_table_put(FILE *out, const struct wl_section *s, enum wl_timeunit unit)
{
	const char *title = s->title ? s->title : s->analysis;
	uint16_t cols[WL_MAX_COLS];
	const struct wl_view filled = wl_view_filled(&s->view, cols), *v = &filled;
	struct printing p = { .out = out,
			      .minor = find_minor(v),
			      .most = s->file ? WL_CUT_NAME : SIZE_MAX / 4,
			      .share = share_column(v) };

	if (v->n_cols == 0)
		return;
	wl_spelling_init(&p.spelling, v, unit);
	p.spelling.micro = true;
	cut_names(&p.spelling);
	wl_put_element(out, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"",
		       title ? title : "", ": table\">\n");
	(void)fputs(v->levels ? "<table role=\"treegrid\">\n" : "<table>\n", out);
	put_caption(out, s);
	put_header(out, v, p.minor);
	(void)fputs("<tbody>\n", out);
	for (size_t row = 0; row < v->n_rows; row++)
		put_row(&p, row);
	if (v->n_rows == 0)
		(void)fprintf(out, "<tr><td colspan=\"%zu\">(no rows)</td></tr>\n", v->n_cols);
	(void)fputs("</tbody>\n</table>\n", out);
	if (p.n_small > 0)
		(void)fprintf(out, "<p class=\"paper\">%zu more below 1%%</p>\n", p.n_small);
	(void)fputs("</div>\n", out);
	wl_spelling_release(&p.spelling);
}
