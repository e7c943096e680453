/* SPDX-License-Identifier: MIT */
/* osrt.c - OS runtime calls by function. */
#include "analysis/host/host_calls.h"

WL_DECLARE_ANALYSIS(osrt);

static const struct wl_col cols[] = {
	[WL_HOST_CALL_NAME] = { "name", "Function", WL_T_STR, WL_KEY, "The function." },
	WL_HOST_CALL_COLS,
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

static int run(const struct wl_run *r, struct wl_table *out, struct wl_err *reterr)
{
	struct wl_host_calls calls;

	if (!wl_host_calls_find(r, WL_F_OSRT, WL_OSRT_NAME, &calls))
		return wl_no_memory(&wl_analysis_osrt, reterr);
	for (size_t i = 0; i < calls.groups.n; i++)
		wl_host_call_put(&calls, calls.groups.order[i], out);
	return WL_OK;
}

static const struct wl_form forms[] = { { WL_FORM("host", "by"), .value = "os" },
					{ .verb = NULL } };

const struct wl_analysis wl_analysis_osrt = {
	.name = "osrt",
	.topic = WL_TOPIC_TIME,
	.forms = forms,
	.help = "Rank OS runtime calls by host time",
	.about = "Calls of the system's libraries (poll, futex waits, reads and others) grouped by "
		 "function. Most are waits: a long one is a problem only if the GPU was idle "
		 "meanwhile. nsys records calls that take at least a microsecond or so, "
		 "calls inside others count in both, and threads run at the same time: the sum is "
		 "not wall time. Without --window every call of the trace counts.",
	.on_host = true,
	.needs = needs,
	.cols = cols,
	.n_cols = WL_COUNT(cols),
	.aliases = aliases,
	.examples = examples,
	.run = run,
};
