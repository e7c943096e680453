/* SPDX-License-Identifier: MIT */
/* rows_gpu.c - the rows of a GPU: NVTX ranges where their work runs, streams, copies, gaps. */
#include <stdio.h>
#include <string.h>

#include "derive/tracks/openers.h"
#include "export/timeline/walk.h"

/* The device row being written. */
struct device_row {
	struct wl_walk *walk;
	size_t track;
	struct wl_interval window;
	struct wl_dealt_rows rows;
	struct wl_gap_places *gaps; /* of a GAPS row; NULL if it is not wanted */
	struct wl_openers opened;   /* of a GAPS row, if arguments are written */
};

static bool shows(const struct device_row *r, const struct wl_lane_event *e)
{
	return wl_walk_goes_on(r->walk) && wl_walk_shows(r->walk, r->window, e->start, e->end);
}

static void take_range(void *ctx, const struct wl_lane_event *e)
{
	struct device_row *r = ctx;

	if (shows(r, e))
		wl_dealt_put(&r->rows, &(struct wl_emit_slice){ .start = e->start,
								.end = e->end,
								.name = wl_track_event_name(
									r->walk->tracks, r->track,
									e->ref, e->cat) });
}

/* Copies and sets have their own rows. */
static void take_op(void *ctx, const struct wl_lane_event *e)
{
	struct device_row *r = ctx;
	const struct wl_track_op op = wl_track_op_of(e->ref);
	struct wl_op_slice s;

	if (op.kind == WL_OP_MEMCPY || op.kind == WL_OP_MEMSET || !shows(r, e))
		return;
	s.slice = (struct wl_emit_slice){ .start = e->start, .end = e->end };
	wl_op_slice_fill(r->walk, wl_op_families[op.kind], (uint32_t)op.row, &s);
	wl_dealt_put(&r->rows, &s.slice);
}

static void note_gap(struct wl_gap_places *places, const struct wl_lane_event *e)
{
	struct wl_interval *longest = &places->longest[e->cat];

	if (e->end - e->start > longest->end - longest->begin)
		*longest = (struct wl_interval){ e->start, e->end };
}

static void put_arg(struct wl_emit_slice *slice, struct wl_emit_arg *arg, const char *key,
		    const char *text)
{
	if (text)
		arg[slice->n_args++] =
			(struct wl_emit_arg){ .key = key, .type = WL_ARG_KEPT_TEXT, .text = text };
}

static void take_gap(void *ctx, const struct wl_lane_event *e)
{
	struct device_row *r = ctx;
	struct wl_emit_arg arg[3];
	struct wl_emit_slice slice = { .start = e->start, .end = e->end, .args = arg };
	const struct wl_opener *opened = NULL;

	if (!shows(r, e))
		return;
	if (r->gaps)
		note_gap(r->gaps, e);
	if (e->end - e->start < r->walk->opts->min_dur)
		return;
	slice.name = wl_gap_cat_name((enum wl_gap_cat)e->cat);
	if (r->walk->plan->args) {
		if (e->cat >= WL_GAP_OF_CAUSE)
			opened = wl_opener_at(&r->opened, e->start);
		put_arg(&slice, arg, "detail",
			wl_track_event_of(r->walk->tracks, r->track, e->ref).detail);
		put_arg(&slice, arg, "opened_by", opened ? opened->by : NULL);
		put_arg(&slice, arg, "opened_in", opened ? opened->in : NULL);
	}
	wl_dealt_put(&r->rows, &slice);
}

/* How a kind of track is written. */
struct device_kind {
	wl_track_visit_fn *take;
	bool flat;
	enum wl_further further;
};

static void write_track(struct wl_walk *w, size_t track, const char *name,
			const struct device_kind *how, struct wl_lazy_row *gpu)
{
	uint32_t device = w->tracks->at[track].device;
	struct wl_lazy_row row = { .row = { .kind = WL_EMIT_SLICES,
					    .name = name,
					    .n_events = w->tracks->at[track].n_events },
				   .parent = gpu };
	struct device_row r = { .walk = w,
				.track = track,
				.window = w->scope->device[device],
				.rows = { .walk = w,
					  .first = &row,
					  .parent = gpu,
					  .name = name,
					  .further = how->further },
				.gaps = w->gaps ? &w->gaps[device] : NULL };

	if (!wl_walk_goes_on(w))
		return;
	if (how->take == take_gap && w->plan->args &&
	    !wl_openers_find(w->tracks, device, w->budget, &r.opened))
		w->failed = true;
	wl_dealt_init(&r.rows, how->flat);
	if (!wl_track_visit(w->tracks, track, &w->filter, w->budget, how->take, &r))
		w->failed = true;
	wl_dealt_close(&r.rows);
	wl_openers_release(&r.opened);
}

static void write_projected(struct wl_walk *w, size_t track, struct wl_lazy_row *gpu)
{
	static const struct device_kind how = { take_range, false, WL_FURTHER_NUMBER };
	const char *label = w->tracks->at[track].label, *thread = strchr(label, ' ');
	char name[256];

	(void)snprintf(name, sizeof(name), "%s%s", wl_row_kind(&w->tracks->at[track])->title,
		       thread ? thread : "");
	write_track(w, track, name, &how, gpu);
}

/* Write the rows of the GPU that this track belongs to. */
static void write_gpu(struct wl_walk *w, size_t track, struct wl_lazy_row *parent)
{
	static const struct device_kind stream = { take_op, true, WL_FURTHER_OVERLAP };
	static const struct device_kind gaps = { take_gap, true, WL_FURTHER_OVERLAP };
	const struct wl_track *at = w->tracks->at;
	struct wl_lazy_row gpu = { .row = { .kind = WL_EMIT_GROUP, .name = at[track].label },
				   .parent = parent };
	size_t i = track + 1;

	wl_rows_counters(w, track, &gpu);
	wl_rows_gpu_metrics(w, track, &gpu);
	for (; i < w->tracks->n && at[i].parent == track && wl_holds(&at[i]) != WL_HOLDS_GAPS;
	     i++) {
		if (wl_holds(&at[i]) == WL_HOLDS_PROJECTIONS)
			write_projected(w, i, &gpu);
		else if (wl_holds(&at[i]) == WL_HOLDS_OPS)
			write_track(w, i, at[i].label, &stream, &gpu);
	}
	wl_rows_copies(w, at[track].device, &gpu);
	if (i < w->tracks->n && at[i].parent == track)
		write_track(w, i, wl_row_kind(&at[i])->title, &gaps, &gpu);
}

/* Viewers sort top-level rows by name, GPU 10 before GPU 2; therefore several GPUs share a
 * group. */
void wl_rows_gpus(struct wl_walk *w)
{
	struct wl_lazy_row group = { .row = { .kind = WL_EMIT_GROUP, .name = "GPUs" } };
	size_t n = 0;

	for (size_t i = 0; i < w->tracks->n; i++)
		n += wl_holds(&w->tracks->at[i]) == WL_HOLDS_GPU_TIME;
	for (size_t i = 0; i < w->tracks->n; i++) {
		if (wl_holds(&w->tracks->at[i]) == WL_HOLDS_GPU_TIME)
			write_gpu(w, i, n > 1 ? &group : NULL);
	}
}
