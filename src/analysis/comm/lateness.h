/* SPDX-License-Identifier: MIT */
/* lateness.h - the heat map of "ranks --by step": how late each rank is in each step. */
#ifndef WL_ANALYSIS_LATENESS_H
#define WL_ANALYSIS_LATENESS_H

#include "table/chart.h"

extern const struct wl_chart wl_lateness_chart;

#endif
