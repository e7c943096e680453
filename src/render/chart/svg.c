/* SPDX-License-Identifier: MIT */
#include "render/chart/svg.h"

#include <string.h>

#include "render/words/markup.h"

/* The average width of a character in pixels. The reader's font is unknown. */
static const double char_width = 6.6;

void wl_svg_begin(const struct wl_svg *svg, double height, const char *title, const char *shows)
{
	(void)fprintf(svg->out,
		      "<svg role=\"img\" aria-describedby=\"c%u-desc\" viewBox=\"0 0 %d %.0f\">\n",
		      svg->number, WL_SVG_WIDTH, height);
	wl_put_element(svg->out, "<title>", title, "</title>\n");
	(void)fprintf(svg->out, "<desc id=\"c%u-desc\">", svg->number);
	wl_put_markup(svg->out, shows);
	(void)fputs(" The table below has all numbers.</desc>\n", svg->out);
}

void wl_svg_end(const struct wl_svg *svg)
{
	(void)fputs("</svg>\n", svg->out);
}

/* The lines of a tile of 6 by 6 pixels; lines through its corners extend beyond them. */
static const char *const tiles[WL_N_HATCHES] = {
	[WL_HATCH_NONE] = "",
	[WL_HATCH_RISING] = "M-1 1L1 -1M0 6L6 0M5 7L7 5",
	[WL_HATCH_FALLING] = "M-1 5L1 7M0 0L6 6M5 -1L7 1",
	[WL_HATCH_CROSSED] = "M0 0L6 6M0 6L6 0",
	[WL_HATCH_LEVEL] = "M0 3H6",
	[WL_HATCH_UPRIGHT] = "M3 0V6",
	[WL_HATCH_DOTTED] = "M2 3H4",
};

void wl_svg_hatches(const struct wl_svg *svg, const struct wl_swatch *fills, size_t n)
{
	bool done[WL_N_COLOURS][WL_N_HATCHES] = { { false } };

	(void)fputs("<defs>\n", svg->out);
	for (size_t i = 0; i < n; i++) {
		struct wl_swatch f = fills[i];

		if (f.hatch == WL_HATCH_NONE || done[f.colour][f.hatch])
			continue;
		done[f.colour][f.hatch] = true;
		(void)fprintf(svg->out,
			      "<pattern id=\"c%u-%d-%d\" width=\"6\" height=\"6\" "
			      "patternUnits=\"userSpaceOnUse\"><rect class=\"f%d\" width=\"6\" "
			      "height=\"6\"/><path class=\"h%d\" d=\"%s\"/></pattern>\n",
			      svg->number, (int)f.colour, (int)f.hatch, (int)f.colour,
			      (int)f.colour, tiles[f.hatch]);
	}
	(void)fputs("</defs>\n", svg->out);
}

void wl_svg_put_fill(const struct wl_svg *svg, struct wl_swatch fill)
{
	if (fill.hatch == WL_HATCH_NONE)
		(void)fprintf(svg->out, " class=\"b f%d\"", (int)fill.colour);
	else
		(void)fprintf(svg->out, " class=\"b\" fill=\"url(#c%u-%d-%d)\"", svg->number,
			      (int)fill.colour, (int)fill.hatch);
}

void wl_svg_begin_box(const struct wl_svg *svg, struct wl_svg_box box, struct wl_swatch fill)
{
	(void)fputs("<rect", svg->out);
	wl_svg_put_fill(svg, fill);
	(void)fprintf(svg->out, " x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\">", box.x,
		      box.y, box.w, box.h);
}

void wl_svg_end_box(const struct wl_svg *svg)
{
	(void)fputs("</rect>\n", svg->out);
}

void wl_svg_text(const struct wl_svg *svg, double x, double y, enum wl_anchor anchor,
		 const char *text, size_t width)
{
	static const char *const classes[] = {
		[WL_ANCHOR_START] = "",
		[WL_ANCHOR_MIDDLE] = " class=\"m\"",
		[WL_ANCHOR_END] = " class=\"e\"",
	};

	(void)fprintf(svg->out, "<text%s x=\"%.1f\" y=\"%.1f\">", classes[anchor], x, y);
	wl_put_markup_cut(svg->out, text, width);
	(void)fputs("</text>\n", svg->out);
}

void wl_svg_text_in(const struct wl_svg *svg, struct wl_svg_box box, enum wl_colour colour,
		    const char *text)
{
	if ((double)strlen(text) * char_width + 8 > box.w)
		return;
	(void)fprintf(svg->out, "<text class=\"m t%d\" x=\"%.1f\" y=\"%.1f\">", (int)colour,
		      box.x + box.w / 2, box.y + box.h / 2 + 4);
	wl_put_markup(svg->out, text);
	(void)fputs("</text>\n", svg->out);
}

void wl_svg_text_cut_in(const struct wl_svg *svg, struct wl_svg_box box, enum wl_colour colour,
			const char *text)
{
	double room = (box.w - 6) / (char_width * 1.12); /* cut text must not stick out */

	if (room < 1)
		return;
	(void)fprintf(svg->out, "<text class=\"t%d\" x=\"%.1f\" y=\"%.1f\">", (int)colour,
		      box.x + 3, box.y + box.h / 2 + 4);
	wl_put_markup_cut(svg->out, text, (size_t)room);
	(void)fputs("</text>\n", svg->out);
}

void wl_svg_grid(const struct wl_svg *svg, double x1, double y1, double x2, double y2)
{
	(void)fprintf(svg->out, "<path class=\"g\" d=\"M%.1f %.1fL%.1f %.1f\"/>\n", x1, y1, x2, y2);
}
