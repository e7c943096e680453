/* SPDX-License-Identifier: MIT */
/* path.c - the verb path: where time was spent on the critical path, while nothing waited. */
#include "analysis/path/path_rows.h"
#include "base/text/units.h"

WL_DECLARE_ANALYSIS(path);

static const struct wl_col cols[] = {
	[WL_PATH_COL_START] = { "start", "Start", WL_T_TIME, WL_KEY | WL_ANCHOR,
				"Where it begins in the window." },
	[WL_PATH_COL_RANK] = { "rank", "Rank", WL_T_COUNT, WL_KEY,
			       "Rank that it is spent on; empty if unknown." },
	[WL_PATH_COL_DEVICE] = { "device", "GPU", WL_T_COUNT, WL_KEY,
				 "Device of the rank; empty if it has several." },
	[WL_PATH_COL_PID] = { "pid", "PID", WL_T_COUNT, WL_KEY | WL_MINOR, "Process id." },
	[WL_PATH_COL_LANE] = { "lane", "Where", WL_T_STR, WL_PLAIN,
			       "Its stream, or the thread of its call." },
	[WL_PATH_COL_CLASS] = { "class", "Class", WL_T_ENUM, WL_KEY,
				"What the time is spent on; of a stretch of the chain most of "
				"it." },
	[WL_PATH_COL_NAME] = { "name", "Name", WL_T_STR, WL_KEY | WL_KERNEL,
			       "The operation or call it is spent in or leads up to; of host time "
			       "the NVTX range." },
	[WL_PATH_COL_STAGE] = { "stage", "Stage", WL_T_STR, WL_KEY,
				"Stage of the launch or call." },
	[WL_PATH_COL_TIME] = { "time", "Time", WL_T_NS, WL_SUM, "Time on the critical path." },
	[WL_PATH_COL_SHARE] = { "share", "Share", WL_T_RATIO, WL_PLAIN,
				"The same over the path in the window." },
	[WL_PATH_COL_SEGMENTS] = { "segments", "Segments", WL_T_COUNT, WL_MINOR,
				   "Pieces of the path with a part in the window." },
	[WL_PATH_COL_MEAN] = { "mean", "Mean per GPU", WL_T_NS, WL_MINOR,
			       "What a GPU has of the class on average, as in overlap." },
	[WL_PATH_COL_IMBALANCE] = { "imbalance", "Imbalance", WL_T_NS, WL_CHANGE,
				    "Time on the path less that mean: what uneven GPUs cost. Below "
				    "0 "
				    "the path is in other classes while GPUs have this one." },
	[WL_PATH_COL_SAVING] = { "saving", "Saves", WL_T_NS, WL_PLAIN,
				 "By replay: how much shorter the run is in the scenario, which "
				 "takes the time of its classes away everywhere; at the class that "
				 "has most of it." },
	[WL_PATH_COL_SCENARIO] = { "scenario", "If", WL_T_STR, WL_PLAIN,
				   "The scenario, as whatif --with takes it." },
	[WL_PATH_COL_SLACK] = { "slack", "Slack", WL_T_NS, WL_SUM,
				"How much later the rank could have arrived at the collectives on "
				"the path." },
	[WL_PATH_COL_VIA] = { "via", "Through", WL_T_STR, WL_PLAIN,
			      "The collective in which the path goes on to the next rank, with its "
			      "number, instance in nccl --list." },
	[WL_PATH_COL_TO] = { "to", "To", WL_T_STR, WL_PLAIN, "Where it goes on." },
	[WL_PATH_COL_INFERRED] = { "inferred", "Inferred", WL_T_BOOL, WL_MINOR,
				   "An inferred wait leads to it." },
	WL_FUNCTION_COLUMNS(WL_PATH_COL_FUNCTION, "thread", "time on the critical path"),
	WL_AXIS_COLS(WL_PATH_COL_AXES),
	WL_AXIS_COUNT(WL_PATH_COL_AXES),
};

enum { BY, SAVINGS };

static const char *const no_or_yes[] = { "no", "yes", NULL };

static const char *const facets[] = { "class", "rank",    "rank-class",    "name", "stage",
				      "chain", "segment", WL_AXIS_CHOICES, NULL };

static const struct wl_param params[] = {
	[BY] = { .key = "by",
		 .type = WL_P_ENUM,
		 .def = "class",
		 .choices = facets,
		 .help = "A line per class, rank, rank and class, name, or stage; the chain of "
			 "ranks; single segments; or per coordinate or host of ranks." },
	[SAVINGS] = { .key = "savings",
		      .type = WL_P_ENUM,
		      .def = "no",
		      .people_def = "yes",
		      .choices = no_or_yes,
		      .help = "By class: replay what the run saves without it." },
};

#define BIT(col) (UINT64_C(1) << (col))

#define OF_PROCESS                                                                                 \
	(BIT(WL_PATH_COL_RANK) | BIT(WL_PATH_COL_DEVICE) | BIT(WL_PATH_COL_PID) |                  \
	 ((BIT(WL_N_AXES) - 1) << WL_PATH_COL_AXES))
#define OF_SUM (BIT(WL_PATH_COL_TIME) | BIT(WL_PATH_COL_SHARE) | BIT(WL_PATH_COL_SEGMENTS))

static const struct wl_axis_rule axes = {
	.by = BY,
	.choice = WL_PATH_BY_AXIS,
	.first = WL_PATH_COL_AXES,
	.rank = WL_PATH_COL_RANK,
	.device = WL_PATH_COL_DEVICE,
	.sums = OF_SUM | BIT(WL_PATH_COL_SLACK),
};

static uint64_t hidden(const union wl_arg *arg)
{
	static const uint64_t filled[] = {
		[WL_PATH_BY_CLASS] = BIT(WL_PATH_COL_CLASS) | OF_SUM | BIT(WL_PATH_COL_MEAN) |
				     BIT(WL_PATH_COL_IMBALANCE) | BIT(WL_PATH_COL_SAVING) |
				     BIT(WL_PATH_COL_SCENARIO),
		[WL_PATH_BY_RANK] = OF_PROCESS | OF_SUM | BIT(WL_PATH_COL_SLACK),
		[WL_PATH_BY_RANK_CLASS] = OF_PROCESS | BIT(WL_PATH_COL_CLASS) | OF_SUM,
		[WL_PATH_BY_NAME] = BIT(WL_PATH_COL_CLASS) | BIT(WL_PATH_COL_NAME) | OF_SUM |
				    WL_FUNCTION_BITS(WL_PATH_COL_FUNCTION),
		[WL_PATH_BY_STAGE] = BIT(WL_PATH_COL_STAGE) | OF_SUM,
		[WL_PATH_BY_CHAIN] = BIT(WL_PATH_COL_START) | OF_PROCESS | BIT(WL_PATH_COL_CLASS) |
				     OF_SUM | BIT(WL_PATH_COL_VIA) | BIT(WL_PATH_COL_TO),
		[WL_PATH_BY_SEGMENT] = BIT(WL_PATH_COL_START) | OF_PROCESS | BIT(WL_PATH_COL_LANE) |
				       BIT(WL_PATH_COL_CLASS) | BIT(WL_PATH_COL_NAME) |
				       BIT(WL_PATH_COL_TIME) | BIT(WL_PATH_COL_INFERRED),
	};
	int64_t by = arg[BY].i64 < WL_PATH_BY_AXIS ? arg[BY].i64 : WL_PATH_BY_RANK;
	uint64_t without =
		arg[SAVINGS].i64 ? 0 : BIT(WL_PATH_COL_SAVING) | BIT(WL_PATH_COL_SCENARIO);

	return (~filled[by] & (BIT(WL_COUNT(cols)) - 1)) | without;
}

static const enum wl_column_id needs_any[] = { WL_OP_STARTS, WL_N_COLUMNS };

static const struct wl_example examples[] = {
	{ "warplens path run.sqlite", "What the critical path is spent on." },
	{ "warplens path run.sqlite --by name -n 5", "The five names with most of it." },
	{ "warplens path run.sqlite --by chain -n 10", "From rank to rank, by time." },
	{ NULL, NULL },
};

/* The path itself needs no ranges, stacks or stages: they are read only if they name rows. */
static void want(const union wl_arg *arg, struct wl_wanted *wanted)
{
	switch (arg[BY].i64) {
	case WL_PATH_BY_CLASS:
		wl_want(wanted, WL_FROM(CLASSES) | WL_FROM(ALL_ACTIVITY), NULL);
		if (arg[SAVINGS].i64)
			wl_want(wanted, WL_FROM(WHATIF) | WL_FROM(ITERATIONS), NULL);
		break;
	case WL_PATH_BY_NAME:
		wl_want(wanted,
			WL_FROM(FOREST) | WL_FROM(RANGE_NAMES) | WL_FROM(THREAD_STACKS) |
				WL_FROM(STACK_NAMES),
			NULL);
		break;
	case WL_PATH_BY_SEGMENT:
		wl_want(wanted, WL_FROM(FOREST) | WL_FROM(RANGE_NAMES), NULL);
		break;
	case WL_PATH_BY_STAGE:
		wl_want(wanted, WL_FROM(FOREST) | WL_FROM(STAGES), NULL);
		break;
	case WL_PATH_BY_CHAIN:
		wl_want(wanted, WL_FROM(MATCHES) | WL_FROM(COLLECTIVES), NULL);
		break;
	default:
		break;
	}
}

static int fail(const struct wl_path *path, struct wl_err *reterr)
{
	char unknown[WL_UNITS_BUF];
	wl_ns all = path->window.end - path->window.begin;

	/*
	 * Causes before symptoms: skewed or contradictory clocks also cause violations and unknown
	 * time.
	 */
	if (path->n_skewed)
		return wl_fail(
			reterr, WL_E_NODATA,
			"in %zu process%s most operations begin before their launch "
			"call: the clocks of CPU and GPU are skewed, and no path can be found",
			path->n_skewed, path->n_skewed == 1 ? "" : "es");
	if (path->has_clashing_hosts)
		return wl_fail(reterr, WL_E_NODATA,
			       "the clocks of the hosts contradict each other, and no path "
			       "across them can be found; ask for single files");
	if (path->n_violations > path->n_activities / 10)
		return wl_fail(reterr, WL_E_NODATA,
			       "%zu waits contradict the times of %zu activities: no path can "
			       "be trusted",
			       path->n_violations, path->n_activities);
	return wl_fail(reterr, WL_E_NODATA, "%s of the critical path is unexplained%s",
		       wl_fmt_ratio(unknown, (double)path->time[WL_PATH_UNKNOWN] / (double)all),
		       path->graph->n_calls ? ": what its operations waited for was not recorded"
					    : "; record CUDA calls with --trace=cuda");
}

static void note_share(struct wl_table *out, const struct wl_path *path, wl_ns part,
		       const char *text)
{
	char share[WL_UNITS_BUF];
	wl_ns all = path->window.end - path->window.begin;

	if (part && all)
		wl_table_note(out, "%s of the whole path %s",
			      wl_fmt_ratio(share, (double)part / (double)all), text);
}

/* Unknown time at the beginning, while operations run whose launches precede the capture. */
static void note_start(struct wl_table *out, const struct wl_path *path)
{
	const struct wl_graph *g = path->graph;
	wl_ns begin = path->window.begin, end = path->n ? path->begin[1] : begin;
	size_t n = 0, n_before = 0;
	char time[WL_UNITS_BUF];

	if (path->n == 0 || path->class[0] != WL_PATH_UNKNOWN)
		return;
	for (uint32_t i = 0; i < g->n_ops; i++) {
		if (wl_graph_start(g, i) >= end)
			continue;
		n++;
		n_before += wl_graph_launch(g, i) == WL_NONE;
	}
	/*
	 * Without any calls, note_all() says why launches are unknown: the start of the capture is
	 * not the reason.
	 */
	if (g->n_calls && 2 * n_before > n)
		wl_table_note(out,
			      "%s of the unknown time is at the start: %zu of %zu operations "
			      "there were launched before the capture",
			      wl_fmt_ns(time, end - begin, WL_UNIT_AUTO), n_before, n);
}

static void note_unknown(struct wl_table *out, const struct wl_path *path)
{
	if (path->time[WL_PATH_UNKNOWN] <= (path->window.end - path->window.begin) / 100)
		return;
	note_share(out, path, path->time[WL_PATH_UNKNOWN],
		   "is unknown: no launch, stream or event explains it");
	note_start(out, path);
}

static void note_all(struct wl_table *out, const struct wl_path *path)
{
	char share[WL_UNITS_BUF];

	/*
	 * Doubts come first, as docs/definitions/path.md requires: more than 1% unknown, more than
	 * 0.1% violations.
	 */
	note_unknown(out, path);
	if (path->n_violations > path->n_activities / 1000)
		wl_table_note(out,
			      "%zu waits contradict the recorded times and are ignored (%s of "
			      "activities)",
			      path->n_violations,
			      wl_fmt_ratio(share, (double)path->n_violations /
							  (double)path->n_activities));
	note_share(out, path, path->inferred, "follows inferred waits (no event recorded)");
	note_share(out, path, path->rigid,
		   "keeps its length in scenarios: latency (except in launch-free "
		   "and host-free), dispatch, dependency, unknown");
	if (path->graph->n_calls == 0)
		wl_table_note(out, "CUDA calls were not recorded: host time is not on the path "
				   "(add cuda to --trace)");
	wl_table_remark(out,
			"the path shows where time was spent; whatif replays what fixing it saves");
}

static int run(const struct wl_run *r, struct wl_table *out, struct wl_err *reterr)
{
	struct wl_path_rows rows = { .run = r,
				     .path = r->derived->path,
				     .by = (enum wl_path_by)(r->arg[BY].i64 < WL_PATH_BY_AXIS
								     ? r->arg[BY].i64
								     : WL_PATH_BY_AXIS) };
	bool ok = true;
	int status = WL_OK;

	if (wl_path_trust(rows.path) == WL_PATH_REFUSED)
		return fail(rows.path, reterr);
	if (!wl_path_rows_init(&rows))
		return wl_no_memory(&wl_analysis_path, reterr);
	note_all(out, rows.path);
	if (rows.by == WL_PATH_BY_CLASS && r->arg[SAVINGS].i64)
		status = wl_path_savings_find(&rows, out, reterr);
	if (status == WL_E_NOMEM)
		return wl_no_memory(&wl_analysis_path, reterr);
	if (status < 0)
		return status;
	if (rows.by == WL_PATH_BY_CHAIN)
		wl_path_put_chain(out, &rows);
	else if (rows.by == WL_PATH_BY_SEGMENT)
		wl_path_put_segments(out, &rows);
	else
		ok = wl_path_put_sums(out, &rows);
	return ok ? WL_OK : wl_no_memory(&wl_analysis_path, reterr);
}

static const struct wl_form forms[] = { { WL_FORM("whatif", "path") }, { .verb = NULL } };

const struct wl_analysis wl_analysis_path = {
	.name = "path",
	.topic = WL_TOPIC_FIX,
	.forms = forms,
	.help = "Show the critical path of the run",
	.about =
		"The path is found once on the whole trace, backwards from the last end of a GPU "
		"operation: each activity is followed to what released it last, which is the "
		"operation before it on its stream, an event or the default stream, its launch, "
		"the last rank to arrive at a matched collective, the operation that a blocking "
		"call waits for, or the call before it on its thread. Segments are contiguous and "
		"add up to the window, and windows add up. compute, comm (not matched), transfer "
		"(since the last arrival), copy, host (between calls), api, mpi and return (of "
		"blocking calls) are spent in something, as are queue_full, loading and profiler, "
		"parts of calls that nsys recorded, and callback, waits for functions of the host; "
		"latency (from launch to start), dispatch "
		"(between operations of a stream), dependency (of different streams) and unknown "
		"are not. The path says where time was spent while nothing waited, not what "
		"fixing it saves. Above 10% unknown time or contradictions, or with skewed "
		"clocks, there is no answer.",
	.across_ranks = true,
	.needs_any = needs_any,
	.from = WL_FROM(PATH) | WL_FROM(RANKS) | WL_FROM(MESHES),
	.want = want,
	.hidden = hidden,
	.params = params,
	.n_params = WL_COUNT(params),
	.cols = cols,
	.n_cols = WL_COUNT(cols),
	.axes = &axes,
	.examples = examples,
	.facts = WL_FACTS_FOLLOW,
	.run = run,
};
