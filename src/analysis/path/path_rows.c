/* SPDX-License-Identifier: MIT */
#include "analysis/path/path_rows.h"

#include <inttypes.h>
#include <stdio.h>

#include "derive/comm/collectives.h"
#include "derive/comm/match/matches.h"
#include "derive/nvtx/forest.h"
#include "derive/nvtx/range_names.h"
#include "derive/nvtx/ranks.h"
#include "derive/rows/ops.h"

static bool find_devices(struct wl_path_rows *r)
{
	const struct wl_trace *t = r->run->trace;
	uint32_t *device = WL_NEW(r->run->arena, uint32_t, t->n_processes);
	bool *several = WL_NEW(r->run->arena, bool, t->n_processes);

	if (!device || !several)
		return false;
	for (size_t i = 0; i < t->n_processes; i++)
		device[i] = WL_NONE;
	for (size_t i = 0; i < t->n_places; i++) {
		const struct wl_place *p = &t->places[i];

		if (p->device == WL_NONE)
			continue;
		several[p->process] |=
			device[p->process] != WL_NONE && device[p->process] != p->device;
		device[p->process] = p->device;
	}
	for (size_t i = 0; i < t->n_processes; i++)
		device[i] = several[i] ? WL_NONE : device[i];
	r->device_of = device;
	return true;
}

/* From the earliest begin to the latest end of the selected devices' windows. */
static struct wl_interval hull(const struct wl_path_rows *r)
{
	const struct wl_scope *scope = r->run->scope;
	struct wl_interval all = { INT64_MAX, INT64_MIN };

	for (size_t i = 0; i < r->run->trace->n_devices; i++) {
		const struct wl_interval w = scope->device[i];

		if (w.begin >= w.end)
			continue;
		all.begin = w.begin < all.begin ? w.begin : all.begin;
		all.end = w.end > all.end ? w.end : all.end;
	}
	return all;
}

/*
 * Windows of steps differ by process and cut the path. If all devices are selected, shares are
 * relative to the parts of the path inside; for a selection, to the path in its hull, which
 * includes other devices.
 */
static wl_ns find_total(const struct wl_path_rows *r)
{
	const struct wl_scope *scope = r->run->scope;
	struct wl_interval all = r->path->window, part;
	bool is_selected = false;
	wl_ns sum = 0;

	for (size_t i = 0; i < r->run->trace->n_devices; i++)
		is_selected |= !scope->device_on[i];
	if (!scope->whole && is_selected) {
		part = hull(r);
		all.begin = part.begin > all.begin ? part.begin : all.begin;
		all.end = part.end < all.end ? part.end : all.end;
	}
	if (scope->whole || is_selected)
		return all.end > all.begin ? all.end - all.begin : 0;
	for (size_t i = 0; i < r->path->n; i++)
		sum += wl_path_clip(r, i, &part) ? part.end - part.begin : 0;
	return sum;
}

static void find_times(struct wl_path_rows *r)
{
	struct wl_interval part;

	for (size_t i = 0; i < r->path->n; i++)
		r->time[r->path->class[i]] += wl_path_clip(r, i, &part) ? part.end - part.begin : 0;
}

bool wl_path_rows_init(struct wl_path_rows *r)
{
	r->total = find_total(r);
	find_times(r);
	return find_devices(r);
}

bool wl_path_clip(const struct wl_path_rows *r, size_t segment, struct wl_interval *ret)
{
	const struct wl_graph *g = r->path->graph;
	const struct wl_scope *scope = r->run->scope;
	uint32_t activity = r->path->activity[segment], place;

	*ret = (struct wl_interval){ r->path->begin[segment], r->path->begin[segment + 1] };
	/*
	 * A call belongs to a process, not to a device: the window of the process cuts it.
	 */
	if (activity >= g->n_ops)
		return wl_host_clip(g->trace, scope, wl_graph_call_thread(g, activity - g->n_ops),
				    &ret->begin, &ret->end);
	place = wl_graph_place(g, activity);
	return scope->place_on[place] &&
	       wl_clip(scope, scope->device[g->trace->places[place].device], &ret->begin,
		       &ret->end);
}

/* The innermost range at the middle of the segment, on the thread of the call that ends it. */
static const char *range_of(const struct wl_path_rows *r, size_t segment, uint32_t thread)
{
	const struct wl_forest *f = r->run->derived->forest;
	const struct wl_range_name *name = r->run->derived->range_names->name;
	wl_ns begin = r->path->begin[segment], end = r->path->begin[segment + 1];
	uint32_t node = wl_forest_open_at(f, thread, begin + (end - begin) / 2);

	return node == WL_NONE ? "(host code)" : name[name[f->name[node]].label].label_text;
}

const char *wl_path_segment_name(const struct wl_path_rows *r, size_t segment)
{
	const struct wl_graph *g = r->path->graph;
	const struct wl_trace *t = g->trace;
	uint32_t activity = r->path->activity[segment], row;
	const uint32_t *const names[WL_N_CALL_FAMILIES] = {
		wl_api_name(t), wl_mpi_colls_name(t),
		wl_mpi_others_name(t), [WL_RANGE_CALLS] = wl_nvtx_name(t)
	};
	const struct wl_thread_rows *rows;

	if (activity < g->n_ops) {
		enum wl_op_kind kind = wl_graph_kind(g, activity);

		return wl_op_name(t, wl_op_families[kind], activity - g->first[kind]);
	}
	rows = wl_graph_call_rows(g, activity - g->n_ops, &row);
	if (r->path->class[segment] == WL_PATH_HOST)
		return range_of(r, segment, rows->thread[row]);
	return names[rows - g->calls] ? wl_str(t, names[rows - g->calls][row]) : "(call)";
}

void wl_path_put_process(struct wl_table *out, const struct wl_path_rows *r, uint32_t process)
{
	const struct wl_ranks *ranks = r->run->derived->ranks;

	if (ranks->of[process] >= 0)
		wl_put_i64(out, WL_PATH_COL_RANK, ranks->of[process]);
	if (r->device_of[process] != WL_NONE)
		wl_put_i64(out, WL_PATH_COL_DEVICE, r->device_of[process]);
	wl_put_i64(out, WL_PATH_COL_PID, r->run->trace->processes[process].pid);
	wl_put_axes(out, WL_PATH_COL_AXES, r->run, process);
}

enum { WHERE = 48 };

/* "stream 7", "thread 4000". */
static void put_lane(struct wl_table *out, const struct wl_path_rows *r, size_t segment)
{
	const struct wl_graph *g = r->path->graph;
	uint32_t activity = r->path->activity[segment];
	char text[WHERE];

	if (activity >= g->n_ops) {
		uint32_t thread = wl_graph_call_thread(g, activity - g->n_ops);

		(void)snprintf(text, sizeof(text), "thread %" PRIu32,
			       g->trace->threads[thread].tid);
	} else {
		uint32_t stream = g->trace->places[wl_graph_place(g, activity)].stream;

		(void)snprintf(text, sizeof(text),
			       stream == WL_NONE ? "stream ?" : "stream %" PRIu32, stream);
	}
	wl_put_copy(out, WL_PATH_COL_LANE, text);
}

void wl_path_put_segments(struct wl_table *out, const struct wl_path_rows *r)
{
	for (size_t i = 0; i < r->path->n; i++) {
		uint32_t activity = r->path->activity[i];
		struct wl_interval part;

		if (!wl_path_clip(r, i, &part))
			continue;
		wl_table_row(out);
		wl_put_i64(out, WL_PATH_COL_START, part.begin);
		wl_path_put_process(out, r, wl_graph_process(r->path->graph, activity));
		put_lane(out, r, i);
		wl_put_str(out, WL_PATH_COL_CLASS, wl_path_class_name(r->path->class[i]));
		wl_put_str(out, WL_PATH_COL_NAME, wl_path_segment_name(r, i));
		wl_put_i64(out, WL_PATH_COL_TIME, part.end - part.begin);
		wl_put_i64(out, WL_PATH_COL_INFERRED, r->path->is_inferred[i]);
	}
}

/* ---- The chain ---- */

/* A stretch of the path on one process. */
struct stretch {
	uint32_t process; /* WL_NONE: none yet */
	wl_ns begin;
	size_t n; /* segments */
	wl_ns all, time[WL_N_PATH_CLASSES];
};

/* "AllReduce 412": the collective in which the path changes rank, numbered as in nccl --list. */
static void put_via(struct wl_table *out, const struct wl_path_rows *r, size_t segment)
{
	const struct wl_graph *g = r->path->graph;
	const struct wl_matches *m = r->run->derived->matches;
	uint32_t activity = r->path->activity[segment], slot = wl_graph_slot(g, activity), match;
	const struct wl_match_set *set;
	const char *title = wl_path_segment_name(r, segment);
	char text[WHERE + WL_N_PATH_CLASSES];

	if (r->path->class[segment] != WL_PATH_TRANSFER || slot == WL_NONE)
		return;
	match = g->slot[slot].meeting;
	set = &m->set[m->at[match].set];
	if (activity < g->n_ops) {
		enum wl_op_kind kind = wl_graph_kind(g, activity);

		title = wl_collective_title(wl_collective_of(g->trace, r->run->derived->collectives,
							     wl_op_families[kind],
							     activity - g->first[kind]));
	}
	(void)snprintf(text, sizeof(text), "%.40s %zu", title, set->first + (match - set->lo));
	wl_put_copy(out, WL_PATH_COL_VIA, text);
}

/* The rank, GPU or process that the path goes to next. */
static void put_next(struct wl_table *out, const struct wl_path_rows *r, size_t segment)
{
	uint32_t process = wl_graph_process(r->path->graph, r->path->activity[segment]);
	int64_t rank = r->run->derived->ranks->of[process];
	char text[WHERE];

	if (rank >= 0)
		(void)snprintf(text, sizeof(text), "rank %" PRId64, rank);
	else if (r->device_of[process] != WL_NONE)
		(void)snprintf(text, sizeof(text), "GPU %" PRIu32, r->device_of[process]);
	else
		(void)snprintf(text, sizeof(text), "pid %" PRIu32,
			       r->run->trace->processes[process].pid);
	wl_put_copy(out, WL_PATH_COL_TO, text);
	put_via(out, r, segment);
}

/* next is the segment that the next stretch begins with, or WL_NONE. */
static void put_stretch(struct wl_table *out, const struct wl_path_rows *r, const struct stretch *s,
			size_t next)
{
	unsigned most = 0;

	if (s->process == WL_NONE)
		return;
	for (unsigned i = 1; i < WL_N_PATH_CLASSES; i++)
		most = s->time[i] > s->time[most] ? i : most;
	wl_table_row(out);
	wl_put_i64(out, WL_PATH_COL_START, s->begin);
	wl_path_put_process(out, r, s->process);
	wl_put_str(out, WL_PATH_COL_CLASS, wl_path_class_name((enum wl_path_class)most));
	wl_put_i64(out, WL_PATH_COL_TIME, s->all);
	wl_put_ratio(out, WL_PATH_COL_SHARE, s->all, r->total);
	wl_put_i64(out, WL_PATH_COL_SEGMENTS, (int64_t)s->n);
	if (next != WL_NONE)
		put_next(out, r, next);
}

void wl_path_put_chain(struct wl_table *out, const struct wl_path_rows *r)
{
	struct stretch s = { .process = WL_NONE };

	for (size_t i = 0; i < r->path->n; i++) {
		uint32_t process = wl_graph_process(r->path->graph, r->path->activity[i]);
		struct wl_interval part;

		if (!wl_path_clip(r, i, &part))
			continue;
		if (process != s.process) {
			put_stretch(out, r, &s, i);
			s = (struct stretch){ .process = process, .begin = part.begin };
		}
		s.n++;
		s.all += part.end - part.begin;
		s.time[r->path->class[i]] += part.end - part.begin;
	}
	put_stretch(out, r, &s, WL_NONE);
}
