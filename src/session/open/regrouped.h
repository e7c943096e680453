/* SPDX-License-Identifier: MIT */
/* regrouped.h - the kernels that the tables of several traces put into different groups. */
#ifndef WL_SESSION_REGROUPED_H
#define WL_SESSION_REGROUPED_H

#include "table/chart.h"
#include "table/concat.h"

/*
 * Say in a note how many kernels have more than one group, and their sum over all parts: groups of
 * two traces differ by these as well. The parts are answers to the option of chart->members.
 * Sorts all rows.
 */
void wl_regrouped_note(const struct wl_concat_part *parts, size_t n, const struct wl_chart *chart,
		       struct wl_table *out);

#endif
