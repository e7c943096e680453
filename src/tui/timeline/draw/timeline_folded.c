/* SPDX-License-Identifier: MIT */
/* timeline_folded.c - a folded group as one line: how busy it is, and who is slowest. */
#include "base/text/units.h"
#include "derive/kinds/classes.h"
#include "scene/details.h"
#include "tui/timeline/timeline_parts.h"

static size_t n_rows_of(const struct wl_tracks *tracks, uint32_t group, bool with_counters)
{
	size_t n = 0;

	for (size_t i = 0; i < tracks->n; i++)
		n += tracks->at[i].parent == group && tracks->at[i].n_events > 0 &&
		     wl_holds(&tracks->at[i]) != WL_HOLDS_ITERATIONS &&
		     !wl_row_is_apart(wl_row_kind(&tracks->at[i])) &&
		     (with_counters || wl_holds(&tracks->at[i]) != WL_HOLDS_LEVELS);
	return n;
}

/* Time of compute of a GPU in the view; and in all of its classes. */
static wl_ns compute_of(const struct wl_scene *scene, struct wl_interval view, uint32_t gpu,
			wl_ns *ret_busy, wl_ns *ret_comm)
{
	const struct wl_lanes *lanes = &scene->lanes[gpu];
	wl_ns sums[WL_MAX_LANE_CATS] = { 0 };

	*ret_busy = lanes->n > 0 ? wl_lane_time(&lanes->lane[0], view.begin, view.end, sums) : 0;
	*ret_comm = sums[WL_COMM];
	return sums[WL_COMPUTE];
}

/*
 * The GPU that computes longest in the view makes the others wait; WL_NONE where there is
 * no communication, or none computes 1% longer than the mean.
 */
static uint32_t slowest(const struct wl_scene *scene, struct wl_interval view)
{
	const struct wl_tracks *tracks = &scene->tracks;
	uint32_t at = WL_NONE;
	wl_ns most = 0, busy, comm;
	double sum = 0, all_comm = 0;
	size_t n = 0;

	for (uint32_t i = 0; i < tracks->n; i++) {
		wl_ns compute;

		if (wl_holds(&tracks->at[i]) != WL_HOLDS_GPU_TIME || tracks->at[i].n_events == 0)
			continue;
		compute = compute_of(scene, view, i, &busy, &comm);
		sum += (double)compute;
		all_comm += (double)comm;
		n++;
		if (compute > most) {
			most = compute;
			at = i;
		}
	}
	return n > 1 && all_comm > 0 && (double)most > 1.01 * sum / (double)n ? at : WL_NONE;
}

static int draw_gpu(const struct wl_scene *scene, struct wl_interval view, struct wl_screen *s,
		    const struct wl_timeline_layout *l, int x, int y, uint32_t gpu)
{
	char comm_text[WL_UNITS_BUF];
	wl_ns busy, comm;
	int right = l->chart_x + l->chart_width;

	compute_of(scene, view, gpu, &busy, &comm);
	x += wl_screen_print(s, x, y, right - x, WL_STYLE_PLAIN, "   busy %.0f%%  comm-exposed %s",
			     100 * (double)busy / (double)(view.end - view.begin),
			     comm > 0 ? wl_brief_ns(comm_text, comm) : "0");
	if (slowest(scene, view) == gpu)
		x += wl_screen_text(s, x, y, right - x,
				    (struct wl_style){ WL_INK_ALERT, WL_INK_DEFAULT, WL_ATTR_BOLD },
				    "  \u25c0 slowest");
	return x;
}

/* The busiest threads by their CUDA calls in the view, which come first. */
static void draw_threads(const struct wl_scene *scene, struct wl_interval view, struct wl_screen *s,
			 const struct wl_timeline_layout *l, int x, int y)
{
	int right = l->chart_x + l->chart_width, n = 0;

	for (size_t i = 0; i < scene->tracks.n && n < 3; i++) {
		const struct wl_track *track = &scene->tracks.at[i];
		wl_ns sums[WL_MAX_LANE_CATS] = { 0 };
		const struct wl_lane *lane;

		lane = wl_row_kind(track)->family == WL_F_API ? wl_scene_lane(scene, i) : NULL;
		if (!lane)
			continue;
		x += wl_screen_print(s, x, y, right - x, WL_STYLE_PLAIN, "   %s%.24s %.0f%%",
				     n == 0 ? "CUDA calls: " : "", track->label,
				     100 * (double)wl_lane_time(lane, view.begin, view.end, sums) /
					     (double)(view.end - view.begin));
		n++;
	}
}

static size_t n_threads(const struct wl_tracks *tracks)
{
	uint32_t last = WL_NONE;
	size_t n = 0;

	for (size_t i = 0; i < tracks->n; i++) {
		uint32_t thread = tracks->at[i].thread;

		if (tracks->at[i].device != WL_NONE || thread == WL_NONE || thread == last)
			continue;
		last = thread;
		n++;
	}
	return n;
}

void wl_timeline_draw_folded(struct wl_timeline *t, struct wl_screen *s,
			     const struct wl_timeline_layout *l,
			     const struct wl_timeline_line *line)
{
	const struct wl_scene *scene = wl_timeline_scene(t);
	const struct wl_interval view = { t->view.begin, t->view.end };
	const struct wl_track *track = &scene->tracks.at[line->track];
	bool is_all = wl_holds(track) == WL_HOLDS_THREADS && t->rows.set == WL_ROWS_GPU;
	int right = l->chart_x + l->chart_width;
	int x = 1;
	size_t n;

	x += wl_screen_text(s, x, line->y, right, WL_STYLE_PLAIN, is_all ? "CPU" : track->brief);
	x += wl_screen_text(s, x, line->y, right - x, WL_STYLE_PLAIN, " \u25b8 ");
	n = is_all ? n_threads(&scene->tracks)
		   : n_rows_of(&scene->tracks, line->track, t->rows.counters);
	x += wl_screen_print(s, x, line->y, right - x, WL_STYLE_PLAIN, "%zu %s%s folded", n,
			     is_all ? "thread" : "row", n == 1 ? "" : "s");
	if (wl_holds(track) == WL_HOLDS_GPU_TIME)
		draw_gpu(scene, view, s, l, x, line->y, line->track);
	else if (is_all)
		draw_threads(scene, view, s, l, x, line->y);
}
