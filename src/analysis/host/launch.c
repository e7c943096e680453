/* SPDX-License-Identifier: MIT */
/* launch.c - the cost of launching kernels: in the call, in the queue, and as idle time; and the
 * library calls that launched them. */
#include <inttypes.h>
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/stat_cols.h"
#include "base/memory/sort.h"
#include "base/process/pool.h"
#include "base/text/units.h"
#include "derive/calls/library_calls.h"
#include "derive/derived.h"
#include "derive/idle/launch_times.h"
#include "derive/use/launch_rate.h"

WL_DECLARE_ANALYSIS(launch);

/* The columns of a statistic, relative to its first. */
enum { OF_SUM, OF_AVG, OF_P50, OF_P90, OF_MIN, OF_MAX, OF_STDDEV, N_OF };

enum {
	NAME,
	LIBRARY,
	LIBRARY_CALL,
	KERNEL_TIME,
	CALLS,
	LAUNCHED,
	API,
	QUEUED = API + N_OF,
	QUEUE,
	LATENCY = QUEUE + N_OF,
	NEGATIVE = LATENCY + N_OF,
	EXPOSED,
	LATER,
	QUEUE_FULL,
	LOADING,
	DEVICE,
	LAUNCHES,
	BUSY_BINS,
	PER_SECOND,
	SHORT,
	STORM = SHORT + WL_N_SHORT,
	KERNEL_P50,
	KERNEL_P90,
	N_COLS
};

#define STATISTIC(first, key, title, of)                                                           \
	[(first) + OF_SUM] = { key "_sum", title " sum", WL_T_NS, WL_MINOR, "Sum of " of "." },    \
		   [(first) + OF_AVG] = { key "_avg", title " avg", WL_T_NS, WL_MINOR,             \
					  "Mean of " of "." },                                     \
		   [(first) + OF_P50] = { key "_p50", title " p50", WL_T_NS, WL_PLAIN,             \
					  "Median of " of "." },                                   \
		   [(first) + OF_P90] = { key "_p90", title " p90", WL_T_NS, WL_MINOR,             \
					  "90th percentile of " of "." },                          \
		   [(first) + OF_MIN] = { key "_min", title " min", WL_T_NS, WL_MINOR,             \
					  "Least of " of "." },                                    \
		   [(first) + OF_MAX] = { key "_max", title " max", WL_T_NS, WL_MINOR,             \
					  "Most of " of "." },                                     \
		   [(first) + OF_STDDEV] = { key "_stddev", title " std dev", WL_T_NS, WL_MINOR,   \
					     "Standard deviation of " of "." }

static const struct wl_col cols[N_COLS] = {
	[NAME] = { "name", "Kernel", WL_T_STR, WL_KEY | WL_KERNEL, "The kernel's demangled name." },
	[CALLS] = WL_COL_CALLS("Executions with a part in the window."),
	[LAUNCHED] = { "launched", "Launched", WL_T_COUNT, WL_MINOR,
		       "Kernels whose launch call is in the trace." },
	STATISTIC(API, "api", "API", "the launch calls' durations"),
	[QUEUED] = { "queued", "Queued", WL_T_COUNT, WL_MINOR,
		     "Executions that began after their launch call had ended." },
	STATISTIC(QUEUE, "queue", "Queue", "the times from the end of the call to the kernel"),
	STATISTIC(LATENCY, "latency", "Latency",
		  "the times from the begin of the call to the kernel"),
	[NEGATIVE] = { "negative", "Negative", WL_T_COUNT, WL_MINOR,
		       "Executions that began before their launch call." },
	[EXPOSED] = { "exposed_launch", "Exposed launch", WL_T_NS, WL_SUM,
		      "Time the GPU was idle inside the calls that launched these kernels." },
	[LATER] = { "later_nodes", "Later nodes", WL_T_COUNT, WL_MINOR,
		    "Executions that share their launch call with an earlier one: they have no "
		    "api, queue and latency." },
	[QUEUE_FULL] = { "queue_full", "Queue full", WL_T_NS, WL_SUM | WL_MINOR | WL_AT_0,
			 "Part of the launch calls' time that waits for room in a full launch "
			 "queue: the host is ahead of the GPU." },
	[LOADING] = { "loading", "Loading", WL_T_NS, WL_SUM | WL_MINOR | WL_AT_0,
		      "Part of it that loads modules and functions, or compiles." },
	[DEVICE] = { "device", "GPU", WL_T_COUNT, WL_KEY, "Device, numbered as in info." },
	[LAUNCHES] = { "launches", "Launches", WL_T_COUNT, WL_SUM,
		       "Launches of kernels and graphs in the window, also those whose call was "
		       "not recorded." },
	[BUSY_BINS] = { "busy_bins", "Active ms", WL_T_COUNT, WL_PLAIN,
			"Milliseconds of the window with operations or launches." },
	[PER_SECOND] = { "launches_per_second", "Per second", WL_T_COUNT, WL_PLAIN,
			 "Launches per second of busy bins." },
	[SHORT] = { "short_5", "<= 5 us", WL_T_RATIO, WL_PLAIN,
		    "Share of kernels that take at most 5 us." },
	[SHORT + 1] = { "short_10", "<= 10 us", WL_T_RATIO, WL_PLAIN,
			"Share of kernels that take at most 10 us." },
	[SHORT + 2] = { "short_20", "<= 20 us", WL_T_RATIO, WL_PLAIN,
			"Share of kernels that take at most 20 us." },
	[STORM] = { "storm", "Launch burst", WL_T_BOOL, WL_PLAIN,
		    "Some second has 50,000 launches with a median kernel of at most 10 us, or "
		    "100,000 with one of at most 20 us." },
	[KERNEL_P50] = { "kernel_p50", "Kernel p50", WL_T_NS, WL_MINOR,
			 "Median duration of the device's kernels in the window." },
	[KERNEL_P90] = { "kernel_p90", "Kernel p90", WL_T_NS, WL_MINOR,
			 "90th percentile of the same." },
	[LIBRARY] = { "library", "Library", WL_T_ENUM, WL_KEY,
		      "cuDNN, cuBLAS or OpenACC; empty for launches outside any of their calls." },
	[LIBRARY_CALL] = { "library_call", "Call", WL_T_STR, WL_KEY,
			   "The innermost call of these libraries, or OpenACC construct, that the "
			   "launch call lies in." },
	[KERNEL_TIME] = { "kernel_time", "Kernel time", WL_T_NS, WL_SUM,
			  "Sum of the kernels' durations in the window." },
};

enum { BY };

enum facet { BY_NAME, BY_DEVICE, BY_LIBRARY };
static const char *const facets[] = { "name", "device", "library", NULL };

static const struct wl_param params[] = {
	[BY] = { .key = "by",
		 .type = WL_P_ENUM,
		 .def = "name",
		 .choices = facets,
		 .help = "Times by kernel name, rates by device, or times by the call of cuDNN, "
			 "cuBLAS or OpenACC that launched." },
};

static const enum wl_column_id needs[] = { WL_API_START, WL_N_COLUMNS };
static const enum wl_column_id needs_any[] = { WL_KERNELS_START, WL_GRAPHS_START, WL_N_COLUMNS };
static const struct wl_alias aliases[] = { { .name = "cuda_kern_exec_sum" },
					   { .name = "kernel_launch_overhead" },
					   { .name = "cpu_gpu_pipeline" },
					   { "kernel_launch_pattern", { { "by", "device" } } },
					   { .name = NULL } };

static const struct wl_example examples[] = {
	{ "warplens launch run.sqlite -n 5", "The kernels whose launches the GPU waited for." },
	{ "warplens launch run.sqlite --by device", "Launches per second, and short kernels." },
	{ NULL, NULL },
};

static void want(const union wl_arg *arg, struct wl_wanted *wanted)
{
	wl_want(wanted, arg[BY].i64 == BY_LIBRARY ? WL_FROM(LIBRARY_CALLS) : 0, NULL);
}

static uint64_t hidden(const union wl_arg *arg)
{
	/* The columns of each facet are adjacent in the enum. */
	const uint64_t by_name = UINT64_C(1) << NAME;
	const uint64_t by_library = UINT64_MAX << LIBRARY & ~(UINT64_MAX << CALLS);
	const uint64_t by_device = UINT64_MAX << DEVICE & ~(UINT64_MAX << N_COLS);

	switch ((enum facet)arg[BY].i64) {
	case BY_NAME:
		return by_library | by_device;
	case BY_DEVICE:
		return ~(UINT64_MAX << DEVICE);
	case BY_LIBRARY:
	default:
		return by_name | by_device | (UINT64_MAX << QUEUED & ~(UINT64_MAX << EXPOSED));
	}
}

static const char *text_of(const char *text)
{
	return text ? text : "";
}

/*
 * Longest GPU wait first, then most frequent, then by name. Latency does not order rows: a long
 * queue is good, because the host runs ahead.
 */
static bool rank_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct wl_launch_times *t = ctx;

	if (t[a].exposed != t[b].exposed)
		return t[a].exposed > t[b].exposed;
	if (t[a].calls != t[b].calls)
		return t[a].calls > t[b].calls;
	return strcmp(text_of(t[a].name), text_of(t[b].name)) < 0;
}

/* Rows that launched the most GPU time first. */
static bool time_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct wl_launch_times *t = ctx;

	return t[a].time != t[b].time ? t[a].time > t[b].time : rank_less(ctx, a, b);
}

static void put_statistic(struct wl_table *out, size_t first, const struct wl_stats *s)
{
	/* Without calls there is no time: 0 ns would look like a measurement. */
	if (s->n == 0)
		return;
	wl_put_stats(out, first, WL_STAT_SUM | WL_STAT_SPREAD, s);
}

/* Fills the columns only if nsys recorded what calls spend time on. */
static void put_costs(struct wl_table *out, const struct wl_launch_times *t)
{
	wl_put_i64(out, QUEUE_FULL, t->cost[WL_COST_QUEUE]);
	wl_put_i64(out, LOADING, t->cost[WL_COST_LOADING]);
}

/* Waiting for a full queue is not a launch cost. */
static void note_costs(const struct wl_run *r, wl_ns queue, wl_ns sum, struct wl_table *out)
{
	char waited[WL_UNITS_BUF], of[WL_UNITS_BUF];

	if (r->derived->call_costs->n == 0) {
		wl_table_hide(out, QUEUE_FULL);
		wl_table_hide(out, LOADING);
	}
	if (queue)
		wl_table_note(
			out,
			"%s of %s in the launch calls of these kernels waited for room in a full "
			"launch queue: the host is ahead of the GPU there, and this is no cost of "
			"launching (api and host count all calls, also those whose kernel is not "
			"in the trace)",
			wl_fmt_ns(waited, queue, WL_UNIT_AUTO), wl_fmt_ns(of, sum, WL_UNIT_AUTO));
}

static void put_name(struct wl_table *out, const struct wl_launch_times *t, bool by_library)
{
	wl_table_row(out);
	if (!by_library)
		wl_put_str(out, NAME, t->name);
	else
		wl_put_i64(out, KERNEL_TIME, t->time);
	if (t->library) {
		wl_put_str(out, LIBRARY, t->library);
		wl_put_str(out, LIBRARY_CALL, t->name);
	}
	wl_put_i64(out, CALLS, t->calls);
	wl_put_i64(out, LAUNCHED, t->launched);
	put_statistic(out, API, &t->api);
	wl_put_i64(out, QUEUED, (int64_t)t->queue.n);
	put_statistic(out, QUEUE, &t->queue);
	put_statistic(out, LATENCY, &t->latency);
	wl_put_i64(out, NEGATIVE, t->negative);
	wl_put_i64(out, EXPOSED, t->exposed);
	wl_put_i64(out, LATER, t->later);
}

/* Rows by kernel name, or by library call. */
static bool put_names(const struct wl_run *r, const struct wl_library_calls *by,
		      struct wl_table *out)
{
	int64_t calls = 0, launched = 0, later = 0, negative = 0;
	wl_ns queue = 0, sum = 0;
	size_t n = 0;
	const struct wl_launch_times *times =
		wl_launch_times_find(r->derived, r->scope, by, r->arena, &n);
	uint32_t *order = times ? WL_NEW(r->arena, uint32_t, 2 * n) : NULL;

	if (!order)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		order[i] = i;
		calls += times[i].calls;
		launched += times[i].launched;
		later += times[i].later;
		negative += times[i].negative;
		queue = wl_add_up(queue, times[i].cost[WL_COST_QUEUE]);
		sum = wl_add_up(sum, times[i].api.sum);
	}
	wl_sort_index(order, n, order + n, by ? time_less : rank_less, times);
	for (size_t i = 0; i < n; i++) {
		put_name(out, &times[order[i]], by != NULL);
		if (r->derived->call_costs->n)
			put_costs(out, &times[order[i]]);
	}
	note_costs(r, queue, sum, out);
	wl_table_cover(out, "kernels_with_launch", launched, calls);
	if (later)
		wl_table_note(out,
			      "a graph launch counts once, with its first kernel; %" PRId64
			      " later nodes have no api, queue or latency",
			      later);
	if (negative)
		wl_table_note(out,
			      "%" PRId64
			      " kernels start before their launch call: host and GPU clocks "
			      "disagree, so latencies are unreliable",
			      negative);
	return true;
}

struct task {
	const struct wl_run *run;
	struct wl_launch_rate *rate; /* by device */
};

static bool do_device(void *ctx, size_t device, struct wl_arena *arena)
{
	const struct task *task = ctx;
	const struct wl_run *r = task->run;

	return !r->scope->device_on[device] ||
	       wl_launch_rate_find(r->derived, r->scope, (uint32_t)device, arena,
				   &task->rate[device]);
}

static void put_device(struct wl_table *out, uint32_t device, const struct wl_launch_rate *rate)
{
	wl_table_row(out);
	wl_put_i64(out, DEVICE, device);
	wl_put_i64(out, LAUNCHES, rate->launches);
	wl_put_i64(out, BUSY_BINS, rate->busy_bins);
	/*
	 * The rate is over milliseconds with activity, not over the window: a long idle part would
	 * hide a burst.
	 */
	if (rate->busy_bins)
		wl_put_i64(out, PER_SECOND,
			   (rate->launches * WL_BINS_PER_SECOND + rate->busy_bins / 2) /
				   rate->busy_bins);
	for (size_t i = 0; i < WL_N_SHORT; i++)
		wl_put_ratio(out, SHORT + i, rate->short_kernels[i], rate->kernels);
	wl_put_i64(out, STORM, rate->storm);
	if (rate->kernels) {
		wl_put_i64(out, KERNEL_P50, rate->kernel_p50);
		wl_put_i64(out, KERNEL_P90, rate->kernel_p90);
	}
}

static bool put_devices(const struct wl_run *r, struct wl_table *out)
{
	size_t n = r->trace->n_devices;
	struct task task = { .run = r, .rate = WL_NEW(r->arena, struct wl_launch_rate, n) };
	int64_t launches = 0, recorded = 0;

	if (!task.rate || !wl_pool_map(r->pool, n, do_device, &task, r->arena))
		return false;
	for (uint32_t d = 0; d < n; d++) {
		if (!r->scope->device_on[d])
			continue;
		put_device(out, d, &task.rate[d]);
		launches += task.rate[d].launches;
		/* A launch whose call was not recorded counts by the operation it started. */
		recorded += task.rate[d].launches - task.rate[d].unrecorded;
	}
	wl_table_cover(out, "launches_recorded", recorded, launches);
	return true;
}

static int run(const struct wl_run *r, struct wl_table *out, struct wl_err *reterr)
{
	const struct wl_library_calls *by =
		r->arg[BY].i64 == BY_LIBRARY ? r->derived->library_calls : NULL;
	bool by_device = r->arg[BY].i64 == BY_DEVICE;

	/* An empty ranking would look like a GPU that ran nothing. */
	if (!by_device && r->trace->family[WL_F_KERNELS].n == 0)
		return wl_fail(reterr, WL_E_NODATA,
			       "the trace has CUDA graph replays only as a whole; record "
			       "with nsys profile --cuda-graph-trace=node, or ask --by device");
	if (by && by->n == 0)
		return wl_fail(reterr, WL_E_NODATA,
			       "no CUDA call of the trace lies in a call of cuDNN or "
			       "cuBLAS, or in an OpenACC construct; record with nsys profile "
			       "--trace=cuda,cudnn,cublas,openacc");
	if (!(by_device ? put_devices(r, out) : put_names(r, by, out)))
		return wl_no_memory(&wl_analysis_launch, reterr);
	return WL_OK;
}

const struct wl_analysis wl_analysis_launch = {
	.name = "launch",
	.topic = WL_TOPIC_TIME,
	.listed = { .level = WL_LEVEL_SECOND,
		    .line = "Kernel launch overhead; --by graph shows CUDA graphs" },
	.help = "Show what launching kernels costs",
	.about =
		"By kernel name: how long the launch calls take (api), how long kernels then wait "
		"(queue; long is good, the host runs ahead), both together (latency), and how long "
		"the GPU was idle inside the calls (exposed_launch, as in idle). A graph launch "
		"counts once, with the first kernel of the replay. Names the GPU "
		"waited for most come first, then the most frequent. By device: launches per "
		"second of the milliseconds with activity, also of kernels whose launch call was "
		"not recorded, how many kernels are short, and whether "
		"some second is a storm of launches of short kernels; by process with warplens "
		"sql TRACE \"SELECT pid, count(DISTINCT correlation) AS launches FROM ops WHERE "
		"kind IN ('kernel', 'graph') AND ifnull(launch, start) BETWEEN (SELECT min(start) "
		"FROM ops) AND (SELECT max(end) FROM ops) GROUP BY pid\", which counts a graph "
		"launch once, as --by device does. By library: the "
		"times by "
		"the innermost call of cuDNN or cuBLAS, or OpenACC construct with its line, that "
		"the launch call begins in, and the time of the kernels; most time first. A row "
		"without a call has the launches outside any.",
	.needs = needs,
	.needs_any = needs_any,
	.from = WL_FROM(LINKS) | WL_FROM(CALL_COSTS) | WL_FROM(LAUNCH_TIMES),
	.want = want,
	.hidden = hidden,
	.params = params,
	.n_params = WL_COUNT(params),
	.cols = cols,
	.n_cols = WL_COUNT(cols),
	.aliases = aliases,
	.examples = examples,
	.run = run,
};
