/* SPDX-License-Identifier: MIT */
/* timeline_waits.c - in words: gaps, iterations, what a GPU row accounts, and nothing. */
#include <inttypes.h>

#include "derive/iters/iters.h"
#include "derive/iters/outliers.h"
#include "known/palette.h"
#include "tui/timeline/tell/timeline_words.h"

static void say_gap_end(struct wl_timeline *t, struct wl_detail *d,
			const struct wl_gap_details *gap)
{
	const struct wl_scene *scene = wl_timeline_scene(t);
	struct wl_op_details op;
	struct wl_detail_line l = wl_detail_next(d);

	if (gap->after.family == WL_N_FAMILIES)
		return;
	wl_op_details_of(scene, gap->after, WL_COLOUR_OTHER, &op);
	wl_tell(&l.left, "ended by %.300s", wl_timeline_op_name(t, gap->after));
	wl_tell_place(&l.right, scene->trace, op.place, false);
	l = wl_detail_next(d);
	wl_tell_launch(t, &l.left, &op, true);
	l = wl_detail_next(d);
	wl_tell_path(t, &l.left, op.node, op.is_bridged);
}

static void tell_gap(struct wl_timeline *t, const struct wl_gap_details *gap, bool wide,
		     struct wl_detail *d)
{
	char words[400], share[WL_UNITS_BUF];
	struct wl_detail_line l = wl_detail_next(d);
	struct wl_gap_function f;

	wl_tell(&l.left, "%s", wide ? "GAP    " : "");
	wl_tell_ns(&l.left, "idle ", gap->end - gap->begin);
	wl_tell(&l.left, ", cause: %s", wl_gap_words(gap, words, sizeof(words)));
	wl_tell(&l.right, "G%" PRIu32, gap->device);
	if (wide && gap->cause != WL_N_CAUSES) {
		l = wl_detail_next(d);
		wl_tell(&l.left, " %s", wl_cause_words(gap->cause));
	}
	if (wl_gap_function_of(wl_timeline_scene(t), gap, &f)) {
		l = wl_detail_next(d);
		wl_tell(&l.left, "ran %s%s%s", f.name, *f.under ? " under " : "", f.under);
		wl_tell(&l.right, "%s of it", wl_brief_share(share, f.time, gap->end - gap->begin));
	}
	if (gap->opened_by) {
		l = wl_detail_next(d);
		wl_tell(&l.left, "opened by %.200s", gap->opened_by);
		if (gap->opened_in)
			wl_tell(&l.left, " in %.200s", gap->opened_in);
	}
	say_gap_end(t, d, gap);
}

/* Exposed communication and copies of a GAPS row, and what a GPU row accounts. */
static void tell_accounted(struct wl_timeline *t, const struct wl_pick *pick, const char *what,
			   struct wl_detail *d)
{
	struct wl_detail_line l = wl_detail_next(d);

	wl_tell(&l.left, "%s", what);
	if (pick->event.detail)
		wl_tell(&l.left, ": %.300s", pick->event.detail);
	wl_tell(&l.right, "G%" PRIu32, wl_timeline_scene(t)->tracks.at[pick->track].device);
	wl_tell_ns(&l.right, "  ", pick->end - pick->start);
	l = wl_detail_next(d);
	wl_tell(&l.left, "start ");
	wl_tell_time(t, &l.left, pick->start);
}

/* By iteration; NULL without memory. */
static const bool *outliers_of(struct wl_timeline *t, uint32_t process,
			       const struct wl_process_iters *iters)
{
	struct wl_timeline_kept *f = t->panels.kept;

	if (!f->outlier)
		f->outlier =
			WL_NEW(&t->arena, const bool *, wl_timeline_scene(t)->trace->n_processes);
	if (f->outlier && !f->outlier[process])
		f->outlier[process] = wl_outliers_find(iters, &t->arena);
	return f->outlier ? f->outlier[process] : NULL;
}

static void tell_iteration(struct wl_timeline *t, const struct wl_pick *pick, struct wl_detail *d)
{
	const struct wl_scene *scene = wl_timeline_scene(t);
	uint32_t process = scene->tracks.at[pick->track].process, number = pick->event.row;
	const struct wl_process_iters *iters = &scene->tracks.iterations->process[process];
	const struct wl_iteration *it = &iters->at[number];
	const bool *outlier = outliers_of(t, process, iters);
	wl_ns period = it->tile.end - it->tile.begin;
	uint32_t device = scene->tracks.at[pick->track].device;
	struct wl_range_sums sums;
	struct wl_detail_line l = wl_detail_next(d);

	wl_tell(&l.left, "step %" PRIu32 " of %zu%s%s; step = %.200s%s", number, iters->n,
		it->kind != WL_STEP_NONE ? ", " : "", wl_step_kind_name(it->kind),
		iters->is ? iters->is : "", iters->is_guess ? " (a guess)" : "");
	wl_tell_ns(&l.right, "", period);
	l = wl_detail_next(d);
	if (it->is_last) {
		wl_tell(&l.left, "the last: it has a length and no period");
	} else if (wl_usual_period(iters, number) > 0) {
		wl_ns usual = wl_usual_period(iters, number);

		wl_tell(&l.left, "%+.1f%% vs the median period",
			100.0 * (double)(period - usual) / (double)usual);
		wl_tell_ns(&l.left, " of ", usual);
		wl_tell(&l.right, "%s", outlier && outlier[number] ? "outlier" : "");
	}
	l = wl_detail_next(d);
	wl_range_sums_of(scene, device, it->tile, &sums);
	wl_tell_sums(&l.left, &sums, device);
	l = wl_detail_next(d);
	wl_tell_ns(&l.left, "its operations end ", it->last_end - it->tile.begin);
	wl_tell(&l.left, " after it begins");
}

/* Calls of the operating system, and what the profiler did. */
void wl_detail_host(struct wl_timeline *t, const struct wl_pick *pick, const char *what,
		    struct wl_detail *d)
{
	const struct wl_scene *scene = wl_timeline_scene(t);
	uint32_t thread = scene->tracks.at[pick->track].thread;
	struct wl_detail_line l = wl_detail_next(d);

	wl_tell(&l.left, "%s", wl_timeline_pick_name(t, pick));
	wl_tell(&l.right, "%s  ", what);
	if (thread != WL_NONE)
		wl_tell_thread(&l.right, scene->trace, thread, false);
	wl_tell_ns(&l.right, "  ", pick->end - pick->start);
	l = wl_detail_next(d);
	wl_tell(&l.left, "start ");
	wl_tell_time(t, &l.left, pick->start);
}

void wl_detail_nothing(struct wl_timeline *t, bool wide, struct wl_detail *d)
{
	const struct wl_scene *scene = wl_timeline_scene(t);
	const struct wl_lane *lane = wl_timeline_lane(t, t->view.track);
	const struct wl_row_kind *kind = wl_row_kind(&scene->tracks.at[t->view.track]);
	struct wl_gap_details gap;
	struct wl_detail_line l = wl_detail_next(d);
	size_t i = lane ? wl_lane_from(lane, t->view.cursor) : 0;

	wl_tell(&l.left, "nothing here");
	if (lane && i > 0)
		wl_tell_ns(&l.left, ", since ", t->view.cursor - wl_lane_end(lane, i - 1));
	if (lane && i < lane->n)
		wl_tell_ns(&l.left, ", next event in ", lane->start[i] - t->view.cursor);
	else
		wl_tell(&l.left, ", no event after this");
	if ((kind->holds == WL_HOLDS_OPS || kind->holds == WL_HOLDS_GPU_TIME ||
	     kind->holds == WL_HOLDS_GAPS) &&
	    wl_gap_at(scene, scene->tracks.at[t->view.track].device, t->view.cursor, &gap))
		tell_gap(t, &gap, wide, d);
}

void wl_detail_row(struct wl_timeline *t, const struct wl_pick *pick, bool wide,
		   struct wl_detail *d)
{
	static const char *const classes[WL_N_CLASSES] = { "compute",
							   "communication that nothing hides",
							   "copies that nothing hides" };
	const struct wl_scene *scene = wl_timeline_scene(t);
	struct wl_gap_details gap;

	switch (wl_holds(&scene->tracks.at[pick->track])) {
	case WL_HOLDS_ITERATIONS:
		tell_iteration(t, pick, d);
		return;
	case WL_HOLDS_GAPS:
		if (pick->cat >= WL_GAP_OF_CAUSE &&
		    wl_gap_at(scene, scene->tracks.at[pick->track].device, pick->start, &gap))
			tell_gap(t, &gap, wide, d);
		else
			tell_accounted(t, pick, classes[pick->cat == WL_GAP_EXPOSED_COMM ? 1 : 2],
				       d);
		return;
	case WL_HOLDS_GPU_TIME:
		tell_accounted(t, pick, pick->cat < WL_N_CLASSES ? classes[pick->cat] : "work", d);
		return;
	case WL_HOLDS_LEVELS:
		wl_detail_host(t, pick, "counter", d);
		return;
	case WL_HOLDS_PROJECTIONS:
	case WL_HOLDS_OPS:
	case WL_HOLDS_THREADS:
	case WL_HOLDS_RANGES:
	case WL_HOLDS_CALLS:
	case WL_HOLDS_PATH:
		break;
	}
	wl_detail_host(t, pick, "event", d);
}
