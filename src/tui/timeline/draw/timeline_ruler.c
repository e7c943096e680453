/* SPDX-License-Identifier: MIT */
/* timeline_ruler.c - the rulers: iterations, and time with what all labels share said once. */
#include <stdio.h>
#include <string.h>

#include "base/text/units.h"
#include "tui/timeline/timeline_parts.h"

static const struct {
	wl_ns ns;
	const char *name;
} units[] = { { 1000000000, "s" }, { 1000000, "ms" }, { 1000, "us" }, { 1, "ns" } };

/* The least of 1, 2, 5, 10, 20, ... that is not less. */
static wl_ns round_up(wl_ns v)
{
	wl_ns step = 1;

	for (;;) {
		if (step >= v)
			return step;
		if (step > WL_TIME_MAX / 10)
			return step * 2;
		if (step * 2 >= v)
			return step * 2;
		if (step * 5 >= v)
			return step * 5;
		step *= 10;
	}
}

static wl_ns floor_to(wl_ns v, wl_ns step)
{
	wl_ns rest = v % step;

	return v - (rest < 0 ? rest + step : rest);
}

struct wl_ticks wl_ticks_of(wl_ns begin, wl_ns end, int cells, int spacing)
{
	struct wl_ticks ticks = { .unit = 1, .unit_name = "ns" };
	wl_ns span = end - begin;
	size_t unit = 0;

	/* So that a tick and the next are at least spacing cells apart. */
	ticks.step = round_up(span / cells * spacing + span % cells * spacing / cells + 1);
	while (units[unit].ns > ticks.step)
		unit++;
	ticks.unit = units[unit].ns;
	ticks.unit_name = units[unit].name;
	/* Offsets have few digits: from a multiple of the next larger unit; from 0 if that is seen.
	 */
	if (unit > 0 && (begin >= 0 || end <= 0))
		ticks.base = floor_to(begin, units[unit - 1].ns);
	return ticks;
}

/* "1.026s+us" for all labels; without a base just the unit. */
static int put_base(struct wl_screen *s, const struct wl_timeline_layout *l, int y,
		    const struct wl_ticks *ticks)
{
	char text[96], time[WL_UNITS_BUF];

	if (ticks->base == 0)
		(void)snprintf(text, sizeof(text), " %s", ticks->unit_name);
	else
		(void)snprintf(text, sizeof(text), " %s +%s",
			       wl_fmt_time(time, ticks->base, WL_UNIT_S), ticks->unit_name);
	return wl_screen_text(s, 0, y, l->cols, WL_STYLE_PLAIN, text);
}

/* origin: what labels count from; density: cells from one to the next, at least. */
static void draw_time(const struct wl_timeline_window *view, wl_ns origin, int density,
		      struct wl_screen *s, const struct wl_timeline_layout *l, int y)
{
	int spacing = density < 6 ? 6 : density;
	struct wl_ticks ticks =
		wl_ticks_of(view->begin - origin, view->end - origin, l->chart_width, spacing);
	int free_x = put_base(s, l, y, &ticks) + 1;
	wl_ns at = floor_to(view->begin - origin, ticks.step);

	if (at < view->begin - origin)
		at += ticks.step;
	for (; at < view->end - origin; at += ticks.step) {
		int x = l->chart_x + wl_timeline_x_of(view, l, at + origin);
		char text[32];
		int width;

		width = snprintf(text, sizeof(text), "%lld",
				 (long long)((at - ticks.base) / ticks.unit));
		if (x < free_x || x + width > l->chart_x + l->chart_width)
			continue;
		wl_screen_text(s, x, y, width, WL_STYLE_PLAIN, text);
		free_x = x + width + 1;
	}
}

/* The first iteration that begins at a time or later. */
static size_t iteration_from(const struct wl_process_iters *iters, wl_ns time)
{
	size_t lo = 0, hi = iters->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (iters->at[mid].tile.begin < time)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Every how many iterations one is named, so that the names of all these fit. */
static size_t stride_of(size_t first, size_t last, int cells)
{
	char text[32];
	wl_ns width = snprintf(text, sizeof(text), "|%zu ", last);
	wl_ns n = (wl_ns)(last - first + 1);

	return (size_t)round_up((n * width + cells - 1) / cells);
}

static void draw_iteration(const struct wl_timeline_window *view, struct wl_screen *s,
			   const struct wl_timeline_layout *l, int y, const char *text, wl_ns begin,
			   int *free_x)
{
	int x = wl_timeline_x_of(view, l, begin), width = (int)strlen(text);

	if (x < *free_x || x + width > l->chart_width)
		return;
	wl_screen_text(s, l->chart_x + x, y, width, WL_STYLE_PLAIN, text);
	*free_x = x + width + 1;
}

/* A mark where iterations begin; where they are too dense, where every 2nd, 5th, 10th does. */
static void draw_iterations(const struct wl_timeline_window *view,
			    const struct wl_process_iters *iters, struct wl_screen *s,
			    const struct wl_timeline_layout *l, int y)
{
	size_t first, end, stride;
	char text[32];
	int free_x = 0;

	wl_screen_text(s, 1, y, l->label_width - 1, WL_STYLE_PLAIN, "step");
	if (!iters) {
		wl_screen_label(s, l->chart_x, y, l->chart_width,
				(struct wl_style){ WL_INK_DIM, WL_INK_DEFAULT, 0 },
				"no steps found");
		return;
	}
	first = iteration_from(iters, view->begin);
	end = iteration_from(iters, view->end);
	/* The one that was under way before is named, too, at the left edge. */
	if (first > 0 && view->begin < iters->at[first - 1].tile.end &&
	    (first >= end || iters->at[first].tile.begin > view->begin)) {
		(void)snprintf(text, sizeof(text), "%zu", first - 1);
		draw_iteration(view, s, l, y, text, view->begin, &free_x);
	}
	if (first >= end)
		return;
	stride = stride_of(first, end - 1, l->chart_width);
	for (size_t i = (first + stride - 1) / stride * stride; i < end; i += stride) {
		(void)snprintf(text, sizeof(text), "|%zu", i);
		draw_iteration(view, s, l, y, text, iters->at[i].tile.begin, &free_x);
	}
}

void wl_timeline_draw_ruler(struct wl_timeline *t, struct wl_screen *s,
			    const struct wl_timeline_layout *l, const struct wl_timeline_line *line)
{
	int x = wl_timeline_x_of(&t->view, l, t->view.cursor);

	if (line->kind == WL_LINE_RULER_TIME)
		draw_time(&t->view, wl_timeline_origin(t), t->config.tick_density, s, l, line->y);
	else
		draw_iterations(&t->view, wl_timeline_iters(t, t->view.track), s, l, line->y);
	wl_screen_mark(s, l->chart_x + x, line->y, 1, WL_ATTR_REVERSE);
}
