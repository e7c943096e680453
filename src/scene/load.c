/* SPDX-License-Identifier: MIT */
#include "scene/load.h"

#include "analysis/args.h"
#include "base/process/pool.h"
#include "derive/derived.h"
#include "derive/nvtx/range_parents.h"
#include "scene/collectives.h"
#include "scene/finding_place.h"
#include "scene/lateness.h"
#include "scene/roofline.h"
#include "session/answer/finding_list.h"

/*
 * What views look at themselves. Nothing may be loaded later, because that moves the
 * columns under them, so this, what the verbs want and what the caller adds is all.
 */
static const enum wl_column_id own_columns[] = {
	WL_KERNELS_CONFIG, WL_KERNELS_NODE, WL_MEMCPYS_BYTES, WL_MEMCPYS_SRC,
	WL_MEMCPYS_DST,    WL_MEMCPYS_NODE, WL_MEMSETS_BYTES, WL_MEMSETS_KIND,
	WL_MEMSETS_NODE,   WL_GRAPHS_GRAPH, WL_API_RESULT,    WL_N_COLUMNS,
};

static const uint64_t own_from = WL_FROM(LINKS) | WL_FROM(RANGE_NAMES) | WL_FROM(FOREST) |
				 WL_FROM(RANKS) | WL_FROM(TRACKS) | WL_FROM(METRIC_SERIES) |
				 WL_FROM(MEMORY_USE) | WL_FROM(STEP_CHANGE);

struct loader {
	struct wl_scene *scene;
	const struct wl_loading *how;
	struct wl_visitor visitor;
	struct wl_track_filter all;
	bool wants_late; /* which tracks are filled now */
};

/* Two flags: one that the views set, one that a signal handler sets. Either stops the work. */
static bool is_over(const struct loader *l)
{
	const atomic_int *by_signal = l->how->input.cancel;

	return *l->how->cancel != 0 || (by_signal && *by_signal != 0);
}

/* ---- What is loaded ---- */

/* Of an operand without a default there is no argument; what is wanted is the same for any. */
static int want_analysis(const struct wl_analysis *a, struct wl_wanted *wanted,
			 struct wl_err *reterr)
{
	const char *text[WL_MAX_PARAMS] = { NULL };
	struct wl_args args;
	int r;

	for (size_t i = 0; i < a->n_params; i++) {
		if (a->params[i].operand && !a->params[i].def)
			text[i] = ".";
	}
	r = wl_args_init(&args, a, text, NULL, reterr);
	if (r == WL_OK)
		wl_analysis_want(a, args.value, wanted);
	wl_args_release(&args);
	return r;
}

/* The columns of all that views and their analyses may ask for later. */
static int want_all(const struct wl_loading *how, struct wl_columns *ret, struct wl_err *reterr)
{
	struct wl_wanted all = how->also;
	int r = WL_OK;

	wl_want(&all, own_from, own_columns);
	for (size_t i = 0; r == WL_OK && i < wl_n_analyses; i++)
		r = want_analysis(wl_analyses[i], &all, reterr);
	/*
	 * Windows by iteration, range or rank may be asked for. Only the kind of a specification
	 * decides what it wants, so any number and name will do.
	 */
	wl_selection_want(&(struct wl_selection){ .rank = "0", .window = "iter:0" }, &all);
	wl_selection_want(&(struct wl_selection){ .window = "nvtx:x" }, &all);
	*ret = wl_wanted_columns(&all);
	return r;
}

static void count_rows(void *ctx, int64_t rows, int64_t total)
{
	struct wl_scene *scene = ctx;

	atomic_store(&scene->rows_read, rows);
	atomic_store(&scene->rows_total, total);
}

static int open_session(struct loader *l, struct wl_err *reterr)
{
	struct wl_scene *scene = l->scene;
	struct wl_input_opts input = l->how->input;
	int r;

	if (!input.cancel) /* a program that ends by signal has no keys */
		input.cancel = l->how->cancel;
	if (!input.progress) {
		input.progress = count_rows;
		input.progress_ctx = scene;
	}
	r = wl_session_open_indexed(l->how->path, &input, l->how->index, &scene->session, reterr);
	if (r < 0) {
		scene->session = NULL;
		return r;
	}
	wl_session_set_label(scene->session, scene->path);
	wl_session_set_files(scene->session, scene->files.path, scene->files.n, NULL);
	return WL_OK;
}

/* ---- Tracks ---- */

/* A row of several lanes is drawn on one line where it is not the selected one. */
static bool fill_track(void *ctx, size_t i, struct wl_arena *arena)
{
	struct loader *l = ctx;
	struct wl_scene *scene = l->scene;
	struct wl_budget *budget = l->how->budget;

	(void)arena;
	/*
	 * A task that finds the work stopped reports success: the caller looks at the flag once,
	 * after the map.
	 */
	if (wl_row_is_late(wl_row_kind(&scene->tracks.at[i])) != l->wants_late || is_over(l))
		return true;
	if (!wl_track_fill(&scene->tracks, i, &l->all, budget, &scene->lanes[i]))
		return false;
	return scene->lanes[i].n < 2 || wl_lanes_flatten(&scene->lanes[i], budget, &scene->flat[i]);
}

static bool fill_tracks(struct loader *l, struct wl_pool *pool)
{
	return wl_pool_map(pool, l->scene->tracks.n, fill_track, l, &l->scene->arena);
}

static void release_lanes(struct wl_scene *scene)
{
	for (size_t i = 0; scene->lanes && scene->flat && i < scene->tracks.n; i++) {
		wl_lanes_release(&scene->lanes[i]);
		wl_lanes_release(&scene->flat[i]);
	}
	scene->lanes = scene->flat = NULL;
}

/* The hull over all selected devices; the extent of the rows where no device has a window. */
static struct wl_interval find_window(const struct wl_scene *scene)
{
	const struct wl_scope *scope = &scene->scope;
	struct wl_interval all = { INT64_MAX, INT64_MIN };

	for (size_t d = 0; !scope->whole && d < scene->trace->n_devices; d++) {
		const struct wl_interval w = scope->device[d];

		if (!scope->device_on[d] || w.begin >= w.end)
			continue;
		all.begin = w.begin < all.begin ? w.begin : all.begin;
		all.end = w.end > all.end ? w.end : all.end;
	}
	return all.begin < all.end ? all : scene->tracks.extent;
}

/* Called a second time where an index was damaged: then no view has seen what was found before. */
static int find_tracks(void *ctx, const struct wl_run *run, const struct wl_scope_notes *notes,
		       struct wl_err *reterr)
{
	struct loader *l = ctx;
	struct wl_scene *scene = l->scene;
	const struct wl_derived *derived = run->derived;

	(void)notes;
	release_lanes(scene);
	scene->trace = run->trace;
	scene->scope = *run->scope;
	scene->links = derived->links;
	scene->forest = derived->forest;
	scene->range_names = derived->range_names;
	scene->ranks = derived->ranks;
	scene->step_change = derived->step_change;
	scene->range_parent = wl_range_parents_find(scene->trace, scene->forest, &scene->arena);
	if (!scene->range_parent ||
	    !wl_launches_find(scene->trace, scene->links, &scene->arena, &scene->launches) ||
	    !wl_tracks_find(derived, &scene->scope, &scene->arena, &scene->tracks))
		return wl_fail(reterr, WL_E_NOMEM, "%s: no memory for its rows", scene->path);
	scene->window = find_window(scene);
	scene->lanes = WL_NEW(&scene->arena, struct wl_lanes, scene->tracks.n + 1);
	scene->flat = WL_NEW(&scene->arena, struct wl_lanes, scene->tracks.n + 1);
	if (!scene->lanes || !scene->flat || !fill_tracks(l, run->pool))
		return wl_fail(reterr, WL_E_NOMEM, "%s: no memory for its events", scene->path);
	for (size_t i = 0; i < scene->tracks.n; i++)
		if (wl_holds(&scene->tracks.at[i]) != WL_HOLDS_LEVELS)
			scene->n_events += scene->lanes[i].n_events;
	return is_over(l) ? wl_fail(reterr, WL_E_CANCELED, "stopped") : WL_OK;
}

static int load_tracks(struct loader *l, struct wl_err *reterr)
{
	struct wl_request request = l->how->request;
	struct wl_document frame;
	int r;

	l->visitor = (struct wl_visitor){
		.name = "timeline", .wanted.from = own_from, .visit = find_tracks, .ctx = l
	};
	r = want_all(l->how, &l->visitor.wanted.columns, reterr);
	if (r == WL_OK)
		r = open_session(l, reterr);
	if (r < 0)
		return r;
	request.visitor = &l->visitor;
	request.analysis = NULL;
	request.document = NULL;
	r = wl_session_run(l->scene->session, &request, &l->scene->arena, &frame, reterr);
	l->scene->request = l->how->request;
	/* Views hold pointers into the columns from now on. */
	if (r == WL_OK)
		wl_session_hold(l->scene->session);
	return r;
}

/* ---- Causes ---- */

static void take_durations(void *ctx, size_t row, size_t n, uint32_t *group, int64_t *value)
{
	const struct wl_trace *trace = ((const struct wl_scene *)ctx)->trace;
	const struct wl_family *family = &trace->family[WL_F_KERNELS];
	const uint32_t *name = wl_kernels_name(trace), *dur = wl_kernels_dur(trace);

	for (size_t i = 0; i < n; i++) {
		group[i] = name[row + i];
		if (value)
			value[i] = wl_dur(family, dur, row + i);
	}
}

static int take_late(void *ctx, const struct wl_run *run, const struct wl_scope_notes *notes,
		     struct wl_err *reterr)
{
	struct wl_scene *scene = ctx;
	struct wl_scene_collectives *collectives =
		WL_NEW(&scene->arena, struct wl_scene_collectives, 1);

	(void)notes;
	if (!collectives || !wl_scene_collectives_find(run->derived, &scene->arena, collectives))
		return wl_fail(reterr, WL_E_NOMEM, "%s: no memory for its collectives",
			       scene->path);
	scene->collectives = collectives;
	scene->tracks.path = run->derived->path;
	scene->thread_stacks = run->derived->thread_stacks;
	scene->stack_names = run->derived->stack_names;
	return WL_OK;
}

/*
 * The critical path, what communicates together, and stacks of threads where there are any. The
 * session keeps all; their columns are loaded.
 */
static int find_late(struct loader *l, struct wl_err *reterr)
{
	struct wl_scene *scene = l->scene;
	const struct wl_visitor visitor = {
		.name = "timeline",
		.wanted.from = WL_FROM(PATH) | WL_FROM(MATCHES) | WL_FROM(PAYLOADS) |
			       (scene->trace->n_stacks ? WL_FROM(STACK_NAMES) : 0),
		.visit = take_late,
		.ctx = scene
	};
	struct wl_request request = l->how->request;
	struct wl_document frame;

	request.visitor = &visitor;
	request.analysis = NULL;
	request.document = NULL;
	return wl_session_run(scene->session, &request, &scene->arena, &frame, reterr);
}

static int load_causes(struct loader *l, struct wl_err *reterr)
{
	struct wl_scene *scene = l->scene;
	struct wl_pool *pool = l->how->request.pool;
	const struct wl_block_spec spec = { .n_rows = scene->trace->family[WL_F_KERNELS].n,
					    .n_groups = scene->trace->n_kernel_names,
					    .block = take_durations,
					    .ctx = scene,
					    .pool = pool };
	int r = find_late(l, reterr);

	if (r < 0)
		return r;
	l->wants_late = true;
	scene->of_name = wl_stats_by_block(&spec, &scene->arena);
	if (!scene->of_name || !fill_tracks(l, pool))
		return wl_fail(reterr, WL_E_NOMEM, "%s: no memory for the causes of gaps",
			       scene->path);
	return is_over(l) ? wl_fail(reterr, WL_E_CANCELED, "stopped") : WL_OK;
}

/* ---- Findings ---- */

/* named: the time that its text names, or WL_NO_TIME. */
static void place_finding(const struct loader *l, wl_ns named, struct wl_scene_finding *f)
{
	struct wl_scene *scene = l->scene;
	const struct wl_finding_sought sought = { l->how->only_window ? scene->window
								      : scene->tracks.extent,
						  f->code, f->device, named };

	f->at = wl_finding_place(scene, &sought, &scene->arena, &f->row);
	f->span = wl_finding_span(scene, &sought, f->row, f->at);
}

static int load_findings(struct loader *l, struct wl_err *reterr)
{
	struct wl_scene *scene = l->scene;
	struct wl_request request = l->how->request;
	const struct wl_listed_finding *list;
	struct wl_scene_finding *all;
	size_t n;
	int r;

	r = wl_scene_find_roofline(scene, reterr);
	if (r == WL_OK)
		r = wl_scene_find_blocks(scene, reterr);
	if (r < 0)
		return r;
	/* The ledger of findings is that of ranks and of what a page says first. */
	wl_session_keep_scopes(scene->session, true);
	/* Elsewhere a window only sets the first view; findings are those of the whole trace. */
	if (!l->how->only_window)
		request.selection.window = NULL;
	r = wl_finding_list(scene->session, &request, &scene->arena, &list, &n, reterr);
	if (r < 0)
		return r;
	all = WL_NEW(&scene->arena, struct wl_scene_finding, n + 1);
	if (!all)
		return wl_fail(reterr, WL_E_NOMEM, "%s: no memory for findings", scene->path);
	for (size_t i = 0; i < n; i++) {
		all[i] = (struct wl_scene_finding){ .code = list[i].code,
						    .title = list[i].action,
						    .severity = list[i].severity,
						    .detail = list[i].text,
						    .claim = list[i].claim,
						    .beyond = list[i].beyond,
						    .evidence = list[i].evidence,
						    .line = list[i].line,
						    .n_lines = list[i].n_lines,
						    .fixing = list[i].fixing,
						    .saving = list[i].saving,
						    .replayed = list[i].replayed,
						    .share = list[i].share,
						    .saves_share = list[i].saves_share,
						    .saves_kind = list[i].saves_kind,
						    .saves_about = list[i].saves_about,
						    .part = list[i].part,
						    .part_time = list[i].part_time,
						    .at = WL_NO_TIME,
						    .span = { WL_NO_TIME, WL_NO_TIME },
						    .device = list[i].device };
		if (list[i].device != WL_NONE)
			place_finding(l, list[i].at, &all[i]);
	}
	scene->finding = all;
	scene->n_findings = n;
	wl_scene_find_lateness(scene);
	if (!l->how->asks_more)
		wl_scene_settle(scene);
	return is_over(l) ? wl_fail(reterr, WL_E_CANCELED, "stopped") : WL_OK;
}

/* ---- All ---- */

/*
 * Release pairs with the views' atomic load: a view that sees the stage sees everything that
 * was written for it.
 */
static void reach(struct wl_scene *scene, enum wl_scene_stage stage)
{
	atomic_store_explicit(&scene->stage, stage, memory_order_release);
}

void wl_scene_load(struct wl_scene *scene, const struct wl_loading *how)
{
	struct loader l = { .scene = scene, .how = how, .all = { .min_dur = how->min_dur } };
	enum wl_scene_stage next = WL_SCENE_TRACKS;
	int r;

	switch (atomic_load(&scene->stage)) {
	/* One stage per call, so that questions of the views are answered in between. */
	case WL_SCENE_WAITING:
	case WL_SCENE_LOADING:
		reach(scene, WL_SCENE_LOADING);
		r = load_tracks(&l, &scene->err);
		break;
	case WL_SCENE_TRACKS:
		next = WL_SCENE_CAUSES;
		r = load_causes(&l, &scene->err);
		break;
	case WL_SCENE_CAUSES:
		next = WL_SCENE_FINDINGS;
		r = load_findings(&l, &scene->err);
		break;
	case WL_SCENE_FINDINGS:
	case WL_SCENE_FAILED:
	default:
		return;
	}
	reach(scene, r == WL_OK ? next : WL_SCENE_FAILED);
}

void wl_scene_settle(struct wl_scene *scene)
{
	if (scene->session)
		wl_session_keep_scopes(scene->session, false);
}

void wl_scene_unload(struct wl_scene *scene)
{
	release_lanes(scene);
	wl_session_close(scene->session);
	scene->session = NULL;
	wl_arena_release(&scene->arena);
}
