/* SPDX-License-Identifier: MIT */
/*
 * chart.h - the chart of a section as a figure of an HTML page: a picture, a legend and what
 * it shows. The pictures are bounded, whatever the table holds, and say what they leave out.
 */
#ifndef WL_RENDER_CHART_H
#define WL_RENDER_CHART_H

#include <stdbool.h>

#include "render/render.h"
#include "table/chart.h"

/* Whether the section has a chart, and the table has what it shows. */
bool wl_chart_is_drawn(const struct wl_section *s);

/* Draw it; number tells it from the other charts of the page. Only if it is drawn. */
void wl_chart_put(FILE *out, const struct wl_section *s, unsigned number, enum wl_timeunit unit);

#endif
