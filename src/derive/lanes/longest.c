/* SPDX-License-Identifier: MIT */
/*
 * longest.c - finds the longest event of each column in one walk over the columns. The events that
 * start in a column are found by galloping from those of the previous column; the longest of each
 * whole block is known. A run of columns in which no event starts is one step.
 */
#include "derive/lanes/columns.h"
#include "derive/lanes/lane_parts.h"

/* The column of a time in the view, or the width for a time after it. */
static uint32_t column_of(const struct wl_viewport *v, wl_ns t)
{
	return t < v->end ? wl_viewport_column(v, t) : v->width;
}

/*
 * One past the last column of the run from x in which nothing starts and event i - 1 is as in x:
 * under way, or over. Column x belongs to the run.
 */
static uint32_t run_end(const struct wl_lane *lane, const struct wl_viewport *v, size_t i,
			bool is_under_way)
{
	uint32_t next = i < lane->n ? column_of(v, lane->start[i]) : v->width;

	if (is_under_way) {
		uint32_t last = column_of(v, wl_lane_end(lane, i - 1) - 1);

		next = last < next ? last + 1 : next;
	}
	return next;
}

void wl_lane_draw_longest(const struct wl_lane *lane, const struct wl_viewport *v, uint32_t *ret)
{
	size_t i = wl_lane_from(lane, v->begin); /* the first event that does not start before x */

	for (uint32_t x = 0; x < v->width;) {
		wl_ns begin = wl_viewport_at(v, x);
		size_t j = wl_lane_gallop(lane, i, wl_viewport_at(v, x + 1));
		bool is_under_way = i > 0 && wl_lane_end(lane, i - 1) > begin;
		size_t first = i - is_under_way;
		uint32_t best = WL_NONE, end = x + 1;

		if (first < j)
			best = (uint32_t)wl_lane_longest_of(lane, first, j);
		if (j == i)
			end = run_end(lane, v, i, is_under_way);
		for (; x < end; x++)
			ret[x] = best;
		i = j;
	}
}
