/* SPDX-License-Identifier: MIT */
#include "render/html/html_list.h"

#include <string.h>

#include "render/chart/strip.h"
#include "render/text/looks.h"
#include "render/words/human.h"
#include "render/words/markup.h"

/* The text of a cell; NULL if it is empty. buf is for numbers. */
static const char *text_at(const struct wl_view *v, size_t row, size_t col, enum wl_timeunit unit,
			   char buf[WL_UNITS_BUF])
{
	struct wl_cell cell = wl_table_at(v->table, v->rows[row], col);

	return cell.set ? wl_human_cell(&v->table->cols[col], cell, unit, buf) : NULL;
}

/* The same by the column's key; also NULL if there is no such column. */
static const char *text_of(const struct wl_view *v, size_t row, const char *key,
			   enum wl_timeunit unit, char buf[WL_UNITS_BUF])
{
	size_t col;

	return wl_table_find_col(v->table, key, &col) ? text_at(v, row, col, unit, buf) : NULL;
}

bool wl_html_list_fits(const struct wl_view *v)
{
	struct wl_list_columns cols;

	return !v->chosen_cols && wl_list_find(v->table, &cols);
}

/* A symbol next to the word, for skimming; it adds no information. */
static const char *sign_of(const char *weight)
{
	static const char *const signs[][2] = {
		{ "high", "\u25b2\u25b2" },
		{ "medium", "\u25b2" },
		{ "low", "\u25b3" },
	};

	for (size_t i = 0; i < WL_COUNT(signs); i++) {
		if (strcmp(signs[i][0], weight) == 0)
			return signs[i][1];
	}
	return "\u25cf";
}

/* "fixing this saves 4.5 ms of 36.2 ms (12.7% of the run, replayed), GPU 2" */
static void put_saving(FILE *out, const struct wl_view *v, size_t row, enum wl_timeunit unit)
{
	char device_buf[WL_UNITS_BUF];
	const char *device = text_of(v, row, "device", unit, device_buf);
	const char *fixing = wl_list_fixing(v, row);

	if (!*fixing && !device)
		return;
	(void)fputs("<p class=\"saving\">", out);
	wl_put_element(out, "", fixing, *fixing && device ? ", " : "");
	if (device)
		(void)fprintf(out, "GPU %s", device);
	(void)fputs("</p>\n", out);
}

static bool is_minor_prose(const struct wl_view *v, size_t col)
{
	return (v->table->cols[col].flags & WL_PROSE) && (v->table->cols[col].flags & WL_MINOR);
}

/* The column where advice ends: later columns are folded. */
static size_t end_of_advice(const struct wl_view *v)
{
	size_t col;

	return wl_table_find_col(v->table, "limits", &col) ? col : v->table->n_cols;
}

/* What to do, how to do it, and how in each framework. */
static void put_advice(FILE *out, const struct wl_view *v, size_t row, const char *action)
{
	const char *how = text_of(v, row, "advice", WL_UNIT_AUTO, NULL);

	if (action || how) {
		wl_put_element(out, "<p><b>", action ? action : "", "</b>");
		wl_put_element(out, how ? ". " : "", how ? how : "", "</p>\n");
	}
	for (size_t i = 0; i < end_of_advice(v); i++) {
		const char *text =
			is_minor_prose(v, i) ? text_at(v, row, i, WL_UNIT_AUTO, NULL) : NULL;

		if (!text || text == how)
			continue;
		wl_put_element(out, "<p>", v->table->cols[i].title, ": ");
		wl_put_element(out, "", text, "</p>\n");
	}
}

/* Puts the minor prose and the code. */
static void put_more(FILE *out, const struct wl_view *v, size_t row, const char *code)
{
	(void)fputs("<details><summary>Evidence and limits</summary>\n<dl>\n", out);
	for (size_t i = end_of_advice(v); i < v->table->n_cols; i++) {
		const struct wl_col *c = &v->table->cols[i];
		const char *text =
			is_minor_prose(v, i) ? text_at(v, row, i, WL_UNIT_AUTO, NULL) : NULL;
		bool is_code = (c->flags & WL_SHELL) != 0;

		if (!text)
			continue;
		wl_put_element(out, "<dt>", c->title, "</dt>");
		wl_put_element(out, is_code ? "<dd><code>" : "<dd>", text,
			       is_code ? "</code></dd>\n" : "</dd>\n");
	}
	wl_put_element(out, "<dt>Code</dt><dd>", code ? code : "", "</dd>\n</dl>\n</details>\n");
}

/* Links to the finding with this number in the viewer. */
static void put_place(FILE *out, const char *viewer, size_t row)
{
	wl_put_element(out, "<p><a href=\"", viewer, "");
	(void)fprintf(out, "#finding=%zu\">Show finding %zu in the timeline</a></p>\n", row + 1,
		      row + 1);
}

static void put_finding(FILE *out, const struct wl_view *v, size_t row,
			const struct wl_list_columns *cols, const struct wl_render_opts *opts,
			bool cards, const struct wl_strip *const *strips)
{
	const enum wl_timeunit unit = opts->timeunit;
	const char *weight = text_at(v, row, cols->weight, unit, NULL);
	const char *says = text_at(v, row, cols->says, unit, NULL);

	if (cards)
		(void)fprintf(out, "<li><article id=\"finding-%zu\"%s>\n", row + 1,
			      weight && strcmp(weight, "high") == 0 ? " class=\"high\"" : "");
	else
		(void)fputs("<li><article>\n", out);
	(void)fprintf(out, "<h3>%zu ", row + 1);
	if (weight) {
		(void)fprintf(out, "%s ", sign_of(weight));
		wl_put_element(out, "", weight, ": ");
	}
	wl_put_element(out, "", says ? says : "", "</h3>\n");
	put_saving(out, v, row, unit);
	if (strips && strips[v->rows[row]])
		wl_strip_put_in_page(strips[v->rows[row]], out);
	if (cards && opts->viewer)
		put_place(out, opts->viewer, row);
	put_advice(out, v, row, text_at(v, row, cols->action, unit, NULL));
	put_more(out, v, row, text_at(v, row, cols->code, unit, NULL));
	(void)fputs("</article></li>\n", out);
}

void wl_html_list_put(FILE *out, const struct wl_section *s, const struct wl_render_opts *opts,
		      bool cards)
{
	const struct wl_view *v = &s->view;
	struct wl_list_columns cols;

	if (!wl_list_find(v->table, &cols))
		return;
	if (v->n_rows == 0) {
		(void)fprintf(out, "<p>%s</p>\n", wl_list_is_empty);
		return;
	}
	(void)fputs("<ol class=\"findings\">\n", out);
	for (size_t row = 0; row < v->n_rows; row++)
		put_finding(out, v, row, &cols, opts, cards, s->strips);
	(void)fputs("</ol>\n", out);
}
