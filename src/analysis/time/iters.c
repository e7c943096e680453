/* SPDX-License-Identifier: MIT */
/* iters.c - the iterations of each process: how long they took, and where their time went. */
#include "derive/iters/iters.h"
#include "analysis/axes.h"
#include "analysis/time/iters_notes.h"
#include "analysis/words/step_words.h"
#include "derive/derived.h"
#include "derive/iters/outliers.h"
#include "derive/iters/step_change.h"
#include "derive/nvtx/range_names.h"
#include "derive/nvtx/ranks.h"
#include "derive/use/iter_use.h"

WL_DECLARE_ANALYSIS(iters);

enum {
	ITER,
	PID,
	RANK,
	DEVICE,
	START,
	PERIOD,
	SPAN,
	COMPUTE,
	EXPOSED_COMM,
	EXPOSED_COPY,
	IDLE,
	KERNELS,
	VS_MEDIAN,
	OUTLIER,
	KIND,
	IDLE_BEFORE,
	END,
	CHANGED,
	RANGE,
	AXES
};

static const struct wl_col cols[] = {
	[ITER] = { "iter", "Iter", WL_T_COUNT, WL_KEY,
		   "Iteration of the process, counted from 0; --window iter:N selects it." },
	[PID] = { "pid", "PID", WL_T_COUNT, WL_KEY | WL_MINOR, "Process id." },
	[RANK] = { "rank", "Rank", WL_T_COUNT, WL_PLAIN, "Rank of the process; empty if unknown." },
	[DEVICE] = { "device", "GPU", WL_T_COUNT, WL_KEY, "Device, numbered as in info." },
	[START] = { "start", "Start", WL_T_TIME, WL_ANCHOR | WL_MINOR,
		    "When its first operation began, on any device of the process." },
	[PERIOD] = { "period", "Period", WL_T_NS, WL_ANSWER,
		     "Until the first operation of the next iteration; the last one has none." },
	[SPAN] = { "span", "Span", WL_T_NS, WL_MINOR,
		   "From its first operation's start to its last one's end." },
	[COMPUTE] = { "compute", "Compute", WL_T_NS, WL_SUM,
		      "Time with a compute kernel, memory set, copy within the GPU or graph "
		      "replay under way." },
	[EXPOSED_COMM] = { "exposed_comm", "Exposed comm", WL_T_NS, WL_SUM,
			   "Time with communication under way and no compute." },
	[EXPOSED_COPY] = { "exposed_copy", "Exposed copy", WL_T_NS, WL_SUM | WL_MINOR,
			   "Time with a copy under way and neither compute nor communication." },
	[IDLE] = { "idle", "Idle", WL_T_NS, WL_SUM, "Time with nothing under way." },
	[KERNELS] = { "kernels", "Kernels", WL_T_COUNT, WL_SUM | WL_MINOR,
		      "Kernels of the iteration on this device. --window iter:N counts those with "
		      "a part in its time: at its ends they can be of other iterations." },
	[VS_MEDIAN] = { "vs_median", "vs median", WL_T_RATIO, WL_ANSWER,
			"Period over the median period of the process, or of its kind there." },
	[OUTLIER] = { "outlier", "Outlier", WL_T_BOOL, WL_PLAIN,
		      "The period is more than 5% and 3.5 scaled median absolute deviations from "
		      "the median (of its kind, if steps have kinds)." },
	[KIND] = { "kind", "Kind", WL_T_STR, WL_MINOR,
		   "What a step of a serving engine does: prefill, decode or mixed; empty where "
		   "all steps are of one kind." },
	[IDLE_BEFORE] = { "idle_before", "Idle before", WL_T_NS, WL_MINOR,
			  "Idle time right before its first operation; it lies in the period of "
			  "the iteration before. Empty until the device has had an operation." },
	[END] = { "end", "End", WL_T_TIME, WL_MINOR,
		  "When its period ends; the last iteration ends with its last operation." },
	[CHANGED] = { "changed", "Changed", WL_T_BOOL, WL_MINOR,
		      "Step times change over time, and this step takes longer than the reference "
		      "steps; empty where the step is in no test of that." },
	[RANGE] = { "range", "Range", WL_T_STR, WL_MINOR,
		    "Name of the NVTX range that begins it on the host; empty where steps are "
		    "found in launches of a graph or in kernels." },
	WL_AXIS_COLS(AXES),
	WL_AXIS_COUNT(AXES),
};

static const enum wl_column_id needs_any[] = { WL_OP_STARTS, WL_N_COLUMNS };

enum { STEADY, BY, FROM_NS, TO_NS };

enum facet { BY_PROCESS, BY_AXIS };
static const char *const facets[] = { "process", WL_AXIS_CHOICES, NULL };

static const struct wl_param params[] = {
	[STEADY] = { .key = "steady",
		     .type = WL_P_BOOL,
		     .help = "Only the steady iteration of each process: that of the median "
			     "period." },
	[BY] = { .key = "by",
		 .type = WL_P_ENUM,
		 .def = "process",
		 .choices = facets,
		 .help = "A line per iteration of each process, or per coordinate or host of "
			 "ranks: "
			 "the longest period, and sums." },
	[FROM_NS] = WL_PARAM_BEGIN("find_window"),
	[TO_NS] = WL_PARAM_END("find_window"),
};

#define BIT(col) (UINT64_C(1) << (col))

static const struct wl_axis_rule axes = {
	.by = BY,
	.choice = BY_AXIS,
	.first = AXES,
	.rank = RANK,
	.device = DEVICE,
	.keys = BIT(ITER),
	.sums = BIT(COMPUTE) | BIT(EXPOSED_COMM) | BIT(EXPOSED_COPY) | BIT(IDLE) | BIT(KERNELS),
	.most = BIT(PERIOD) | BIT(SPAN),
};

/* Few programs print step times: their absence needs no note. */
static void want(const union wl_arg *arg, struct wl_wanted *wanted)
{
	static const enum wl_column_id logged[] = { WL_OUTPUTS_STEP, WL_OUTPUTS_LINES,
						    WL_N_COLUMNS };

	(void)arg;
	wl_want(wanted, 0, logged);
}

static uint64_t hidden(const union wl_arg *arg)
{
	(void)arg;
	return BIT(AXES + WL_N_AXES);
}

static const struct wl_alias aliases[] = {
	/*
	 * The script of this name prints the middle chunk of PithTrain
	 * (docs/why-numbers-differ.md).
	 */
	{ "find_window",
	  { { "conventions", "pithtrain" },
	    { "window", "middle" },
	    { "columns", "pid,rank,device,iter,start,end,period,range" },
	    { "limit", "0" } } },
	{ .name = "iteration_timing" },
	{ .name = "steps" },
	{ .name = NULL },
};

static const struct wl_example examples[] = {
	{ "warplens steps run.sqlite", "How long each iteration took, and what it did." },
	{ "warplens steps run.sqlite --marker iteration",
	  "Iterations are the ranges with iteration in "
	  "their names." },
	{ "warplens steps run.sqlite --marker kernel:adam",
	  "Each run of a kernel with adam in its name begins an iteration." },
	{ "warplens steps run.sqlite --where 'outlier = yes'", "Only outliers." },
	{ NULL, NULL },
};

static void put_times(const struct wl_iteration *it, wl_ns usual, struct wl_table *out)
{
	wl_put_i64(out, START, it->tile.begin);
	if (!it->is_last) {
		wl_put_i64(out, PERIOD, it->tile.end - it->tile.begin);
		wl_put_ratio(out, VS_MEDIAN, it->tile.end - it->tile.begin, usual);
	}
	wl_put_i64(out, SPAN, it->last_end - it->tile.begin);
	wl_put_i64(out, END, it->is_last ? it->last_end : it->tile.end);
	if (it->kind != WL_STEP_NONE)
		wl_put_str(out, KIND, wl_step_kind_name(it->kind));
}

static void put_use(const struct wl_iter_use *use, struct wl_table *out)
{
	wl_put_i64(out, COMPUTE, use->compute);
	/* Communication inside replays recorded whole is not visible: the cell is empty, not 0. */
	if (use->knows_comm)
		wl_put_i64(out, EXPOSED_COMM, use->exposed_comm);
	wl_put_i64(out, EXPOSED_COPY, use->exposed_copy);
	wl_put_i64(out, IDLE, use->idle);
	wl_put_i64(out, KERNELS, (int64_t)use->n_kernels);
}

static void put_row(const struct wl_run *r, const struct wl_iter_strip *s, size_t i,
		    bool is_outlier, struct wl_table *out)
{
	const struct wl_process_iters *p = &r->derived->iterations->process[s->process];
	const struct wl_step_change *change = r->derived->step_change;
	size_t iter = s->first + i;

	wl_table_row(out);
	wl_put_i64(out, ITER, (int64_t)iter);
	wl_put_pid(out, PID, r, s->process);
	if (r->derived->ranks->of[s->process] >= 0)
		wl_put_i64(out, RANK, r->derived->ranks->of[s->process]);
	wl_put_axes(out, AXES, r, s->process);
	wl_put_i64(out, DEVICE, s->device);
	put_times(&p->at[iter], wl_usual_period(p, iter), out);
	if (p->at[iter].marker != WL_NONE)
		wl_put_str(out, RANGE,
			   wl_range_name_of(r->derived->range_names, p->at[iter].marker)->exact);
	put_use(&s->at[i], out);
	wl_put_i64(out, OUTLIER, is_outlier);
	if (s->idle_before[iter] != WL_NO_TIME)
		wl_put_i64(out, IDLE_BEFORE, s->idle_before[iter]);
	if (wl_step_is_tested(change, s->process, iter))
		wl_put_i64(out, CHANGED,
			   wl_step_side_of(change, s->process, iter) == WL_STEP_CHANGED);
}

/* Keep the longest idle time before an iteration, which counts in the preceding period. */
static void note_delay(struct wl_iters_told *told, const struct wl_process_iters *p,
		       const struct wl_iter_strip *s, size_t i)
{
	struct wl_delayed d = wl_delayed_by(p, s->idle_before, (uint32_t)(s->first + i));

	if (d.is_before && d.idle > told->delayed.idle)
		told->delayed = d;
}

static bool put_strip(const struct wl_iter_strip *s, struct wl_iters_told *told,
		      struct wl_table *out)
{
	const struct wl_process_iters *p = &told->all->process[s->process];
	const bool *outlier;
	struct wl_arena scratch;

	wl_arena_init_child(&scratch, told->run->arena);
	/*
	 * Found among all steps of the process: neither the window nor --steady changes what stands
	 * out.
	 */
	outlier = wl_outliers_find(p, &scratch);
	for (size_t i = 0; outlier && i < s->n; i++) {
		if (told->is_steady && s->first + i != p->steady)
			continue;
		put_row(told->run, s, i, outlier[s->first + i], out);
		told->n_graphs += s->at[i].n_graphs;
		if (outlier[s->first + i])
			note_delay(told, p, s, i);
	}
	wl_arena_release(&scratch);
	return outlier != NULL;
}

static int run(const struct wl_run *r, struct wl_table *out, struct wl_err *reterr)
{
	const struct wl_iter_uses *use = r->derived->iter_use;
	struct wl_iters_told told = { .run = r,
				      .all = r->derived->iterations,
				      .is_steady = r->arg[STEADY].flag };
	bool ok = true;

	if (told.all->problem)
		return wl_fail(reterr, WL_E_USAGE, "--marker %.200s: %s", r->derived->opts.marker,
			       told.all->problem);
	if (told.all->n_found == 0)
		return wl_fail(reterr, WL_E_NODATA, "%s", wl_no_iterations);
	for (size_t i = 0; ok && i < use->n; i++)
		ok = put_strip(&use->strip[i], &told, out);
	return ok && wl_iters_put_notes(&told, out) ? WL_OK
						    : wl_no_memory(&wl_analysis_iters, reterr);
}

const struct wl_analysis wl_analysis_iters = {
	.name = "iters",
	.topic = WL_TOPIC_TIME,
	.listed = { .level = WL_LEVEL_FIRST,
		    .name = "steps",
		    .line = "Step times, outliers, and where each step went" },
	.across_ranks = true,
	.shows_idle = true,
	.help = "List steps: how long each took, where its time went, outliers",
	.about = "Iterations of each process are found by the first method that works: the ranges "
		 "that "
		 "--marker names, or the runs of the kernels that --marker kernel:NAME names; the "
		 "anchors of the convention; NVTX ranges that repeat and own at least 80% of the "
		 "GPU's busy time; launches of one CUDA graph; the period of the kernel names of "
		 "the busiest stream, which may be a layer and not a step. A note names the "
		 "method. An "
		 "iteration owns the operations of the process, of any thread and stream, whose "
		 "launch starts inside its range. compute + exposed_comm + exposed_copy + idle is "
		 "the period, exactly, and the span of the last iteration, which has no period. "
		 "Iterations are found on the whole trace; a window lists those that begin inside "
		 "it. Rows are sorted by process, device and iteration.",
	.needs_any = needs_any,
	.from = WL_FROM(ITER_USE) | WL_FROM(ITERATIONS) | WL_FROM(RANKS) | WL_FROM(MESHES) |
		WL_FROM(STEP_CHANGE) | WL_FROM(RANGE_NAMES),
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
	.run = run,
};
