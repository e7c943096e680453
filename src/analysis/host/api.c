/* SPDX-License-Identifier: MIT */
/* api.c - CUDA API calls by function. */
#include "analysis/host/host_calls.h"
#include "base/memory/intern.h"
#include "base/text/units.h"
#include "derive/calls/call_costs.h"
#include "derive/derived.h"
#include "known/exports/codes.h"

WL_DECLARE_ANALYSIS(api);

enum { ERRORS = WL_N_HOST_CALL_COLS, OWN, COSTS, N_COLS = COSTS + WL_N_CALL_COSTS };

static const struct wl_col cols[] = {
	[WL_HOST_CALL_NAME] = { "name", "Function", WL_T_STR, WL_KEY,
				"The function, without version suffix." },
	WL_HOST_CALL_COLS,
	[ERRORS] = { "errors", "Errors", WL_T_COUNT, WL_PLAIN,
		     "Calls that failed; \"not ready\" does not count." },
	[OWN] = { "own", "Own", WL_T_NS, WL_SUM | WL_MINOR,
		  "Part of sum that is the calls' own work: none of the parts that follow. These "
		  "columns are there where nsys recorded what calls spend time on." },
	[COSTS + WL_COST_QUEUE] = { "queue_full", "Queue full", WL_T_NS,
				    WL_SUM | WL_MINOR | WL_AT_0,
				    "Part that waits for room in a full launch queue: the host is "
				    "ahead of the GPU." },
	[COSTS + WL_COST_LOADING] = { "loading", "Loading", WL_T_NS, WL_SUM | WL_MINOR | WL_AT_0,
				      "Part that loads modules and functions, or compiles." },
	[COSTS + WL_COST_PROFILER] = { "profiler", "Profiler", WL_T_NS, WL_SUM | WL_MINOR | WL_AT_0,
				       "Part that is the profiler's own work." },
};

static const enum wl_column_id needs[] = { WL_API_START, WL_API_DUR,    WL_API_THREAD,
					   WL_API_NAME,  WL_API_RESULT, WL_N_COLUMNS };

static const struct wl_alias aliases[] = {
	{ .name = "cuda_api_sum" },
	{ .name = "cudaapisum" },
	{ "gc_impact", { { "where", "name ~ \"Malloc|Free\"" } } },
	{ "module_loading", { { "where", "name ~ \"Module|Library\"" } } },
	{ .name = NULL },
};

static const struct wl_example examples[] = {
	{ "warplens api run.sqlite", "Where the host spends its time in CUDA." },
	{ "warplens api run.sqlite --where 'name ~ Sync'", "Only the calls that wait." },
	{ NULL, NULL },
};

/* Counts for a function besides the statistics. */
struct tally {
	int64_t errors;
	wl_ns cost[WL_N_CALL_COSTS];
};

static void add_costs(const struct wl_host_calls *calls, size_t row, wl_ns begin, wl_ns end,
		      struct tally *tally)
{
	wl_ns cost[WL_N_CALL_COSTS] = { 0 };

	wl_call_costs_add(calls->run->derived->call_costs, calls->rows.thread[row], begin, end,
			  cost);
	for (size_t i = 0; i < WL_N_CALL_COSTS; i++)
		tally->cost[i] = wl_add_up(tally->cost[i], cost[i]);
}

/* Add up calls by group, via a table of group codes. */
static bool add_calls(const struct wl_host_calls *calls, struct wl_intern *table,
		      struct tally *tally)
{
	const struct wl_groups *groups = &calls->groups;
	const int32_t *result = wl_api_result(calls->run->trace);
	bool has_costs = calls->run->derived->call_costs->n > 0;

	for (size_t i = 0; i < groups->n; i++) {
		if (wl_intern_put(table, &groups->code[i]) == WL_NONE)
			return false;
	}
	for (size_t i = 0; i < calls->rows.n; i++) {
		uint64_t code = wl_host_call_code(calls, i);
		/* Programs poll events and streams: "not ready" is an answer, not a failure. */
		bool failed = result[i] != 0 && result[i] != WL_CUDA_NOT_READY;
		wl_ns begin, end;
		uint32_t group;

		if ((!failed && !has_costs) || !wl_host_call_part(calls, i, &begin, &end))
			continue;
		group = wl_intern_find(table, &code);
		tally[group].errors += failed;
		add_costs(calls, i, begin, end, &tally[group]);
	}
	return true;
}

/* By group; NULL if memory runs out. */
static const struct tally *count_calls(const struct wl_host_calls *calls)
{
	struct wl_arena *arena = calls->run->arena;
	struct tally *tally = WL_NEW(arena, struct tally, calls->groups.n);
	struct wl_intern table;
	bool ok;

	wl_intern_init(&table, sizeof(uint64_t), wl_arena_budget(arena));
	ok = tally && add_calls(calls, &table, tally);
	wl_intern_release(&table);
	return ok ? tally : NULL;
}

static void put_costs(struct wl_table *out, wl_ns sum, const struct tally *tally)
{
	wl_ns own = sum;

	for (size_t i = 0; i < WL_N_CALL_COSTS; i++) {
		own -= tally->cost[i];
		wl_put_i64(out, COSTS + i, tally->cost[i]);
	}
	wl_put_i64(out, OWN, own);
}

/* Waiting for room in a full queue is not a launch cost. */
static void note_queue(const struct wl_host_calls *calls, const struct tally *tally,
		       struct wl_table *out)
{
	char waited[WL_UNITS_BUF], of[WL_UNITS_BUF];
	wl_ns sum = 0, queue = 0;

	for (size_t i = 0; i < calls->groups.n; i++) {
		if (tally[i].cost[WL_COST_QUEUE] == 0)
			continue;
		sum = wl_add_up(sum, calls->groups.stats[i].sum);
		queue = wl_add_up(queue, tally[i].cost[WL_COST_QUEUE]);
	}
	if (queue)
		wl_table_note(
			out,
			"%s of %s in launch calls waited for room in a full launch queue: the "
			"host is ahead of the GPU there, and this is no cost of launching",
			wl_fmt_ns(waited, queue, WL_UNIT_AUTO), wl_fmt_ns(of, sum, WL_UNIT_AUTO));
}

static int run(const struct wl_run *r, struct wl_table *out, struct wl_err *reterr)
{
	bool has_costs = r->derived->call_costs->n > 0;
	struct wl_host_calls calls;
	const struct tally *tally = NULL;

	if (wl_host_calls_find(r, WL_F_API, WL_API_NAME, &calls))
		tally = count_calls(&calls);
	if (!tally)
		return wl_no_memory(&wl_analysis_api, reterr);
	for (size_t i = 0; i < calls.groups.n; i++) {
		uint32_t group = calls.groups.order[i];

		wl_host_call_put(&calls, group, out);
		wl_put_i64(out, ERRORS, tally[group].errors);
		if (has_costs)
			put_costs(out, calls.groups.stats[group].sum, &tally[group]);
	}
	/* Unrecorded costs are not 0. */
	for (size_t i = OWN; !has_costs && i < N_COLS; i++)
		wl_table_hide(out, i);
	note_queue(&calls, tally, out);
	return WL_OK;
}

static const struct wl_form forms[] = { { WL_FORM("host", "by"), .value = "cuda" },
					{ .verb = NULL } };

const struct wl_analysis wl_analysis_api = {
	.name = "api",
	.topic = WL_TOPIC_TIME,
	.forms = forms,
	.help = "Rank CUDA API calls by host time",
	.about = "Runtime and driver calls grouped by function. Without --window every call of the "
		 "trace counts, also those before the first GPU operation. Calls of several "
		 "threads run at the same time: the sum is not wall time.",
	.on_host = true,
	.needs = needs,
	.from = WL_FROM(CALL_COSTS),
	.cols = cols,
	.n_cols = WL_COUNT(cols),
	.aliases = aliases,
	.examples = examples,
	.run = run,
};
