/* SPDX-License-Identifier: MIT */
/* overlap.c - the time account of each device's window, to the nanosecond. */
#include "analysis/axes.h"
#include "analysis/words/step_words.h"
#include "derive/derived.h"
#include "derive/exposed/exposed_groups.h"
#include "derive/iters/iter_accounts.h"
#include "derive/nvtx/ranks.h"

WL_DECLARE_ANALYSIS(overlap);

enum {
	DEVICE,
	PID,
	RANK,
	ITER,
	CONTEXT,
	STREAM,
	STAGE,
	NAME,
	WINDOW,
	COMPUTE,
	EXPOSED_COMM,
	EXPOSED,
	EXPOSED_COPY,
	IDLE,
	BUSY_SHARE,
	BUSY,
	KERNEL_BUSY,
	COMM,
	OVERLAPPED_COMM,
	OVERLAP,
	COPY,
	OVERLAPPED_COPY,
	COMM_CALLS,
	COMM_SUM,
	EXPOSED_SUM,
	OVERLAP_MIN,
	OVERLAP_MAX,
	TOTAL,
	BRIDGED,
	AXES
};

static const struct wl_col cols[] = {
	[DEVICE] = { "device", "GPU", WL_T_COUNT, WL_KEY, "Device, numbered as in info." },
	[PID] = { "pid", "PID", WL_T_COUNT, WL_KEY, "Process that owns the stream or iteration." },
	[RANK] = { "rank", "Rank", WL_T_COUNT, WL_KEY, "Rank of the process, where one is known." },
	[ITER] = { "iter", "Iteration", WL_T_COUNT, WL_KEY,
		   "Iteration from 0; empty for the rest of the window." },
	[CONTEXT] = { "context", "Context", WL_T_COUNT, WL_KEY | WL_MINOR,
		      "CUDA context; stream numbers are its own." },
	[STREAM] = { "stream", "Stream", WL_T_COUNT, WL_KEY, "CUDA stream; empty if unknown." },
	[STAGE] = { "stage", "Stage", WL_T_STR, WL_KEY,
		    "Stage of the step, by the NVTX ranges around the launch." },
	[NAME] = { "name", "Model", WL_T_STR, WL_MINOR, "The GPU's model." },
	[WINDOW] = { "window", "Window", WL_T_NS, WL_SUM, "Length of the device's window." },
	[COMPUTE] = { "compute", "Compute", WL_T_NS, WL_SUM | WL_ANSWER,
		      "Time with a compute kernel, memory set, copy within the GPU or graph "
		      "replay under way." },
	[EXPOSED_COMM] = { "exposed_comm", "Exposed comm", WL_T_NS, WL_SUM | WL_ANSWER,
			   "Time with communication under way and no compute." },
	[EXPOSED] = { "exposed", "Exposed", WL_T_NS, WL_SUM | WL_ANSWER,
		      "Time with communication of the group under way and no compute on the GPU." },
	[EXPOSED_COPY] = { "exposed_copy", "Exposed copy", WL_T_NS, WL_SUM | WL_ANSWER,
			   "Time with a copy under way and neither compute nor communication." },
	[IDLE] = { "idle", "Idle", WL_T_NS, WL_SUM | WL_ANSWER, "Time with nothing under way." },
	[BUSY_SHARE] = { "busy_share", "Busy share", WL_T_RATIO, WL_PLAIN,
			 "Busy time over the window." },
	[BUSY] = { "busy", "Busy", WL_T_NS, WL_SUM | WL_MINOR, "Time with anything under way." },
	[KERNEL_BUSY] = { "kernel_busy", "Kernel busy", WL_T_NS, WL_SUM | WL_MINOR,
			  "Time with a kernel under way, of either class." },
	[COMM] = { "comm", "Comm", WL_T_NS, WL_SUM | WL_MINOR,
		   "Time with communication under way." },
	[OVERLAPPED_COMM] = { "overlapped_comm", "Comm hidden", WL_T_NS, WL_SUM | WL_MINOR,
			      "Time with communication and compute under way together." },
	[OVERLAP] = { "overlap", "Overlap", WL_T_RATIO, WL_PLAIN,
		      "Hidden communication over all communication." },
	[COPY] = { "copy", "Copy", WL_T_NS, WL_SUM | WL_MINOR, "Time with a copy under way." },
	[OVERLAPPED_COPY] = { "overlapped_copy", "Copy hidden", WL_T_NS, WL_SUM | WL_MINOR,
			      "Time with a copy and compute or communication under way together." },
	[COMM_CALLS] = { "comm_calls", "Comm calls", WL_T_COUNT, WL_MINOR,
			 "Operations that communicate, with a part in the window." },
	[COMM_SUM] = { "comm_sum", "Comm sum", WL_T_NS, WL_SUM | WL_MINOR,
		       "Sum of their durations in the window." },
	[EXPOSED_SUM] = { "exposed_sum", "Exposed sum", WL_T_NS, WL_SUM | WL_MINOR,
			  "Sum over operations that communicate of their time without compute." },
	[OVERLAP_MIN] = { "overlap_min", "Least", WL_T_RATIO, WL_MINOR,
			  "Overlap of the operation that is hidden least." },
	[OVERLAP_MAX] = { "overlap_max", "Most", WL_T_RATIO, WL_MINOR,
			  "Overlap of the operation that is hidden most." },
	[TOTAL] = { "total", "Total", WL_T_BOOL, WL_PLAIN,
		    "The device as a whole; groups can be exposed at the same time and need not "
		    "add up." },
	[BRIDGED] = { "bridged", "From other threads", WL_T_COUNT, WL_MINOR,
		      "Comm calls whose stage is the range open on the process's anchor thread." },
	WL_AXIS_COLS(AXES),
	WL_AXIS_COUNT(AXES),
};

enum { BY, BEGIN, END };

enum facet { BY_DEVICE, BY_ITERATION, BY_STREAM, BY_STAGE, BY_STAGES, BY_AXIS };
static const char *const facets[] = { "device", "iteration",     "stream", "stage",
				      "stages", WL_AXIS_CHOICES, NULL };

static const struct wl_param params[] = {
	[BY] = { .key = "by",
		 .type = WL_P_ENUM,
		 .def = "device",
		 .choices = facets,
		 .help = "What to break a device's time down by; or stages, each over all GPUs; or "
			 "the coordinate or host by which to add devices up." },
	[BEGIN] = WL_PARAM_BEGIN("compute_overlap"),
	[END] = WL_PARAM_END("compute_overlap"),
};

#define BIT(col) (UINT64_C(1) << (col))

static const struct wl_axis_rule axes = {
	.by = BY,
	.choice = BY_AXIS,
	.first = AXES,
	.rank = RANK,
	.device = DEVICE,
	.sums = BIT(WINDOW) | BIT(COMPUTE) | BIT(EXPOSED_COMM) | BIT(EXPOSED_COPY) | BIT(IDLE) |
		BIT(BUSY) | BIT(KERNEL_BUSY) | BIT(COMM) | BIT(OVERLAPPED_COMM) | BIT(COPY) |
		BIT(OVERLAPPED_COPY) | BIT(EXPOSED_SUM),
	.ratio = { { BUSY_SHARE, BUSY, WINDOW, WINDOW }, { OVERLAP, OVERLAPPED_COMM, COMM, COMM } },
};

static uint64_t hidden(const union wl_arg *arg)
{
	uint64_t groups = BIT(CONTEXT) | BIT(STREAM) | BIT(STAGE) | BIT(EXPOSED) | BIT(COMM_CALLS) |
			  BIT(COMM_SUM) | BIT(TOTAL) | BIT(BRIDGED);
	uint64_t windows = BIT(NAME) | BIT(WINDOW) | BIT(EXPOSED_COMM) | BIT(IDLE) |
			   BIT(BUSY_SHARE) | BIT(BUSY) | BIT(KERNEL_BUSY) | BIT(OVERLAPPED_COPY) |
			   BIT(ITER);

	groups |= BIT(AXES + WL_N_AXES);
	windows |= BIT(AXES + WL_N_AXES);
	switch ((enum facet)arg[BY].i64) {
	case BY_ITERATION:
		return groups | BIT(NAME);
	case BY_STREAM:
		return windows | BIT(RANK) | BIT(STAGE) | BIT(BRIDGED);
	case BY_STAGE:
		return windows | BIT(CONTEXT) | BIT(STREAM);
	case BY_STAGES:
		return (windows | BIT(CONTEXT) | BIT(STREAM) | BIT(DEVICE) | BIT(PID) | BIT(RANK) |
			BIT(TOTAL) | (BIT(AXES + WL_N_AXES) - BIT(AXES))) &
		       ~BIT(AXES + WL_N_AXES);
	case BY_DEVICE:
	case BY_AXIS:
		break;
	}
	return groups | BIT(PID) | BIT(ITER);
}

static void want(const union wl_arg *arg, struct wl_wanted *wanted)
{
	static const uint64_t from[] = { [BY_DEVICE] = WL_FROM(DEVICE_ACCOUNTS),
					 [BY_STREAM] = WL_FROM(EXPOSED_STREAMS),
					 [BY_STAGE] = WL_FROM(EXPOSED_STAGES),
					 [BY_STAGES] = WL_FROM(EXPOSED_STAGES),
					 [BY_ITERATION] =
						 WL_FROM(ITERATIONS) | WL_FROM(ITER_ACCOUNTS),
					 [BY_AXIS] = WL_FROM(DEVICE_ACCOUNTS) };

	wl_want(wanted, from[arg[BY].i64 < BY_AXIS ? arg[BY].i64 : BY_AXIS], NULL);
}

static const struct wl_alias aliases[] = {
	/*
	 * Like the script of this name: the middle chunk of PithTrain, without stages that do not
	 * communicate and without pipeline sends.
	 */
	{ "compute_overlap",
	  { { "by", "stage" },
	    { "conventions", "pithtrain" },
	    { "window", "middle" },
	    { "where", "comm_calls > 0 and total = no and stage != \"(none)\" and not stage ~ "
		       "\"pipeline|chunk\"" },
	    { "columns", "pid,rank,stage,comm_calls,comm,exposed,overlap,overlap_min,overlap_max" },
	    { "limit", "0" } } },
	{ .name = "overlap_breakdown" },
	{ .name = "pipeline_bubble_metrics" },
	{ .name = NULL },
};

static const enum wl_column_id needs_any[] = { WL_OP_STARTS, WL_N_COLUMNS };

static const struct wl_example examples[] = {
	{ "warplens overlap run.sqlite", "Where the time of each GPU went." },
	{ "warplens overlap run.sqlite --window +1ms..+5ms", "The same for a part of the trace." },
	{ "warplens overlap run.sqlite --by stage", "Which stages wait for communication." },
	{ NULL, NULL },
};

/* Whether there are graph rows but no traced communication, which is then unknown. */
static bool is_opaque(size_t n_graphs, size_t n_comm_kernels)
{
	return n_graphs && !n_comm_kernels;
}

static void put_parts(struct wl_table *out, const struct wl_comm_parts *p)
{
	wl_put_i64(out, EXPOSED_SUM, p->exposed_sum);
	if (p->has_overlap) {
		wl_put_f64(out, OVERLAP_MIN, p->overlap_min);
		wl_put_f64(out, OVERLAP_MAX, p->overlap_max);
	}
}

/*
 * Communication inside graph replays counts as compute. The communication numbers cover only traced
 * kernels, and are absent if there are none.
 */
static void put_account(struct wl_table *out, const struct wl_account *a)
{
	wl_ns busy = wl_account_busy(a), hidden_comm = a->comm - a->exposed_comm;

	wl_put_i64(out, WINDOW, a->length);
	wl_put_i64(out, COMPUTE, a->compute);
	wl_put_i64(out, EXPOSED_COPY, a->exposed_copy);
	wl_put_i64(out, IDLE, a->idle);
	wl_put_ratio(out, BUSY_SHARE, busy, a->length);
	wl_put_i64(out, BUSY, busy);
	wl_put_i64(out, KERNEL_BUSY, a->kernel_busy);
	wl_put_i64(out, COPY, a->copy);
	wl_put_i64(out, OVERLAPPED_COPY, a->copy - a->exposed_copy);
	if (!wl_account_knows_comm(a))
		return;
	wl_put_i64(out, EXPOSED_COMM, a->exposed_comm);
	wl_put_i64(out, COMM, a->comm);
	wl_put_i64(out, OVERLAPPED_COMM, hidden_comm);
	wl_put_ratio(out, OVERLAP, hidden_comm, a->comm);
	put_parts(out, &a->parts);
}

/* Put the process of a row, which determines its rank and coordinates. */
static void put_process(struct wl_table *out, const struct wl_run *r, uint32_t process)
{
	if (process != WL_NONE && r->derived->ranks->of[process] >= 0)
		wl_put_i64(out, RANK, r->derived->ranks->of[process]);
	wl_put_axes(out, AXES, r, process);
}

static void put_devices(const struct wl_run *r, struct wl_table *out)
{
	const struct wl_trace *t = r->trace;

	for (uint32_t d = 0; d < t->n_devices; d++) {
		const struct wl_device_account *a = &r->derived->device_accounts->device[d];
		uint32_t name = t->devices[d].name;

		if (!r->scope->device_on[d])
			continue;
		wl_table_row(out);
		wl_put_i64(out, DEVICE, d);
		wl_put_str(out, NAME, name == WL_NONE ? NULL : wl_str(t, name));
		put_process(out, r, a->process);
		put_account(out, &a->time);
	}
}

static void put_group(struct wl_table *out, const struct wl_exposure *e, bool opaque, bool total)
{
	wl_put_i64(out, COMPUTE, e->compute);
	wl_put_i64(out, COPY, e->copy);
	wl_put_i64(out, EXPOSED_COPY, e->exposed_copy);
	wl_put_i64(out, TOTAL, total);
	if (opaque)
		return;
	wl_put_i64(out, COMM_CALLS, (int64_t)e->n_comm);
	wl_put_i64(out, COMM_SUM, e->parts.sum);
	wl_put_i64(out, COMM, e->comm);
	wl_put_i64(out, EXPOSED, e->exposed);
	wl_put_i64(out, OVERLAPPED_COMM, e->comm - e->exposed);
	wl_put_ratio(out, OVERLAP, e->comm - e->exposed, e->comm);
	put_parts(out, &e->parts);
}

static void put_key(struct wl_table *out, const struct wl_run *r, const struct wl_exposed_group *g)
{
	const struct wl_trace *t = r->trace;
	const struct wl_place *p = g->stage ? NULL : &t->places[g->place];

	wl_put_str(out, STAGE, g->stage);
	if (!p) {
		if (g->process != WL_NONE)
			wl_put_i64(out, PID, t->processes[g->process].pid);
		if (g->rank >= 0)
			wl_put_i64(out, RANK, g->rank);
		wl_put_axes(out, AXES, r, g->process);
		return;
	}
	wl_put_i64(out, PID, t->processes[p->process].pid);
	put_process(out, r, p->process);
	if (p->context != WL_NONE)
		wl_put_i64(out, CONTEXT, p->context);
	if (p->stream != WL_NONE)
		wl_put_i64(out, STREAM, p->stream);
}

static void put_device_groups(const struct wl_run *r, uint32_t device,
			      const struct wl_exposed_device *d, enum wl_exposed_by by,
			      struct wl_table *out)
{
	bool opaque = is_opaque(d->sums.n_graphs, d->sums.n_comm_kernels);

	for (size_t i = 0; i < d->n; i++) {
		wl_table_row(out);
		wl_put_i64(out, DEVICE, device);
		put_key(out, r, &d->group[i]);
		put_group(out, &d->group[i].sums, opaque, false);
		if (by == WL_EXPOSED_BY_STAGE)
			wl_put_i64(out, BRIDGED, (int64_t)d->group[i].n_bridged);
	}
	wl_table_row(out);
	wl_put_i64(out, DEVICE, device);
	/* The device itself: groups can be exposed simultaneously and need not add up to it. */
	put_group(out, &d->sums, opaque, true);
}

static bool put_stages(const struct wl_run *r, const struct wl_exposed_device *all,
		       struct wl_table *out)
{
	size_t n;
	const struct wl_exposed_stage *stage =
		wl_exposed_stages_sum(all, r->trace->n_devices, r->arena, &n);

	for (size_t i = 0; stage && i < n; i++) {
		wl_table_row(out);
		wl_put_str(out, STAGE, stage[i].stage);
		put_group(out, &stage[i].sums, stage[i].n_graphs > 0, false);
		wl_put_i64(out, BRIDGED, (int64_t)stage[i].n_bridged);
		wl_put_i64(out, AXES + WL_N_AXES, (int64_t)stage[i].n_groups);
	}
	return stage != NULL;
}

static bool put_groups(const struct wl_run *r, enum wl_exposed_by by, struct wl_table *out,
		       struct wl_account_notes *ret)
{
	const struct wl_exposed_device *all =
		wl_exposed_groups_find(r->derived, r->scope, by, r->arena);
	bool is_merged = r->arg[BY].i64 == BY_STAGES;
	size_t n_comm = 0, n_with_stage = 0, n_bridged = 0;

	for (uint32_t d = 0; all && d < r->trace->n_devices; d++) {
		if (!r->scope->device_on[d])
			continue;
		if (!is_merged)
			put_device_groups(r, d, &all[d], by, out);
		for (size_t i = 0; i < all[d].n; i++)
			n_bridged += all[d].group[i].n_bridged;
		n_comm += all[d].sums.n_comm;
		ret->n_graphs += all[d].sums.n_graphs;
		/* A communication operation that is not a kernel is a copy inside an NCCL call. */
		ret->n_comm_copies += all[d].sums.n_comm - all[d].sums.n_comm_kernels;
		n_with_stage += all[d].n_comm_with_stage;
	}
	if (all && is_merged && !put_stages(r, all, out))
		return false;
	if (all && by == WL_EXPOSED_BY_STAGE)
		wl_table_cover(out, "communication_with_a_stage", (int64_t)n_with_stage,
			       (int64_t)n_comm);
	if (n_bridged)
		wl_table_note(out,
			      "%zu of %zu communication operations have no range of their own; "
			      "their stage is the range open on the process's anchor thread at "
			      "launch",
			      n_bridged, n_comm);
	return all != NULL;
}

static bool put_iterations(const struct wl_run *r, struct wl_table *out)
{
	const struct wl_trace *t = r->trace;
	const char *const *note =
		wl_iterations_notes(t, r->derived->iterations, r->scope->process_on, r->arena);

	for (uint32_t d = 0; note && d < t->n_devices; d++) {
		const struct wl_device_iters *all = &r->derived->iter_accounts->device[d];

		for (size_t i = 0; i < all->n; i++) {
			const struct wl_iter_account *a = &all->at[i];

			wl_table_row(out);
			wl_put_i64(out, DEVICE, d);
			if (a->process != WL_NONE)
				wl_put_pid(out, PID, r, a->process);
			put_process(out, r, a->process);
			if (a->iter != WL_NONE)
				wl_put_i64(out, ITER, a->iter);
			put_account(out, &a->time);
		}
	}
	wl_table_say_steps(out, false, note);
	return note != NULL;
}

static void note_graphs(size_t n, struct wl_table *out)
{
	if (n)
		wl_table_note(out,
			      "%zu CUDA graph replays count as compute" WL_STOP
			      ": communication and idle time are lower bounds (record with "
			      "--cuda-graph-trace=node)",
			      n);
}

static int run(const struct wl_run *r, struct wl_table *out, struct wl_err *reterr)
{
	enum facet by = (enum facet)r->arg[BY].i64;
	struct wl_account_notes notes = { .n_graphs = 0 };
	bool ok = true;

	if (by == BY_DEVICE || by >= BY_AXIS) {
		put_devices(r, out);
		notes = r->derived->device_accounts->notes;
	} else if (by == BY_ITERATION) {
		/* Iterations are found on the whole trace: only the whole trace can have none. */
		if (r->derived->iterations->n_found == 0)
			return wl_fail(reterr, WL_E_NODATA, "%s", wl_no_iterations);
		ok = put_iterations(r, out);
		notes = r->derived->iter_accounts->notes;
	} else {
		ok = put_groups(r, by == BY_STREAM ? WL_EXPOSED_BY_STREAM : WL_EXPOSED_BY_STAGE,
				out, &notes);
	}
	if (!ok)
		return wl_no_memory(&wl_analysis_overlap, reterr);
	note_graphs(notes.n_graphs, out);
	if (notes.n_comm_copies)
		wl_table_note(out, "%zu copies inside NCCL calls count as communication",
			      notes.n_comm_copies);
	return WL_OK;
}

const struct wl_analysis wl_analysis_overlap = {
	.name = "overlap",
	.topic = WL_TOPIC_TIME,
	.listed = { .level = WL_LEVEL_FIRST,
		    .line = "Compute, exposed communication, exposed copies and idle, per GPU" },
	.across_ranks = true,
	.shows_idle = true,
	.help = "Split GPU time: compute, exposed communication, copies, idle",
	.about =
		"Every nanosecond of a device's window has one owner. compute + exposed_comm + "
		"exposed_copy + idle is the window, exactly. Communication is what kernels with "
		"known names do (NCCL, custom all-reduces, NVSHMEM, DeepEP and others), and copies "
		"between devices inside NCCL calls. A device's own compute hides communication, "
		"whichever stream or stage it belongs to. Rows of devices and of iterations add "
		"up. Streams and stages can be exposed at the same time, and their rows need not "
		"add up: one more row per device is the total. Rows are sorted by device, then by "
		"exposed time, largest first.",
	.needs_any = needs_any,
	.from = WL_FROM(CLASSES) | WL_FROM(RANKS) | WL_FROM(MESHES), /* for every --by */
	.want = want,
	.hidden = hidden,
	.params = params,
	.n_params = WL_COUNT(params),
	.cols = cols,
	.n_cols = WL_COUNT(cols),
	.axes = &axes,
	.aliases = aliases,
	.examples = examples,
	.facts = WL_FACTS_RUN,
	.facts_of_steps = true,
	.run = run,
};
