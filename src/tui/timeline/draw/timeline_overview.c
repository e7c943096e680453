/* SPDX-License-Identifier: MIT */
/*
 * timeline_overview.c - the strips over the whole trace, and where the view is in it.
 *
 * They change only with the width, so they are kept.
 */
#include "derive/kinds/classes.h"
#include "known/glyphs.h"
#include "tui/timeline/timeline_parts.h"

struct point {
	double busy, exposed; /* shares, mean of all GPUs */
};

struct wl_timeline_overview {
	struct wl_vec points; /* struct point, by cell */
	int width;
	size_t n_gpus;
	/* Of all GPUs together, each from its first operation to its last end. */
	double busy, exposed;
};

int wl_timeline_overview_width(const struct wl_timeline_layout *l)
{
	return l->chart_width + l->percent_width - (l->wide ? 7 : 5);
}

void wl_timeline_overview_drop(struct wl_timeline *t)
{
	if (t->panels.overview)
		wl_vec_release(&t->panels.overview->points);
	t->panels.overview = NULL;
}

/* Add a GPU's lane to the points of its columns; length of a column divides it. */
static void add_lane(struct wl_timeline_overview *o, const struct wl_viewport *v,
		     const struct wl_lane *lane, wl_ns *sums)
{
	struct point *points = o->points.data;

	wl_lane_columns(lane, v, sums);
	for (uint32_t x = 0; x < v->width; x++) {
		double length = (double)(wl_viewport_at(v, x + 1) - wl_viewport_at(v, x));
		const wl_ns *sum = &sums[x * lane->n_cats];

		for (size_t c = 0; c < lane->n_cats; c++)
			points[x].busy += (double)sum[c] / length;
		points[x].exposed += (double)sum[WL_COMM] / length;
	}
}

/* The strips of v->width columns, and the totals. */
static bool sum_up(const struct wl_scene *scene, struct wl_timeline_overview *o,
		   const struct wl_viewport *v, struct wl_vec *sums)
{
	double whole = 0, busy = 0, exposed = 0;
	struct point *points = wl_vec_extend(&o->points, v->width);
	wl_ns *room = wl_vec_extend(sums, (size_t)v->width * WL_MAX_LANE_CATS);
	size_t n = 0;

	if (!points || !room)
		return false;
	for (uint32_t x = 0; x < v->width; x++)
		points[x] = (struct point){ 0, 0 };
	for (size_t i = 0; i < scene->tracks.n; i++) {
		const struct wl_lane *lane = scene->lanes[i].n > 0 ? scene->lanes[i].lane : NULL;
		wl_ns total[WL_MAX_LANE_CATS] = { 0 };

		if (wl_holds(&scene->tracks.at[i]) != WL_HOLDS_GPU_TIME || !lane || lane->n == 0)
			continue;
		add_lane(o, v, lane, room);
		n++;
		busy += (double)wl_lane_time(lane, v->begin, v->end, total);
		exposed += (double)total[WL_COMM];
		whole += (double)(wl_lane_end(lane, lane->n - 1) - lane->start[0]);
	}
	for (uint32_t x = 0; n > 0 && x < v->width; x++) {
		points[x].busy /= (double)n;
		points[x].exposed /= (double)n;
	}
	o->n_gpus = n;
	o->busy = whole > 0 ? busy / whole : 0;
	o->exposed = whole > 0 ? exposed / whole : 0;
	return true;
}

static const struct wl_timeline_overview *get(struct wl_timeline *t, int width)
{
	struct wl_timeline_overview *o = t->panels.overview;
	struct wl_interval extent = wl_timeline_scene(t)->tracks.extent;
	wl_ns span = extent.end - extent.begin;
	struct wl_viewport v = { extent.begin, extent.end,
				 span < width ? (uint32_t)span : (uint32_t)width };
	struct wl_budget *budget = wl_app_options(t->app)->budget;
	struct wl_vec sums;
	bool is_done;

	if (!o) {
		o = t->panels.overview = WL_NEW(&t->arena, struct wl_timeline_overview, 1);
		if (!o)
			return NULL;
		wl_vec_init(&o->points, sizeof(struct point), budget);
	}
	if (o->width == width)
		return o;
	wl_vec_release(&o->points);
	wl_vec_init(&o->points, sizeof(struct point), budget);
	wl_vec_init(&sums, sizeof(wl_ns), budget);
	is_done = sum_up(wl_timeline_scene(t), o, &v, &sums);
	wl_vec_release(&sums);
	o->width = is_done ? width : 0;
	return is_done ? o : NULL;
}

static void draw_strip(struct wl_timeline *t, struct wl_screen *s,
		       const struct wl_timeline_layout *l, const struct wl_timeline_line *line)
{
	bool is_busy = line->kind == WL_LINE_OVERVIEW;
	struct wl_look_caps caps = s->caps;
	int width = wl_timeline_overview_width(l);
	const struct wl_timeline_overview *o = get(t, width);
	struct wl_style style = WL_STYLE_PLAIN;
	const struct point *points;

	wl_screen_text(s, 1, line->y, l->label_width - 1, WL_STYLE_PLAIN,
		       !is_busy  ? "comm exposed"
		       : l->wide ? "busy% all"
				 : "all");
	if (!o)
		return;
	if (o->n_gpus == 0) {
		wl_screen_label(s, l->chart_x, line->y, width, style,
				"no GPU work in this trace; nsys profile --trace=cuda records it");
		return;
	}
	if (caps.colourful)
		style.fg = is_busy ? WL_COLOUR_GEMM : WL_COLOUR_COMM;
	points = o->points.data;
	for (int x = 0; x < width; x++) {
		const struct point *p = &points[(size_t)x * o->points.n / (size_t)width];

		wl_screen_put(s, l->chart_x + x, line->y,
			      wl_level_glyph(is_busy ? p->busy : p->exposed, caps.ascii), style);
	}
	wl_screen_print(s, l->chart_x + width, line->y, l->wide ? 7 : 5, WL_STYLE_PLAIN,
			l->wide ? "%6.1f%%" : "%3.0f%%", 100 * (is_busy ? o->busy : o->exposed));
}

/* Where the view is: [####] on a line as long as the strips. */
static void draw_window(const struct wl_timeline_window *view, struct wl_interval extent,
			struct wl_screen *s, const struct wl_timeline_layout *l,
			const struct wl_timeline_line *line)
{
	wl_ns span = extent.end - extent.begin;
	int width = wl_timeline_overview_width(l);
	int x0 = (int)wl_part_of(width, view->begin - extent.begin, span);
	int x1 = width - (int)wl_part_of(width, extent.end - view->end, span);
	struct wl_style dim = { WL_INK_DIM, WL_INK_DEFAULT, 0 };

	/* Two brackets need two cells, inside of the line. */
	x0 = x0 > width - 2 ? width - 2 : x0;
	x1 = x1 > width ? width : x1 < x0 + 2 ? x0 + 2 : x1;
	if (l->wide)
		wl_screen_text(s, 1, line->y, l->label_width - 1, WL_STYLE_PLAIN, "window");
	/* A view of a part says how to see all. */
	if (view->begin > extent.begin || view->end < extent.end)
		wl_screen_text(s, l->wide ? 9 : 1, line->y, l->label_width - 1, dim, "0: all");
	for (int x = 0; x < width; x++)
		wl_screen_put(s, l->chart_x + x, line->y, x > x0 && x < x1 - 1 ? 0x2593 : 0x2500,
			      x > x0 && x < x1 - 1 ? WL_STYLE_PLAIN : dim);
	wl_screen_put(s, l->chart_x + x0, line->y, '[', WL_STYLE_PLAIN);
	wl_screen_put(s, l->chart_x + x1 - 1, line->y, ']', WL_STYLE_PLAIN);
}

void wl_timeline_draw_overview(struct wl_timeline *t, struct wl_screen *s,
			       const struct wl_timeline_layout *l,
			       const struct wl_timeline_line *line)
{
	if (line->kind == WL_LINE_WINDOW)
		draw_window(&t->view, wl_timeline_scene(t)->tracks.extent, s, l, line);
	else
		draw_strip(t, s, l, line);
}
