/* SPDX-License-Identifier: MIT */
/* iters.c - the iterations of each process: how long, and where their time went. */
#include "derive/iters/iters.h"
#include "analysis/axes.h"
#include "analysis/time/iters_notes.h"
#include "base/sort.h"
#include "derive/derived.h"
#include "derive/idle/idle_before.h"
#include "derive/iters/outliers.h"
#include "derive/iters/step_change.h"
#include "derive/kinds/sweep.h"
#include "derive/nvtx/ranks.h"

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
	[PERIOD] = { "period", "Period", WL_T_NS, WL_PLAIN,
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
	[VS_MEDIAN] = { "vs_median", "vs median", WL_T_RATIO, WL_PLAIN,
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

/* Few programs print step times: nothing is said where none are. */
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
	{ "find_window",
	  { { "conventions", "pithtrain" },
	    { "window", "middle" },
	    { "columns", "pid,rank,device,iter,start,end,period" },
	    { "limit", "0" } } },
	{ .name = "iteration_timing" },
	{ .name = NULL },
};

static const struct wl_example examples[] = {
	{ "warplens iters run.sqlite", "How long each iteration took, and what it did." },
	{ "warplens iters run.sqlite --marker iteration",
	  "Iterations are the ranges with iteration in "
	  "their names." },
	{ "warplens iters run.sqlite --marker kernel:adam",
	  "Each run of a kernel with adam in its name begins an iteration." },
	{ "warplens iters run.sqlite --where 'outlier = yes'", "Only outliers." },
	{ NULL, NULL },
};

/* A process's iterations on one of its devices. */
struct strip {
	uint32_t process, device;
	size_t *kernels; /* by iteration */
};

struct listing {
	const struct wl_run *r;
	const struct wl_iterations *all;
	const struct wl_classes *classes;
	const struct wl_ranks *ranks;
	const struct wl_scope *whole; /* the selection without the window */
	struct strip *strip;          /* by process and device */
	size_t n_strips;
	uint32_t *strip_of;        /* by place; WL_NONE for those that do not count */
	size_t n_graphs;           /* replays recorded whole in what is listed */
	struct wl_delayed delayed; /* the iteration with the longest stall before it */
};

static bool strip_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct wl_place *places = ctx;

	if (places[a].process != places[b].process)
		return places[a].process < places[b].process;
	return places[a].device < places[b].device;
}

/* The places that count: they are selected, had an operation, and their process has iterations. */
static size_t choose_places(struct listing *l, uint32_t *ret)
{
	const struct wl_trace *t = l->r->trace;
	size_t n = 0;

	for (uint32_t i = 0; i < t->n_places; i++)
		l->strip_of[i] = WL_NONE;
	for (size_t f = 0; f < WL_N_OP_FAMILIES; f++) {
		struct wl_ops ops = wl_trace_ops(t, wl_op_families[f]);

		for (size_t i = 0; i < ops.n; i++) {
			uint32_t place = ops.place[i];

			if (l->strip_of[place] != WL_NONE || !l->r->scope->place_on[place] ||
			    l->all->process[t->places[place].process].n == 0)
				continue;
			l->strip_of[place] = 0;
			ret[n++] = place;
		}
	}
	return n;
}

static bool make_strips(struct listing *l)
{
	const struct wl_trace *t = l->r->trace;
	struct wl_arena *arena = l->r->arena;
	uint32_t *order = WL_NEW(arena, uint32_t, t->n_places);
	uint32_t *tmp = WL_NEW(arena, uint32_t, t->n_places);
	size_t n;

	l->strip = WL_NEW(arena, struct strip, t->n_places);
	l->strip_of = WL_NEW(arena, uint32_t, t->n_places);
	if (!order || !tmp || !l->strip || !l->strip_of)
		return false;
	n = choose_places(l, order);
	wl_sort_index(order, n, tmp, strip_less, t->places);
	for (size_t i = 0; i < n; i++) {
		const struct wl_place *p = &t->places[order[i]];
		struct strip *s = &l->strip[l->n_strips];

		if (i == 0 || strip_less(t->places, order[i - 1], order[i])) {
			*s = (struct strip){ .process = p->process, .device = p->device };
			s->kernels = WL_NEW(arena, size_t, l->all->process[p->process].n);
			if (!s->kernels)
				return false;
			l->n_strips++;
		}
		l->strip_of[order[i]] = (uint32_t)(l->n_strips - 1);
	}
	return true;
}

static bool count_kernels(struct listing *l)
{
	const struct wl_trace *t = l->r->trace;
	const struct wl_ops ops = wl_trace_ops(t, WL_F_KERNELS);
	const struct wl_links *links = l->r->derived->links;

	for (size_t i = 0; i < ops.n; i++) {
		uint32_t strip = l->strip_of[ops.place[i]], at;

		if (strip == WL_NONE)
			continue;
		at = wl_iteration_of(t, &l->all->process[l->strip[strip].process], ops.start[i],
				     wl_link_of(links, WL_OP_KERNEL, i));
		if (at != WL_NONE)
			l->strip[strip].kernels[at]++;
	}
	return links != NULL;
}

/* By iteration of a strip. */
struct found {
	const bool *outlier;
	const wl_ns *idle_before;
	const struct wl_usage *usage;
};

static void put_row(const struct listing *l, const struct strip *s, size_t i, const struct found *f,
		    struct wl_table *out)
{
	const struct wl_usage *u = &f->usage[i];
	const struct wl_process_iters *p = &l->all->process[s->process];
	const struct wl_iteration *it = &p->at[i];

	wl_table_row(out);
	wl_put_i64(out, ITER, (int64_t)i);
	wl_put_i64(out, PID, l->r->trace->processes[s->process].pid);
	if (l->ranks->of[s->process] >= 0)
		wl_put_i64(out, RANK, l->ranks->of[s->process]);
	wl_put_axes(out, AXES, l->r, s->process);
	wl_put_i64(out, DEVICE, s->device);
	wl_put_i64(out, START, it->tile.begin);
	if (!it->is_last) {
		wl_put_i64(out, PERIOD, it->tile.end - it->tile.begin);
		wl_put_ratio(out, VS_MEDIAN, it->tile.end - it->tile.begin, wl_usual_period(p, i));
	}
	wl_put_i64(out, SPAN, it->last_end - it->tile.begin);
	wl_put_i64(out, COMPUTE, wl_usage_any(u, WL_ON_COMPUTE));
	/* Where all is inside graph replays, nothing is known of communication. */
	if (!u->n_graphs || u->n_comm)
		wl_put_i64(out, EXPOSED_COMM, wl_usage_without(u, WL_ON_COMM, WL_ON_COMPUTE));
	wl_put_i64(out, EXPOSED_COPY, wl_usage_without(u, WL_ON_COPY, WL_ON_COMPUTE | WL_ON_COMM));
	wl_put_i64(out, IDLE, u->ns[0]);
	wl_put_i64(out, KERNELS, (int64_t)s->kernels[i]);
	wl_put_i64(out, OUTLIER, f->outlier[i]);
	if (it->kind != WL_STEP_NONE)
		wl_put_str(out, KIND, wl_step_kind_name(it->kind));
	if (f->idle_before[i] != WL_NO_TIME)
		wl_put_i64(out, IDLE_BEFORE, f->idle_before[i]);
	wl_put_i64(out, END, it->is_last ? it->last_end : it->tile.end);
	if (wl_step_is_tested(l->r->derived->step_change, s->process, i))
		wl_put_i64(out, CHANGED,
			   wl_step_side_of(l->r->derived->step_change, s->process, i) ==
				   WL_STEP_CHANGED);
}

static bool is_listed(const struct listing *l, const struct strip *s, size_t i)
{
	const struct wl_process_iters *p = &l->all->process[s->process];
	struct wl_interval w = l->r->scope->device[s->device];
	wl_ns begin = p->at[i].tile.begin;

	if (l->r->arg[STEADY].flag && i != p->steady)
		return false;
	return l->r->scope->whole || (w.begin <= begin && begin < w.end);
}

/* Keep the longest time that was lost before an iteration, though a period before it has it. */
static void note_delay(struct listing *l, const struct wl_process_iters *p, const wl_ns *before,
		       uint32_t i)
{
	struct wl_delayed d = wl_delayed_by(p, before, i);

	if (d.is_before && d.idle > l->delayed.idle)
		l->delayed = d;
}

static bool list_strip(struct listing *l, const struct strip *s, struct wl_table *out)
{
	const struct wl_process_iters *p = &l->all->process[s->process];
	struct wl_interval *tiles;
	struct wl_usage *usage;
	struct wl_arena scratch;
	struct found f;
	bool ok;

	wl_arena_init_child(&scratch, l->r->arena);
	tiles = WL_NEW(&scratch, struct wl_interval, p->n);
	usage = WL_NEW(&scratch, struct wl_usage, p->n);
	f = (struct found){ .outlier = wl_outliers_find(p, &scratch),
			    .idle_before = wl_idle_before_find(l->r->trace, p, s->device, &scratch),
			    .usage = usage };
	ok = tiles && usage && f.outlier && f.idle_before;
	for (size_t i = 0; ok && i < p->n; i++)
		tiles[i] = p->at[i].tile;
	if (ok)
		wl_sweep_tiles(l->r->trace, l->whole, l->classes,
			       &l->r->derived->activity->device[s->device], tiles, p->n, usage);
	for (size_t i = 0; ok && i < p->n; i++) {
		if (!is_listed(l, s, i))
			continue;
		put_row(l, s, i, &f, out);
		l->n_graphs += usage[i].n_graphs;
		if (f.outlier[i])
			note_delay(l, p, f.idle_before, (uint32_t)i);
	}
	wl_arena_release(&scratch);
	return ok;
}

static int run(const struct wl_run *r, struct wl_table *out, struct wl_err *reterr)
{
	struct wl_scope whole = *r->scope;
	struct listing l = { .r = r,
			     .all = r->derived->iterations,
			     .classes = r->derived->classes,
			     .ranks = r->derived->ranks,
			     .whole = &whole };
	struct wl_iters_told told;

	whole.whole = true;
	if (l.all->problem)
		return wl_fail(reterr, WL_E_USAGE, "--marker %.200s: %s", r->derived->opts.marker,
			       l.all->problem);
	if (l.all->n_found == 0)
		return wl_fail(reterr, WL_E_NODATA, "%s", wl_no_iterations);
	if (!make_strips(&l) || !count_kernels(&l))
		return wl_no_memory(&wl_analysis_iters, reterr);
	for (size_t i = 0; i < l.n_strips; i++) {
		if (!list_strip(&l, &l.strip[i], out))
			return wl_no_memory(&wl_analysis_iters, reterr);
	}
	told = (struct wl_iters_told){ .run = r,
				       .all = l.all,
				       .delayed = l.delayed,
				       .n_graphs = l.n_graphs,
				       .is_steady = r->arg[STEADY].flag };
	return wl_iters_put_notes(&told, out) ? WL_OK : wl_no_memory(&wl_analysis_iters, reterr);
}

const struct wl_analysis wl_analysis_iters = {
	.name = "iters",
	.topic = WL_TOPIC_GPU_TIME,
	.across_ranks = true,
	.shows_idle = true,
	.help = "List iterations: periods, where their time went, outliers",
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
	.from = WL_FROM(LINKS) | WL_FROM(CLASSES) | WL_FROM(ITERATIONS) | WL_FROM(RANKS) |
		WL_FROM(MESHES) | WL_FROM(ACTIVITY) | WL_FROM(STEP_CHANGE),
	.want = want,
	.hidden = hidden,
	.params = params,
	.n_params = WL_COUNT(params),
	.cols = cols,
	.n_cols = WL_COUNT(cols),
	.axes = &axes,
	.aliases = aliases,
	.examples = examples,
	.run = run,
};
