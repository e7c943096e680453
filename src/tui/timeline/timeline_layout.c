/* SPDX-License-Identifier: MIT */
/*
 * timeline_layout.c - the layout of the screen, at any size.
 *
 * From the top: title, overview, rulers; from the bottom: state, footer (the app's), what
 * is said about the event and the range; between them pinned rows and rows.
 */
#include "tui/timeline/timeline.h"

#include <assert.h>
#include <string.h>

#include "base/text/utf8.h"
#include "tui/timeline/timeline_parts.h"

enum { MIN_COLS = 40, MIN_ROWS = 8, PANEL = 38 };

static struct wl_timeline_line *add(struct wl_timeline_layout *l, enum wl_line_kind kind, int y)
{
	assert(l->n < WL_MAX_LINES);
	l->line[l->n] =
		(struct wl_timeline_line){ .kind = kind, .y = y, .track = WL_NONE, .lane = -1 };
	return &l->line[l->n++];
}

static bool is_small(const struct wl_timeline_layout *l)
{
	return l->cols < 60 || l->rows < 15;
}

static int add_head(struct wl_timeline_layout *l)
{
	int y = 0;

	add(l, WL_LINE_TITLE, y++);
	add(l, WL_LINE_OVERVIEW, y++);
	if (l->wide && l->rows >= 24)
		add(l, WL_LINE_EXPOSED, y++);
	if (!is_small(l) || l->rows >= 12) {
		add(l, WL_LINE_WINDOW, y++);
		add(l, WL_LINE_RULER_ITERATIONS, y++);
	}
	add(l, WL_LINE_RULER_TIME, y++);
	return y;
}

/* The lines between the rows and the footer. */
struct tail {
	int n_details;
	bool has_rule, has_range;
	int height;
};

static struct tail tail_of(const struct wl_timeline *t, const struct wl_timeline_layout *l,
			   int head)
{
	struct tail tail = { .n_details = l->wide ? 4 : 3, .has_rule = true, .has_range = true };

	if (is_small(l)) {
		tail = (struct tail){ .n_details = l->rows - head - 3 };
		if (tail.n_details > 6)
			tail.n_details = 6;
	} else if (l->rows < 20) {
		tail = (struct tail){ .n_details = 2, .has_rule = true };
	} else if (t->panels.detail_open && l->rows >= 30) {
		tail.n_details = 8;
	}
	tail.height = tail.n_details + tail.has_rule + 2 * tail.has_range;
	return tail;
}

static void add_tail(struct wl_timeline_layout *l, struct tail tail)
{
	int y = l->rows - 2 - tail.height;

	if (tail.has_rule)
		add(l, WL_LINE_RULE, y++);
	for (int i = 0; i < tail.n_details; i++)
		add(l, WL_LINE_DETAIL, y++)->n = i;
	if (tail.has_range) {
		add(l, WL_LINE_RULE, y++)->n = 1;
		add(l, WL_LINE_DETAIL, y++)->n = WL_DETAIL_BELOW;
	}
	add(l, WL_LINE_STATE, l->rows - 1);
}

/* How much of the view a lane covers, and how much of that its longest range does. */
static wl_ns covered(struct wl_interval view, const struct wl_lane *lane, wl_ns *ret_longest)
{
	wl_ns sums[WL_MAX_LANE_CATS] = { 0 }, begin, end;
	uint32_t longest = wl_lane_longest(lane, view.begin, view.end);

	*ret_longest = 0;
	if (longest == WL_NONE)
		return 0;
	begin = lane->start[longest];
	end = wl_lane_end(lane, longest);
	*ret_longest =
		(end < view.end ? end : view.end) - (begin > view.begin ? begin : view.begin);
	return wl_lane_time(lane, view.begin, view.end, sums);
}

int wl_timeline_best_lane(struct wl_interval view, const struct wl_lanes *lanes)
{
	wl_ns span = view.end - view.begin, most = 0, longest;
	size_t best = 0;

	for (size_t k = 0; k < lanes->n; k++) {
		wl_ns time = covered(view, &lanes->lane[k], &longest);

		if (time > span / 4 && longest <= time - time / 5)
			return (int)k;
		if (time > most) {
			most = time;
			best = k;
		}
	}
	return (int)best;
}

/* Lines of the row itself. */
static int own_height(struct wl_timeline *t, const struct wl_row *row)
{
	const struct wl_scene *scene = wl_timeline_scene(t);
	const struct wl_row_kind *kind = wl_row_kind(&scene->tracks.at[row->track]);
	int most = row->track == t->view.track ? t->config.selected_rows : t->config.other_rows;
	size_t n;

	if (row->folded || wl_row_is_late(kind) || kind->holds == WL_HOLDS_ITERATIONS)
		return 1;
	if (kind->family == WL_F_NVTX)
		most = t->config.nvtx_depth;
	if (most <= 1)
		return 1;
	if (kind->holds == WL_HOLDS_GPU_TIME) {
		const struct wl_lanes *merged = wl_timeline_lanes(t, row->track);

		n = merged ? merged->n : 0;
	} else {
		n = scene->lanes[row->track].n;
	}
	if (n > (size_t)most)
		n = (size_t)most;
	return n > 0 ? (int)n : 1;
}

/* A row of the second trace lies below its own; the difference of a GPU over its rows. */
static bool has_second(const struct wl_timeline *t, const struct wl_row *row)
{
	return !row->folded && t->rows.second == WL_SECOND_BOTH &&
	       wl_timeline_twin(t, row->track) != WL_NONE;
}

/* The GPU whose difference stands over the row; WL_NONE for none. */
static uint32_t delta_of(const struct wl_timeline *t, const struct wl_row *row)
{
	uint32_t gpu;

	if (t->rows.second != WL_SECOND_DELTA || !row->heads || row->folded ||
	    t->rows.set == WL_ROWS_BY_KIND)
		return WL_NONE;
	gpu = wl_timeline_gpu(t, row->track);
	return gpu != WL_NONE && wl_timeline_twin(t, gpu) != WL_NONE ? gpu : WL_NONE;
}

int wl_timeline_height(struct wl_timeline *t, const struct wl_row *row)
{
	return own_height(t, row) + has_second(t, row) + (delta_of(t, row) != WL_NONE);
}

static struct wl_timeline_line *add_other(struct wl_timeline_layout *l, uint32_t track, int y,
					  int which)
{
	struct wl_timeline_line *line = add(l, WL_LINE_TRACK, y);

	line->track = track;
	line->which = which;
	line->first = true;
	return line;
}

/* The lines of one row, cut at bottom; returns the next free y. */
static int add_row(struct wl_timeline *t, struct wl_timeline_layout *l, const struct wl_row *row,
		   int y, int bottom)
{
	int height = own_height(t, row);
	const struct wl_row_kind *kind = wl_row_kind(&wl_timeline_scene(t)->tracks.at[row->track]);
	uint32_t delta = delta_of(t, row);

	if (delta != WL_NONE && y < bottom)
		add_other(l, delta, y++, WL_LINE_DELTA);
	for (int k = 0; k < height && y < bottom; k++) {
		struct wl_timeline_line *line =
			add(l, row->folded ? WL_LINE_FOLDED : WL_LINE_TRACK, y++);

		line->track = row->track;
		line->first = k == 0;
		line->heads = row->heads && k == 0;
		/* The first line of a stream shows all of it, so that no overlap is lost. */
		line->lane = k > 0 || (kind->family == WL_F_NVTX && height > 1) ? k : -1;
		if (t->rows.second == WL_SECOND_ONLY && !row->folded &&
		    wl_timeline_twin(t, row->track) != WL_NONE)
			line->which = 1;
	}
	if (has_second(t, row) && y < bottom)
		add_other(l, row->track, y++, 1);
	return y;
}

/* The first row to show, so that the selected one is seen and no line stays empty in vain. */
static size_t first_row(struct wl_timeline *t, const struct wl_row *rows, size_t n, int room)
{
	size_t selected = wl_timeline_row_number(t, rows, n);
	size_t first = t->view.scroll > 0 ? (size_t)t->view.scroll : 0;
	int height = 0;
	size_t last = n;

	while (last > 0 && height + wl_timeline_height(t, &rows[last - 1]) <= room)
		height += wl_timeline_height(t, &rows[--last]);
	if (first > last)
		first = last;
	if (first > selected)
		first = selected;
	height = 0;
	for (size_t i = selected + 1; i-- > first;) {
		height += wl_timeline_height(t, &rows[i]);
		if (height > room && i < selected)
			return i + 1;
	}
	return first;
}

static int add_pins(struct wl_timeline *t, struct wl_timeline_layout *l, int top, int bottom)
{
	int room = bottom - top;
	int n = (int)t->rows.n_pins < room / 2 ? (int)t->rows.n_pins : room / 2;
	int y = bottom - n;

	if (n <= 0)
		return bottom;
	if (room >= 20)
		add(l, WL_LINE_PINS, --y);
	for (int i = 0, at = bottom - n; i < n; i++, at++) {
		struct wl_timeline_line *line = add(l, WL_LINE_TRACK, at);

		line->track = t->rows.pin[i];
		line->first = line->heads = line->pinned = true;
	}
	return y;
}

static void add_rows(struct wl_timeline *t, struct wl_timeline_layout *l, int top, int bottom)
{
	size_t n;
	const struct wl_row *rows = wl_timeline_rows(t, &n);

	if (is_small(l)) {
		for (size_t i = 0; i < n; i++)
			if (rows[i].track == t->view.track)
				add_row(t, l, &rows[i], top, bottom);
		return;
	}
	bottom = add_pins(t, l, top, bottom);
	for (size_t i = n > 0 ? first_row(t, rows, n, bottom - top) : 0; i < n && top < bottom; i++)
		top = add_row(t, l, &rows[i], top, bottom);
}

/* The widest label of all rows, so that scrolling does not move the chart. */
static int widest(struct wl_timeline *t, bool full)
{
	const struct wl_tracks *tracks = &wl_timeline_scene(t)->tracks;
	char buf[WL_ROW_KEY_BUF];
	size_t n, most = 0;
	const struct wl_row *rows = wl_timeline_rows(t, &n);

	for (size_t i = 0; i < n; i++) {
		const struct wl_track *track = &tracks->at[rows[i].track];
		size_t width = 0;

		if (rows[i].folded)
			continue;
		if (!full)
			width = wl_utf8_width(wl_timeline_row_name(t, rows[i].track, buf));
		else
			width = wl_utf8_width(track->label) +
				(track->parent == WL_NONE
					 ? 0
					 : wl_utf8_width(tracks->at[track->parent].brief) + 1);
		if (full && wl_holds(track) == WL_HOLDS_OPS)
			width -= 6; /* "Stream 7" is drawn as "S7" */
		if (width > most)
			most = width;
	}
	return (int)(most < 64 ? most : 64);
}

static int clamp(int v, int least, int most)
{
	return v < least ? least : v > most ? most : v;
}

static void set_columns(struct wl_timeline *t, struct wl_timeline_layout *l)
{
	const struct wl_screen *s = wl_app_screen(t->app);
	bool full = t->config.label_style == WL_LABEL_FULL ||
		    (t->config.label_style == WL_LABEL_AUTO && l->wide);
	int right = l->cols;

	l->label_width = wl_timeline_is_ready(t) ? widest(t, full) : 0;
	l->label_width = 2 + clamp(l->label_width, 7, full && l->cols >= 80 ? 24 : 12);
	l->chart_x = l->label_width;
	if (l->wide) {
		l->panel_width = PANEL;
		l->panel_x = l->cols - PANEL;
		l->panel_y = 1;
		right = l->panel_x - 3;
	}
	l->percent_width = s->caps.colourful ? 0 : 5;
	l->chart_width = right - l->chart_x - l->percent_width;
}

void wl_timeline_layout(struct wl_timeline *t, int cols, int rows, struct wl_timeline_layout *ret)
{
	struct tail tail;
	int top;

	memset(ret, 0, offsetof(struct wl_timeline_layout, line));
	ret->cols = cols;
	ret->rows = rows = rows < WL_MAX_LINES ? rows : WL_MAX_LINES;
	ret->too_small = cols < MIN_COLS || rows < MIN_ROWS;
	if (ret->too_small)
		return;
	ret->wide = cols >= WL_WIDE;
	set_columns(t, ret);
	top = add_head(ret);
	tail = tail_of(t, ret, top);
	if (wl_timeline_is_ready(t))
		add_rows(t, ret, top, rows - 2 - tail.height);
	add_tail(ret, tail);
	ret->panel_rows = rows - 2 - tail.height - ret->panel_y;
}

void wl_timeline_layout_now(struct wl_timeline *t, struct wl_timeline_layout *ret)
{
	const struct wl_screen *s = wl_app_screen(t->app);

	wl_timeline_layout(t, s->cols, s->rows, ret);
}

int wl_timeline_room(struct wl_timeline *t)
{
	const struct wl_screen *s = wl_app_screen(t->app);
	struct wl_timeline_layout l = { .cols = s->cols,
					.rows = s->rows,
					.wide = s->cols >= WL_WIDE };
	int head = add_head(&l);

	return s->rows - 2 - head - tail_of(t, &l, head).height;
}

/* ---- Cells and times ---- */

struct wl_viewport wl_timeline_viewport(const struct wl_timeline_window *view,
					const struct wl_timeline_layout *l)
{
	wl_ns span = view->end - view->begin;
	uint32_t width = (uint32_t)(2 * l->chart_width);

	return (struct wl_viewport){ view->begin, view->end,
				     span < width ? (uint32_t)span : width };
}

uint32_t wl_chart_column(const struct wl_viewport *v, int chart_width, int half)
{
	return (uint32_t)((uint64_t)half * v->width / (uint64_t)(2 * chart_width));
}

wl_ns wl_timeline_time_at(const struct wl_timeline_window *view, const struct wl_timeline_layout *l,
			  int x)
{
	struct wl_viewport v = wl_timeline_viewport(view, l);

	x = clamp(x, 0, l->chart_width);
	return wl_viewport_at(&v, wl_chart_column(&v, l->chart_width, 2 * x));
}

int wl_timeline_x_of(const struct wl_timeline_window *view, const struct wl_timeline_layout *l,
		     wl_ns time)
{
	struct wl_viewport v = wl_timeline_viewport(view, l);
	uint64_t halves = 2 * (uint64_t)l->chart_width;
	uint64_t column = wl_viewport_column(&v, time);

	/* The first half that shows the column. */
	return (int)((column * halves + v.width - 1) / v.width / 2);
}
