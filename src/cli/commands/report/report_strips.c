/* SPDX-License-Identifier: MIT */
#include "cli/commands/report/report_strips.h"

#include "base/text/units.h"
#include "derive/lanes/levels.h"
#include "scene/finding_place.h"
#include "scene/row_colour.h"

/*
 * Columns and rows of a picture, and findings that have one: a page is to be mailed. With ten of
 * them it has 280 to 530 kB.
 */
enum { WIDTH = 720, MAX_ROWS = 6, MAX_STRIPS = 10 };

struct drawing {
	const struct wl_table *findings;
	struct wl_scene scene; /* as much of it as places of findings want */
	struct wl_budget *budget;
	struct wl_arena *arena;
	const struct wl_strip **strip; /* by row of the findings */
};

static bool is_shown(const struct wl_track *track)
{
	const enum wl_holds holds = wl_holds(track);

	return holds == WL_HOLDS_GPU_TIME || holds == WL_HOLDS_OPS || holds == WL_HOLDS_GAPS;
}

/* The rows of a GPU, once; false without memory. */
static bool fill_device(struct drawing *d, uint32_t device)
{
	static const struct wl_track_filter all = { .min_dur = 0 };
	struct wl_scene *s = &d->scene;

	for (size_t i = 0; i < s->tracks.n; i++) {
		const struct wl_track *track = &s->tracks.at[i];

		if (track->device != device || s->lanes[i].n > 0 ||
		    !(is_shown(track) || wl_holds(track) == WL_HOLDS_ITERATIONS))
			continue;
		if (!wl_track_fill(&s->tracks, i, &all, d->budget, &s->lanes[i]) ||
		    (s->lanes[i].n > 1 && !wl_lanes_flatten(&s->lanes[i], d->budget, &s->flat[i])))
			return false;
	}
	return true;
}

/* The step around a time; without one a hundredth of all that was recorded. */
static struct wl_interval span_of(const struct wl_scene *s, uint32_t device, wl_ns at)
{
	const struct wl_process_iters *iters = wl_device_iters(s, device);
	const struct wl_interval all = s->tracks.extent;
	const wl_ns room = (all.end - all.begin) / 200 + WIDTH;

	for (size_t i = 0; iters && i < iters->n; i++) {
		const struct wl_interval tile = iters->at[i].tile;

		if (tile.begin <= at && at < tile.end && tile.end - tile.begin >= WIDTH)
			return tile;
	}
	return (struct wl_interval){ at - room, at + room };
}

static bool draw_row(struct drawing *d, size_t track, const struct wl_viewport *v,
		     struct wl_strip_row *ret)
{
	struct wl_picture_column *picture = WL_NEW(d->arena, struct wl_picture_column, WIDTH);
	struct wl_strip_column *column = WL_NEW(d->arena, struct wl_strip_column, WIDTH);
	const struct wl_track *of = &d->scene.tracks.at[track];

	ret->label = wl_arena_strdup(d->arena, of->label);
	ret->column = column;
	if (!picture || !column || !ret->label)
		return false;
	wl_lane_picture(wl_scene_lane(&d->scene, track), v, picture);
	for (size_t x = 0; x < WIDTH; x++)
		column[x] = (struct wl_strip_column){
			(uint8_t)wl_row_colour(wl_holds(of), picture[x].cat), picture[x].share
		};
	return true;
}

static const char *say_time(wl_ns t, struct wl_arena *arena)
{
	char text[WL_UNITS_BUF];

	return wl_arena_strdup(arena, wl_fmt_ns(text, t, WL_UNIT_AUTO));
}

static bool draw(struct drawing *d, size_t row, uint32_t device, wl_ns at)
{
	const struct wl_interval span = span_of(&d->scene, device, at);
	const struct wl_viewport v = { span.begin, span.end, WIDTH };
	struct wl_strip_row *rows = WL_NEW(d->arena, struct wl_strip_row, MAX_ROWS);
	struct wl_strip *strip = WL_NEW(d->arena, struct wl_strip, 1);

	if (!rows || !strip)
		return false;
	*strip = (struct wl_strip){ .title = "Where it is seen",
				    .from = say_time(span.begin, d->arena),
				    .to = say_time(span.end, d->arena),
				    .width = WIDTH,
				    .row = rows };
	for (size_t i = 0; i < d->scene.tracks.n && strip->n_rows < MAX_ROWS; i++) {
		const struct wl_track *track = &d->scene.tracks.at[i];

		if (track->device != device || !is_shown(track) || !wl_scene_lane(&d->scene, i))
			continue;
		if (!draw_row(d, i, &v, &rows[strip->n_rows]))
			return false;
		strip->n_rows++;
	}
	if (strip->n_rows > 0)
		d->strip[row] = strip;
	return strip->from && strip->to;
}

/* False without memory. */
static bool draw_all(struct drawing *d)
{
	const struct wl_table *t = d->findings;
	size_t code, device, when, n = 0;

	if (!wl_table_find_col(t, "code", &code) || !wl_table_find_col(t, "device", &device) ||
	    !wl_table_find_col(t, "at", &when))
		return true;
	for (size_t row = 0; row < t->n_rows && n < MAX_STRIPS; row++) {
		const struct wl_cell of = wl_table_at(t, row, device);
		const struct wl_cell name = wl_table_at(t, row, code);
		const struct wl_cell named = wl_table_at(t, row, when);
		enum wl_holds holds;
		wl_ns at;

		if (!of.set || !name.set || of.i64 < 0 ||
		    of.i64 >= (int64_t)d->scene.trace->n_devices)
			continue;
		if (!fill_device(d, (uint32_t)of.i64))
			return false;
		at = wl_finding_place(&d->scene,
				      &(struct wl_finding_sought){
					      d->scene.tracks.extent, name.str, (uint32_t)of.i64,
					      named.set ? named.i64 : WL_NO_TIME },
				      d->arena, &holds);
		if (at == WL_NO_TIME)
			continue;
		if (!draw(d, row, (uint32_t)of.i64, at))
			return false;
		n++;
	}
	return true;
}

static int visit(void *ctx, const struct wl_run *run, const struct wl_scope_notes *notes,
		 struct wl_err *reterr)
{
	struct drawing *d = ctx;
	struct wl_scene *s = &d->scene;
	bool ok;

	(void)notes;
	s->trace = run->trace;
	if (!wl_tracks_find(run->derived, run->scope, d->arena, &s->tracks))
		return wl_fail(reterr, WL_E_NOMEM, "no memory for pictures");
	s->lanes = WL_NEW(d->arena, struct wl_lanes, s->tracks.n + 1);
	s->flat = WL_NEW(d->arena, struct wl_lanes, s->tracks.n + 1);
	ok = s->lanes && s->flat && draw_all(d);
	for (size_t i = 0; s->lanes && s->flat && i < s->tracks.n; i++) {
		wl_lanes_release(&s->lanes[i]);
		wl_lanes_release(&s->flat[i]);
	}
	return ok ? WL_OK : wl_fail(reterr, WL_E_NOMEM, "no memory for pictures");
}

const struct wl_strip *const *wl_report_strips(struct wl_session *session,
					       const struct wl_request *request,
					       const struct wl_table *findings,
					       struct wl_budget *budget, struct wl_arena *arena)
{
	struct drawing d = { .findings = findings, .budget = budget, .arena = arena };
	const struct wl_visitor visitor = {
		.name = "report", .wanted.from = WL_FROM(TRACKS), .visit = visit, .ctx = &d
	};
	struct wl_request asked = *request;
	struct wl_document frame;
	struct wl_err err;

	d.strip = WL_NEW(arena, const struct wl_strip *, findings->n_rows + 1);
	if (!d.strip || !session)
		return NULL;
	asked.visitor = &visitor;
	asked.analysis = NULL;
	asked.document = NULL;
	asked.selection.window = NULL;
	return wl_session_run(session, &asked, arena, &frame, &err) == WL_OK ? d.strip : NULL;
}
