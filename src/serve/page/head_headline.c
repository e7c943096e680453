/* SPDX-License-Identifier: MIT */
/* head_headline.c - what a page says first: how long a step is, where it goes, when GPUs worked. */
#include "serve/page/head_parts.h"

/* Ask for a table, in the window or of all. False where there is none. */
static bool ask(const struct wl_scene *scene, bool in_window, const char *analysis,
		struct wl_arena *arena, struct wl_document *doc)
{
	struct wl_request request = scene->request;
	struct wl_err err;

	if (!in_window)
		request.selection.window = NULL;
	request.analysis = wl_analysis_get(analysis);
	return scene->session &&
	       wl_session_run(scene->session, &request, arena, doc, &err) == WL_OK &&
	       doc->n_sections > 0 && doc->sections[0].view.table;
}

/* The least and the largest number of a column; false where it has none. */
static bool find_limits(const struct wl_table *table, const char *key, int64_t ret[2])
{
	bool found = false;
	size_t col;

	if (!wl_table_find_col(table, key, &col))
		return false;
	for (size_t row = 0; row < table->n_rows; row++) {
		const struct wl_cell cell = wl_table_at(table, row, col);

		if (!cell.set)
			continue;
		ret[0] = found && ret[0] < cell.i64 ? ret[0] : cell.i64;
		ret[1] = found && ret[1] > cell.i64 ? ret[1] : cell.i64;
		found = true;
	}
	return found;
}

static void put_step_part(struct wl_jsonw *out, const struct wl_step_part *part, const char *name)
{
	wl_jsonw_begin_array(out);
	wl_jsonw_i64(out, part->n);
	wl_jsonw_i64(out, part->median);
	wl_jsonw_str(out, name);
	wl_jsonw_end_array(out);
}

/* Lengths of all steps, as the first lines of "summary" and the notes of "iters" have them. */
static void put_steps(const struct wl_head *head, const struct wl_scene *scene,
		      const struct wl_doc_step *step, struct wl_jsonw *out, struct wl_arena *arena)
{
	struct wl_document iters;
	int64_t limits[2];

	wl_jsonw_key(out, "steps");
	if (!step) {
		wl_jsonw_null(out);
		return;
	}
	wl_jsonw_begin_object(out);
	wl_jsonw_put_i64(out, "count", step->count);
	wl_jsonw_put_i64(out, "median", step->median);
	if (ask(scene, false, "iters", arena, &iters) &&
	    find_limits(iters.sections[0].view.table, "period", limits)) {
		wl_jsonw_put_i64(out, "least", limits[0]);
		wl_jsonw_put_i64(out, "most", limits[1]);
	}
	wl_jsonw_put_str(out, "what",
			 head->naming == WL_NAMES_REDACTED ? step->method : step->what);
	wl_jsonw_put_bool(out, "guess", step->is_guess > 0);
	wl_jsonw_open_array(out, "lengths");
	for (size_t i = 0; i < WL_STEP_PARTS && step->part[i].name; i++)
		put_step_part(out, &step->part[i], step->part[i].name);
	wl_jsonw_end_array(out);
	if (step->outer.name) {
		wl_jsonw_key(out, "outer");
		put_step_part(out, &step->outer,
			      head->naming == WL_NAMES_REDACTED ? "ranges" : step->outer.name);
	}
	wl_jsonw_end_object(out);
}

/* Rows of "budget": a name, time and share each. */
static void put_parts(const struct wl_table *table, struct wl_jsonw *out)
{
	size_t part, time, share;
	bool ok = wl_table_find_col(table, "part", &part) &&
		  wl_table_find_col(table, "time", &time) &&
		  wl_table_find_col(table, "share", &share);

	wl_jsonw_open_array(out, "parts");
	for (size_t row = 0; ok && row < table->n_rows; row++) {
		wl_jsonw_begin_array(out);
		wl_jsonw_str(out, wl_table_at(table, row, part).str);
		wl_jsonw_i64(out, wl_table_at(table, row, time).i64);
		wl_jsonw_f64(out, wl_table_at(table, row, share).f64);
		wl_jsonw_end_array(out);
	}
	wl_jsonw_end_array(out);
}

/* From the first to the last operation of all GPUs, as far as it is shown. */
static void put_work(const struct wl_head *head, size_t number, struct wl_jsonw *out)
{
	const struct wl_scene *scene = head->show->scene[number];
	const struct wl_interval shown = wl_show_extent(head->show, number);
	struct wl_interval work = { INT64_MAX, INT64_MIN };

	for (uint32_t device = 0; device < scene->trace->n_devices; device++) {
		uint32_t track = wl_track_of_device(&scene->tracks, WL_HOLDS_GPU_TIME, device);
		const struct wl_lane *lane = track == WL_NONE ? NULL : wl_scene_lane(scene, track);

		if (!lane || lane->n == 0)
			continue;
		work.begin = lane->start[0] < work.begin ? lane->start[0] : work.begin;
		if (wl_lane_end(lane, lane->n - 1) > work.end)
			work.end = wl_lane_end(lane, lane->n - 1);
	}
	work.begin = work.begin > shown.begin ? work.begin : shown.begin;
	work.end = work.end < shown.end ? work.end : shown.end;
	wl_jsonw_key(out, "work");
	if (work.end <= work.begin) {
		wl_jsonw_null(out);
		return;
	}
	wl_jsonw_begin_array(out);
	wl_head_time(head, number, work.begin, out);
	wl_head_time(head, number, work.end, out);
	wl_jsonw_end_array(out);
}

void wl_head_headline(const struct wl_head *head, size_t number, struct wl_jsonw *out,
		      struct wl_arena *arena)
{
	const struct wl_scene *scene = head->show->scene[number];
	struct wl_document budget;

	put_work(head, number, out);
	wl_jsonw_key(out, "headline");
	/* As of findings: a window sets the first view only, unless the file has nothing else. */
	if (!ask(scene, head->show->in_window, "budget", arena, &budget)) {
		wl_jsonw_null(out);
		return;
	}
	wl_jsonw_begin_object(out);
	put_steps(head, scene, budget.step, out, arena);
	put_parts(budget.sections[0].view.table, out);
	wl_jsonw_end_object(out);
}
