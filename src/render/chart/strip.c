/* SPDX-License-Identifier: MIT */
#include "render/chart/strip.h"

#include <inttypes.h>

#include "render/words/markup.h"

/* Sizes in pixels: labels, a row, the gap between rows, the areas above and below. */
enum { LABELS = 180, ROW = 16, GAP = 4, HEAD = 28, FOOT = 44, LABEL_COLUMNS = 26 };

static void put_text(FILE *out, size_t x, size_t y, const char *anchor, const char *text)
{
	(void)fprintf(out, "<text x=\"%zu\" y=\"%zu\" text-anchor=\"%s\">", x, y, anchor);
	wl_put_markup(out, text);
	(void)fputs("</text>\n", out);
}

/* Draws a run of columns, always high enough to be visible. */
static void put_run(FILE *out, size_t x, size_t n, size_t top, struct wl_strip_column c)
{
	double height = ROW * (double)c.share / UINT8_MAX;

	if (height < 1)
		height = 1;
	(void)fprintf(out,
		      "<rect x=\"%zu\" y=\"%.1f\" width=\"%zu\" height=\"%.1f\" fill=\"#%06" PRIX32
		      "\"/>\n",
		      x, (double)top + ROW - height, n, height,
		      wl_colour_rgb((enum wl_colour)c.colour, false));
}

static void put_row(FILE *out, const struct wl_strip *strip, size_t i)
{
	const struct wl_strip_row *row = &strip->row[i];
	size_t top = HEAD + i * (ROW + GAP);

	(void)fprintf(out, "<text x=\"%d\" y=\"%zu\" text-anchor=\"end\">", LABELS - 6,
		      top + ROW - 4);
	wl_put_markup_cut(out, row->label, LABEL_COLUMNS);
	(void)fputs("</text>\n", out);
	(void)fprintf(out, "<path d=\"M%d %zuh%zu\" stroke=\"#C8CED8\" stroke-width=\"0.5\"/>\n",
		      LABELS, top + ROW, strip->width);
	for (size_t x = 0, n; x < strip->width; x += n) {
		const struct wl_strip_column *c = &row->column[x];

		for (n = 1;
		     x + n < strip->width && c[n].colour == c->colour && c[n].share == c->share;)
			n++;
		if (c->share > 0)
			put_run(out, LABELS + x, n, top, *c);
	}
}

/* Explains the colours that occur. */
static void put_legend(FILE *out, const struct wl_strip *strip, size_t y)
{
	static const char *const words[WL_N_COLOURS] = {
		[WL_COLOUR_GEMM] = "gemm; compute",
		[WL_COLOUR_ATTENTION] = "attention",
		[WL_COLOUR_NORM] = "norm, elementwise",
		[WL_COLOUR_COMM] = "communication",
		[WL_COLOUR_COPY] = "copies",
		[WL_COLOUR_OTHER] = "other",
		[WL_COLOUR_HOST] = "host",
		[WL_COLOUR_NEUTRAL] = "ranges, other waits",
	};
	bool used[WL_N_COLOURS] = { false };
	size_t x = LABELS;

	for (size_t i = 0; i < strip->n_rows; i++)
		for (size_t c = 0; c < strip->width; c++)
			if (strip->row[i].column[c].share > 0)
				used[strip->row[i].column[c].colour] = true;
	for (unsigned c = 0; c < WL_N_COLOURS; c++) {
		if (!used[c])
			continue;
		(void)fprintf(
			out,
			"<rect x=\"%zu\" y=\"%zu\" width=\"10\" height=\"10\" fill=\"#%06" PRIX32
			"\"/>\n",
			x, y - 9, wl_colour_rgb((enum wl_colour)c, false));
		put_text(out, x + 14, y, "start", words[c]);
		x += 140;
	}
}

/* ---- Strips inside a page ---- */

enum { PAGE_LABELS = 132, PAGE_LABEL_COLUMNS = 20, PAGE_FOOT = 18 };

/* Draws a row's columns of one colour as one path, to keep the page small. */
static void put_path(FILE *out, const struct wl_strip *strip, size_t i, unsigned colour)
{
	const struct wl_strip_column *c = strip->row[i].column;
	const double bottom = (double)(i * (ROW + GAP)) + ROW;
	bool any = false;

	for (size_t x = 0, n; x < strip->width; x += n) {
		double height = ROW * (double)c[x].share / UINT8_MAX;

		for (n = 1; x + n < strip->width && c[x + n].colour == c[x].colour &&
			    c[x + n].share == c[x].share;)
			n++;
		if (c[x].share == 0 || c[x].colour != colour)
			continue;
		height = height < 1 ? 1 : height;
		if (!any)
			(void)fprintf(out, "<path class=\"f%u\" d=\"", colour);
		(void)fprintf(out, "M%zu %.1fh%zuv%.1fh-%zuz", PAGE_LABELS + x, bottom - height, n,
			      height, n);
		any = true;
	}
	(void)fputs(any ? "\"/>\n" : "", out);
}

void wl_strip_put_in_page(const struct wl_strip *strip, FILE *out)
{
	const size_t bottom = strip->n_rows * (ROW + GAP);

	(void)fprintf(out, "<svg class=\"strip\" role=\"img\" viewBox=\"0 0 %zu %zu\">\n",
		      PAGE_LABELS + strip->width + GAP, bottom + PAGE_FOOT);
	wl_put_element(out, "<title>", strip->title, "</title>\n");
	for (size_t i = 0; i < strip->n_rows; i++) {
		(void)fprintf(out, "<text x=\"0\" y=\"%zu\">", i * (ROW + GAP) + ROW - 4);
		wl_put_markup_cut(out, strip->row[i].label, PAGE_LABEL_COLUMNS);
		(void)fprintf(out, "</text>\n<path class=\"g\" d=\"M%d %zuh%zu\"/>\n", PAGE_LABELS,
			      i * (ROW + GAP) + ROW, strip->width);
		for (unsigned c = 0; c < WL_N_COLOURS; c++)
			put_path(out, strip, i, c);
	}
	(void)fprintf(out, "<text x=\"%d\" y=\"%zu\">", PAGE_LABELS, bottom + 12);
	wl_put_element(out, "", strip->from, "</text>\n");
	(void)fprintf(out, "<text class=\"e\" x=\"%zu\" y=\"%zu\">", PAGE_LABELS + strip->width,
		      bottom + 12);
	wl_put_element(out, "", strip->to, "</text>\n</svg>\n");
}

/* ---- Alone ---- */

void wl_strip_put(const struct wl_strip *strip, FILE *out)
{
	size_t width = LABELS + strip->width + GAP;
	size_t height = HEAD + strip->n_rows * (ROW + GAP) + FOOT;

	(void)fprintf(out,
		      "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"%zu\" "
		      "height=\"%zu\" viewBox=\"0 0 %zu %zu\" font-family=\"sans-serif\" "
		      "font-size=\"12\">\n",
		      width, height, width, height);
	wl_put_element(out, "<title>", strip->title, "</title>\n");
	(void)fputs("<rect width=\"100%\" height=\"100%\" fill=\"#FFFFFF\"/>\n", out);
	put_text(out, GAP, HEAD - 12, "start", strip->title);
	for (size_t i = 0; i < strip->n_rows; i++)
		put_row(out, strip, i);
	put_text(out, LABELS, height - 28, "start", strip->from);
	put_text(out, LABELS + strip->width, height - 28, "end", strip->to);
	put_legend(out, strip, height - 8);
	(void)fputs("</svg>\n", out);
}
