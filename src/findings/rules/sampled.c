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

/* The device's series of the metric; WL_NONE for none. */
static uint32_t series_of(const struct wl_docket *d, uint32_t device, enum wl_gpu_metric metric)
{
	const struct wl_trace *t = d->run->trace;

	for (uint32_t i = 0; i < t->n_series; i++) {
		struct wl_metric_facts facts;

		if (d->run->derived->metric_series->device[i] != device)
			continue;
		facts = wl_metric_series_facts(t, i);
		if (facts.what == metric && facts.is_percent)
			return i;
	}
	return WL_NONE;
}

static void add_up(const struct wl_docket *d, uint32_t series, const struct wl_intervals *running,
		   struct wl_sampled *ret)
{
	const struct wl_metric_series *all = d->run->derived->metric_series;
	double sum = 0;

	for (size_t i = all->of[series].lo; i < all->of[series].hi; i++) {
		const struct wl_metric_sample s =
			wl_metric_sample_at(d->run->trace, all, series, i);
		wl_ns time = s.end - s.begin;

		if (time == 0 || wl_intervals_covered(running, s.begin, s.end) < time)
			continue;
		ret->n++;
		ret->time += time;
		sum += (double)s.value * (double)time;
	}
	ret->mean = ret->time ? sum / (double)ret->time : 0;
}

static bool measure(const struct wl_docket *d, size_t gpu, const struct wl_sampled_question *q,
		    struct wl_sampled *ret)
{
	uint32_t device = d->gpu[gpu].lane->device, series = series_of(d, device, q->metric);
	struct wl_intervals running;
	struct wl_arena scratch;
	bool ok;

	*ret = (struct wl_sampled){ .n = 0 };
	if (series == WL_NONE)
		return true;
	wl_arena_init_child(&scratch, d->run->arena);
	ok = find_running(d, device, q->counts, &scratch, &running);
	if (ok)
		add_up(d, series, &running, ret);
	wl_arena_release(&scratch);
	return ok;
}

bool wl_sampled_find(const struct wl_docket *d, const struct wl_sampled_question *q,
		     struct wl_finding *f, struct wl_sampled *ret)
{
	*ret = (struct wl_sampled){ .n = 0 };
	for (size_t t = 0; t < d->n_gpus; t++) {
		double of_window;
		struct wl_sampled have;

		if (!measure(d, t, q, &have))
			return false;
		of_window = d->gpu[t].window ? (double)have.time / (double)d->gpu[t].window : 0;
		if (have.n < WL_SAMPLED_ENOUGH || have.mean >= q->below ||
		    of_window < q->of_window || (ret->n && of_window <= f->share))
			continue;
		*ret = have;
		f->gpu = t;
		f->share = of_window < 1 ? of_window : 1;
	}
	return true;
}
