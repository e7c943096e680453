/* SPDX-License-Identifier: MIT */
/* api.c - CUDA API calls by function. */
#include <string.h>

#include "analysis/analysis.h"
#include "base/intern.h"
#include "derive/rows/groups.h"
#include "known/codes.h"

enum { NAME, CALLS, SUM, SHARE, AVG, P50, P90, MIN, MAX, STDDEV, ERRORS };

static const struct wl_col cols[] = {
	[NAME] = { "name", "Function", WL_T_STR, WL_KEY, "The function, without version suffix." },
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
	[ERRORS] = { "errors", "Errors", WL_T_COUNT, WL_PLAIN,
		     "Calls that failed; not ready is no failure." },
};

static const enum wl_column_id needs[] = { WL_API_START, WL_API_DUR,    WL_API_THREAD,
					   WL_API_NAME,  WL_API_RESULT, WL_N_COLUMNS };

static const struct wl_alias aliases[] = {
	{ .name = "cuda_api_sum" },
	{ .name = "cudaapisum" },
	{ .name = NULL },
};

static const struct wl_example examples[] = {
	{ "warplens api run.sqlite", "Where the host spends its time in CUDA." },
	{ "warplens api run.sqlite --where 'name ~ Sync'", "Only the calls that wait." },
	{ NULL, NULL },
};

/* True when the row counts; *start and *end are clipped. */
static bool in_scope(const struct wl_run *r, size_t row, wl_ns *start, wl_ns *end)
{
	const struct wl_trace *t = r->trace;

	*start = wl_api_start(t)[row];
	*end = *start + wl_dur(&t->family[WL_F_API], wl_api_dur(t), row);
	return wl_host_clip(t, r->scope, wl_api_thread(t)[row], start, end);
}

/* The name's string, and one more where there is none. */
static uint64_t code_of(const struct wl_trace *t, size_t row)
{
	uint32_t name = wl_api_name(t)[row];

	return name == WL_NONE ? t->strings.n : name;
}

static void codes(void *ctx, size_t row, size_t n, uint64_t *code, int64_t *value)
{
	const struct wl_run *r = ctx;

	for (size_t i = 0; i < n; i++) {
		wl_ns start, end;

		code[i] = in_scope(r, row + i, &start, &end) ? code_of(r->trace, row + i)
							     : WL_NO_CODE;
		if (value)
			value[i] = end - start;
	}
}

static int compare(void *ctx, uint64_t code_a, uint64_t code_b)
{
	const struct wl_run *r = ctx;

	return strcmp(wl_str(r->trace, (uint32_t)code_a), wl_str(r->trace, (uint32_t)code_b));
}

/* Add up by group, through a table of their codes. */
static bool add_errors(const struct wl_run *r, const struct wl_groups *groups,
		       struct wl_intern *table, int64_t *errors)
{
	const struct wl_trace *t = r->trace;
	const int32_t *result = wl_api_result(t);
	wl_ns start, end;

	for (size_t i = 0; i < groups->n; i++) {
		if (wl_intern_put(table, &groups->code[i]) == WL_NONE)
			return false;
	}
	for (size_t i = 0; i < t->family[WL_F_API].n; i++) {
		if (result[i] != 0 && result[i] != WL_CUDA_NOT_READY &&
		    in_scope(r, i, &start, &end))
			errors[wl_intern_find(table, &(uint64_t){ code_of(t, i) })]++;
	}
	return true;
}

/* By group: how many calls failed. NULL without memory. */
static const int64_t *count_errors(const struct wl_run *r, const struct wl_groups *groups)
{
	int64_t *errors = WL_NEW(r->arena, int64_t, groups->n);
	struct wl_intern table;
	bool ok;

	wl_intern_init(&table, sizeof(uint64_t), wl_arena_budget(r->arena));
	ok = errors && add_errors(r, groups, &table, errors);
	wl_intern_release(&table);
	return ok ? errors : NULL;
}

static void put_row(struct wl_table *out, const char *name, const struct wl_stats *s, int64_t total,
		    int64_t errors)
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
	wl_put_i64(out, ERRORS, errors);
}

static int run(const struct wl_run *r, struct wl_table *out, struct wl_err *reterr)
{
	const struct wl_group_spec spec = { .n_rows = r->trace->family[WL_F_API].n,
					    .n_codes = r->trace->strings.n + 1,
					    .codes = codes,
					    .compare = compare,
					    .pool = r->pool };
	struct wl_run ctx = *r;
	const int64_t *errors;
	struct wl_groups g;

	if (!wl_groups_make(&spec, &ctx, r->arena, &g))
		return wl_no_memory(&wl_analysis_api, reterr);
	errors = count_errors(r, &g);
	if (!errors)
		return wl_no_memory(&wl_analysis_api, reterr);
	for (size_t i = 0; i < g.n; i++) {
		uint32_t group = g.order[i];

		put_row(out, wl_str(r->trace, (uint32_t)g.code[group]), &g.stats[group], g.total,
			errors[group]);
	}
	return WL_OK;
}

const struct wl_analysis wl_analysis_api = {
	.name = "api",
	.help = "Rank CUDA API calls by host time",
	.about =
		"Runtime and driver calls grouped by function. Without --window every call of the "
		"trace counts, also those before the first GPU operation. Calls of several threads "
		"run at once, so the sum is not time on the wall.",
	.on_host = true,
	.needs = needs,
	.cols = cols,
	.n_cols = WL_COUNT(cols),
	.aliases = aliases,
	.examples = examples,
	.run = run,
};
