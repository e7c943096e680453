/* SPDX-License-Identifier: MIT */
/*
 * rows_host.c - the rows of processes, of their threads, and of the profiler's own work.
 *
 * A thread's own row has its CUDA calls. Its ranges, its OS calls and events that do not nest are
 * rows of a group below it: a viewer would take rows directly below a thread for rows of the
 * process.
 */
#include <stdio.h>
#include <string.h>

#include "export/timeline/walk.h"

/* Processes and threads whose number is taken get numbers above those that any system uses. */
enum { FIRST_FREE = 1 << 24 };

struct numbers {
	struct wl_intern taken; /* uint32_t */
	uint32_t next;
};

static void numbers_init(struct numbers *n, struct wl_budget *budget)
{
	wl_intern_init(&n->taken, sizeof(uint32_t), budget);
	n->next = FIRST_FREE;
}

/* The number wanted, or a free one if it is taken or 0, which viewers take for the kernel. */
static uint32_t take_number(struct wl_walk *w, struct numbers *n, uint32_t wanted)
{
	uint32_t number = wanted ? wanted : n->next++;

	while (wl_intern_find(&n->taken, &number) != WL_NONE)
		number = n->next++;
	if (wl_intern_put(&n->taken, &number) == WL_NONE)
		w->failed = true;
	return number;
}

/* The row of host events being written. */
struct host_row {
	struct wl_walk *walk;
	size_t track;
	struct wl_dealt_rows rows;
};

static bool shows(const struct host_row *r, uint32_t process, const struct wl_lane_event *e)
{
	return wl_walk_goes_on(r->walk) &&
	       wl_walk_shows(r->walk, r->walk->scope->process[process], e->start, e->end);
}

static void take_event(void *ctx, const struct wl_lane_event *e)
{
	struct host_row *r = ctx;
	const struct wl_tracks *tracks = r->walk->tracks;

	if (shows(r, tracks->at[r->track].process, e))
		wl_dealt_put(&r->rows,
			     &(struct wl_emit_slice){ .start = e->start,
						      .end = e->end,
						      .name = wl_track_event_name(
							      tracks, r->track, e->ref, e->cat) });
}

static void take_call(void *ctx, const struct wl_lane_event *e)
{
	struct host_row *r = ctx;
	const struct wl_walk *w = r->walk;
	uint32_t process = w->tracks->at[r->track].process;
	uint32_t corr = wl_api_corr(w->trace) ? wl_api_corr(w->trace)[e->ref] : WL_NONE;

	if (shows(r, process, e))
		wl_dealt_put(&r->rows,
			     &(struct wl_emit_slice){
				     .start = e->start,
				     .end = e->end,
				     .name = wl_str(w->trace, wl_api_name(w->trace)[e->ref]),
				     .flow_out = wl_flow_out(&w->flows, w->trace, e->ref),
				     .has_correlation = w->plan->args && corr != WL_NONE,
				     .correlation = (uint64_t)process << 32 | corr });
}

/* For a row of all threads: each event has its own process. */
static void take_of_any(void *ctx, const struct wl_lane_event *e)
{
	struct host_row *r = ctx;
	const struct wl_tracks *tracks = r->walk->tracks;
	const struct wl_trace *t = r->walk->trace;
	const struct wl_thread_rows rows =
		wl_trace_thread_rows(t, wl_row_kind(&tracks->at[r->track])->family);

	if (shows(r, t->threads[rows.thread[e->ref]].process, e))
		wl_dealt_put(&r->rows,
			     &(struct wl_emit_slice){ .start = e->start,
						      .end = e->end,
						      .name = wl_track_event_name(
							      tracks, r->track, e->ref, e->cat) });
}

static void write_track(struct wl_walk *w, size_t track, wl_track_visit_fn *take,
			const struct wl_dealt_rows *rows)
{
	struct host_row r = { .walk = w, .track = track, .rows = *rows };

	if (!wl_walk_goes_on(w))
		return;
	r.rows.walk = w;
	r.rows.further = WL_FURTHER_NUMBER;
	wl_dealt_init(&r.rows, false);
	if (!wl_track_visit(w->tracks, track, &w->filter, w->budget, take, &r))
		w->failed = true;
	wl_dealt_close(&r.rows);
}

/* Write a row of slices in the thread's group. */
static void write_in_group(struct wl_walk *w, const struct wl_row_kind *kind, uint32_t thread,
			   struct wl_lazy_row *group)
{
	uint32_t track = wl_track_of_thread(w->tracks, kind->family, thread);
	struct wl_lazy_row row = { .row = { .kind = WL_EMIT_SLICES, .name = kind->title },
				   .parent = group };

	if (track == WL_NONE)
		return;
	row.row.n_events = w->tracks->at[track].n_events;
	write_track(w, track, take_event,
		    &(struct wl_dealt_rows){ .first = &row, .parent = group, .name = kind->title });
}

/* Write the rows of a thread, given one of its tracks. */
static void write_thread(struct wl_walk *w, size_t track, struct numbers *tids,
			 struct wl_lazy_row *process)
{
	const struct wl_track *at = &w->tracks->at[track];
	const struct wl_thread *t = &w->trace->threads[at->thread];
	const char *words = strchr(at->label, ' '); /* " 4000 python" */
	uint32_t api = wl_track_of_thread(w->tracks, WL_F_API, at->thread);
	struct wl_lazy_row thread = {
		.row = { .kind = WL_EMIT_THREAD,
			 .pid = process->row.pid,
			 .tid = take_number(w, tids, t->tid),
			 .name = t->name == WL_NONE ? "Thread" : wl_str(w->trace, t->name) },
		.parent = process
	};
	char name[256], description[128];
	struct wl_lazy_row group = { .row = { .kind = WL_EMIT_GROUP, .name = name },
				     .parent = &thread };

	(void)snprintf(name, sizeof(name), "Thread%s", words ? words : "");
	if (thread.row.tid != t->tid) {
		(void)snprintf(description, sizeof(description),
			       "Its number in the trace is %u, which another thread has, too.",
			       t->tid);
		thread.row.description = description;
	}
	thread.row.n_events = api == WL_NONE ? 1 : w->tracks->at[api].n_events;
	if (api != WL_NONE)
		write_track(w, api, take_call,
			    &(struct wl_dealt_rows){
				    .first = &thread, .parent = &group, .name = "CUDA API" });
	for (size_t k = 0; k < WL_N_TRACK_KINDS; k++) {
		if (wl_row_is_of_thread(&wl_row_kinds[k]) && wl_row_kinds[k].family != WL_F_API)
			write_in_group(w, &wl_row_kinds[k], at->thread, &group);
	}
}

/* "Process 4000 python rank 3" without the parts that the viewer adds itself. */
static const char *process_name(const char *label)
{
	const char *number = strchr(label, ' ');
	const char *name = number ? strchr(number + 1, ' ') : NULL;

	return name ? name + 1 : "Process";
}

static void write_process(struct wl_walk *w, size_t track, struct numbers *pids)
{
	const struct wl_track *at = w->tracks->at;
	uint32_t pid = w->trace->processes[at[track].process].pid;
	struct wl_lazy_row process = { .row = { .kind = WL_EMIT_PROCESS,
						.pid = take_number(w, pids, pid),
						.name = process_name(at[track].label) } };
	uint32_t last = WL_NONE;
	struct numbers tids;
	char description[128];

	if (process.row.pid != pid) {
		(void)snprintf(description, sizeof(description),
			       "Its pid in the trace is %u, which another process has, too.", pid);
		process.row.description = description;
	}
	numbers_init(&tids, w->budget);
	for (size_t i = track + 1; i < w->tracks->n && at[i].parent == track; i++) {
		if (at[i].thread != last)
			write_thread(w, i, &tids, &process);
		last = at[i].thread;
	}
	wl_intern_release(&tids.taken);
}

void wl_rows_processes(struct wl_walk *w)
{
	struct numbers pids;

	numbers_init(&pids, w->budget);
	for (size_t i = 0; i < w->tracks->n; i++) {
		if (wl_holds(&w->tracks->at[i]) == WL_HOLDS_THREADS)
			write_process(w, i, &pids);
	}
	wl_intern_release(&pids.taken);
}

void wl_rows_of_trace(struct wl_walk *w)
{
	for (size_t i = 0; i < w->tracks->n; i++) {
		const struct wl_track *at = &w->tracks->at[i];
		struct wl_lazy_row group = { .row = { .kind = WL_EMIT_GROUP, .name = at->label } };
		struct wl_lazy_row row = { .row = { .kind = WL_EMIT_SLICES,
						    .name = at->label,
						    .n_events = at->n_events },
					   .parent = wl_walk_group(w, &group) };

		if (wl_row_kind(at)->of == WL_OF_TRACE && wl_holds(at) == WL_HOLDS_CALLS)
			write_track(w, i, take_of_any,
				    &(struct wl_dealt_rows){ .first = &row,
							     .parent = row.parent,
							     .name = at->label });
	}
}
