/* SPDX-License-Identifier: MIT */
/* head_rows.c - rows, processes, devices and findings in the head. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "derive/rows/streams.h"
#include "serve/page/head_parts.h"

/* An index of a trace's list in the list of all; -1 for none. */
static int64_t counted_on(uint32_t index, size_t first)
{
	return index == WL_NONE ? -1 : (int64_t)(first + index);
}

/* ---- Rows ---- */

/* Of all lanes as one, in what is shown. */
static wl_ns busy_of(const struct wl_show *show, size_t scene, size_t track)
{
	const struct wl_lane *lane = wl_scene_lane(show->scene[scene], track);
	const struct wl_interval shown = wl_show_extent(show, scene);
	wl_ns by_category[WL_MAX_LANE_CATS] = { 0 };

	return lane ? wl_lane_time(lane, shown.begin, shown.end, by_category) : 0;
}

/*
 * Where names are redacted, rows of GPUs keep what they are called: their numbers and kinds. Behind
 * the mark of a stream that communicates may stand what it is for, and other rows have names of
 * threads.
 */
static const char *redacted_label(const struct wl_track *t, char *buf, size_t size)
{
	enum wl_holds holds = wl_row_kind(t)->holds;
	const char *mark = strchr(t->label, '*');

	if (holds == WL_HOLDS_GPU_TIME || holds == WL_HOLDS_ITERATIONS || holds == WL_HOLDS_GAPS)
		return t->label;
	if (holds != WL_HOLDS_OPS)
		return t->brief;
	(void)snprintf(buf, size, "%.*s", mark ? (int)(mark - t->label) + 1 : 200, t->label);
	return buf;
}

static void put_row(const struct wl_head *head, size_t scene, size_t track,
		    const struct wl_streams *streams, struct wl_jsonw *out)
{
	const struct wl_show *show = head->show;
	const struct wl_trace *trace = show->scene[scene]->trace;
	const struct wl_tracks *tracks = &show->scene[scene]->tracks;
	const struct wl_track *t = &tracks->at[track];
	uint32_t number =
		t->stream == WL_NONE ? WL_NONE : trace->places[streams->place[t->stream]].stream;
	char buf[256];

	wl_jsonw_newline(out);
	wl_jsonw_begin_object(out);
	wl_jsonw_put_i64(out, "parent", counted_on(t->parent, wl_show_first_row(show, scene)));
	wl_jsonw_put_i64(out, "trace", (int64_t)scene);
	wl_jsonw_put_str(out, "kind", wl_row_kind(t)->key);
	wl_jsonw_put_str(out, "label",
			 head->naming == WL_NAMES_REDACTED ? redacted_label(t, buf, sizeof(buf))
							   : t->label);
	wl_jsonw_put_str(out, "brief", t->brief);
	wl_jsonw_put_i64(out, "device", counted_on(t->device, wl_show_first_device(show, scene)));
	wl_jsonw_put_i64(out, "process",
			 counted_on(t->process, wl_show_first_process(show, scene)));
	wl_jsonw_put_i64(out, "thread", counted_on(t->thread, 0));
	wl_jsonw_put_i64(out, "stream", counted_on(number, 0));
	wl_jsonw_put_i64(out, "events", (int64_t)wl_show_count(show, scene, track));
	wl_jsonw_put_i64(out, "busy", busy_of(show, scene, track));
	if (t->counter != WL_NONE) {
		wl_jsonw_put_f64(out, "top", tracks->counter[t->counter].full);
		wl_jsonw_put_str(out, "unit", tracks->counter[t->counter].unit);
	}
	wl_jsonw_end_object(out);
}

bool wl_head_rows(const struct wl_head *head, struct wl_jsonw *out, struct wl_arena *arena)
{
	wl_jsonw_open_array(out, "rows");
	for (size_t s = 0; s < head->show->n; s++) {
		const struct wl_scene *scene = head->show->scene[s];
		struct wl_streams streams;

		if (!wl_streams_find(scene->trace, arena, &streams))
			return false;
		for (size_t t = 0; t < scene->tracks.n; t++)
			put_row(head, s, t, &streams, out);
	}
	wl_jsonw_end_array(out);
	return true;
}

/* ---- Processes ---- */

static bool is_shown(const struct wl_show *show, size_t scene, const struct wl_iteration *it)
{
	const struct wl_interval shown = wl_show_extent(show, scene);

	return it->tile.begin < shown.end && it->tile.end > shown.begin;
}

/* Those that have a part in what is shown. */
static void put_iterations(const struct wl_head *head, size_t scene,
			   const struct wl_process_iters *iters, struct wl_jsonw *out)
{
	int64_t n = 0, first = 0, steady = -1;

	wl_jsonw_open_array(out, "iterations");
	for (size_t i = 0; i < iters->n; i++) {
		if (!is_shown(head->show, scene, &iters->at[i]))
			continue;
		if (i == iters->steady)
			steady = n;
		if (n++ == 0)
			first = (int64_t)i;
		wl_jsonw_begin_array(out);
		wl_head_time(head, scene, iters->at[i].tile.begin, out);
		wl_head_time(head, scene, iters->at[i].tile.end, out);
		wl_jsonw_end_array(out);
	}
	wl_jsonw_end_array(out);
	wl_jsonw_put_i64(out, "first", first);
	wl_jsonw_put_i64(out, "steady", steady);
}

/* By listed iteration what it does, as a number of enum wl_step_kind; empty where no step has a
 * kind. */
static void put_kinds(const struct wl_head *head, size_t scene,
		      const struct wl_process_iters *iters, struct wl_jsonw *out)
{
	bool has_kinds = false;

	for (size_t i = 0; i < iters->n; i++)
		has_kinds = has_kinds || iters->at[i].kind != WL_STEP_NONE;
	wl_jsonw_open_array(out, "kinds");
	for (size_t i = 0; has_kinds && i < iters->n; i++) {
		if (is_shown(head->show, scene, &iters->at[i]))
			wl_jsonw_i64(out, iters->at[i].kind);
	}
	wl_jsonw_end_array(out);
}

/* By listed iteration the time on the host in which what it owns is launched; none without it. */
static void put_hosts(const struct wl_head *head, size_t scene,
		      const struct wl_process_iters *iters, struct wl_jsonw *out)
{
	wl_jsonw_open_array(out, "hosts");
	for (size_t i = 0; iters->by_marker && i < iters->n; i++) {
		if (!is_shown(head->show, scene, &iters->at[i]))
			continue;
		wl_jsonw_begin_array(out);
		wl_head_time(head, scene, iters->at[i].host.begin, out);
		wl_head_time(head, scene, iters->at[i].host.end, out);
		wl_jsonw_end_array(out);
	}
	wl_jsonw_end_array(out);
}

/* The thread of the ranges that mark iterations; -1. */
static int64_t marked_thread(const struct wl_scene *scene, const struct wl_process_iters *iters)
{
	if (!iters->by_marker || iters->n == 0)
		return -1;
	return wl_nvtx_thread(scene->trace)[iters->at[0].marker];
}

/* The thread whose ranges also hold what other threads of the process launch; -1. */
static int64_t anchor_of(const struct wl_scene *scene, size_t process)
{
	const uint32_t *anchor = scene->forest ? scene->forest->anchor : NULL;

	return anchor && anchor[process] != WL_NONE ? (int64_t)anchor[process] : -1;
}

/* By listed iteration: 1 where step times change over time, and it takes longer. */
static void put_changed(const struct wl_head *head, size_t scene, size_t process,
			const struct wl_process_iters *iters, struct wl_jsonw *out)
{
	const struct wl_step_change *c = head->show->scene[scene]->step_change;

	wl_jsonw_open_array(out, "changed");
	for (size_t i = 0; c->kind != WL_CHANGE_NONE && i < iters->n; i++) {
		if (is_shown(head->show, scene, &iters->at[i]))
			wl_jsonw_i64(out, wl_step_side_of(c, process, i) == WL_STEP_CHANGED);
	}
	wl_jsonw_end_array(out);
}

static void put_process(const struct wl_head *head, size_t scene, size_t process,
			struct wl_jsonw *out)
{
	const struct wl_scene *s = head->show->scene[scene];
	const struct wl_process *p = &s->trace->processes[process];
	const struct wl_process_iters *iters = &s->tracks.iterations->process[process];
	bool redacted = head->naming == WL_NAMES_REDACTED;

	wl_jsonw_newline(out);
	wl_jsonw_begin_object(out);
	wl_jsonw_put_i64(out, "trace", (int64_t)scene);
	wl_jsonw_put_i64(out, "pid", p->pid);
	wl_jsonw_put_i64_if(out, "rank", s->ranks->of[process] >= 0, s->ranks->of[process]);
	wl_jsonw_put_str(out, "name",
			 redacted || p->name == WL_NONE ? NULL : wl_str(s->trace, p->name));
	wl_jsonw_put_i64(out, "anchor", anchor_of(s, process));
	put_iterations(head, scene, iters, out);
	put_kinds(head, scene, iters, out);
	put_changed(head, scene, process, iters, out);
	put_hosts(head, scene, iters, out);
	wl_jsonw_put_i64(out, "marked", marked_thread(s, iters));
	wl_jsonw_put_str(out, "method", wl_iter_method_name(iters->method));
	wl_jsonw_put_str(out, "marker", redacted ? NULL : iters->what);
	wl_jsonw_end_object(out);
}

void wl_head_processes(const struct wl_head *head, struct wl_jsonw *out)
{
	wl_jsonw_open_array(out, "processes");
	for (size_t s = 0; s < head->show->n; s++) {
		for (size_t p = 0; p < head->show->scene[s]->trace->n_processes; p++)
			put_process(head, s, p, out);
	}
	wl_jsonw_end_array(out);
}

/* ---- Devices ---- */

static void put_device(const struct wl_head *head, size_t scene, uint32_t device,
		       struct wl_jsonw *out)
{
	const struct wl_scene *s = head->show->scene[scene];
	uint32_t row = wl_track_of_device(&s->tracks, WL_HOLDS_GPU_TIME, device);
	uint32_t iterations = wl_track_of_device(&s->tracks, WL_HOLDS_ITERATIONS, device);
	uint32_t process = iterations == WL_NONE ? WL_NONE : s->tracks.at[iterations].process;

	wl_jsonw_newline(out);
	wl_jsonw_begin_object(out);
	wl_jsonw_put_i64(out, "trace", (int64_t)scene);
	wl_jsonw_put_str(out, "label", row == WL_NONE ? NULL : s->tracks.at[row].label);
	wl_jsonw_put_i64(out, "process",
			 counted_on(process, wl_show_first_process(head->show, scene)));
	wl_jsonw_end_object(out);
}

void wl_head_devices(const struct wl_head *head, struct wl_jsonw *out)
{
	wl_jsonw_open_array(out, "devices");
	for (size_t s = 0; s < head->show->n; s++) {
		for (uint32_t d = 0; d < head->show->scene[s]->trace->n_devices; d++)
			put_device(head, s, d, out);
	}
	wl_jsonw_end_array(out);
}

/* ---- Findings ---- */

static void put_time(const struct wl_head *head, size_t scene, const char *key, wl_ns time,
		     struct wl_jsonw *out)
{
	wl_jsonw_key(out, key);
	if (time == WL_NO_TIME)
		wl_jsonw_null(out);
	else
		wl_head_time(head, scene, time, out);
}

/* What shows it, from where to where; null for nowhere, or where that is not shown. */
static void put_place(const struct wl_head *head, size_t scene, const struct wl_scene_finding *f,
		      struct wl_jsonw *out)
{
	const struct wl_scene *s = head->show->scene[scene];
	const struct wl_interval shown = wl_show_extent(head->show, scene);
	bool is_there =
		f->at != WL_NO_TIME && f->span.begin >= shown.begin && f->span.begin < shown.end;
	uint32_t row = is_there ? wl_track_of_device(&s->tracks, f->row, f->device) : WL_NONE;

	wl_jsonw_put_i64(out, "row", counted_on(row, wl_show_first_row(head->show, scene)));
	put_time(head, scene, "begin", is_there ? f->span.begin : WL_NO_TIME, out);
	put_time(head, scene, "end", is_there ? f->span.end : WL_NO_TIME, out);
}

static void put_figures(const struct wl_scene_finding *f, struct wl_jsonw *out)
{
	wl_jsonw_put_i64_if(out, "saving", f->saving >= 0, f->saving);
	wl_jsonw_put_i64_if(out, "replayed", f->replayed != WL_NO_TIME, f->replayed);
	wl_jsonw_put_str(out, "fixing", f->fixing);
	wl_jsonw_put_f64(out, "share", f->share < 0 ? (double)NAN : f->share);
	wl_jsonw_put_f64(out, "saves_share", f->saves_share < 0 ? (double)NAN : f->saves_share);
	wl_jsonw_put_str(out, "saves_kind", f->saves_kind);
	wl_jsonw_put_bool(out, "saves_about", f->saves_about);
	wl_jsonw_put_str(out, "part", f->part);
	wl_jsonw_put_i64_if(out, "part_time", f->part_time != WL_NO_TIME, f->part_time);
}

/* Pairs of a title and a text. */
static void put_lines(const struct wl_scene_finding *f, bool redacted, struct wl_jsonw *out)
{
	wl_jsonw_open_array(out, "lines");
	for (size_t i = 0; !redacted && i < f->n_lines; i++) {
		wl_jsonw_begin_array(out);
		wl_jsonw_str(out, f->line[i].title);
		wl_jsonw_str(out, f->line[i].text);
		wl_jsonw_end_array(out);
	}
	wl_jsonw_end_array(out);
}

/* Where names are redacted only the code and figures stay: the sentences quote names and paths. */
static void put_finding(const struct wl_head *head, size_t scene, const struct wl_scene_finding *f,
			struct wl_jsonw *out)
{
	bool redacted = head->naming == WL_NAMES_REDACTED;

	wl_jsonw_newline(out);
	wl_jsonw_begin_object(out);
	wl_jsonw_put_i64(out, "trace", (int64_t)scene);
	wl_jsonw_put_str(out, "code", f->code);
	wl_jsonw_put_str(out, "severity", f->severity);
	wl_jsonw_put_str(out, "title", redacted ? f->code : f->title);
	wl_jsonw_put_str(out, "text", redacted ? NULL : f->detail);
	wl_jsonw_put_str(out, "claim", redacted || !*f->claim ? f->code : f->claim);
	wl_jsonw_put_str(out, "beyond", redacted ? NULL : f->beyond);
	wl_jsonw_put_str(out, "evidence", redacted ? NULL : f->evidence);
	put_lines(f, redacted, out);
	put_place(head, scene, f, out);
	put_figures(f, out);
	wl_jsonw_end_object(out);
}

void wl_head_findings(const struct wl_head *head, struct wl_jsonw *out)
{
	wl_jsonw_open_array(out, "findings");
	for (size_t s = 0; s < head->show->n; s++) {
		const struct wl_scene *scene = head->show->scene[s];

		for (size_t i = 0; i < scene->n_findings; i++)
			put_finding(head, s, &scene->finding[i], out);
	}
	wl_jsonw_end_array(out);
}
