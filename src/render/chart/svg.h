/* SPDX-License-Identifier: MIT */
/*
 * svg.h - shapes of a picture inside an HTML page. Colours are classes and variables of the
 * page's style; all coordinates are pixels of a picture that is WL_SVG_WIDTH wide.
 */
#ifndef WL_RENDER_SVG_H
#define WL_RENDER_SVG_H

#include <stddef.h>
#include <stdio.h>

#include "base/text/units.h"
#include "known/palette.h"

enum { WL_SVG_WIDTH = 720 };

/* A picture being written. */
struct wl_svg {
	FILE *out;
	unsigned number; /* number of the picture on its page, used in the names of its parts */
	enum wl_timeunit unit;
};

/* An area; w and h are at least 0. */
struct wl_svg_box {
	double x, y, w, h;
};

/* How a text is aligned to its x. */
enum wl_anchor { WL_ANCHOR_START, WL_ANCHOR_MIDDLE, WL_ANCHOR_END };

/* Begin the picture, with a title and a description for screen readers. */
void wl_svg_begin(const struct wl_svg *svg, double height, const char *title, const char *shows);
void wl_svg_end(const struct wl_svg *svg);

/* Define the hatches of these fills, before the first shape that has one. */
void wl_svg_hatches(const struct wl_svg *svg, const struct wl_swatch *fills, size_t n);

/* Write the attributes for a filled and outlined shape into an open tag. */
void wl_svg_put_fill(const struct wl_svg *svg, struct wl_swatch fill);

/*
 * A box. Markup may be written between its begin and end, such as a <title>, which is its tooltip.
 */
void wl_svg_begin_box(const struct wl_svg *svg, struct wl_svg_box box, struct wl_swatch fill);
void wl_svg_end_box(const struct wl_svg *svg);

/* A text on its baseline, cut to a width in terminal columns. */
void wl_svg_text(const struct wl_svg *svg, double x, double y, enum wl_anchor anchor,
		 const char *text, size_t width);

/* The same, centred in an area of this colour if it fits; else nothing. */
void wl_svg_text_in(const struct wl_svg *svg, struct wl_svg_box box, enum wl_colour colour,
		    const char *text);

/* The same at the left of the area, cut to fit. */
void wl_svg_text_cut_in(const struct wl_svg *svg, struct wl_svg_box box, enum wl_colour colour,
			const char *text);

/* A thin line for axes. */
void wl_svg_grid(const struct wl_svg *svg, double x1, double y1, double x2, double y2);

#endif
