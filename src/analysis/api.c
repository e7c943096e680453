/* api.c - CUDA API calls by function. */
#include <string.h>

#include "analysis/analysis.h"
#include "base/sort.h"
#include "derive/stats.h"
#include "facts/codes.h"

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

struct grouping {
	const struct wl_run *run;
	struct wl_intern names; /* uint32_t: string */
};

/* True when the row counts; *start and *end are clipped. */
static bool in_scope(const struct wl_run *r, size_t row, wl_ns *start, wl_ns *end)
{
	const struct wl_trace *t = r->trace;

	*start = wl_api_start(t)[row];
	*end = *start + wl_dur(&t->family[WL_F_API], wl_api_dur(t), row);
	return wl_host_clip(t, r->scope, wl_api_thread(t)[row], start, end);
}

static enum wl_visit visit(void *ctx, size_t row, uint32_t *ret_group, int64_t *ret_value)
{
	struct grouping *g = ctx;
	wl_ns start, end;

	if (!in_scope(g->run, row, &start, &end))
		return WL_VISIT_SKIP;
	*ret_group = wl_intern_put(&g->names, &wl_api_name(g->run->trace)[row]);
	*ret_value = end - start;
	return *ret_group == WL_NONE ? WL_VISIT_FAIL : WL_VISIT_TAKE;
}

static bool count_errors(const struct grouping *g, int64_t *errors)
{
	const struct wl_trace *t = g->run->trace;
	const int32_t *result = wl_api_result(t);
	wl_ns start, end;

	for (size_t i = 0; errors && i < t->family[WL_F_API].n; i++) {
		if (result[i] != 0 && result[i] != WL_CUDA_NOT_READY &&
		    in_scope(g->run, i, &start, &end))
			errors[wl_intern_find(&g->names, &wl_api_name(t)[i])]++;
	}
	return errors != NULL;
}

struct ranking {
	const struct wl_trace *trace;
	const struct wl_stats *stats;
	const uint32_t *name;
};

static bool rank_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct ranking *r = ctx;

	if (r->stats[a].sum != r->stats[b].sum)
		return r->stats[a].sum > r->stats[b].sum;
	return strcmp(wl_str(r->trace, r->name[a]), wl_str(r->trace, r->name[b])) < 0;
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

static int put_rows(const struct wl_run *r, struct grouping *g, struct wl_table *out,
		    struct wl_err *reterr)
{
	size_t n;
	const struct wl_stats *stats =
		wl_stats_by_group(r->trace->family[WL_F_API].n, visit, g, r->arena, &n);
	uint32_t *order = stats ? WL_NEW(r->arena, uint32_t, 2 * n) : NULL;
	int64_t *errors = stats ? WL_NEW(r->arena, int64_t, n) : NULL;
	const uint32_t *name = g->names.items.data;
	int64_t total = 0;

	if (!order || !count_errors(g, errors))
		return wl_no_memory(&wl_analysis_api, reterr);
	for (size_t i = 0; i < n; i++) {
		order[i] = (uint32_t)i;
		total = wl_add_up(total, stats[i].sum);
	}
	wl_sort_index(order, n, order + n, rank_less, &(struct ranking){ r->trace, stats, name });
	for (size_t i = 0; i < n; i++)
		put_row(out, wl_str(r->trace, name[order[i]]), &stats[order[i]], total,
			errors[order[i]]);
	return WL_OK;
}

static int run(const struct wl_run *r, struct wl_table *out, struct wl_err *reterr)
{
	struct grouping g = { .run = r };
	int result;

	wl_intern_init(&g.names, sizeof(uint32_t), wl_arena_budget(r->arena));
	result = put_rows(r, &g, out, reterr);
	wl_intern_release(&g.names);
	return result;
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
