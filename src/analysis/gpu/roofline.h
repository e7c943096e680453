/* SPDX-License-Identifier: MIT */
/* roofline.h - the chart of the analysis roofline, which reports and summaries also show. */
#ifndef WL_ANALYSIS_ROOFLINE_H
#define WL_ANALYSIS_ROOFLINE_H

#include "table/chart.h"

extern const struct wl_chart wl_roofline_chart;

#endif
