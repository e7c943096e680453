/* SPDX-License-Identifier: MIT */
/* timeline.c - writes all rows in order. */
#include "export/timeline/timeline.h"

#include "export/timeline/walk.h"

/* Prepare what is needed before the first row. */
static bool prepare(struct wl_walk *w)
{
	const struct wl_trace *t = w->trace;

	if (!wl_category_map_generic(t, w->tracks->named, &w->arena, &w->rules, &w->categories))
		return false;
	if (w->tracks->metric_series && !wl_metric_scope_find(t, w->tracks->metric_series, w->scope,
							      &w->arena, &w->shown.metrics))
		return false;
	if (w->plan->flows && !wl_flows_find(w->tracks, &w->shown, &w->arena, &w->flows))
		return false;
	if (w->plan->args) {
		w->config = WL_NEW(&w->arena, struct wl_config_text, t->n_configs);
		if (!w->config)
			return false;
	}
	if (w->opts->n_findings == 0)
		return true;
	w->gaps = WL_NEW(&w->arena, struct wl_gap_places, t->n_devices);
	w->work = WL_NEW(&w->arena, struct wl_interval, t->n_devices);
	return w->gaps && w->work;
}

/* Findings point to gaps and are therefore written last, but shown above all GPUs. */
static void write_rows(struct wl_walk *w)
{
	uint32_t findings;

	wl_rows_iterations(w);
	findings = w->next_order + 1;
	w->next_order += (uint32_t)w->opts->n_findings;
	wl_rows_path(w);
	wl_rows_gpus(w);
	wl_rows_metrics(w);
	wl_rows_processes(w);
	wl_rows_of_trace(w);
	if (w->opts->n_findings && wl_walk_goes_on(w))
		wl_rows_findings(w, findings);
}

void wl_export_want(struct wl_wanted *wanted)
{
	static const enum wl_column_id columns[] = {
		WL_KERNELS_NAME, WL_KERNELS_CONFIG, WL_KERNELS_NODE, WL_MEMCPYS_BYTES,
		WL_MEMCPYS_KIND, WL_MEMCPYS_SRC,    WL_MEMCPYS_DST,  WL_MEMSETS_BYTES,
		WL_GRAPHS_GRAPH, WL_OVERHEAD_NAME,  WL_OSRT_NAME,    WL_N_COLUMNS,
	};

	wl_want(wanted, WL_FROM(TRACKS) | WL_FROM(PATH) | WL_FROM(METRIC_SERIES), columns);
}

int wl_export_timeline(const struct wl_tracks *tracks, const struct wl_export_opts *opts,
		       const struct wl_export_plan *plan, struct wl_emitter *emitter,
		       struct wl_export_done *ret, struct wl_err *reterr)
{
	struct wl_walk w = {
		.tracks = tracks,
		.trace = tracks->trace,
		.scope = opts->scope,
		.opts = opts,
		.plan = plan,
		.shown = { .trace = tracks->trace, .scope = opts->scope, .min_dur = opts->min_dur },
		.filter = { .min_dur = opts->min_dur },
		.emitter = emitter,
		.budget = opts->budget,
		.stop = opts->stop
	};

	wl_arena_init_on(&w.arena, opts->budget);
	w.failed = !prepare(&w);
	if (!w.failed)
		write_rows(&w);
	if (wl_walk_goes_on(&w))
		emitter->ops->finish(emitter);
	wl_category_rules_release(&w.rules);
	wl_arena_release(&w.arena);
	if (w.failed || emitter->failed)
		return wl_fail(reterr, WL_E_NOMEM, "export: out of memory");
	if (opts->stop && atomic_load(opts->stop))
		return wl_fail(reterr, WL_E_CANCELED, "export: stopped");
	w.done.backward = w.flows.backward;
	*ret = w.done;
	return WL_OK;
}
