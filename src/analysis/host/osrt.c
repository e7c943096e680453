/* SPDX-License-Identifier: MIT */
/* osrt.c - calls of the system's libraries by function. */
#include <string.h>

#include "analysis/analysis.h"
#include "derive/rows/groups.h"

enum { NAME, CALLS, SUM, SHARE, AVG, P50, P90, MIN, MAX, STDDEV };

static const struct wl_col cols[] = {
	[NAME] = { "name", "Function", WL_T_STR, WL_KEY, "The function." },
	[CALLS] = { "calls", "Calls", WL_T_COUNT, WL_PLAIN, "Calls with a part in the window." },
	[SUM] = { "sum", "Sum", WL_T_NS, WL_SUM, "Sum of their durations in the window." },
	[SHARE] = { "share", "Share", WL_T_RATIO, WL_PLAIN,
		    "Of the sum over all calls in the window." },
	[AVG] = { "avg", "Avg", WL_T_NS, WL_PLAIN, "Mean duration." },
	[P50] = { "p50", "P50", WL_T_NS, WL_MINOR, "Median duration, nearest rank." },
	[P90] = { "p90", "P90", WL_T_NS, WL_MINOR, "90th percentile, nearest rank." },
	[MIN] = { "min", "Min", WL_T_NS, WL_MINOR, "Shortest duration." },
	[MAX] = { "max", "Max", WL_T_NS, WL_PLAIN, "Longest duration." },
	[STDDEV] = { "stddev", "Std dev", WL_T_NS, WL_MINOR, "Standard deviation of the sample." },
};

static const enum wl_column_id needs[] = { WL_OSRT_START, WL_OSRT_DUR, WL_OSRT_THREAD, WL_OSRT_NAME,
					   WL_N_COLUMNS };

static const struct wl_alias aliases[] = {
	{ .name = "osrt_sum" },
	{ .name = "osrtsum" },
	{ .name = NULL },
};

static const struct wl_example examples[] = {
	{ "warplens osrt run.sqlite -n 5", "What the host waits for in the system." },
	{ NULL, NULL },
};

/* The code is the name's string, and one more where there is none. */
static void codes(void *ctx, size_t row, size_t n, uint64_t *code, int64_t *value)
{
	const struct wl_run *r = ctx;
	const struct wl_trace *t = r->trace;

	for (size_t i = 0; i < n; i++) {
		wl_ns start = wl_osrt_start(t)[row + i];
		wl_ns end = start + wl_dur(&t->family[WL_F_OSRT], wl_osrt_dur(t), row + i);
		uint32_t name = wl_osrt_name(t)[row + i];

		code[i] = name == WL_NONE ? t->strings.n : name;
		if (!wl_host_clip(t, r->scope, wl_osrt_thread(t)[row + i], &start, &end))
			code[i] = WL_NO_CODE;
		if (value)
			value[i] = end - start;
	}
}

static int compare(void *ctx, uint64_t code_a, uint64_t code_b)
{
	const struct wl_run *r = ctx;

	return strcmp(wl_str(r->trace, (uint32_t)code_a), wl_str(r->trace, (uint32_t)code_b));
}

static void put_row(struct wl_table *out, const char *name, const struct wl_stats *s, int64_t total)
{
	wl_table_row(out);
	wl_put_str(out, NAME, name);
	wl_put_i64(out, CALLS, (int64_t)s->n);
	wl_put_i64(out, SUM, s->sum);
	wl_put_ratio(out, SHARE, s->sum, total);
	wl_put_i64(out, AVG, s->avg);
	wl_put_i64(out, P50, s->p50);
	wl_put_i64(out, P90, s->p90);
	wl_put_i64(out, MIN, s->min);
	wl_put_i64(out, MAX, s->max);
	wl_put_i64(out, STDDEV, s->stddev);
}

static int run(const struct wl_run *r, struct wl_table *out, struct wl_err *reterr)
{
	const struct wl_group_spec spec = { .n_rows = r->trace->family[WL_F_OSRT].n,
					    .n_codes = r->trace->strings.n + 1,
					    .codes = codes,
					    .compare = compare,
					    .pool = r->pool };
	struct wl_run ctx = *r;
	struct wl_groups g;

	if (!wl_groups_make(&spec, &ctx, r->arena, &g))
		return wl_no_memory(&wl_analysis_osrt, reterr);
	for (size_t i = 0; i < g.n; i++) {
		uint32_t name = (uint32_t)g.code[g.order[i]];

		put_row(out, wl_str(r->trace, name), &g.stats[g.order[i]], g.total);
	}
	return WL_OK;
}

const struct wl_analysis wl_analysis_osrt = {
	.name = "osrt",
	.help = "Rank OS runtime calls by host time",
	.about = "Calls of the system's libraries (poll, futex waits, reads and others) grouped by "
		 "function. Most are waits: a long one is a problem only where the GPU had nothing "
		 "to do meanwhile. nsys records calls that take at least a microsecond or so, "
		 "calls inside others count in both, and threads run at once, so the sum is not "
		 "time on the wall. Without --window every call of the trace counts.",
	.on_host = true,
	.needs = needs,
	.cols = cols,
	.n_cols = WL_COUNT(cols),
	.aliases = aliases,
	.examples = examples,
	.run = run,
};
