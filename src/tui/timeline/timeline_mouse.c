/* SPDX-License-Identifier: MIT */
/* timeline_mouse.c - the mouse: point, drag a range, zoom, pan, scroll. */
#include "tui/timeline/timeline.h"

#include "tui/timeline/timeline_parts.h"

static const struct wl_timeline_line *line_at(const struct wl_timeline_layout *l, int y)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->line[i].y == y)
			return &l->line[i];
	return NULL;
}

static bool is_row(const struct wl_timeline_line *line)
{
	return line && (line->kind == WL_LINE_TRACK || line->kind == WL_LINE_FOLDED);
}

static bool is_chart(const struct wl_timeline_line *line)
{
	return is_row(line) || (line && (line->kind == WL_LINE_RULER_ITERATIONS ||
					 line->kind == WL_LINE_RULER_TIME));
}

static bool is_overview(const struct wl_timeline_line *line)
{
	return line && (line->kind == WL_LINE_OVERVIEW || line->kind == WL_LINE_EXPOSED ||
			line->kind == WL_LINE_WINDOW);
}

static wl_ns time_under(struct wl_timeline *t, const struct wl_timeline_layout *l, int x)
{
	x -= l->chart_x;
	return wl_timeline_time_at(&t->view, l, x < l->chart_width ? x : l->chart_width - 1);
}

static void go_overview(struct wl_timeline *t, const struct wl_timeline_layout *l, int x)
{
	struct wl_interval extent = wl_timeline_scene(t)->tracks.extent;
	int width = wl_timeline_overview_width(l);
	wl_ns at, span = t->view.end - t->view.begin;

	x -= l->chart_x;
	x = x < 0 ? 0 : x >= width ? width - 1 : x;
	at = extent.begin + wl_part_of(extent.end - extent.begin, 2 * x + 1, 2 * (wl_ns)width);
	wl_timeline_jump(t, WL_NONE, at, at - span / 2, at - span / 2 + span);
}

static void press(struct wl_timeline *t, const struct wl_timeline_layout *l,
		  const struct wl_event *e)
{
	const struct wl_timeline_line *line = line_at(l, e->y);
	bool in_chart = e->x >= l->chart_x && e->x < l->chart_x + l->chart_width;

	t->drag.x = -1;
	if (is_overview(line)) {
		go_overview(t, l, e->x);
		return;
	}
	if (!is_chart(line) || e->x >= l->chart_x + l->chart_width)
		return;
	if (is_row(line) && e->button == 1 && line->which != WL_LINE_DELTA)
		wl_timeline_select(t, line->track);
	if (!in_chart)
		return;
	t->drag.x = e->x;
	t->drag.button = e->button;
	t->drag.time = time_under(t, l, e->x);
	if (e->button != 1)
		return;
	t->view.cursor = t->drag.time;
	if (e->clicks >= 2) {
		t->drag.x = -1;
		wl_timeline_zoom_to_event(t);
	}
}

static void drag(struct wl_timeline *t, const struct wl_timeline_layout *l,
		 const struct wl_event *e)
{
	wl_ns at;

	if (t->drag.x < 0)
		return;
	if (t->drag.button != 1) {
		/* The time that was taken stays under the pointer. */
		wl_timeline_pan(t, t->drag.time - time_under(t, l, e->x));
		return;
	}
	if (e->x == t->drag.x)
		return;
	at = time_under(t, l, e->x);
	wl_timeline_mark(t, t->drag.time,
			 at > t->drag.time ? wl_timeline_time_at(&t->view, l, e->x - l->chart_x + 1)
					   : at);
	wl_timeline_go(t, at);
}

static void wheel(struct wl_timeline *t, const struct wl_timeline_layout *l,
		  const struct wl_event *e)
{
	const struct wl_timeline_line *line = line_at(l, e->y);
	bool up = e->mouse == WL_MOUSE_WHEEL_UP;
	wl_ns step = (t->view.end - t->view.begin + 7) / 8;

	if ((e->mods & (WL_MOD_SHIFT | WL_MOD_ALT)) != 0)
		wl_timeline_pan(t, up ? -step : step);
	else if (is_row(line) && e->x < l->chart_x)
		wl_timeline_scroll_rows(t, up ? -3 : 3);
	else if (is_chart(line) && e->x < l->chart_x + l->chart_width)
		wl_timeline_zoom(t, time_under(t, l, e->x), up);
}

void wl_timeline_on_mouse(struct wl_timeline *t, const struct wl_event *event)
{
	struct wl_timeline_layout l;

	wl_timeline_layout_now(t, &l);
	if (l.too_small || !t->config.mouse)
		return;
	switch (event->mouse) {
	case WL_MOUSE_PRESS:
		press(t, &l, event);
		break;
	case WL_MOUSE_DRAG:
		drag(t, &l, event);
		break;
	case WL_MOUSE_RELEASE:
		drag(t, &l, event);
		t->drag.x = -1;
		break;
	case WL_MOUSE_WHEEL_UP:
	case WL_MOUSE_WHEEL_DOWN:
		wheel(t, &l, event);
		break;
	}
}
