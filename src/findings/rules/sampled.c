/* SPDX-License-Identifier: MIT */
#include "findings/rules/sampled.h"

#include "derive/derived.h"
#include "derive/kinds/intervals.h"
#include "derive/kinds/metric_series.h"

/* When one of the kernels runs, inside the window. */
static bool find_running(const struct wl_docket *d, uint32_t device, wl_sampled_counts *counts,
			 struct wl_arena *arena, struct wl_intervals *ret)
{
	const struct wl_trace *t = d->run->trace;
	const struct wl_ops ops = wl_trace_ops(t, WL_F_KERNELS);
	struct wl_interval *list;
	size_t lo, hi, n = 0;

	wl_ops_on_device(t, &ops, device, &lo, &hi);
	list = WL_NEW(arena, struct wl_interval, hi - lo + 1);
	for (size_t i = lo; list && i < hi; i++) {
		if (counts(d->run->derived, i) &&
		    wl_op_clip(t, d->run->scope, &ops, i, &list[n].begin, &list[n].end))
			n++;
	}
	return list && wl_intervals_union(list, n, arena, ret);
}

/* When any operation runs, also one that the scope leaves out. */
static bool find_busy(const struct wl_docket *d, uint32_t device, struct wl_arena *arena,
		      struct wl_intervals *ret)
{
	const struct wl_trace *t = d->run->trace;
	struct wl_interval *list;
	size_t lo, hi, room = 1, n = 0;

	for (size_t k = 0; k < WL_N_OP_FAMILIES; k++) {
		const struct wl_ops ops = wl_trace_ops(t, wl_op_families[k]);

		wl_ops_on_device(t, &ops, device, &lo, &hi);
		room += hi - lo;
	}
	list = WL_NEW(arena, struct wl_interval, room);
	for (size_t k = 0; list && k < WL_N_OP_FAMILIES; k++) {
		const struct wl_ops ops = wl_trace_ops(t, wl_op_families[k]);

		wl_ops_on_device(t, &ops, device, &lo, &hi);
		for (size_t i = lo; i < hi; i++)
			list[n++] = (struct wl_interval){
				ops.start[i], ops.start[i] + wl_dur(ops.family, ops.dur, i)
			};
	}
	return list && wl_intervals_union(list, n, arena, ret);
}

/* By device: its first series of the metric; WL_NONE for none. NULL without memory. */
static const uint32_t *find_series(const struct wl_docket *d, enum wl_gpu_metric metric,
				   struct wl_arena *arena)
{
	const struct wl_trace *t = d->run->trace;
	uint32_t *of = WL_NEW(arena, uint32_t, t->n_devices + 1);

	for (size_t i = 0; of && i < t->n_devices; i++)
		of[i] = WL_NONE;
	for (uint32_t i = 0; of && i < t->n_series; i++) {
		uint32_t device = d->run->derived->metric_series->device[i];
		struct wl_metric_facts facts;

		if (device == WL_NONE || of[device] != WL_NONE)
			continue;
		facts = wl_metric_series_facts(t, i);
		if (facts.what == metric && facts.is_percent)
			of[device] = i;
	}
	return of;
}

/* Samples that lie inside the intervals, or in the window and outside of them. */
static void add_up(const struct wl_docket *d, uint32_t series, const struct wl_intervals *of,
		   bool inside, struct wl_sampled *ret)
{
	const struct wl_metric_series *all = d->run->derived->metric_series;
	const struct wl_interval window = d->run->scope->device[all->device[series]];
	double sum = 0;

	for (size_t i = all->of[series].lo; i < all->of[series].hi; i++) {
		const struct wl_metric_sample s =
			wl_metric_sample_at(d->run->trace, all, series, i);
		wl_ns time = s.end - s.begin;

		if (time == 0 || wl_intervals_covered(of, s.begin, s.end) != (inside ? time : 0) ||
		    (!inside && (s.begin < window.begin || s.end > window.end)))
			continue;
		ret->n++;
		ret->time += time;
		sum += (double)s.value * (double)time;
	}
	ret->mean = ret->time ? sum / (double)ret->time : 0;
}

static bool measure(const struct wl_docket *d, uint32_t series, const struct wl_sampled_question *q,
		    struct wl_sampled *ret)
{
	struct wl_intervals of;
	struct wl_arena scratch;
	uint32_t device;
	bool ok;

	*ret = (struct wl_sampled){ .n = 0 };
	if (series == WL_NONE)
		return true;
	device = d->run->derived->metric_series->device[series];
	wl_arena_init_child(&scratch, d->run->arena);
	ok = q->counts ? find_running(d, device, q->counts, &scratch, &of)
		       : find_busy(d, device, &scratch, &of);
	if (ok)
		add_up(d, series, &of, q->counts != NULL, ret);
	wl_arena_release(&scratch);
	return ok;
}

static bool choose(const struct wl_docket *d, const struct wl_sampled_question *q,
		   const uint32_t *series, struct wl_finding *f, struct wl_sampled *ret)
{
	for (size_t t = 0; t < d->n_gpus; t++) {
		double of_window;
		struct wl_sampled have;

		if (!measure(d, series[d->gpu[t].lane->device], q, &have))
			return false;
		of_window = d->gpu[t].window ? (double)have.time / (double)d->gpu[t].window : 0;
		if (have.n < WL_SAMPLED_ENOUGH || have.mean < q->at_least ||
		    have.mean >= q->below || of_window < q->of_window ||
		    (ret->n && of_window <= f->share))
			continue;
		*ret = have;
		f->gpu = t;
		f->share = of_window < 1 ? of_window : 1;
	}
	return true;
}

bool wl_sampled_find(const struct wl_docket *d, const struct wl_sampled_question *q,
		     struct wl_finding *f, struct wl_sampled *ret)
{
	struct wl_arena scratch;
	const uint32_t *series;
	bool ok;

	*ret = (struct wl_sampled){ .n = 0 };
	wl_arena_init_child(&scratch, d->run->arena);
	series = find_series(d, q->metric, &scratch);
	ok = series && choose(d, q, series, f, ret);
	wl_arena_release(&scratch);
	return ok;
}
