#include "scene/load.h"

#include <string.h>

#include "analysis/args.h"
#include "base/pool.h"
#include "derive/derived.h"
#include "derive/forest.h"
#include "derive/launch.h"
#include "derive/range_names.h"
#include "derive/range_parents.h"
#include "scene/finding_place.h"
#include "session/finding_list.h"

/*
 * What views look at themselves. Nothing may be loaded later, because that moves the
 * columns under them, so this, what the analyses below want and what is told is all.
 */
static const enum wl_column_id own_columns[] = {
	WL_TRACK_COLUMNS, WL_KERNELS_CONFIG, WL_KERNELS_NODE, WL_KERNELS_CORR, WL_KERNELS_NAME,
	WL_MEMCPYS_BYTES, WL_MEMCPYS_KIND,   WL_MEMCPYS_SRC,  WL_MEMCPYS_DST,  WL_MEMCPYS_CORR,
	WL_MEMSETS_BYTES, WL_MEMSETS_CORR,   WL_GRAPHS_CORR,  WL_GRAPHS_GRAPH, WL_API_START,
	WL_API_DUR,       WL_API_THREAD,     WL_API_CORR,     WL_API_NAME,     WL_API_RESULT,
	WL_API_KIND,      WL_OSRT_START,     WL_OSRT_DUR,     WL_OSRT_THREAD,  WL_OSRT_NAME,
	WL_OSRT_NESTING,  WL_MEMCPYS_NODE,   WL_MEMSETS_KIND, WL_MEMSETS_NODE, WL_N_COLUMNS,
};

/* The analyses that views may ask for, with their default arguments. */
static const char *const analyses[] = { "kernels", "overlap", "idle",     "gaps",      "nvtx",
					"tree",    "iters",   "findings", "streams",   "search",
					"nccl",    "launch",  "api",      "transfers", "sync" };

struct loader {
	struct wl_scene *data;
	const struct wl_loading *how;
	enum wl_column_id columns[WL_N_COLUMNS + 1];
	struct wl_visitor visitor;
	struct wl_track_filter all;
	bool wants_gaps; /* which tracks are filled now */
};

static bool is_over(const struct loader *l)
{
	const atomic_int *by_signal = l->how->input.cancel;

	return *l->how->cancel != 0 || (by_signal && *by_signal != 0);
}

/* ---- What is loaded ---- */

/* Of an operand without a default there is no argument; the columns are the same for any. */
static int add_analysis(const char *name, struct wl_columns *want, struct wl_err *reterr)
{
	const struct wl_analysis *a = wl_analysis_get(name);
	const char *text[WL_MAX_PARAMS] = { NULL };
	struct wl_args args;
	int r;

	for (size_t i = 0; i < a->n_params; i++) {
		if (a->params[i].operand && !a->params[i].def)
			text[i] = ".";
	}
	r = wl_args_init(&args, a, text, NULL, reterr);
	if (r == WL_OK)
		wl_analysis_columns(a, args.value, want);
	wl_args_release(&args);
	return r;
}

static void add_columns(const enum wl_column_id *list, struct wl_columns *want)
{
	for (; *list != WL_N_COLUMNS; list++)
		wl_columns_add(want, *list);
}

static int list_columns(struct loader *l, struct wl_err *reterr)
{
	struct wl_columns want = { { 0 } };
	size_t n = 0;
	int r = WL_OK;

	add_columns(own_columns, &want);
	if (l->how->columns)
		add_columns(l->how->columns, &want);
	for (size_t i = 0; r == WL_OK && i < WL_COUNT(analyses); i++)
		r = add_analysis(analyses[i], &want, reterr);
	/* Windows by iteration, range or rank may be asked for later. */
	wl_selection_columns(&(struct wl_selection){ .rank = "0", .window = "iter:0" }, &want);
	wl_selection_columns(&(struct wl_selection){ .window = "nvtx:x" }, &want);
	for (size_t c = 0; c < WL_N_COLUMNS; c++) {
		if (wl_columns_has(&want, (enum wl_column_id)c))
			l->columns[n++] = (enum wl_column_id)c;
	}
	l->columns[n] = WL_N_COLUMNS;
	return r;
}

static void count_rows(void *ctx, int64_t rows, int64_t total)
{
	struct wl_scene *data = ctx;

	atomic_store(&data->rows_read, rows);
	atomic_store(&data->rows_total, total);
}

static int open_session(struct loader *l, struct wl_err *reterr)
{
	struct wl_scene *data = l->data;
	struct wl_input_opts input = l->how->input;
	int r;

	if (!input.cancel) /* who leaves on a signal has no keys to leave by */
		input.cancel = l->how->cancel;
	if (!input.progress) {
		input.progress = count_rows;
		input.progress_ctx = data;
	}
	r = wl_session_open_indexed(l->how->path, &input, l->how->index, &data->session, reterr);
	if (r < 0)
		data->session = NULL;
	else
		wl_session_set_label(data->session, data->path);
	return r;
}

/* ---- Tracks ---- */

static bool is_gaps(const struct wl_scene *data, size_t track)
{
	return data->tracks.at[track].kind == WL_TRACK_GAPS;
}

/* A row of several lanes is drawn on one line where it is not the selected one. */
static bool fill_track(void *ctx, size_t i, struct wl_arena *arena)
{
	struct loader *l = ctx;
	struct wl_scene *data = l->data;
	struct wl_budget *budget = l->how->budget;

	(void)arena;
	if (is_gaps(data, i) != l->wants_gaps || is_over(l))
		return true;
	if (!wl_track_fill(&data->tracks, i, &l->all, budget, &data->lanes[i]))
		return false;
	return data->lanes[i].n < 2 || wl_lanes_flatten(&data->lanes[i], budget, &data->flat[i]);
}

static bool fill_tracks(struct loader *l, struct wl_pool *pool)
{
	return wl_pool_map(pool, l->data->tracks.n, fill_track, l, &l->data->arena);
}

static void release_lanes(struct wl_scene *data)
{
	for (size_t i = 0; data->lanes && data->flat && i < data->tracks.n; i++) {
		wl_lanes_release(&data->lanes[i]);
		wl_lanes_release(&data->flat[i]);
	}
	data->lanes = data->flat = NULL;
}

static struct wl_interval find_window(const struct wl_scene *data)
{
	const struct wl_scope *scope = &data->scope;
	struct wl_interval all = { INT64_MAX, INT64_MIN };

	for (size_t d = 0; !scope->whole && d < data->trace->n_devices; d++) {
		const struct wl_interval w = scope->device[d];

		if (!scope->device_on[d] || w.begin >= w.end)
			continue;
		all.begin = w.begin < all.begin ? w.begin : all.begin;
		all.end = w.end > all.end ? w.end : all.end;
	}
	return all.begin < all.end ? all : data->tracks.extent;
}

/* Called a second time where an index was damaged: then nobody has seen what was found before. */
static int find_tracks(void *ctx, const struct wl_run *run, const struct wl_scope_notes *notes,
		       struct wl_err *reterr)
{
	struct loader *l = ctx;
	struct wl_scene *data = l->data;
	struct wl_derived *derived = run->derived;

	(void)notes;
	release_lanes(data);
	data->trace = run->trace;
	data->scope = *run->scope;
	data->links = wl_derived_links(derived);
	data->forest = wl_derived_forest(derived);
	data->range_names = wl_derived_range_names(derived);
	data->ranks = wl_derived_ranks(derived);
	if (!data->links || !data->forest || !data->range_names || !data->ranks)
		return wl_fail(reterr, WL_E_NOMEM, "%s: no memory for its rows", data->path);
	data->range_parent = wl_range_parents_find(data->trace, data->forest, &data->arena);
	if (!data->range_parent ||
	    !wl_launches_find(data->trace, data->links, &data->arena, &data->launches) ||
	    !wl_tracks_find(derived, &data->scope, &data->arena, &data->tracks))
		return wl_fail(reterr, WL_E_NOMEM, "%s: no memory for its rows", data->path);
	data->window = find_window(data);
	data->lanes = WL_NEW(&data->arena, struct wl_lanes, data->tracks.n + 1);
	data->flat = WL_NEW(&data->arena, struct wl_lanes, data->tracks.n + 1);
	if (!data->lanes || !data->flat || !fill_tracks(l, run->pool))
		return wl_fail(reterr, WL_E_NOMEM, "%s: no memory for its events", data->path);
	for (size_t i = 0; i < data->tracks.n; i++)
		data->n_events += data->lanes[i].n_events;
	return is_over(l) ? wl_fail(reterr, WL_E_CANCELED, "stopped") : WL_OK;
}

static int load_tracks(struct loader *l, struct wl_err *reterr)
{
	struct wl_request request = l->how->request;
	struct wl_document frame;
	int r = list_columns(l, reterr);

	if (r == WL_OK)
		r = open_session(l, reterr);
	if (r < 0)
		return r;
	l->visitor = (struct wl_visitor){ "timeline", l->columns, find_tracks, l };
	request.visitor = &l->visitor;
	request.analysis = NULL;
	request.document = NULL;
	r = wl_session_run(l->data->session, &request, &l->data->arena, &frame, reterr);
	l->data->request = l->how->request;
	if (r == WL_OK)
		wl_session_hold(l->data->session);
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

static int load_causes(struct loader *l, struct wl_err *reterr)
{
	struct wl_scene *data = l->data;
	struct wl_pool *pool = l->how->request.pool;
	const struct wl_block_spec spec = { .n_rows = data->trace->family[WL_F_KERNELS].n,
					    .n_groups = data->trace->n_kernel_names,
					    .block = take_durations,
					    .ctx = data,
					    .pool = pool };

	l->wants_gaps = true;
	data->of_name = wl_stats_by_block(&spec, &data->arena);
	if (!data->of_name || !fill_tracks(l, pool))
		return wl_fail(reterr, WL_E_NOMEM, "%s: no memory for the causes of gaps",
			       data->path);
	return is_over(l) ? wl_fail(reterr, WL_E_CANCELED, "stopped") : WL_OK;
}

/* ---- Findings ---- */

static int load_findings(struct loader *l, struct wl_err *reterr)
{
	struct wl_scene *data = l->data;
	struct wl_request request = l->how->request;
	const struct wl_listed_finding *list;
	struct wl_scene_finding *all;
	size_t n;
	int r;

	request.selection.window = NULL;
	r = wl_finding_list(data->session, &request, &data->arena, &list, &n, reterr);
	if (r < 0)
		return r;
	all = WL_NEW(&data->arena, struct wl_scene_finding, n + 1);
	if (!all)
		return wl_fail(reterr, WL_E_NOMEM, "%s: no memory for findings", data->path);
	for (size_t i = 0; i < n; i++) {
		all[i] = (struct wl_scene_finding){ .code = list[i].code,
						    .title = list[i].action,
						    .detail = list[i].text,
						    .evidence = list[i].evidence,
						    .saving = list[i].saving,
						    .share = list[i].share,
						    .at = WL_NO_TIME,
						    .device = list[i].device };
		if (list[i].device != WL_NONE)
			all[i].at = wl_finding_place(data, all[i].code, all[i].device, &all[i].row);
	}
	data->finding = all;
	data->n_findings = n;
	return WL_OK;
}

/* ---- All ---- */

static void reach(struct wl_scene *data, enum wl_stage stage)
{
	atomic_store_explicit(&data->stage, stage, memory_order_release);
}

void wl_scene_load(struct wl_scene *data, const struct wl_loading *how)
{
	struct loader l = { .data = data, .how = how, .all = { .min_dur = how->min_dur } };
	enum wl_stage next = WL_STAGE_TRACKS;
	int r;

	switch (atomic_load(&data->stage)) {
	case WL_STAGE_WAITING:
	case WL_STAGE_LOADING:
		reach(data, WL_STAGE_LOADING);
		r = load_tracks(&l, &data->err);
		break;
	case WL_STAGE_TRACKS:
		next = WL_STAGE_CAUSES;
		r = load_causes(&l, &data->err);
		break;
	case WL_STAGE_CAUSES:
		next = WL_STAGE_FINDINGS;
		r = load_findings(&l, &data->err);
		break;
	case WL_STAGE_FINDINGS:
	case WL_STAGE_FAILED:
	default:
		return;
	}
	reach(data, r == WL_OK ? next : WL_STAGE_FAILED);
}

void wl_scene_unload(struct wl_scene *data)
{
	release_lanes(data);
	wl_session_close(data->session);
	data->session = NULL;
	wl_arena_release(&data->arena);
}
