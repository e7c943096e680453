/* SPDX-License-Identifier: MIT */
/* rows_path.c - the row of the critical path. */
#include "derive/graph/path.h"
#include "export/timeline/walk.h"

struct path_row {
	struct wl_walk *walk;
	size_t track;
	struct wl_dealt_rows rows;
};

/* The call that belongs to the activity: viewers highlight events with its correlation. */
static uint32_t call_of(const struct wl_graph *g, uint32_t activity)
{
	uint32_t call = activity < g->n_ops ? wl_graph_launch(g, activity) : activity - g->n_ops;

	return call < g->first_call[1] ? call : WL_NONE;
}

static void put_args(const struct wl_walk *w, uint32_t segment, struct wl_emit_slice *slice,
		     struct wl_emit_arg arg[2])
{
	const struct wl_path *path = w->tracks->path;
	const uint32_t *corr = wl_api_corr(w->trace);
	uint32_t process = wl_graph_process(path->graph, path->activity[segment]);
	uint32_t call = call_of(path->graph, path->activity[segment]);

	arg[0] = (struct wl_emit_arg){ .key = "class",
				       .type = WL_ARG_KEPT_TEXT,
				       .text = wl_path_class_name(path->class[segment]) };
	arg[1] = (struct wl_emit_arg){ .key = "pid",
				       .type = WL_ARG_INT,
				       .number = w->trace->processes[process].pid };
	slice->args = arg;
	slice->n_args = 2;
	slice->has_correlation = corr && call != WL_NONE && corr[call] != WL_NONE;
	if (slice->has_correlation)
		slice->correlation = (uint64_t)process << 32 | corr[call];
}

static void take_segment(void *ctx, const struct wl_lane_event *e)
{
	struct path_row *r = ctx;
	const struct wl_walk *w = r->walk;
	const struct wl_path *path = w->tracks->path;
	uint32_t process = wl_graph_process(path->graph, path->activity[e->ref]);
	struct wl_emit_slice slice = { .start = e->start,
				       .end = e->end,
				       .name = wl_track_event_name(w->tracks, r->track, e->ref,
								   e->cat) };
	struct wl_emit_arg arg[2];

	if (!wl_walk_goes_on(w) || e->end - e->start < w->opts->min_dur ||
	    !wl_walk_shows(w, w->scope->process[process], e->start, e->end))
		return;
	if (w->plan->args)
		put_args(w, e->ref, &slice, arg);
	wl_dealt_put(&r->rows, &slice);
}

void wl_rows_path(struct wl_walk *w)
{
	for (size_t i = 0; i < w->tracks->n && w->tracks->path; i++) {
		const struct wl_track *at = &w->tracks->at[i];
		struct wl_lazy_row row = { .row = { .kind = WL_EMIT_SLICES,
						    .name = at->label,
						    .n_events = w->tracks->path->n } };
		struct path_row r = { .walk = w,
				      .track = i,
				      .rows = { .walk = w,
						.first = &row,
						.name = at->label,
						.further = WL_FURTHER_OVERLAP } };

		if (wl_holds(at) != WL_HOLDS_PATH || !wl_walk_goes_on(w))
			continue;
		wl_dealt_init(&r.rows, true);
		if (!wl_track_visit(w->tracks, i, &w->filter, w->budget, take_segment, &r))
			w->failed = true;
		wl_dealt_close(&r.rows);
	}
}
