/* SPDX-License-Identifier: MIT */
/*
 * strip.h - rows of a timeline as one picture that stands alone: an SVG file without
 * script, font or anything to load. How high a column is says how busy it is.
 */
#ifndef WL_RENDER_STRIP_H
#define WL_RENDER_STRIP_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "known/palette.h"

struct wl_strip_column {
	uint8_t colour; /* enum wl_colour */
	uint8_t share;  /* 0 nothing .. 255 all of it */
};

struct wl_strip_row {
	const char *label;
	const struct wl_strip_column *column; /* as many as the strip is wide */
};

struct wl_strip {
	const char *title;     /* what it is a picture of */
	const char *from, *to; /* times of its left and its right edge */
	size_t width;          /* columns, a pixel each */
	const struct wl_strip_row *row;
	size_t n_rows;
};

/* Write it. Errors stay in the stream. Equal neighbours are one shape. */
void wl_strip_put(const struct wl_strip *strip, FILE *out);

/* The same inside a page that has charts, in the colours and the font of its style. */
void wl_strip_put_in_page(const struct wl_strip *strip, FILE *out);

#endif
