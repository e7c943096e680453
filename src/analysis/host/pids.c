/* SPDX-License-Identifier: MIT */
/* pids.c - the activity of each process on the GPUs and on the host. */
#include "analysis/empty.h"
#include "analysis/hosts.h"
#include "analysis/stat_cols.h"
#include "derive/calls/launch.h"
#include "derive/derived.h"
#include "derive/nvtx/forest.h"
#include "derive/nvtx/ranks.h"
#include "derive/rows/ops.h"
#include "derive/rows/stats.h"
#include "derive/use/thread_use.h"

WL_DECLARE_ANALYSIS(pids);

enum {
	PID,
	HOST,
	RANK,
	NAME,
	KERNELS,
	SUM,
	BUSY,
	SHARE,
	LAUNCHES,
	SYNC,
	NVTX_COVERAGE,
	QUEUE_FULL,
	LOADING
};

static const struct wl_col cols[] = {
	[PID] = { "pid", "PID", WL_T_COUNT, WL_KEY, "Process id." },
	[HOST] = WL_COL_HOST,
	[RANK] = { "rank", "Rank", WL_T_COUNT, WL_PLAIN, "Rank of the process; empty if unknown." },
	[NAME] = { "name", "Name", WL_T_STR, WL_MINOR, "Name of the executable." },
	[KERNELS] = { "kernels", "Kernels", WL_T_COUNT, WL_PLAIN,
		      "Kernels with a part in the window." },
	[SUM] = WL_COL_SUM,
	[BUSY] = { "busy", "Busy", WL_T_NS, WL_SUM,
		   "Time in which any of its operations runs, added over devices." },
	[SHARE] = WL_COL_SHARE(WL_PLAIN, "Share of the kernel sum over all processes."),
	[LAUNCHES] = { "launches", "Launches", WL_T_COUNT, WL_SUM,
		       "Calls that launched GPU operations and start in the window." },
	[SYNC] = { "sync", "Sync", WL_T_NS, WL_SUM,
		   "Time in calls that wait for a GPU, added over threads." },
	[NVTX_COVERAGE] = { "nvtx_coverage", "In NVTX", WL_T_RATIO, WL_PLAIN,
			    "Part of the kernel sum whose launch is in a push/pop range." },
	[QUEUE_FULL] = { "queue_full", "Queue full", WL_T_NS, WL_SUM | WL_MINOR | WL_AT_0,
			 "Time in CUDA calls that wait for room in a full launch queue, added over "
			 "threads: the host is ahead of the GPU." },
	[LOADING] = { "loading", "Loading", WL_T_NS, WL_SUM | WL_MINOR | WL_AT_0,
		      "Time in CUDA calls that load modules and functions, or compile, added over "
		      "threads." },
};

static const enum wl_column_id needs_any[] = { WL_API_START, WL_OP_STARTS, WL_N_COLUMNS };

static const struct wl_example examples[] = {
	{ "warplens pids run.sqlite", "Compare the processes of a job." },
	{ "warplens pids run.sqlite --window +10ms..+20ms", "The same for a part of the trace." },
	{ NULL, NULL },
};

struct tally {
	bool is_there; /* the process has operations or calls in the window */
	int64_t kernels, sum, named, busy, launches, sync;
	wl_ns cost[WL_N_CALL_COSTS];
	wl_ns until;     /* end of its operations so far on the device being swept */
	uint32_t device; /* device being swept + 1; 0 before the first */
};

struct counting {
	const struct wl_run *run;
	const struct wl_links *links;
	const struct wl_forest *forest;
	const struct wl_ranks *ranks;
	struct tally *tally; /* by process */
};

static bool is_named(const struct counting *c, size_t row)
{
	uint32_t link = wl_link_of(c->links, WL_OP_KERNEL, row);

	return link != WL_NONE && c->forest->of_call[link] != WL_NONE;
}

static void add_operation(const struct counting *c, uint32_t device, const struct wl_op *op,
			  struct tally *y)
{
	wl_ns length = op->end - op->start;

	/* Devices are separate timelines: restart the union. */
	if (y->device != device + 1) {
		y->device = device + 1;
		y->until = op->start;
	}
	if (op->end > y->until) {
		wl_ns from = op->start > y->until ? op->start : y->until;

		y->busy = wl_add_up(y->busy, op->end - from);
		y->until = op->end;
	}
	y->is_there = true;
	if (op->kind != WL_OP_KERNEL)
		return;
	y->kernels++;
	y->sum = wl_add_up(y->sum, length);
	if (is_named(c, op->row))
		y->named = wl_add_up(y->named, length);
}

/*
 * Operations come in order of start, and so do their parts in the window: each process's union
 * needs only its latest end, however many processes share the device.
 */
static void sweep_device(const struct counting *c, uint32_t device)
{
	const struct wl_trace *t = c->run->trace;
	const struct wl_scope *scope = c->run->scope;
	struct wl_op_cursor cursor;
	struct wl_op op;

	wl_ops_begin(t, device, &cursor);
	while (wl_ops_next(&cursor, &op)) {
		if (scope->place_on[op.place] &&
		    wl_clip(scope, scope->device[device], &op.start, &op.end))
			add_operation(c, device, &op, &c->tally[t->places[op.place].process]);
	}
}

static void put_row(struct wl_table *out, const struct wl_trace *t, const struct wl_process *p,
		    int64_t rank, const struct tally *y, int64_t total)
{
	wl_table_row(out);
	wl_put_i64(out, PID, p->pid);
	wl_hosts_put(out, HOST, t, p);
	if (rank >= 0)
		wl_put_i64(out, RANK, rank);
	wl_put_str(out, NAME, p->name == WL_NONE ? NULL : wl_str(t, p->name));
	wl_put_i64(out, KERNELS, y->kernels);
	wl_put_i64(out, SUM, y->sum);
	wl_put_i64(out, BUSY, y->busy);
	wl_put_ratio(out, SHARE, y->sum, total);
	wl_put_i64(out, LAUNCHES, y->launches);
	wl_put_i64(out, SYNC, y->sync);
	wl_put_ratio(out, NVTX_COVERAGE, y->named, y->sum);
	if (wl_has_call_costs(t)) {
		wl_put_i64(out, QUEUE_FULL, y->cost[WL_COST_QUEUE]);
		wl_put_i64(out, LOADING, y->cost[WL_COST_LOADING]);
	}
}

static bool put_rows(const struct counting *c, struct wl_table *out)
{
	const struct wl_trace *t = c->run->trace;
	bool *shown = WL_NEW(c->run->arena, bool, t->n_processes);
	int64_t total = 0;

	for (size_t i = 0; shown && i < t->n_processes; i++) {
		shown[i] = c->tally[i].is_there;
		total = wl_add_up(total, c->tally[i].sum);
	}
	if (!shown || !wl_hosts_hide(c->run, shown, out, HOST))
		return false;
	for (size_t i = 0; i < t->n_processes; i++) {
		if (c->tally[i].is_there)
			put_row(out, t, &t->processes[i], c->ranks->of[i], &c->tally[i], total);
	}
	return true;
}

static void add_thread(struct tally *y, const struct wl_thread_use *use)
{
	y->is_there |= use->calls;
	y->launches += use->launches;
	y->sync = wl_add_up(y->sync, use->sync);
	for (size_t i = 0; i < WL_N_CALL_COSTS; i++)
		y->cost[i] = wl_add_up(y->cost[i], use->cost[i]);
}

static int run(const struct wl_run *r, struct wl_table *out, struct wl_err *reterr)
{
	const struct wl_trace *t = r->trace;
	struct counting c = { .run = r,
			      .links = r->derived->links,
			      .forest = r->derived->forest,
			      .ranks = r->derived->ranks,
			      .tally = WL_NEW(r->arena, struct tally, t->n_processes) };
	const struct wl_thread_use *use = r->derived->thread_use->of;

	if (!c.tally)
		return wl_no_memory(&wl_analysis_pids, reterr);
	for (size_t i = 0; i < t->n_threads; i++)
		add_thread(&c.tally[t->threads[i].process], &use[i]);
	for (uint32_t d = 0; d < t->n_devices; d++)
		sweep_device(&c, d);
	if (!put_rows(&c, out))
		return wl_no_memory(&wl_analysis_pids, reterr);
	if (!wl_has_call_costs(t)) {
		wl_table_hide(out, QUEUE_FULL);
		wl_table_hide(out, LOADING);
	}
	/* The launch count is then 0, which would look like a capture that began too late. */
	if (t->family[WL_F_API].n && wl_has_operations(t) && !wl_calls_have_ids(t))
		wl_table_note(out, "the CUDA API calls have no correlation ids: what they launch, "
				   "and in which ranges, is unknown");
	return WL_OK;
}

static const struct wl_form forms[] = { { WL_FORM("ranks", "by"), .value = "pid" },
					{ .verb = NULL } };

const struct wl_analysis wl_analysis_pids = {
	.name = "pids",
	.topic = WL_TOPIC_TIME,
	.forms = forms,
	.help = "Compare processes: kernels, busy time, launches, waits",
	.about =
		"Processes with GPU operations or CUDA calls in the window, in the order of info. "
		"busy "
		"is the union of a process's own operations on each device, and two processes that "
		"share a GPU can be busy at the same time. nvtx_coverage counts kernels whose "
		"launch call "
		"lies in a push/pop range of its own thread. A rank that waits less than others is "
		"the one that the others wait for.",
	.needs_any = needs_any,
	.from = WL_FROM(LINKS) | WL_FROM(FOREST) | WL_FROM(RANKS) | WL_FROM(THREAD_USE),
	.cols = cols,
	.n_cols = WL_COUNT(cols),
	.examples = examples,
	.run = run,
};
