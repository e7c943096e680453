/* SPDX-License-Identifier: MIT */
/* timeline_move.c - moving through time: panning, zooming, the history, the range. */
#include "tui/timeline/timeline.h"

#include <assert.h>
#include <string.h>

#include "tui/timeline/timeline_parts.h"

static wl_ns clamp(wl_ns v, wl_ns least, wl_ns most)
{
	return v < least ? least : v > most ? most : v;
}

static struct wl_interval extent_of(const struct wl_timeline *t)
{
	return wl_timeline_scene(t)->tracks.extent;
}

/* 1 ns per half cell, or the whole trace where it is shorter. */
static wl_ns least_span(struct wl_timeline *t)
{
	struct wl_interval extent = extent_of(t);
	struct wl_timeline_layout l;

	wl_timeline_layout_now(t, &l);
	return clamp(l.too_small ? 1 : 2 * (wl_ns)l.chart_width, 1, extent.end - extent.begin);
}

static void check(const struct wl_timeline *t)
{
	struct wl_interval extent = extent_of(t);

	assert(extent.begin <= t->view.begin && t->view.begin <= t->view.cursor &&
	       t->view.cursor < t->view.end && t->view.end <= extent.end);
}

void wl_timeline_show(struct wl_timeline *t, wl_ns begin, wl_ns end)
{
	struct wl_interval extent = extent_of(t);
	wl_ns least = least_span(t), span;

	begin = clamp(begin, extent.begin - (extent.end - extent.begin), extent.end);
	end = clamp(end, extent.begin, extent.end + (extent.end - extent.begin));
	span = end - begin;
	if (span < least) {
		begin -= (least - span) / 2;
		span = least;
	}
	if (span > extent.end - extent.begin)
		span = extent.end - extent.begin;
	t->view.begin = clamp(begin, extent.begin, extent.end - span);
	t->view.end = t->view.begin + span;
	t->view.cursor = clamp(t->view.cursor, t->view.begin, t->view.end - 1);
	check(t);
}

void wl_timeline_go(struct wl_timeline *t, wl_ns cursor)
{
	struct wl_interval extent = extent_of(t);
	wl_ns span = t->view.end - t->view.begin;

	t->view.cursor = cursor = clamp(cursor, extent.begin, extent.end - 1);
	if (cursor >= t->view.begin && cursor < t->view.end)
		return;
	/* Near the edge the view follows; farther away the cursor comes to its middle. */
	if (cursor < t->view.begin && t->view.begin - cursor < span / 4)
		wl_timeline_show(t, cursor, cursor + span);
	else if (cursor >= t->view.end && cursor - t->view.end < span / 4)
		wl_timeline_show(t, cursor + 1 - span, cursor + 1);
	else
		wl_timeline_show(t, cursor - span / 2, cursor - span / 2 + span);
}

/* ---- History ---- */

static struct wl_timeline_place here(const struct wl_timeline *t)
{
	return (struct wl_timeline_place){ t->view.begin, t->view.end, t->view.cursor,
					   t->view.track };
}

void wl_timeline_remember(struct wl_timeline *t)
{
	t->history.is_moving = false;
	t->history.n = t->history.at;
	if (t->history.n == WL_HISTORY) {
		memmove(t->history.place, t->history.place + 1,
			sizeof(t->history.place) - sizeof(t->history.place[0]));
		t->history.n--;
	}
	t->history.place[t->history.n++] = here(t);
	t->history.at = t->history.n;
}

/* Before a step of the cursor or a page: of several in a row the first place is kept. */
static void remember_move(struct wl_timeline *t)
{
	if (!t->history.is_moving)
		wl_timeline_remember(t);
	t->history.is_moving = true;
}

static void go_to_place(struct wl_timeline *t, size_t i)
{
	struct wl_timeline_place place = t->history.place[i], now = here(t);

	t->history.is_moving = false;
	t->history.place[i] = now; /* so that the way back leads here again */
	if (place.track != WL_NONE)
		wl_timeline_select(t, place.track);
	t->view.cursor = place.cursor;
	wl_timeline_show(t, place.begin, place.end);
}

static void back(struct wl_timeline *t)
{
	if (t->history.at == 0) {
		wl_app_say(t->app, "no earlier place");
		return;
	}
	go_to_place(t, --t->history.at);
}

static void forward(struct wl_timeline *t)
{
	if (t->history.at == t->history.n) {
		wl_app_say(t->app, "no later place");
		return;
	}
	go_to_place(t, t->history.at++);
}

void wl_timeline_jump(struct wl_timeline *t, uint32_t track, wl_ns cursor, wl_ns begin, wl_ns end)
{
	struct wl_interval extent = extent_of(t);

	wl_timeline_remember(t);
	if (track != WL_NONE)
		wl_timeline_select(t, track);
	t->view.cursor = clamp(cursor, extent.begin, extent.end - 1);
	wl_timeline_show(t, begin, end);
}

void wl_timeline_mark(struct wl_timeline *t, wl_ns a, wl_ns b)
{
	bool both = a != WL_NO_TIME && b != WL_NO_TIME;

	t->view.mark_a = both && b < a ? b : a;
	t->view.mark_b = both && b < a ? a : b;
}

bool wl_timeline_range(const struct wl_timeline *t, struct wl_interval *ret)
{
	bool is_set = t->view.mark_a != WL_NO_TIME && t->view.mark_b != WL_NO_TIME &&
		      t->view.mark_a < t->view.mark_b;

	*ret = is_set ? (struct wl_interval){ t->view.mark_a, t->view.mark_b }
		      : (struct wl_interval){ t->view.begin, t->view.end };
	return is_set;
}

/* ---- Panning ---- */

/* The first event of the selected row that starts in a cell; else the cell's own begin. */
static wl_ns snapped(struct wl_timeline *t, wl_ns begin, wl_ns end)
{
	const struct wl_lane *lane =
		t->view.track == WL_NONE ? NULL : wl_timeline_lane(t, t->view.track);
	size_t i = lane ? wl_lane_from(lane, begin) : 0;

	return lane && i < lane->n && lane->start[i] < end ? lane->start[i] : begin;
}

static void move_cell(struct wl_timeline *t, int by, bool snaps)
{
	struct wl_interval extent = extent_of(t);
	struct wl_timeline_layout l;
	wl_ns begin, end, to, cell;
	int x;

	wl_timeline_layout_now(t, &l);
	if (l.too_small)
		return;
	remember_move(t);
	cell = (t->view.end - t->view.begin) / l.chart_width;
	cell = cell > 0 ? cell : 1;
	x = wl_timeline_x_of(&t->view, &l, t->view.cursor) + by;
	if (x < 0 || x >= l.chart_width) {
		begin = x < 0 ? t->view.begin - cell : t->view.end;
		end = begin + cell;
		begin = clamp(begin, extent.begin, extent.end - 1);
		end = clamp(end, begin + 1, extent.end);
	} else {
		begin = wl_timeline_time_at(&t->view, &l, x);
		end = wl_timeline_time_at(&t->view, &l, x + 1);
	}
	to = snaps ? snapped(t, begin, end) : begin;
	/* Where cells are shorter than 1 ns, or at the edge, some step is still made. */
	if (by > 0 && to <= t->view.cursor)
		to = t->view.cursor + 1;
	if (by < 0 && to >= t->view.cursor)
		to = t->view.cursor - 1;
	wl_timeline_go(t, to);
}

static void pan(struct wl_timeline *t, int by)
{
	move_cell(t, by, true);
}

static void step_cell(struct wl_timeline *t, int by)
{
	move_cell(t, by, false);
}

void wl_timeline_pan(struct wl_timeline *t, wl_ns by)
{
	struct wl_interval extent = extent_of(t);
	wl_ns moved;

	moved = clamp(t->view.begin + by, extent.begin,
		      extent.end - (t->view.end - t->view.begin)) -
		t->view.begin;
	/* At the end of the trace the cursor still goes on. */
	t->view.cursor = clamp(t->view.cursor + by, extent.begin, extent.end - 1);
	wl_timeline_show(t, t->view.begin + moved, t->view.end + moved);
}

static void page(struct wl_timeline *t, int by)
{
	remember_move(t);
	wl_timeline_pan(t, by * ((t->view.end - t->view.begin + 3) / 4));
}

static void to_edge(struct wl_timeline *t, int is_end)
{
	wl_timeline_remember(t);
	wl_timeline_go(t, is_end ? extent_of(t).end - 1 : extent_of(t).begin);
}

/* ---- Zooming ---- */

void wl_timeline_zoom(struct wl_timeline *t, wl_ns at, bool in)
{
	wl_ns span = t->view.end - t->view.begin;
	wl_ns least = least_span(t), most = extent_of(t).end - extent_of(t).begin;
	wl_ns wanted = clamp(in ? span - span / 3 : span + span / 2 + 1, least, most);
	wl_ns left;

	if (wanted == span)
		return;
	/* What is at the pointer stays there: left of it the same part of the view. */
	left = wl_part_of(wanted, at - t->view.begin, span);
	wl_timeline_show(t, at - left, at - left + wanted);
}

static void zoom(struct wl_timeline *t, int in)
{
	wl_timeline_remember(t);
	wl_timeline_zoom(t, t->view.cursor, in);
}

static void zoom_to_range(struct wl_timeline *t, struct wl_interval range)
{
	wl_timeline_remember(t);
	if (t->view.cursor < range.begin || t->view.cursor >= range.end)
		t->view.cursor = clamp(range.begin, extent_of(t).begin, extent_of(t).end - 1);
	wl_timeline_show(t, range.begin, range.end);
}

void wl_timeline_zoom_to_event(struct wl_timeline *t)
{
	struct wl_pick pick;
	wl_ns margin;

	if (!wl_timeline_pick(t, &pick)) {
		wl_app_say(t->app, "no event under the cursor");
		return;
	}
	margin = (pick.end - pick.start) / 10 + 1;
	zoom_to_range(t, (struct wl_interval){ pick.start - margin, pick.end + margin });
}

void wl_timeline_zoom_to(struct wl_timeline *t)
{
	struct wl_interval range;

	if (wl_timeline_range(t, &range))
		zoom_to_range(t, range);
	else
		wl_timeline_zoom_to_event(t);
}

static void fit(struct wl_timeline *t)
{
	struct wl_interval extent = extent_of(t);

	wl_timeline_remember(t);
	wl_timeline_show(t, extent.begin, extent.end);
}

static const struct wl_timeline_act acts[] = {
	{ WL_ACT_PAN_RIGHT, .by = pan, .n = 1 },
	{ WL_ACT_PAN_LEFT, .by = pan, .n = -1 },
	{ WL_ACT_CELL_RIGHT, .by = step_cell, .n = 1 },
	{ WL_ACT_CELL_LEFT, .by = step_cell, .n = -1 },
	{ WL_ACT_PAGE_RIGHT, .by = page, .n = 1 },
	{ WL_ACT_PAGE_LEFT, .by = page, .n = -1 },
	{ WL_ACT_ZOOM_IN, .by = zoom, .n = true },
	{ WL_ACT_ZOOM_OUT, .by = zoom, .n = false },
	{ WL_ACT_ZOOM_TO, .act = wl_timeline_zoom_to },
	{ WL_ACT_ZOOM_UNDO, .act = back },
	{ WL_ACT_FIT, .act = fit },
	{ WL_ACT_TO_START, .by = to_edge, .n = false },
	{ WL_ACT_TO_END, .by = to_edge, .n = true },
	{ WL_ACT_HISTORY_BACK, .act = back },
	{ WL_ACT_HISTORY_FORWARD, .act = forward },
};

const struct wl_timeline_part wl_timeline_moving = { .acts = acts, .n_acts = WL_COUNT(acts) };
