/* SPDX-License-Identifier: MIT */
/*
 * strip.h - rows of a timeline as one self-contained picture: an SVG file without scripts, fonts or
 * external resources. A column's height shows how busy it is.
 */
#ifndef WL_RENDER_STRIP_H
#define WL_RENDER_STRIP_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "known/palette.h"

struct wl_strip_column {
	uint8_t colour; /* enum wl_colour */
	uint8_t share;  /* 0 idle .. 255 busy throughout */
};

struct wl_strip_row {
	const char *label;
	const struct wl_strip_column *column; /* one per column of the strip */
};

struct wl_strip {
	const char *title;     /* the title of the picture */
	const char *from, *to; /* times of its left and right edges */
	size_t width;          /* in columns of one pixel */
	const struct wl_strip_row *row;
	size_t n_rows;
};

/* Write the strip. Errors stay in the stream. Equal neighbours become one shape. */
void wl_strip_put(const struct wl_strip *strip, FILE *out);

/* The same inside a page that has charts, with the colours and font of its style. */
void wl_strip_put_in_page(const struct wl_strip *strip, FILE *out);

#endif
