/* SPDX-License-Identifier: MIT */
/*
 * timeline_boxes.c - ranges as boxes with their names: "[forward     ][backward  ]".
 *
 * A box begins in the cell where its range begins, and ends before the one where the
 * range ends, so that boxes that touch have no blank between them. A cell has one box
 * only: what is shorter shows as a bar, and the next box is looked for behind it. So the
 * work is in cells and not in events. Operations get their names the same way, over the cells
 * that are drawn already, where they are long enough for one.
 */
#include "tui/timeline/tell/timeline_tell.h"
#include "tui/timeline/timeline_parts.h"

struct box {
	int x0, x1; /* cells [x0, x1) */
	bool opens, closes;
};

static void put_box(struct wl_screen *s, const struct wl_timeline_layout *l, int y, struct box box,
		    struct wl_style style, const char *name)
{
	int x = l->chart_x + box.x0, width = box.x1 - box.x0;

	if (width == 1) {
		wl_screen_put(s, x, y, '|', style);
		return;
	}
	wl_screen_fill(s, x, y, width, 1, style);
	if (box.opens)
		wl_screen_put(s, x, y, '[', style);
	if (box.closes)
		wl_screen_put(s, x + width - 1, y, ']', style);
	wl_screen_label(s, x + box.opens, y, width - box.opens - box.closes, style, name);
}

/* The event to draw from a time on: that under way there, else the next. */
static size_t event_from(const struct wl_lane *lane, wl_ns time)
{
	uint32_t under_way = wl_lane_at(lane, time);

	return under_way != WL_NONE ? under_way : wl_lane_from(lane, time);
}

/* Where an event is in the chart, from cell x on. */
static struct box box_of(const struct wl_timeline_window *view, const struct wl_timeline_layout *l,
			 const struct wl_chart_source *from, const struct wl_lane *lane, size_t i,
			 int x)
{
	wl_ns view_begin = view->begin - from->shift, view_end = view->end - from->shift;
	wl_ns end = wl_lane_end(lane, i);
	struct box box = { .opens = lane->start[i] >= view_begin, .closes = end <= view_end };

	box.x0 = wl_timeline_x_of(view, l, lane->start[i] + from->shift);
	box.x0 = box.x0 < x ? x : box.x0;
	box.x1 = end >= view_end ? l->chart_width : wl_timeline_x_of(view, l, end + from->shift);
	box.x1 = box.x1 <= box.x0 ? box.x0 + 1 : box.x1;
	return box;
}

void wl_timeline_draw_boxes(const struct wl_timeline_window *view, struct wl_screen *s,
			    const struct wl_timeline_layout *l, int y,
			    const struct wl_chart_source *from, const struct wl_lane *lane)
{
	wl_ns view_begin = view->begin - from->shift, view_end = view->end - from->shift;
	struct wl_look_caps caps = s->caps;
	struct wl_style style = { caps.colourful ? WL_INK_NEUTRAL : WL_INK_DEFAULT, WL_INK_DEFAULT,
				  0 };
	size_t i = event_from(lane, view_begin);
	int x = 0;

	while (i < lane->n && lane->start[i] < view_end && x < l->chart_width) {
		struct box box = box_of(view, l, from, lane, i, x);
		size_t next;

		put_box(s, l, y, box, style,
			wl_track_event_name(&from->scene->tracks, from->track, lane->ref[i],
					    lane->cat[i]));
		x = box.x1;
		next = event_from(lane, wl_timeline_time_at(view, l, x) - from->shift);
		i = next > i ? next : i + 1;
	}
}

static void put_op_name(struct wl_timeline *t, struct wl_screen *s,
			const struct wl_timeline_layout *l, int y, struct box box,
			const struct wl_chart_source *from, const struct wl_lane *lane, size_t i)
{
	const struct wl_track_event event =
		wl_track_event_of(&from->scene->tracks, from->track, lane->ref[i]);
	bool has_hue = s->caps.colourful && t->rows.colouring == WL_COLOUR_BY_CATEGORY;
	struct wl_style style = { has_hue ? lane->cat[i] : (uint8_t)WL_INK_DEFAULT, WL_INK_DEFAULT,
				  s->caps.colourful ? WL_ATTR_REVERSE : 0 };

	/* A cell of the bar stays at either end, so that bars that touch are told apart. */
	wl_screen_label(s, l->chart_x + box.x0 + 1, y, box.x1 - box.x0 - 2, style,
			wl_timeline_op_name(t, (struct wl_op_id){ event.family, event.row }));
}

void wl_timeline_draw_op_names(struct wl_timeline *t, struct wl_screen *s,
			       const struct wl_timeline_layout *l, int y,
			       const struct wl_chart_source *from, const struct wl_lane *lane)
{
	enum { SHORTEST = 8 }; /* cells for a name of six letters */
	size_t i = event_from(lane, t->view.begin);
	int x = 0;

	while (i < lane->n && lane->start[i] < t->view.end && x < l->chart_width) {
		struct box box = box_of(&t->view, l, from, lane, i, x);
		size_t next;

		if (box.x1 - box.x0 >= SHORTEST)
			put_op_name(t, s, l, y, box, from, lane, i);
		x = box.x1;
		next = event_from(lane, wl_timeline_time_at(&t->view, l, x));
		i = next > i ? next : i + 1;
	}
}
