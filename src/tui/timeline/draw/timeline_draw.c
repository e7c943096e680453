/* SPDX-License-Identifier: MIT */
/* timeline_draw.c - a picture of the timeline: line by line, as the layout has them. */
#include <stdio.h>
#include <string.h>

#include "derive/kinds/classes.h"
#include "derive/lanes/levels.h"
#include "tui/timeline/tell/timeline_tell.h"
#include "tui/timeline/timeline_parts.h"

static const struct wl_style dim = { WL_INK_DIM, WL_INK_DEFAULT, 0 };

/* ---- Labels ---- */

/* "Stream 20 NCCL *" is "S20 NCCL *" here. */
static void put_full(const struct wl_track *track, char *buf, size_t size)
{
	if (wl_holds(track) == WL_HOLDS_OPS && strncmp(track->label, "Stream ", 7) == 0)
		(void)snprintf(buf, size, "S%s", track->label + 7);
	else
		(void)snprintf(buf, size, "%s", track->label);
}

static void put_label(struct wl_timeline *t, const struct wl_timeline_layout *l,
		      const struct wl_timeline_line *line, char *buf, size_t size)
{
	const struct wl_tracks *tracks = &wl_timeline_scene(t)->tracks;
	const struct wl_track *track = &tracks->at[line->track];
	bool full = t->config.label_style == WL_LABEL_FULL ||
		    (t->config.label_style == WL_LABEL_AUTO && l->wide);
	char text[WL_ROW_KEY_BUF], name[WL_ROW_KEY_BUF];
	const char *head = track->parent == WL_NONE ? "" : tracks->at[track->parent].brief;
	bool is_nvtx = wl_row_kind(track)->family == WL_F_NVTX;

	if (!line->first) {
		buf[0] = '\0';
		if (is_nvtx)
			(void)snprintf(buf, size, "   d%d", line->lane);
		return;
	}
	if (!full) {
		(void)snprintf(buf, size, "%s", wl_timeline_row_name(t, line->track, name));
		return;
	}
	put_full(track, text, sizeof(text));
	if (track->device == WL_NONE)
		(void)snprintf(buf, size, "%s%.64s", line->heads ? "" : "   ", text);
	else if (line->heads)
		(void)snprintf(buf, size, "%.16s %.64s", head, text);
	else
		(void)snprintf(buf, size, "%*s%.64s", (int)strlen(head) + 1, "", text);
	if (is_nvtx && line->lane >= 0)
		(void)snprintf(buf + strlen(buf), size - strlen(buf), " d%d", line->lane);
}

/* Of the second trace and of the difference: which, and of what. */
static void put_second_label(struct wl_timeline *t, const struct wl_timeline_line *line, char *buf,
			     size_t size)
{
	const struct wl_track *track = &wl_timeline_scene(t)->tracks.at[line->track];

	if (line->which == WL_LINE_DELTA)
		(void)snprintf(buf, size, "%.32s \u0394", track->brief);
	else
		(void)snprintf(buf, size, "B %.64s", track->brief);
}

static void draw_label(struct wl_timeline *t, struct wl_screen *s,
		       const struct wl_timeline_layout *l, const struct wl_timeline_line *line)
{
	bool is_selected = line->track == t->view.track && line->first &&
			   (line->which == 0 || t->rows.second == WL_SECOND_ONLY);
	struct wl_style style = { WL_INK_DEFAULT, WL_INK_DEFAULT, is_selected ? WL_ATTR_BOLD : 0 };
	char buf[WL_ROW_KEY_BUF];

	if (line->pinned)
		wl_screen_put(s, 0, line->y, 0x25C6, style);
	else if (is_selected)
		wl_screen_put(s, 0, line->y, 0x25B8, style);
	if (line->kind == WL_LINE_FOLDED)
		return;
	if (line->which != 0)
		put_second_label(t, line, buf, sizeof(buf));
	else
		put_label(t, l, line, buf, sizeof(buf));
	wl_screen_label(s, 1, line->y, l->label_width - 2, style, buf);
}

/* ---- Charts ---- */

/* Columns of a cell, two each; twice as many as any screen has cells. */
struct picture {
	struct wl_viewport v;
	struct wl_picture_column column[2 * WL_SCREEN_MAX];
};

/* The row of a line; false where the second trace has none. */
static bool find_source(struct wl_timeline *t, const struct wl_timeline_line *line,
			struct wl_chart_source *ret)
{
	*ret = (struct wl_chart_source){ wl_timeline_scene(t), line->track, 0 };
	if (line->which == 0)
		return true;
	ret->scene = wl_app_scene(t->app, 1);
	ret->track = wl_timeline_twin(t, line->track);
	return ret->track != WL_NONE && wl_timeline_second_shift(t, &ret->shift);
}

/* The lanes of a row; the filter is one of names of the first trace, and applies to that. */
static const struct wl_lanes *lanes_of(struct wl_timeline *t, const struct wl_timeline_line *line,
				       const struct wl_chart_source *from)
{
	const struct wl_lanes *lanes;

	if (line->which == 0)
		return wl_timeline_lanes(t, line->track);
	if (wl_row_is_late(wl_row_kind(&from->scene->tracks.at[from->track])) &&
	    !wl_has_causes(from->scene))
		return NULL;
	lanes = &from->scene->lanes[from->track];
	return lanes->n > 0 ? lanes : NULL;
}

static bool has_boxes(const struct wl_row_kind *kind)
{
	return kind->family == WL_F_NVTX || kind->holds == WL_HOLDS_ITERATIONS;
}

static const struct wl_lane *lane_of(struct wl_timeline *t, const struct wl_timeline_line *line,
				     const struct wl_chart_source *from,
				     const struct wl_lanes *lanes)
{
	struct wl_interval view = { t->view.begin - from->shift, t->view.end - from->shift };

	if (line->lane >= 0)
		return (size_t)line->lane < lanes->n ? &lanes->lane[line->lane] : NULL;
	if (has_boxes(wl_row_kind(&from->scene->tracks.at[from->track])))
		return &lanes->lane[wl_timeline_best_lane(view, lanes)];
	return line->which == 0 ? wl_timeline_lane(t, line->track)
				: wl_scene_lane(from->scene, from->track);
}

/* The classes of a GPU in the colours of the palette. */
static void colour_classes(struct picture *p)
{
	static const uint8_t colour[WL_N_CLASSES] = {
		[WL_COMPUTE] = WL_COLOUR_GEMM,
		[WL_COMM] = WL_COLOUR_COMM,
		[WL_COPY] = WL_COLOUR_COPY,
	};

	for (uint32_t x = 0; x < p->v.width; x++)
		if (p->column[x].cat < WL_N_CLASSES)
			p->column[x].cat = colour[p->column[x].cat];
}

static void draw_cells(struct wl_timeline *t, struct wl_screen *s,
		       const struct wl_timeline_layout *l, const struct wl_timeline_line *line,
		       const struct wl_chart_source *from, const struct wl_lane *lane)
{
	const struct wl_row_kind *kind = wl_row_kind(&from->scene->tracks.at[from->track]);
	bool is_merged = kind->holds == WL_HOLDS_GPU_TIME && t->rows.merged && line->which == 0;
	struct picture p;

	p.v = wl_timeline_viewport(&t->view, l);
	p.v.begin -= from->shift;
	p.v.end -= from->shift;
	wl_lane_picture(lane, &p.v, p.column);
	if (kind->holds == WL_HOLDS_GPU_TIME && !is_merged)
		colour_classes(&p);
	else if (t->rows.colouring != WL_COLOUR_BY_CATEGORY &&
		 (kind->holds == WL_HOLDS_OPS || is_merged))
		wl_timeline_recolour(t, from, lane, &p.v, p.column);
	for (int x = 0; x < l->chart_width; x++) {
		struct wl_picture_column left =
			p.column[wl_chart_column(&p.v, l->chart_width, 2 * x)];
		struct wl_picture_column right =
			p.column[wl_chart_column(&p.v, l->chart_width, 2 * x + 1)];
		struct wl_chart_cell cell =
			kind->holds == WL_HOLDS_GAPS     ? wl_gap_cell_of(left, right, s->caps)
			: kind->holds == WL_HOLDS_LEVELS ? wl_level_cell_of(left, right, s->caps)
							 : wl_cell_of(left, right, s->caps);

		if (cell.cp != 0)
			wl_screen_put(s, l->chart_x + x, line->y, cell.cp, cell.style);
	}
}

/* How much of the view is busy; of levels how high they are. */
static double share_of(const struct wl_lane *lane, wl_ns begin, wl_ns end)
{
	wl_ns sums[WL_MAX_LANE_CATS] = { 0 };
	struct wl_picture_column all;

	if (!lane->level)
		return (double)wl_lane_time(lane, begin, end, sums) / (double)(end - begin);
	wl_lane_draw_levels(lane, &(struct wl_viewport){ begin, end, 1 }, &all);
	return all.share > 0 ? (double)(all.share - 1) / (UINT8_MAX - 1) : 0;
}

static void draw_percent(struct wl_timeline *t, struct wl_screen *s,
			 const struct wl_timeline_layout *l, int y, wl_ns shift,
			 const struct wl_lane *lane)
{
	if (l->percent_width > 0)
		wl_screen_print(s, l->chart_x + l->chart_width, y, l->percent_width, WL_STYLE_PLAIN,
				"%4.0f%%",
				100 * share_of(lane, t->view.begin - shift, t->view.end - shift));
}

static void draw_track(struct wl_timeline *t, struct wl_screen *s,
		       const struct wl_timeline_layout *l, const struct wl_timeline_line *line)
{
	struct wl_chart_source from;
	const struct wl_lanes *lanes;
	const struct wl_lane *lane;
	const struct wl_row_kind *kind;

	draw_label(t, s, l, line);
	if (line->which == WL_LINE_DELTA) {
		wl_timeline_draw_delta(t, s, line, l);
		return;
	}
	if (!find_source(t, line, &from))
		return;
	kind = wl_row_kind(&from.scene->tracks.at[from.track]);
	lanes = lanes_of(t, line, &from);
	if (!lanes) {
		if (wl_row_is_late(kind) && !wl_has_causes(from.scene) &&
		    from.scene->stage != WL_SCENE_FAILED)
			wl_screen_text(s, l->chart_x, line->y, l->chart_width, dim, "\u2026");
		return;
	}
	lane = lane_of(t, line, &from, lanes);
	if (!lane)
		return;
	if (has_boxes(kind))
		wl_timeline_draw_boxes(&t->view, s, l, line->y, &from, lane);
	else
		draw_cells(t, s, l, line, &from, lane);
	if (kind->holds == WL_HOLDS_OPS && line->which == 0)
		wl_timeline_draw_op_names(t, s, l, line->y, &from, lane);
	draw_percent(t, s, l, line->y, from.shift, lane);
	if (line->track == t->view.track && !line->pinned)
		wl_screen_mark(s, l->chart_x + wl_timeline_x_of(&t->view, l, t->view.cursor),
			       line->y, 1, WL_ATTR_REVERSE);
}

/* ---- Lines ---- */

/* The range on the line over the event: [A]=====[B], as far as it is in the view. */
static void draw_marks(const struct wl_timeline_window *view, struct wl_screen *s,
		       const struct wl_timeline_layout *l, int y)
{
	wl_ns mark[2] = { view->mark_a, view->mark_b };
	int at[2];

	for (int i = 0; i < 2; i++) {
		bool is_in =
			mark[i] != WL_NO_TIME && mark[i] >= view->begin && mark[i] <= view->end;

		at[i] = is_in ? l->chart_x + wl_timeline_x_of(view, l, mark[i]) : -1;
	}
	if (mark[0] != WL_NO_TIME && mark[1] != WL_NO_TIME && mark[0] < view->end &&
	    mark[1] > view->begin) {
		int x1 = at[1] >= 0 ? at[1] : l->chart_x + l->chart_width;

		for (int x = at[0] >= 0 ? at[0] : l->chart_x; x < x1; x++)
			wl_screen_put(s, x, y, 0x2550, WL_STYLE_PLAIN);
	}
	for (int i = 0; i < 2; i++)
		if (at[i] >= 0)
			wl_screen_text(s, at[i] - 1, y, 3, WL_STYLE_PLAIN, i == 0 ? "[A]" : "[B]");
}

static void draw_rule(struct wl_timeline *t, struct wl_screen *s,
		      const struct wl_timeline_layout *l, const struct wl_timeline_line *line)
{
	for (int x = 0; x < l->cols; x++)
		wl_screen_put(s, x, line->y, 0x2500, dim);
	if (line->n == 1) {
		wl_timeline_draw_detail(t, s, line, l);
		return;
	}
	wl_screen_text(s, 1, line->y, 7, WL_STYLE_PLAIN, " event ");
	draw_marks(&t->view, s, l, line->y);
}

static void draw_line(struct wl_timeline *t, struct wl_screen *s,
		      const struct wl_timeline_layout *l, const struct wl_timeline_line *line)
{
	switch (line->kind) {
	case WL_LINE_TITLE:
		wl_timeline_draw_title(t, s, l);
		break;
	case WL_LINE_OVERVIEW:
	case WL_LINE_EXPOSED:
	case WL_LINE_WINDOW:
		wl_timeline_draw_overview(t, s, l, line);
		break;
	case WL_LINE_RULER_ITERATIONS:
	case WL_LINE_RULER_TIME:
		wl_timeline_draw_ruler(t, s, l, line);
		break;
	case WL_LINE_TRACK:
		draw_track(t, s, l, line);
		break;
	case WL_LINE_FOLDED:
		draw_label(t, s, l, line);
		wl_timeline_draw_folded(t, s, l, line);
		break;
	case WL_LINE_PINS:
		wl_screen_text(s, 1, line->y, l->chart_x, dim, "PINNED");
		break;
	case WL_LINE_RULE:
		draw_rule(t, s, l, line);
		break;
	case WL_LINE_DETAIL:
		wl_timeline_draw_detail(t, s, line, l);
		break;
	case WL_LINE_STATE:
		wl_timeline_draw_state(t, s, l, line->y);
		break;
	}
}

void wl_timeline_draw(struct wl_timeline *t, struct wl_screen *s)
{
	struct wl_timeline_layout l;

	wl_timeline_layout(t, s->cols, s->rows, &l);
	if (l.too_small) {
		wl_screen_text(s, 0, 0, s->cols, WL_STYLE_PLAIN, "terminal too small (need 40x8)");
		return;
	}
	if (!wl_timeline_is_ready(t)) {
		wl_timeline_draw_empty(t, s);
		return;
	}
	for (size_t i = 0; i < l.n; i++)
		draw_line(t, s, &l, &l.line[i]);
	if (l.panel_width > 0) {
		for (int y = l.panel_y; y < l.panel_y + l.panel_rows; y++)
			wl_screen_put(s, l.panel_x - 2, y, 0x2502, dim);
		wl_timeline_draw_panel(t, s, &l);
	}
}
