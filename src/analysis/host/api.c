/* SPDX-License-Identifier: MIT */
/* api.c - CUDA API calls by function. */
#include "analysis/host/host_calls.h"
#include "base/memory/intern.h"
#include "known/exports/codes.h"

WL_DECLARE_ANALYSIS(api);

enum { ERRORS = WL_N_HOST_CALL_COLS };

static const struct wl_col cols[] = {
	[WL_HOST_CALL_NAME] = { "name", "Function", WL_T_STR, WL_KEY,
				"The function, without version suffix." },
	WL_HOST_CALL_COLS,
	[ERRORS] = { "errors", "Errors", WL_T_COUNT, WL_PLAIN,
		     "Calls that failed; \"not ready\" does not count." },
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

/* Add up by group, through a table of their codes. */
static bool add_errors(const struct wl_host_calls *calls, struct wl_intern *table, int64_t *errors)
{
	const struct wl_groups *groups = &calls->groups;
	const int32_t *result = wl_api_result(calls->run->trace);

	for (size_t i = 0; i < groups->n; i++) {
		if (wl_intern_put(table, &groups->code[i]) == WL_NONE)
			return false;
	}
	for (size_t i = 0; i < calls->rows.n; i++) {
		uint64_t code = wl_host_call_code(calls, i);

		/* Programs poll events and streams: "not ready" is an answer and no failure. */
		if (result[i] != 0 && result[i] != WL_CUDA_NOT_READY &&
		    wl_host_call_counts(calls, i))
			errors[wl_intern_find(table, &code)]++;
	}
	return true;
}

/* By group: how many calls failed. NULL without memory. */
static const int64_t *count_errors(const struct wl_host_calls *calls)
{
	struct wl_arena *arena = calls->run->arena;
	int64_t *errors = WL_NEW(arena, int64_t, calls->groups.n);
	struct wl_intern table;
	bool ok;

	wl_intern_init(&table, sizeof(uint64_t), wl_arena_budget(arena));
	ok = errors && add_errors(calls, &table, errors);
	wl_intern_release(&table);
	return ok ? errors : NULL;
}

static int run(const struct wl_run *r, struct wl_table *out, struct wl_err *reterr)
{
	struct wl_host_calls calls;
	const int64_t *errors = NULL;

	if (wl_host_calls_find(r, WL_F_API, WL_API_NAME, &calls))
		errors = count_errors(&calls);
	if (!errors)
		return wl_no_memory(&wl_analysis_api, reterr);
	for (size_t i = 0; i < calls.groups.n; i++) {
		wl_host_call_put(&calls, calls.groups.order[i], out);
		wl_put_i64(out, ERRORS, errors[calls.groups.order[i]]);
	}
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
	.cols = cols,
	.n_cols = WL_COUNT(cols),
	.aliases = aliases,
	.examples = examples,
	.run = run,
};
