/* SPDX-License-Identifier: MIT */
/* joined.c - kernels of a trace beside those of an Nsight Compute report; the command ncu shows it.
 */
#include <inttypes.h>
#include <stdio.h>

#include "analysis/ncu_join.h"
#include "base/memory/intern.h"

WL_DECLARE_ANALYSIS(joined);

enum {
	KERNEL,
	GRID,
	BLOCK,
	SHARED,
	IN,
	COUNT,
	SUM,
	SHARE,
	AVG,
	NCU_MEAN,
	RATIO,
	BOUND,
	NCU_LAUNCHES,
	MATCH,
	WHY
};

static const struct wl_col cols[] = {
	WL_LAUNCH_CONFIG_COLS(KERNEL, 0),
	[IN] = { "in", "In", WL_T_ENUM, WL_PLAIN, "Which file has it: both, ncu or trace." },
	WL_LAUNCH_TIME_COLS(COUNT),
	[AVG] = { "avg", "Avg", WL_T_NS, WL_MINOR, "Mean duration in the trace." },
	[NCU_MEAN] = { "ncu_mean", "Under ncu", WL_T_NS, WL_PLAIN,
		       "Mean duration under ncu, at the clocks that it set." },
	[RATIO] = { "ratio", "Ratio", WL_T_REAL, WL_PLAIN,
		    "The duration under ncu, of that in the trace." },
	[BOUND] = { "bound", "Bound", WL_T_ENUM, WL_PLAIN,
		    "What holds it up under ncu: compute, DRAM, cache, balanced, latency or small "
		    "grid." },
	[NCU_LAUNCHES] = { "ncu_launches", "ncu launches", WL_T_COUNT, WL_MINOR,
			   "Launches that ncu measured." },
	[MATCH] = { "match", "Match", WL_T_ENUM, WL_MINOR,
		    "What agrees beside the configuration: name, or function, the name without "
		    "arguments." },
	[WHY] = { "why", "Why not", WL_T_STR, WL_PROSE | WL_MINOR,
		  "Why one of the files does not have it." },
};

static const struct wl_param params[] = { WL_PARAM_NCU };

static void put_dims(struct wl_table *out, size_t col, const uint32_t d[3])
{
	char buf[48];

	if (d[0] == WL_NONE || d[0] == 0)
		return;
	(void)snprintf(buf, sizeof(buf), "%" PRIu32 ",%" PRIu32 ",%" PRIu32, d[0], d[1], d[2]);
	wl_put_copy(out, col, buf);
}

static void put_trace(struct wl_table *out, size_t count, wl_ns sum, wl_ns total)
{
	wl_put_i64(out, COUNT, (int64_t)count);
	wl_put_i64(out, SUM, sum);
	wl_put_ratio(out, SHARE, sum, total);
	wl_put_i64(out, AVG, count ? sum / (wl_ns)count : 0);
}

/* A measured kernel, with what the trace has for it. */
static void put_measured(struct wl_table *out, const struct wl_ncu_join *j, size_t i)
{
	static const char *const how[] = { NULL, "name", "function" };
	const struct wl_measured *m = &j->ncu.kernel[i];
	const struct wl_ncu_partner *p = &j->of[i];

	wl_table_row(out);
	wl_put_str(out, KERNEL, m->kernel);
	put_dims(out, GRID, m->grid);
	put_dims(out, BLOCK, m->block);
	if (m->shared >= 0)
		wl_put_i64(out, SHARED, m->shared);
	wl_put_str(out, IN, p->match ? "both" : "ncu");
	wl_put_i64(out, NCU_LAUNCHES, m->launches);
	/*
	 * The number comes from a file; converting one that does not fit is undefined behaviour.
	 */
	if (m->ns >= 0 && m->ns < 9e18)
		wl_put_i64(out, NCU_MEAN, (int64_t)(m->ns + 0.5));
	wl_put_str(out, BOUND, m->bound);
	wl_put_str(out, MATCH, how[p->match]);
	if (!p->match) {
		wl_put_str(out, WHY, "the trace has no such launch");
		return;
	}
	put_trace(out, p->count, p->sum, j->groups.compute);
	if (p->sum > 0)
		wl_put_f64(out, RATIO, m->ns * (double)p->count / (double)p->sum);
}

static void put_group(struct wl_table *out, const struct wl_run *run, const struct wl_ncu_join *j,
		      const struct wl_launch_group *g)
{
	int64_t shared = wl_launch_shared(g->config);

	wl_table_row(out);
	wl_put_str(out, KERNEL, wl_str(run->trace, run->trace->kernel_names[g->name].demangled));
	put_dims(out, GRID, g->config->grid);
	put_dims(out, BLOCK, g->config->block);
	if (shared >= 0)
		wl_put_i64(out, SHARED, shared);
	wl_put_str(out, IN, "trace");
	wl_put_str(out, WHY,
		   g->is_comm ? "communication, which ncu cannot replay"
			      : "ncu did not measure it");
	/* Shares are relative to compute kernels: if their time is 0 the cell stays empty. */
	put_trace(out, g->count, g->sum, g->is_comm ? 0 : j->groups.compute);
}

static int run(const struct wl_run *r, struct wl_table *out, struct wl_err *reterr)
{
	const struct wl_json *doc = r->arg[0].doc;
	struct wl_ncu_join j;
	int result = doc ? wl_ncu_join_find(r, doc, &j, reterr)
			 : wl_fail(reterr, WL_E_NODATA, "no report of ncu; give --ncu");
	bool *done = result == WL_OK ? WL_NEW(r->arena, bool, j.ncu.n + 1) : NULL;

	if (result < 0 && result != WL_E_NOMEM)
		return result;
	if (!done)
		return wl_no_memory(&wl_analysis_joined, reterr);
	/* Groups are sorted by time, and joined kernels with them; kernels only in ncu come
	 * last. */
	for (size_t i = 0; i < j.groups.n; i++) {
		uint32_t k = j.kernel[i];

		/* Several groups may match one measured kernel, which gets one row with their
		 * sum. */
		if (k == WL_NONE)
			put_group(out, r, &j, &j.groups.group[i]);
		else if (!done[k])
			put_measured(out, &j, k);
		if (k != WL_NONE)
			done[k] = true;
	}
	for (size_t i = 0; i < j.ncu.n; i++) {
		if (!j.of[i].match)
			put_measured(out, &j, i);
	}
	wl_ncu_join_note(r, &j, out);
	wl_table_remark(out,
			"ncu sets base clocks and replays each launch alone: its durations are "
			"not those of the trace");
	return WL_OK;
}

const struct wl_analysis wl_analysis_joined = {
	.name = "joined",
	.help = "Join kernels of an Nsight Compute report to those of the trace",
	.about = "Kernels of the trace and of a report of Nsight Compute, joined by name, grid, "
		 "block and shared memory, and those that only one of the files has.",
	.sort = "-sum",
	.needs = wl_launch_group_columns,
	.from = WL_FROM(CLASSES),
	.params = params,
	.n_params = WL_COUNT(params),
	.cols = cols,
	.n_cols = WL_COUNT(cols),
	.run = run,
};
