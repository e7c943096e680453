/* SPDX-License-Identifier: MIT */
#include "analysis/ranges/range_rows.h"

#include <string.h>

#include "analysis/host_window.h"
#include "analysis/hosts.h"
#include "analysis/stat_cols.h"
#include "derive/derived.h"

const struct wl_col wl_range_cols[WL_N_TREE_RANGE_COLS] = {
	[WL_RANGE_NAME] = { "name", "Range", WL_T_STR, WL_KEY | WL_KERNEL,
			    "The range's name, with # for what only counts." },
	[WL_RANGE_PID] = { "pid", "PID", WL_T_COUNT, WL_KEY, "Process of the ranges." },
	[WL_RANGE_HOST] = WL_COL_HOST,
	[WL_RANGE_STYLE] = { "style", "Style", WL_T_ENUM, WL_KEY | WL_MINOR | WL_KIND,
			     "push/pop or start/end; kernel for a kernel in tree." },
	[WL_RANGE_COUNT] = { "count", "Count", WL_T_COUNT, WL_PLAIN,
			     "Ranges with a part in the window." },
	[WL_RANGE_HOST_SUM] = { "host_sum", "Host sum", WL_T_NS, WL_SUM,
				"Sum of their durations on the host." },
	[WL_RANGE_HOST_AVG] = { "host_avg", "Host avg", WL_T_NS, WL_MINOR,
				"Mean duration on the host." },
	[WL_RANGE_HOST_P50] = { "host_p50", "Host P50", WL_T_NS, WL_MINOR,
				"Median duration on the host, nearest rank." },
	[WL_RANGE_HOST_P90] = { "host_p90", "Host P90", WL_T_NS, WL_MINOR,
				"90th percentile on the host, nearest rank." },
	[WL_RANGE_SELF] = { "self", "Self", WL_T_NS, WL_SUM | WL_MINOR,
			    "Host time in this range, without nested ranges." },
	[WL_RANGE_GPU_OPS] = { "gpu_ops", "GPU ops", WL_T_COUNT, WL_PLAIN,
			       "GPU operations launched inside it." },
	[WL_RANGE_GPU_SUM] = { "gpu_sum", "GPU sum", WL_T_NS, WL_SUM | WL_MINOR,
			       "Sum of their durations." },
	[WL_RANGE_GPU_BUSY] = { "gpu_busy", "GPU busy", WL_T_NS, WL_SUM,
				"Time in which one of them ran, added up over GPUs." },
	[WL_RANGE_PROJECTED] = { "projected", "GPU span", WL_T_NS, WL_PLAIN,
				 "First start to last end of each range's operations, summed." },
	[WL_RANGE_BRIDGED] = { "bridged", "Other thread ops", WL_T_COUNT, WL_MINOR,
			       "Operations that other threads launched while it was open." },
	[WL_RANGE_BRIDGED_SUM] = { "bridged_sum", "Other thread sum", WL_T_NS, WL_SUM | WL_MINOR,
				   "Sum of their durations." },
	[WL_RANGE_BRIDGED_BUSY] = { "bridged_busy", "From other threads", WL_T_NS,
				    WL_SUM | WL_MINOR | WL_AT_0,
				    "Time in which one of them ran, added up over GPUs." },
	[WL_RANGE_STREAM] = { "stream", "Stream", WL_T_COUNT, WL_NUMBER | WL_MINOR,
			      "CUDA stream of a kernel; empty where it ran on several." },
};

const enum wl_column_id wl_range_needs[] = { WL_NVTX_START,      WL_NVTX_DUR,  WL_NVTX_THREAD,
					     WL_NVTX_END_THREAD, WL_NVTX_KIND, WL_NVTX_NAME,
					     WL_NVTX_DOMAIN,     WL_N_COLUMNS };

const enum wl_column_id wl_range_counted[] = { WL_NVTX_START, WL_N_COLUMNS };

void wl_range_note_window(const struct wl_run *r, struct wl_table *out)
{
	struct wl_interval window = { INT64_MAX, INT64_MIN };
	char buf[WL_HOST_WINDOW_BUF];
	const char *words;

	for (size_t i = 0; i < r->trace->n_devices; i++) {
		const struct wl_interval *d = &r->scope->device[i];

		if (!r->scope->device_on[i])
			continue;
		window.begin = d->begin < window.begin ? d->begin : window.begin;
		window.end = d->end > window.end ? d->end : window.end;
	}
	/*
	 * Without --window, host rows are not clipped and the answer spans more than the GPU work.
	 */
	if (!r->scope->whole ||
	    !wl_host_window_widen(r->trace, r->scope, wl_range_counted, &window))
		return;
	words = wl_host_window_words(r->trace, r->scope, wl_range_counted, &window, buf);
	if (words)
		wl_table_note(out, "%s", words);
}

uint64_t wl_range_hidden(const union wl_arg *arg)
{
	uint64_t pid = UINT64_C(1) << WL_RANGE_PID | UINT64_C(1) << WL_RANGE_HOST;

	if (!arg[WL_RANGE_NO_BRIDGE].flag)
		return pid;
	return pid | UINT64_C(1) << WL_RANGE_BRIDGED | UINT64_C(1) << WL_RANGE_BRIDGED_SUM |
	       UINT64_C(1) << WL_RANGE_BRIDGED_BUSY;
}

int wl_range_names_check(const struct wl_range_names *names, struct wl_err *reterr)
{
	if (names->n)
		return WL_OK;
	return wl_fail(reterr, WL_E_NODATA, "the trace has NVTX marks, but no ranges");
}

static bool find(const struct wl_run *r, enum wl_range_facet by, struct wl_range_rows *ret)
{
	const struct wl_fold_opts opts = { .exact = r->arg[WL_RANGE_EXACT].flag,
					   .by_path = by == WL_RANGE_BY_PATH,
					   .by_process = by == WL_RANGE_BY_PID };
	const char *domain = r->arg[WL_RANGE_DOMAIN].str;

	ret->forest = NULL;
	/*
	 * Without the other domains, ranges have different parents: a single domain needs its own
	 * forest.
	 */
	if (!domain)
		ret->forest = r->derived->forest;
	else if (wl_forest_of_domain(r->derived, strcmp(domain, "default") == 0 ? "" : domain,
				     r->arena, &ret->chosen))
		ret->forest = &ret->chosen;
	return ret->forest &&
	       wl_folds_find(r->derived, ret->forest, &opts, r->arena, &ret->folds) &&
	       wl_range_uses_find(r->derived, r->scope, ret->forest, &ret->folds, r->arena,
				  &ret->uses);
}

int wl_range_rows_find(const struct wl_analysis *a, const struct wl_run *r, enum wl_range_facet by,
		       struct wl_range_rows *ret, struct wl_err *reterr)
{
	ret->bridge = !r->arg[WL_RANGE_NO_BRIDGE].flag;
	ret->trace = r->trace;
	if (!find(r, by, ret))
		return wl_no_memory(a, reterr);
	return wl_range_names_check(ret->folds.names, reterr);
}

bool wl_range_row_is_used(const struct wl_range_rows *rows, uint32_t fold)
{
	const struct wl_range_use *u = &rows->uses.of[fold];

	/* A range outside the window may have launched operations inside it. */
	return u->host.n || u->gpu.ops || (rows->bridge && u->bridged.ops);
}

bool wl_range_row_less(const struct wl_range_rows *rows, uint32_t a, uint32_t b)
{
	wl_ns sum_a = rows->uses.of[a].host.sum, sum_b = rows->uses.of[b].host.sum;
	int names;

	if (sum_a != sum_b)
		return sum_a > sum_b;
	names = strcmp(wl_fold_name(&rows->folds, a), wl_fold_name(&rows->folds, b));
	if (names != 0)
		return names < 0;
	if (rows->folds.fold[a].is_span != rows->folds.fold[b].is_span)
		return rows->folds.fold[a].is_span < rows->folds.fold[b].is_span;
	return rows->folds.fold[a].process < rows->folds.fold[b].process;
}

void wl_range_row_put(const struct wl_range_rows *rows, uint32_t fold, struct wl_table *out)
{
	const struct wl_range_use *u = &rows->uses.of[fold];
	uint32_t process = rows->folds.fold[fold].process;

	wl_table_row(out);
	wl_put_str(out, WL_RANGE_NAME, wl_fold_name(&rows->folds, fold));
	if (process != WL_NONE) {
		wl_put_i64(out, WL_RANGE_PID, rows->trace->processes[process].pid);
		wl_hosts_put(out, WL_RANGE_HOST, rows->trace, &rows->trace->processes[process]);
	}
	wl_put_str(out, WL_RANGE_STYLE, rows->folds.fold[fold].is_span ? "start/end" : "push/pop");
	wl_put_i64(out, WL_RANGE_COUNT, (int64_t)u->host.n);
	wl_put_i64(out, WL_RANGE_HOST_SUM, u->host.sum);
	if (u->host.n) {
		wl_put_stats(out, WL_RANGE_HOST_AVG, WL_STAT_AVG | WL_STAT_P50 | WL_STAT_P90,
			     &u->host);
	}
	wl_put_i64(out, WL_RANGE_SELF, u->self);
	wl_put_i64(out, WL_RANGE_GPU_OPS, (int64_t)u->gpu.ops);
	wl_put_i64(out, WL_RANGE_GPU_SUM, u->gpu.sum);
	wl_put_i64(out, WL_RANGE_GPU_BUSY, u->gpu.busy);
	wl_put_i64(out, WL_RANGE_PROJECTED, u->projected);
	if (!rows->bridge)
		return;
	wl_put_i64(out, WL_RANGE_BRIDGED, (int64_t)u->bridged.ops);
	wl_put_i64(out, WL_RANGE_BRIDGED_SUM, u->bridged.sum);
	wl_put_i64(out, WL_RANGE_BRIDGED_BUSY, u->bridged.busy);
}

/* A reader of only the other columns would take such ranges for idle. */
static void note_bridged(const struct wl_range_rows *rows, struct wl_table *out)
{
	uint32_t i = 0;

	while (i < rows->folds.n && rows->uses.of[i].bridged.ops == 0)
		i++;
	if (i == rows->folds.n)
		return;
	wl_table_note(out,
		      "GPU work that other threads launched during a range is counted "
		      "only in \"%s\" (bridged_busy)",
		      wl_range_cols[WL_RANGE_BRIDGED_BUSY].title);
}

void wl_range_rows_cover(const struct wl_range_rows *rows, struct wl_table *out)
{
	const struct wl_range_uses *u = &rows->uses;

	if (rows->bridge)
		note_bridged(rows, out);

	wl_table_cover_ns(out, "kernels_in_ranges", u->kernels_in, u->kernels);
	if (rows->bridge)
		wl_table_cover_ns(out, "kernels_in_ranges_bridged", u->kernels_bridged, u->kernels);
	if (u->cut)
		wl_table_note(out,
			      "operations inside more than %d ranges: %zu; only the innermost "
			      "%d count (are some ranges never popped?)",
			      WL_MAX_AROUND, u->cut, WL_MAX_AROUND);
}
