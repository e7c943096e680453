/* SPDX-License-Identifier: MIT */
#include "derive/kinds/metric_series.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory/compare.h"
#include "base/memory/sort.h"
#include "derive/derived.h"

/* The device of each GPU; WL_NONE if it has none, or several: parts of a GPU share its counters. */
static uint32_t *find_devices(const struct wl_trace *t, struct wl_arena *arena)
{
	uint32_t *of_gpu = WL_NEW(arena, uint32_t, t->n_gpus + 1);
	uint32_t *n = WL_NEW(arena, uint32_t, t->n_gpus + 1);
	uint32_t *ret = WL_NEW(arena, uint32_t, t->n_series + 1);

	if (!of_gpu || !n || !ret)
		return NULL;
	for (uint32_t i = 0; i < t->n_devices; i++) {
		if (t->devices[i].gpu == WL_NONE)
			continue;
		of_gpu[t->devices[i].gpu] = i;
		n[t->devices[i].gpu]++;
	}
	for (size_t i = 0; i < t->n_series; i++) {
		uint32_t gpu = t->series[i].gpu;

		ret[i] = gpu != WL_NONE && n[gpu] == 1 ? of_gpu[gpu] : WL_NONE;
	}
	return ret;
}

/* Adapters serve all processes of their machine, which are those in the same file. */
static bool *find_near(const struct wl_trace *t, struct wl_arena *arena)
{
	size_t n_files = t->n_files ? t->n_files : 1;
	bool *near = WL_NEW(arena, bool, n_files * t->n_devices + 1);

	for (size_t i = 0; near && i < t->n_places; i++) {
		const struct wl_place *p = &t->places[i];

		if (p->device != WL_NONE && p->process != WL_NONE)
			near[t->processes[p->process].file * t->n_devices + p->device] = true;
	}
	return near;
}

/* The samples of GPUs or of network adapters. */
struct samples {
	const wl_ns *time, *end; /* end is NULL for GPUs */
	const int64_t *value;
};

static struct samples samples_of(const struct wl_trace *t, uint32_t of)
{
	if (of == WL_COUNTER_OF_NIC)
		return (struct samples){ wl_nic_metrics_time(t), wl_nic_metrics_end(t),
					 wl_nic_metrics_value(t) };
	return (struct samples){ wl_metrics_time(t), NULL, wl_metrics_value(t) };
}

/*
 * The first row from i on that has a time and a series of its own family: a series of the other
 * family would index rows that do not exist. SIZE_MAX for none.
 */
static size_t next_row(const struct wl_trace *t, uint32_t of, const uint32_t *series, size_t i)
{
	const wl_ns *time = samples_of(t, of).time;
	size_t n =
		time ? t->family[of == WL_COUNTER_OF_NIC ? WL_F_NIC_METRICS : WL_F_METRICS].n : 0;

	while (i < n && (time[i] == WL_NO_TIME || t->series[series[i]].of != of))
		i++;
	return i < n ? i : SIZE_MAX;
}

/* Group rows with a time by series, in file order. */
static bool deal(const struct wl_trace *t, struct wl_arena *arena, struct wl_slice *of,
		 uint32_t **ret_row)
{
	const uint32_t *const series[WL_N_COUNTER_OF] = {
		[WL_COUNTER_OF_GPU] = wl_metrics_series(t),
		[WL_COUNTER_OF_NIC] = wl_nic_metrics_series(t),
	};
	size_t at = 0;
	uint32_t *row;

	for (uint32_t k = 0; k < WL_N_COUNTER_OF; k++) {
		for (size_t i = next_row(t, k, series[k], 0); i != SIZE_MAX;
		     i = next_row(t, k, series[k], i + 1))
			of[series[k][i]].hi++;
	}
	for (size_t s = 0; s < t->n_series; s++) {
		of[s].lo = at;
		at += of[s].hi;
		of[s].hi = of[s].lo;
	}
	*ret_row = row = WL_NEW(arena, uint32_t, at + 1);
	for (uint32_t k = 0; row && k < WL_N_COUNTER_OF; k++) {
		for (size_t i = next_row(t, k, series[k], 0); i != SIZE_MAX;
		     i = next_row(t, k, series[k], i + 1))
			row[of[series[k][i]].hi++] = (uint32_t)i;
	}
	return row != NULL;
}

WL_LESS(earlier, wl_ns)

/* The lower median of the distances between samples at different times. */
static wl_ns median_gap(const wl_ns *time, const uint32_t *row, size_t n, int64_t *scratch)
{
	size_t n_gaps = 0;

	for (size_t i = 1; i < n; i++) {
		if (time[row[i]] > time[row[i - 1]])
			scratch[n_gaps++] = time[row[i]] - time[row[i - 1]];
	}
	return n_gaps ? wl_select_i64(scratch, n_gaps, (n_gaps - 1) / 2) : 0;
}

static bool put_in_order(const struct wl_trace *t, const struct wl_slice *of, uint32_t *row,
			 wl_ns *period, struct wl_arena *arena)
{
	size_t most = 0;
	int64_t *scratch;

	for (size_t s = 0; s < t->n_series; s++)
		most = of[s].hi - of[s].lo > most ? of[s].hi - of[s].lo : most;
	scratch = WL_NEW(arena, int64_t, most + 1);
	for (size_t s = 0; scratch && s < t->n_series; s++) {
		const wl_ns *time = samples_of(t, t->series[s].of).time;
		size_t n = of[s].hi - of[s].lo;

		wl_sort_index(row + of[s].lo, n, (uint32_t *)scratch, earlier, time);
		period[s] = median_gap(time, row + of[s].lo, n, scratch);
	}
	return scratch != NULL;
}

bool wl_metric_series_find(const struct wl_derived *given, struct wl_arena *arena,
			   struct wl_metric_series *ret)
{
	const struct wl_trace *t = given->trace;
	struct wl_slice *of = WL_NEW(arena, struct wl_slice, t->n_series + 1);
	wl_ns *period = WL_NEW(arena, wl_ns, t->n_series + 1);
	struct wl_arena scratch;
	uint32_t *row = NULL;
	bool ok;

	*ret = (struct wl_metric_series){ .of = of, .period = period };
	ret->device = find_devices(t, arena);
	ret->is_near = find_near(t, arena);
	if (!of || !period || !ret->device || !ret->is_near || !deal(t, arena, of, &row))
		return false;
	wl_arena_init_child(&scratch, arena);
	ok = put_in_order(t, of, row, period, &scratch);
	wl_arena_release(&scratch);
	ret->row = row;
	return ok;
}

/*
 * Within twice the period, the next sample is merely late; beyond that, samples are missing and
 * this one holds for one period. If the sample has an end of its own, that counts, but not beyond
 * the next sample.
 */
struct wl_metric_sample wl_metric_sample_at(const struct wl_trace *t,
					    const struct wl_metric_series *all, uint32_t series,
					    size_t i)
{
	const struct samples of = samples_of(t, t->series[series].of);
	wl_ns begin = of.time[all->row[i]], period = all->period[series], next = WL_TIME_MAX;
	struct wl_metric_sample s = { .begin = begin,
				      .end = begin + period,
				      .value = of.value[all->row[i]] };
	bool has_end = of.end && of.end[all->row[i]] != WL_NO_TIME && of.end[all->row[i]] > begin;

	if (i + 1 < all->of[series].hi)
		next = of.time[all->row[i + 1]];
	if (has_end)
		s.end = of.end[all->row[i]] < next ? of.end[all->row[i]] : next;
	else if (next != WL_TIME_MAX && (next - begin) / 2 < period)
		s.end = next;
	return s;
}

struct wl_metric_facts wl_metric_series_facts(const struct wl_trace *t, uint32_t series)
{
	const struct wl_counter_series *s = &t->series[series];

	if (s->of == WL_COUNTER_OF_NIC)
		return wl_nic_metric_facts_of(wl_str(t, s->name),
					      s->unit == WL_NONE ? "" : wl_str(t, s->unit));
	return wl_metric_facts_of(wl_str(t, s->name));
}

const char *wl_metric_nic_label(const struct wl_trace *t, uint32_t series, char label[WL_NIC_LABEL])
{
	const struct wl_counter_series *s = &t->series[series];
	char port[16] = "";

	if (s->port != WL_NONE)
		(void)snprintf(port, sizeof(port), ":%" PRIu32, s->port);
	if (s->nic != WL_NONE)
		(void)snprintf(label, WL_NIC_LABEL, "%.64s%s", wl_str(t, s->nic), port);
	else if (s->number != WL_NONE)
		(void)snprintf(label, WL_NIC_LABEL, "NIC %" PRIu32 "%s", s->number, port);
	else
		(void)snprintf(label, WL_NIC_LABEL, "NIC 0x%" PRIx64 "%s", s->adapter, port);
	return label;
}

struct looking {
	const struct wl_trace *trace;
	const struct wl_metric_series *all;
	uint32_t series;
	wl_ns time;
};

static bool ends_before(const void *ctx, size_t i)
{
	const struct looking *l = ctx;

	return wl_metric_sample_at(l->trace, l->all, l->series, l->all->of[l->series].lo + i).end <=
	       l->time;
}

size_t wl_metric_sample_after(const struct wl_trace *t, const struct wl_metric_series *all,
			      uint32_t series, wl_ns time)
{
	const struct wl_slice of = all->of[series];

	return of.lo + wl_lower_bound(of.hi - of.lo, ends_before,
				      &(struct looking){ t, all, series, time });
}

/* Widen an interval, which may be empty so far, by that of a device. */
static void cover(struct wl_interval *w, struct wl_interval d)
{
	w->begin = d.begin < d.end && d.begin < w->begin ? d.begin : w->begin;
	w->end = d.begin < d.end && d.end > w->end ? d.end : w->end;
}

bool wl_metric_scope_find(const struct wl_trace *t, const struct wl_metric_series *all,
			  const struct wl_scope *scope, struct wl_arena *arena,
			  struct wl_metric_scope *ret)
{
	static const struct wl_interval none = { INT64_MAX, INT64_MIN };
	size_t n_files = t->n_files ? t->n_files : 1;
	bool *near_on = WL_NEW(arena, bool, n_files);
	struct wl_interval *near = WL_NEW(arena, struct wl_interval, n_files);

	*ret = (struct wl_metric_scope){ scope, true, none, near_on, near };
	for (size_t d = 0; d < t->n_devices; d++) {
		ret->all_on = ret->all_on && scope->device_on[d];
		cover(&ret->all, scope->device[d]);
	}
	for (size_t file = 0; near_on && near && file < n_files; file++) {
		near[file] = none;
		for (size_t d = 0; d < t->n_devices; d++) {
			if (!scope->device_on[d] || !all->is_near[file * t->n_devices + d])
				continue;
			near_on[file] = true;
			cover(&near[file], scope->device[d]);
		}
	}
	return near_on && near;
}

bool wl_metric_series_is_on(const struct wl_trace *t, const struct wl_metric_series *all,
			    const struct wl_metric_scope *scope, uint32_t series)
{
	const struct wl_counter_series *s = &t->series[series];

	if (all->device[series] != WL_NONE)
		return scope->scope->device_on[all->device[series]];
	return scope->all_on || (s->of == WL_COUNTER_OF_NIC && scope->near_on[s->file]);
}

struct wl_interval wl_metric_window(const struct wl_trace *t, const struct wl_metric_series *all,
				    const struct wl_metric_scope *scope, uint32_t series)
{
	const struct wl_counter_series *s = &t->series[series];
	const struct wl_slice of = all->of[series];
	struct wl_interval w;

	if (all->device[series] != WL_NONE)
		return scope->scope->device[all->device[series]];
	w = s->of == WL_COUNTER_OF_NIC ? scope->near[s->file] : scope->all;
	if (w.begin < w.end)
		return w;
	return (struct wl_interval){ wl_metric_sample_at(t, all, series, of.lo).begin,
				     wl_metric_sample_at(t, all, series, of.hi - 1).end };
}

struct wl_slice wl_metric_samples_in(const struct wl_trace *t, const struct wl_metric_series *all,
				     uint32_t series, struct wl_interval window)
{
	size_t last = wl_metric_sample_after(t, all, series, window.end);
	struct wl_slice in = { wl_metric_sample_after(t, all, series, window.begin), last };

	if (last < all->of[series].hi &&
	    wl_metric_sample_at(t, all, series, last).begin < window.end)
		in.hi++;
	return in;
}

/* How long a sample holds within the intervals in question. */
struct held {
	int64_t value;
	wl_ns time;
};

WL_COMPARE_BY(by_value, held, value)

/* The samples that hold in any of the intervals, each once; *ret_n is their number. */
static struct held *gather(const struct looking *l, const struct wl_interval *at, size_t n,
			   struct wl_arena *arena, size_t *ret_n)
{
	const struct wl_slice of = l->all->of[l->series];
	size_t first = n ? wl_metric_sample_after(l->trace, l->all, l->series, at[0].begin) : of.hi;
	size_t last = n ? wl_metric_sample_after(l->trace, l->all, l->series, at[n - 1].end) : 0;
	struct held *held;
	size_t seen = SIZE_MAX;

	*ret_n = 0;
	last = last < of.hi ? last + 1 : of.hi;
	held = WL_NEW(arena, struct held, last > first ? last - first : 1);
	for (size_t k = 0; held && k < n; k++) {
		size_t i = wl_metric_sample_after(l->trace, l->all, l->series, at[k].begin);

		for (; i < of.hi; i++) {
			const struct wl_metric_sample s =
				wl_metric_sample_at(l->trace, l->all, l->series, i);
			wl_ns begin = s.begin > at[k].begin ? s.begin : at[k].begin;
			wl_ns end = s.end < at[k].end ? s.end : at[k].end;

			if (s.begin >= at[k].end)
				break;
			if (begin >= end)
				continue;
			if (i != seen)
				held[(*ret_n)++] = (struct held){ .value = s.value };
			seen = i;
			held[*ret_n - 1].time += end - begin;
		}
	}
	return held;
}

/* The lowest value that is not exceeded for a given share of the time. */
static int64_t quantile(const struct held *held, size_t n, wl_ns covered, unsigned percent)
{
	wl_ns so_far = 0;
	size_t i = 0;

	while (i < n) {
		so_far += held[i].time;
		if ((wl_u128)(uint64_t)so_far * 100 >= (wl_u128)(uint64_t)covered * percent)
			break;
		i++;
	}
	return held[i < n ? i : n - 1].value;
}

bool wl_metric_measure(const struct wl_trace *t, const struct wl_metric_series *all,
		       uint32_t series, const struct wl_interval *at, size_t n,
		       struct wl_arena *arena, struct wl_metric_sum *ret)
{
	const struct looking l = { .trace = t, .all = all, .series = series };
	struct wl_arena scratch;
	struct held *held;
	size_t n_held;

	*ret = (struct wl_metric_sum){ .samples = 0 };
	wl_arena_init_child(&scratch, arena);
	held = gather(&l, at, n, &scratch, &n_held);
	if (held && n_held) {
		qsort(held, n_held, sizeof(*held), by_value);
		for (size_t i = 0; i < n_held; i++) {
			ret->covered += held[i].time;
			ret->area += (wl_u128)(uint64_t)held[i].value * (uint64_t)held[i].time;
		}
		ret->samples = n_held;
		ret->min = held[0].value;
		ret->max = held[n_held - 1].value;
		ret->p50 = quantile(held, n_held, ret->covered, 50);
		ret->p90 = quantile(held, n_held, ret->covered, 90);
	}
	wl_arena_release(&scratch);
	return held != NULL;
}
