/* SPDX-License-Identifier: MIT */
/* threads.c - the time of each host thread by activity. */
#include "analysis/empty.h"
#include "analysis/hosts.h"
#include "base/memory/sort.h"
#include "derive/derived.h"
#include "derive/use/thread_use.h"

WL_DECLARE_ANALYSIS(threads);

enum { PID, HOST, TID, NAME, API, SYNC, OS, ON_CPU, LAUNCHES, NVTX_SELF, QUEUE_FULL, LOADING };

static const struct wl_col cols[] = {
	[PID] = { "pid", "PID", WL_T_COUNT, WL_KEY, "Process of the thread." },
	[HOST] = WL_COL_HOST,
	[TID] = { "tid", "Thread", WL_T_COUNT, WL_KEY, "Thread id." },
	[NAME] = { "name", "Name", WL_T_STR, WL_PLAIN, "The thread's name." },
	[API] = { "api", "CUDA", WL_T_NS, WL_SUM, "Time in CUDA calls." },
	[SYNC] = { "sync", "Sync", WL_T_NS, WL_SUM, "Time in CUDA calls that wait for a GPU." },
	[OS] = { "os", "OS calls", WL_T_NS, WL_SUM, "Time in OS runtime calls." },
	[ON_CPU] = { "on_cpu", "On CPU", WL_T_NS, WL_SUM,
		     "Time in which the thread ran on a CPU." },
	[LAUNCHES] = { "launches", "Launches", WL_T_COUNT, WL_SUM,
		       "Calls that launched GPU operations and start in the window." },
	[NVTX_SELF] = { "nvtx_self", "NVTX self", WL_T_NS, WL_SUM | WL_MINOR,
			"Time of its push/pop ranges, each without its children." },
	[QUEUE_FULL] = { "queue_full", "Queue full", WL_T_NS, WL_SUM | WL_MINOR | WL_AT_0,
			 "Part of api that waits for room in a full launch queue: the host is "
			 "ahead of the GPU." },
	[LOADING] = { "loading", "Loading", WL_T_NS, WL_SUM | WL_MINOR | WL_AT_0,
		      "Part of api that loads modules and functions, or compiles." },
};

static const enum wl_column_id needs_any[] = { WL_API_START, WL_NVTX_START, WL_OSRT_START,
					       WL_N_COLUMNS };

/* Thread names come with the call rows; in some traces only OS calls have any. */
static const enum wl_column_id uses[] = { WL_OSRT_START, WL_OSRT_DUR,    WL_OSRT_THREAD,
					  WL_OSRT_NAME,  WL_SCHED_START, WL_SCHED_THREAD,
					  WL_SCHED_IN,   WL_OP_STARTS,   WL_N_COLUMNS };

static const struct wl_alias aliases[] = {
	{ .name = "thread_utilization" },
	{ .name = "host" },
	{ .name = NULL },
};

static const struct wl_example examples[] = {
	{ "warplens host run.sqlite", "Which thread launches, which one waits." },
	{ "warplens host run.sqlite --sort -launches", "By the number of launches." },
	{ NULL, NULL },
};

struct ranking {
	const struct wl_trace *trace;
	const struct wl_thread_use *use;
};

static bool rank_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct ranking *r = ctx;

	if (r->use[a].api != r->use[b].api)
		return r->use[a].api > r->use[b].api;
	if (r->use[a].os != r->use[b].os)
		return r->use[a].os > r->use[b].os;
	return r->trace->threads[a].global < r->trace->threads[b].global;
}

static void put_row(struct wl_table *out, const struct wl_trace *t, uint32_t thread,
		    const struct wl_thread_use *use)
{
	const struct wl_thread *th = &t->threads[thread];

	wl_table_row(out);
	wl_put_i64(out, PID, t->processes[th->process].pid);
	wl_hosts_put(out, HOST, t, &t->processes[th->process]);
	wl_put_i64(out, TID, th->tid);
	wl_put_str(out, NAME, th->name == WL_NONE ? NULL : wl_str(t, th->name));
	/* Unrecorded calls are not 0. */
	if (t->family[WL_F_API].n) {
		wl_put_i64(out, API, use->api);
		wl_put_i64(out, SYNC, use->sync);
	}
	/* If operations were not recorded, launches are unknown. */
	if (t->family[WL_F_API].n && wl_has_operations(t))
		wl_put_i64(out, LAUNCHES, use->launches);
	if (t->family[WL_F_OSRT].n)
		wl_put_i64(out, OS, use->os);
	if (t->family[WL_F_SCHED].n)
		wl_put_i64(out, ON_CPU, use->on_cpu);
	if (t->family[WL_F_NVTX].n)
		wl_put_i64(out, NVTX_SELF, use->nvtx_self);
	if (wl_has_call_costs(t)) {
		wl_put_i64(out, QUEUE_FULL, use->cost[WL_COST_QUEUE]);
		wl_put_i64(out, LOADING, use->cost[WL_COST_LOADING]);
	}
}

static int run(const struct wl_run *r, struct wl_table *out, struct wl_err *reterr)
{
	const struct wl_trace *t = r->trace;
	const struct wl_thread_use *use = r->derived->thread_use->of;
	uint32_t *order = WL_NEW(r->arena, uint32_t, 2 * t->n_threads);
	bool *shown = WL_NEW(r->arena, bool, t->n_processes);
	size_t n = 0;

	if (!order || !shown)
		return wl_no_memory(&wl_analysis_threads, reterr);
	for (uint32_t i = 0; i < t->n_threads; i++) {
		if (!use[i].is_known || !use[i].is_in_window)
			continue;
		order[n++] = i;
		shown[t->threads[i].process] = true;
	}
	if (!wl_hosts_hide(r, shown, out, HOST))
		return wl_no_memory(&wl_analysis_threads, reterr);
	wl_sort_index(order, n, order + t->n_threads, rank_less, &(struct ranking){ t, use });
	for (size_t i = 0; i < n; i++)
		put_row(out, t, order[i], &use[order[i]]);
	if (!wl_has_call_costs(t)) {
		wl_table_hide(out, QUEUE_FULL);
		wl_table_hide(out, LOADING);
	}
	return WL_OK;
}

static const struct wl_form forms[] = { { WL_FORM("host", "by"), .value = "thread" },
					{ .verb = NULL } };

const struct wl_analysis wl_analysis_threads = {
	.name = "threads",
	.topic = WL_TOPIC_TIME,
	.listed = { .level = WL_LEVEL_SECOND,
		    .name = "host",
		    .line = "Host threads; --by cuda, os, mpi, file, stack, sync" },
	.forms = forms,
	.help = "Show what each host thread spent its time on",
	.about = "Threads with CUDA calls, NVTX ranges or OS calls. Times are lengths of unions: a "
		 "call inside another counts once. They overlap each other (sync is a part of api, "
		 "and a CUDA call that waits may be an OS call as well), and do not add up to the "
		 "window. A column that was not recorded is empty, not 0. Rows are sorted by api, "
		 "then by os, process and thread.",
	.on_host = true,
	.needs_any = needs_any,
	.uses = uses,
	.from = WL_FROM(THREAD_USE),
	.cols = cols,
	.n_cols = WL_COUNT(cols),
	.aliases = aliases,
	.examples = examples,
	.run = run,
};
