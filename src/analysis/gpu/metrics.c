/* SPDX-License-Identifier: MIT */
/* metrics.c - sampled counters of each GPU: mean, percentiles and maximum. */
#include <string.h>

#include "analysis/gpu/metric_parts.h"
#include "analysis/links.h"
#include "analysis/words/step_words.h"
#include "base/memory/sort.h"
#include "base/text/units.h"
#include "derive/kinds/metric_series.h"
#include "derive/rows/stats.h"
#include "known/gpus/gpu_metrics.h"

WL_DECLARE_ANALYSIS(metrics);

enum {
	DEVICE,
	NIC,
	METRIC,
	UNIT,
	ITER,
	CATEGORY,
	RANGE,
	SAMPLES,
	MEAN,
	P50,
	P90,
	MAX,
	MIN,
	COVERED,
	LENGTH,
	PID,
	GPU_ID,
	PERIOD,
	RATE,
};

static const struct wl_col cols[] = {
	[DEVICE] = { "device", "GPU", WL_T_COUNT, WL_KEY,
		     "Device, numbered as in info; empty for a GPU without operations in the "
		     "trace, or if the trace does not say which GPU it is. Of a network adapter: "
		     "whose steps, operations or ranges are meant; empty by metric." },
	[NIC] = { "nic", "NIC", WL_T_STR, WL_KEY,
		  "Network adapter and port, as in mlx5_0:1; empty of counters of a GPU." },
	[METRIC] = { "metric", "Metric", WL_T_STR, WL_KEY, "Name of the counter, without unit." },
	[UNIT] = { "unit", "Unit", WL_T_STR, WL_KEY,
		   "Unit of the values: % of the peak, MHz, or as the trace says; empty if it does "
		   "not." },
	[ITER] = { "iter", "Step", WL_T_COUNT, WL_KEY,
		   "Step of the process, by step only; empty for time outside all steps." },
	[CATEGORY] = { "category", "Category", WL_T_STR, WL_KEY,
		       "Category of operations that run meanwhile, or (idle); by category only." },
	[RANGE] = { "range", "Range", WL_T_STR, WL_KEY,
		    "Label of NVTX ranges whose GPU work spans the time; by range only." },
	[SAMPLES] = { "samples", "Samples", WL_T_COUNT, WL_PLAIN,
		      "Samples that hold in a part of the time." },
	[MEAN] = { "mean", "Mean", WL_T_REAL, WL_PLAIN,
		   "Mean, weighted by the time for which each sample holds." },
	[P50] = { "p50", "P50", WL_T_REAL, WL_PLAIN,
		  "Lowest value that is not exceeded in half of the time." },
	[P90] = { "p90", "P90", WL_T_REAL, WL_PLAIN, "The same for nine tenths of the time." },
	[MAX] = { "max", "Max", WL_T_REAL, WL_PLAIN, "Highest value." },
	[MIN] = { "min", "Min", WL_T_REAL, WL_MINOR, "Lowest value." },
	[COVERED] = { "covered", "Covered", WL_T_NS, WL_MINOR,
		      "Time for which there are samples." },
	[LENGTH] = { "length", "Length", WL_T_NS, WL_MINOR,
		     "The time itself: window, step, category or range." },
	[PID] = { "pid", "PID", WL_T_COUNT, WL_KEY | WL_MINOR,
		  "Process whose step it is; by step only." },
	[GPU_ID] = { "gpu_id", "nsys GPU", WL_T_COUNT, WL_KEY | WL_MINOR,
		     "The profiler's number of the GPU." },
	[PERIOD] = { "period", "Period", WL_T_NS, WL_MINOR,
		     "Median distance between two samples." },
	[RATE] = { "rate", "Rate", WL_T_RATE, WL_MINOR,
		   "Of memory, NVLink and network adapters: the mean in bytes per second; empty "
		   "where the trace does not show the peak, and of counters that are no bytes." },
};

enum { BY };
static const char *const facets[] = { [WL_METRIC_BY_METRIC] = "metric",
				      [WL_METRIC_BY_STEP] = "step",
				      [WL_METRIC_BY_CATEGORY] = "category",
				      [WL_METRIC_BY_RANGE] = "range",
				      NULL };

static const struct wl_param params[] = {
	[BY] = { .key = "by",
		 .type = WL_P_ENUM,
		 .def = "metric",
		 .choices = facets,
		 .help = "The whole window, each step, while each category of operations runs, or "
			 "during the GPU work of NVTX ranges." },
};

static const enum wl_column_id needs_any[] = { WL_METRICS_TIME, WL_NIC_METRICS_TIME, WL_N_COLUMNS };

/* Devices and their windows are derived from operations, which a trace may lack. */
static const enum wl_column_id ops[] = { WL_OP_STARTS, WL_N_COLUMNS };

static void want(const union wl_arg *arg, struct wl_wanted *wanted)
{
	wl_want(wanted, 0, ops);
	wl_metric_parts_want((enum wl_metric_by)arg[BY].i64, wanted);
}

#define BIT(col) (UINT64_C(1) << (col))

static uint64_t hidden(const union wl_arg *arg)
{
	static const uint64_t shown[] = { [WL_METRIC_BY_STEP] = BIT(ITER) | BIT(PID),
					  [WL_METRIC_BY_CATEGORY] = BIT(CATEGORY),
					  [WL_METRIC_BY_RANGE] = BIT(RANGE) };

	return (BIT(ITER) | BIT(PID) | BIT(CATEGORY) | BIT(RANGE)) & ~shown[arg[BY].i64];
}

static const struct wl_alias aliases[] = {
	{ .name = "gpu_metrics" },
	{ .name = "gpu_metric_util_sum" },
	{ .name = "counters" },
	{ .name = NULL },
};

static const struct wl_example examples[] = {
	{ "warplens metrics run.sqlite", "How busy SMs, tensor cores, memory and links were." },
	{ "warplens metrics run.sqlite --by category --where 'metric ~ \"tensor\"'",
	  "Which kernels use the tensor cores." },
	{ "warplens metrics run.sqlite --by category --where 'nic ~ \"mlx5\"'",
	  "What network adapters carry while collectives run." },
	{ "warplens metrics run.sqlite --by step --where 'metric ~ \"sms? active\"'",
	  "Whether a slow step has idle SMs." },
	{ NULL, NULL },
};

/* A series, with the facts in its name. */
struct shown {
	uint32_t series;
	const char *name; /* without the unit */
	struct wl_metric_facts facts;
};

struct listing {
	const struct wl_run *r;
	const struct wl_metric_series *all;
	struct wl_metric_scope scope;
	enum wl_metric_by by;
	struct shown *shown;
	size_t n;
	wl_ns covered, length;   /* of all series */
	size_t n_times, n_short; /* row times, and those shorter than a sampling period */
	bool has_unknown;        /* some series belongs to no device */
};

/* By device, then series without a device, then adapters; within these by GPU or port, name and
 * number of the metric. */
static bool shown_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct listing *l = ctx;
	const struct shown *x = &l->shown[a], *y = &l->shown[b];
	const struct wl_counter_series *s = &l->r->trace->series[x->series];
	const struct wl_counter_series *o = &l->r->trace->series[y->series];
	uint32_t d = l->all->device[x->series], e = l->all->device[y->series];
	int differ = strcmp(x->name, y->name);

	if (d != e)
		return d < e;
	if (s->of != o->of)
		return s->of < o->of;
	if (s->file != o->file)
		return s->file < o->file;
	if (s->number != o->number)
		return s->number < o->number;
	if (s->adapter != o->adapter)
		return s->adapter < o->adapter;
	if (s->port != o->port)
		return s->port < o->port;
	if (differ)
		return differ < 0;
	differ = strcmp(x->facts.unit, y->facts.unit);
	return differ ? differ < 0 : s->metric < o->metric;
}

static bool is_adapter(const struct listing *l, uint32_t series)
{
	return l->r->trace->series[series].of == WL_COUNTER_OF_NIC;
}

static bool gather(struct listing *l)
{
	const struct wl_trace *t = l->r->trace;

	if (!wl_metric_scope_find(t, l->all, l->r->scope, l->r->arena, &l->scope))
		return false;
	l->shown = WL_NEW(l->r->arena, struct shown, t->n_series + 1);
	for (uint32_t i = 0; l->shown && i < t->n_series; i++) {
		struct shown s = { .series = i };
		const char *name = wl_str(t, t->series[i].name);
		char *own;

		if (!wl_metric_series_is_on(t, l->all, &l->scope, i) ||
		    l->all->of[i].lo == l->all->of[i].hi)
			continue;
		s.facts = wl_metric_series_facts(t, i);
		s.name = own = WL_NEW(l->r->arena, char, s.facts.length + 1);
		if (!own)
			return false;
		memcpy(own, name, s.facts.length);
		l->has_unknown |= l->all->device[i] == WL_NONE && !is_adapter(l, i);
		l->shown[l->n++] = s;
	}
	return l->shown != NULL;
}

/* The time of a row, and the device it belongs to; WL_NONE for none. */
struct time {
	uint32_t device;
	const struct wl_metric_part *part;
};

static void put_keys(const struct listing *l, const struct shown *s, const struct time *time,
		     struct wl_table *out)
{
	const struct wl_metric_part *part = time->part;
	const struct wl_trace *t = l->r->trace;
	char label[WL_NIC_LABEL];

	if (time->device != WL_NONE)
		wl_put_i64(out, DEVICE, time->device);
	if (is_adapter(l, s->series))
		wl_put_copy(out, NIC, wl_metric_nic_label(t, s->series, label));
	wl_put_str(out, METRIC, s->name);
	if (s->facts.unit[0])
		wl_put_copy(out, UNIT, s->facts.unit);
	if (l->by == WL_METRIC_BY_STEP && part->iter != WL_NONE)
		wl_put_i64(out, ITER, part->iter);
	if (l->by == WL_METRIC_BY_STEP && part->process != WL_NONE)
		wl_put_i64(out, PID, t->processes[part->process].pid);
	if (part->name && l->by == WL_METRIC_BY_CATEGORY)
		wl_put_str(out, CATEGORY, part->name);
	if (part->name && l->by == WL_METRIC_BY_RANGE)
		wl_put_str(out, RANGE, part->name);
	if (!is_adapter(l, s->series))
		wl_put_i64(out, GPU_ID, t->series[s->series].number);
	wl_put_i64(out, PERIOD, l->all->period[s->series]);
}

/* One unit of a metric in bytes per second; 0 if unknown. */
static double unit_rate(const struct listing *l, const struct shown *s)
{
	uint32_t device = l->all->device[s->series];

	/* Byte units convert directly; a percentage needs the peak of the device. */
	if (device == WL_NONE || !s->facts.is_percent)
		return s->facts.bytes;
	if (s->facts.what == WL_METRIC_DRAM_READ || s->facts.what == WL_METRIC_DRAM_WRITE)
		return wl_device_dram(l->r->trace, device) / 100;
	return s->facts.what >= WL_METRIC_NVLINK_RX &&
			       s->facts.what <= WL_METRIC_NVLINK_TX_RESPONSES
		       ? wl_device_nvlink(l->r->trace, device) / 100
		       : 0;
}

/*
 * In a time shorter than the period, a sample also covers what ran before and after: a kernel of 10
 * us is a tenth of its sample at 10 kHz.
 */
static void count_short(struct listing *l, const struct wl_metric_part *part, wl_ns period)
{
	l->n_times += part->n;
	for (size_t i = 0; i < part->n; i++)
		l->n_short += part->at[i].end - part->at[i].begin < period;
}

static bool put_row(struct listing *l, const struct shown *s, const struct time *time,
		    struct wl_table *out)
{
	const struct wl_metric_part *part = time->part;
	const double per = s->facts.per;
	struct wl_metric_sum sum;
	wl_ns length = 0;

	if (!wl_metric_measure(l->r->trace, l->all, s->series, part->at, part->n, l->r->arena,
			       &sum))
		return false;
	for (size_t i = 0; i < part->n; i++)
		length += part->at[i].end - part->at[i].begin;
	l->covered = wl_add_up(l->covered, sum.covered);
	l->length = wl_add_up(l->length, length);
	/* Times without samples get no row, but count in the coverage. */
	if (sum.samples == 0)
		return true;
	count_short(l, part, l->all->period[s->series]);
	wl_table_row(out);
	put_keys(l, s, time, out);
	wl_put_i64(out, SAMPLES, (int64_t)sum.samples);
	wl_put_i64(out, COVERED, sum.covered);
	wl_put_i64(out, LENGTH, length);
	wl_put_f64(out, MEAN, wl_metric_mean(&sum) / per);
	wl_put_f64(out, P50, (double)sum.p50 / per);
	wl_put_f64(out, P90, (double)sum.p90 / per);
	wl_put_f64(out, MAX, (double)sum.max / per);
	wl_put_f64(out, MIN, (double)sum.min / per);
	if (unit_rate(l, s) > 0)
		wl_put_f64(out, RATE, unit_rate(l, s) * wl_metric_mean(&sum));
	return true;
}

static bool put_parts(struct listing *l, const struct shown *s, uint32_t device,
		      const struct wl_metric_parts *parts, struct wl_table *out)
{
	bool ok = true;

	for (size_t i = 0; ok && i < parts->n; i++)
		ok = put_row(l, s, &(struct time){ device, &parts->part[i] }, out);
	return ok;
}

/* A GPU that is not a device has no steps, operations or ranges: only its window is known. */
static bool put_window(struct listing *l, const struct shown *s, struct wl_table *out)
{
	const struct wl_interval window =
		wl_metric_window(l->r->trace, l->all, &l->scope, s->series);
	const struct wl_metric_part whole = {
		.process = WL_NONE, .iter = WL_NONE, .at = &window, .n = 1
	};

	return l->by != WL_METRIC_BY_METRIC || window.begin >= window.end ||
	       put_row(l, s, &(struct time){ WL_NONE, &whole }, out);
}

/* Puts adapters by the steps, operations or ranges of each device that processes of their machine
 * use. */
static bool put_adapters(struct listing *l, const uint32_t *order, struct wl_table *out)
{
	const struct wl_trace *t = l->r->trace;
	struct wl_metric_parts parts = { .n = 0 };
	bool ok = true;

	for (uint32_t d = 0; ok && d < t->n_devices; d++) {
		bool is_found = false;

		for (size_t i = 0; ok && l->r->scope->device_on[d] && i < l->n; i++) {
			const struct shown *s = &l->shown[order[i]];

			if (!is_adapter(l, s->series) ||
			    !wl_metric_is_near(t, l->all, s->series, d))
				continue;
			/*
			 * Parts cost a pass over the device: find them once, and only if an adapter
			 * goes with it.
			 */
			ok = is_found || wl_metric_parts_find(l->r, l->by, d, &parts);
			is_found = true;
			ok = ok && put_parts(l, s, d, &parts, out);
		}
	}
	return ok;
}

static bool put_all(struct listing *l, struct wl_table *out)
{
	uint32_t *order = WL_NEW(l->r->arena, uint32_t, 2 * l->n + 1), device = WL_NONE;
	struct wl_metric_parts parts = { .n = 0 };
	bool ok = order != NULL;

	if (ok)
		wl_sort_all(order, l->n, shown_less, l);
	for (size_t i = 0; ok && i < l->n; i++) {
		const struct shown *s = &l->shown[order[i]];
		uint32_t own = l->all->device[s->series];

		if (own == WL_NONE) {
			ok = put_window(l, s, out);
			continue;
		}
		/* Series come by device, so the parts of each are found once. */
		if (own != device)
			ok = wl_metric_parts_find(l->r, l->by, own, &parts);
		device = own;
		ok = ok && put_parts(l, s, own, &parts, out);
	}
	return ok && (l->by == WL_METRIC_BY_METRIC || put_adapters(l, order, out));
}

static void say(const struct listing *l, struct wl_table *out)
{
	char share[WL_UNITS_BUF];

	if (l->length)
		wl_table_cover_ns(out, "window_with_samples", l->covered, l->length);
	if (l->has_unknown)
		wl_table_note(out,
			      "metrics without a GPU number belong to GPUs without recorded "
			      "work, or to GPUs that could not be matched (gpu_id is the "
			      "profiler's number)%s",
			      l->by == WL_METRIC_BY_METRIC ? "" : "; they are left out");
	/* One in hundreds does not change a mean. */
	if (l->n_short && 100 * l->n_short >= l->n_times && l->by != WL_METRIC_BY_METRIC)
		wl_table_note(out,
			      "%s of these intervals are shorter than the sampling period: their "
			      "values include neighbouring work",
			      wl_fmt_ratio(share, (double)l->n_short / (double)l->n_times));
}

static int run(const struct wl_run *r, struct wl_table *out, struct wl_err *reterr)
{
	struct listing l = { .r = r,
			     .all = r->derived->metric_series,
			     .by = (enum wl_metric_by)r->arg[BY].i64 };

	if (l.by == WL_METRIC_BY_STEP && r->derived->iterations->n_found == 0)
		return wl_fail(reterr, WL_E_NODATA, "--by step: %s", wl_no_iterations);
	if (!gather(&l) || !put_all(&l, out))
		return wl_no_memory(&wl_analysis_metrics, reterr);
	say(&l, out);
	return WL_OK;
}

const struct wl_analysis wl_analysis_metrics = {
	.name = "metrics",
	.topic = WL_TOPIC_TIME,
	.listed = { .level = WL_LEVEL_SECOND,
		    .line = "Sampled GPU counters: SM, tensor core, memory and link use" },
	.help = "Show sampled GPU counters: SM, tensor core, memory and link use",
	.about = "A sample holds from its time to the next sample. Means and percentiles are "
		 "weighted by the time for which samples hold, inside the window of the device. "
		 "With --by step, the steps and the time outside all steps add up to the window. "
		 "Times of categories are those in which at least one operation of the category "
		 "runs, and times of ranges go from the first to the last operation launched "
		 "inside one; these may overlap. Counters are those of the whole GPU, and of the "
		 "whole port of a network adapter: other programs that use it count too.",
	.needs_any = needs_any,
	.from = WL_FROM(METRIC_SERIES),
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
