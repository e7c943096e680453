/* SPDX-License-Identifier: MIT */
/* timeline_step.c - moving from row to row, event to event, iteration to iteration. */
#include "analysis/words/step_words.h"
#include "tui/timeline/timeline.h"

#include "scene/details.h"
#include "tui/timeline/timeline_parts.h"

/* ---- Rows ---- */

static void step_rows(struct wl_timeline *t, int by)
{
	size_t n;
	const struct wl_row *rows = wl_timeline_rows(t, &n);
	long at = n > 0 ? (long)wl_timeline_row_number(t, rows, n) + by : 0;

	if (n == 0)
		return;
	at = at < 0 ? 0 : at >= (long)n ? (long)n - 1 : at;
	t->view.track = rows[at].track;
	wl_timeline_keep_scroll(t);
}

/* The view scrolls only when it must, so the layout's scroll position is kept. */
void wl_timeline_keep_scroll(struct wl_timeline *t)
{
	struct wl_timeline_layout l;
	size_t n;
	const struct wl_row *rows;

	wl_timeline_layout_now(t, &l);
	rows = wl_timeline_rows(t, &n);
	for (size_t i = 0; !l.too_small && i < l.n; i++) {
		if ((l.line[i].kind != WL_LINE_TRACK && l.line[i].kind != WL_LINE_FOLDED) ||
		    l.line[i].pinned)
			continue;
		for (size_t k = 0; k < n; k++)
			if (rows[k].track == l.line[i].track) {
				t->view.scroll = (int)k;
				return;
			}
	}
}

static void step_half_pages(struct wl_timeline *t, int by)
{
	int room = wl_timeline_room(t) / 2;

	step_rows(t, room > 1 ? by * room : by);
}

void wl_timeline_scroll_rows(struct wl_timeline *t, int by)
{
	size_t n;
	const struct wl_row *rows = wl_timeline_rows(t, &n);
	size_t selected;

	if (n == 0)
		return;
	wl_timeline_keep_scroll(t);
	t->view.scroll += by;
	t->view.scroll = t->view.scroll < 0         ? 0
			 : t->view.scroll >= (int)n ? (int)n - 1
						    : t->view.scroll;
	/* The selected row stays on the screen. */
	selected = wl_timeline_row_number(t, rows, n);
	if (by > 0 && selected < (size_t)t->view.scroll)
		t->view.track = rows[t->view.scroll].track;
	if (by < 0) {
		size_t was = (size_t)t->view.scroll;

		for (int room = wl_timeline_room(t), y = 0; was < n; was++) {
			y += wl_timeline_height(t, &rows[was]);
			if (y > room)
				break;
		}
		if (selected >= was && was > 0)
			t->view.track = rows[was - 1].track;
	}
	wl_timeline_keep_scroll(t);
}

/* ---- Events ---- */

static void step_event(struct wl_timeline *t, int by)
{
	const struct wl_lanes *lanes =
		t->view.track == WL_NONE ? NULL : wl_timeline_lanes(t, t->view.track);
	const wl_ns none = by > 0 ? INT64_MAX : INT64_MIN;
	wl_ns best = none;

	for (size_t k = 0; lanes && k < lanes->n; k++) {
		const struct wl_lane *lane = &lanes->lane[k];
		size_t i = wl_lane_from(lane, t->view.cursor + (by > 0));

		if (by > 0 && i < lane->n && lane->start[i] < best)
			best = lane->start[i];
		if (by < 0 && i > 0 && lane->start[i - 1] > best)
			best = lane->start[i - 1];
	}
	if (best == none)
		wl_app_say(t->app, "no %s event in this row", by > 0 ? "later" : "earlier");
	else
		wl_timeline_go(t, best);
}

/* ---- Iterations ---- */

/* The iteration under the cursor; between iterations the nearest before, else the first. */
static size_t iteration_near(const struct wl_process_iters *iters, wl_ns time)
{
	uint32_t at = wl_iteration_begun(iters, time);

	return at == WL_NONE ? 0 : at;
}

static const struct wl_process_iters *iters_or_say(struct wl_timeline *t)
{
	const struct wl_process_iters *iters = wl_timeline_iters(t, t->view.track);

	if (!iters)
		wl_app_say(t->app, "%s", wl_no_iterations);
	return iters;
}

static void step_iteration(struct wl_timeline *t, int by)
{
	const struct wl_process_iters *iters = iters_or_say(t);
	size_t from, to;
	wl_ns moved;

	if (!iters)
		return;
	from = iteration_near(iters, t->view.cursor);
	if (by < 0 ? from == 0 : from + 1 >= iters->n) {
		wl_app_say(t->app, "no %s iteration", by < 0 ? "earlier" : "later");
		return;
	}
	to = by < 0 ? from - 1 : from + 1;
	/* Before the first iteration, forward goes to the first. */
	if (by > 0 && t->view.cursor < iters->at[from].tile.begin)
		to = from;
	moved = to == from ? iters->at[to].tile.begin - t->view.cursor
			   : iters->at[to].tile.begin - iters->at[from].tile.begin;
	if (t->view.cursor + moved >= iters->at[to].tile.end)
		moved = iters->at[to].tile.end - 1 - t->view.cursor;
	wl_timeline_jump(t, WL_NONE, t->view.cursor + moved, t->view.begin + moved,
			 t->view.end + moved);
}

static void fit_iteration(struct wl_timeline *t)
{
	const struct wl_process_iters *iters = iters_or_say(t);
	size_t at;
	wl_ns begin, end, was_begin, was_end;

	if (!iters)
		return;
	at = iteration_near(iters, t->view.cursor);
	begin = iters->at[at].tile.begin;
	end = iters->at[at].tile.end;
	was_begin = t->view.begin;
	was_end = t->view.end;
	wl_timeline_jump(t, WL_NONE, t->view.cursor, begin, end);
	if (t->view.begin != was_begin || t->view.end != was_end)
		return;
	begin = iters->at[at > 0 ? at - 1 : 0].tile.begin;
	end = iters->at[at + 1 < iters->n ? at + 1 : at].tile.end;
	wl_timeline_show(t, begin, end);
}

static const struct wl_timeline_act acts[] = {
	{ WL_ACT_ROW_DOWN, .by = step_rows, .n = 1 },
	{ WL_ACT_ROW_UP, .by = step_rows, .n = -1 },
	{ WL_ACT_ROWS_DOWN, .by = step_half_pages, .n = 1 },
	{ WL_ACT_ROWS_UP, .by = step_half_pages, .n = -1 },
	{ WL_ACT_NEXT_EVENT, .by = step_event, .n = 1 },
	{ WL_ACT_PREV_EVENT, .by = step_event, .n = -1 },
	{ WL_ACT_NEXT_ITERATION, .by = step_iteration, .n = 1 },
	{ WL_ACT_PREV_ITERATION, .by = step_iteration, .n = -1 },
	{ WL_ACT_FIT_ITERATION, .act = fit_iteration },
};

const struct wl_timeline_part wl_timeline_stepping = { .acts = acts, .n_acts = WL_COUNT(acts) };
