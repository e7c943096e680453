/* SPDX-License-Identifier: MIT */
/*
 * chart.h - the chart of a section as a figure of an HTML page: a picture, a legend and a
 * description. Pictures have a bounded size, whatever the table holds, and say what they leave out.
 */
#ifndef WL_RENDER_CHART_H
#define WL_RENDER_CHART_H

#include <stdbool.h>

#include "render/render.h"
#include "table/chart.h"

/* Whether the section has a chart and the table has the data for it. */
bool wl_chart_is_drawn(const struct wl_section *s);

/* Draw the chart; number distinguishes it from the page's other charts. Call it only if
 * wl_chart_is_drawn(). */
void wl_chart_put(FILE *out, const struct wl_section *s, unsigned number, enum wl_timeunit unit);

#endif
