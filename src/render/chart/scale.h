/* SPDX-License-Identifier: MIT */
/* scale.h - round numbers for an axis. */
#ifndef WL_RENDER_SCALE_H
#define WL_RENDER_SCALE_H

#include "render/words/human.h"

/* An axis from 0 to top, with a tick every step. */
struct wl_scale {
	double top, step;
	enum wl_type type;     /* type of the values */
	enum wl_timeunit unit; /* one for all ticks */
};

/* At most n + 1 ticks at 1, 2 or 5 times a power of ten; max > 0 is at or below the last tick. */
struct wl_scale wl_scale_make(double max, unsigned n, enum wl_type type, enum wl_timeunit unit);

/* The powers of ten around [min, max], where 1 <= min <= max, as exponents; at least one apart. */
void wl_scale_decades(double min, double max, int *ret_first, int *ret_last);

/* A number on the axis as text; "0" has no unit. Returns buf. */
const char *wl_scale_text(const struct wl_scale *s, double v, char buf[WL_UNITS_BUF]);

/* A number of this type, formatted as in a table cell. Returns buf. */
const char *wl_number_text(enum wl_type type, double v, enum wl_timeunit unit,
			   char buf[WL_UNITS_BUF]);

#endif
