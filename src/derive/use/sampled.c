/* SPDX-License-Identifier: MIT */
#include "derive/use/sampled.h"

#include "derive/derived.h"
#include "derive/kinds/metric_series.h"

const uint32_t *wl_sampled_series(const struct wl_derived *given, enum wl_gpu_metric metric,
				  struct wl_arena *arena)
{
	const struct wl_trace *t = given->trace;
	uint32_t *of = WL_NEW(arena, uint32_t, t->n_devices + 1);

	for (size_t i = 0; of && i < t->n_devices; i++)
		of[i] = WL_NONE;
	for (uint32_t i = 0; of && i < t->n_series; i++) {
		uint32_t device = given->metric_series->device[i];
		struct wl_metric_facts facts;

		if (device == WL_NONE || of[device] != WL_NONE)
			continue;
		facts = wl_metric_series_facts(t, i);
		if (facts.what == metric && facts.is_percent)
			of[device] = i;
	}
	return of;
}

static struct wl_sampled add_up(const struct wl_derived *given, uint32_t series,
				const struct wl_intervals *of, const struct wl_interval *outside)
{
	const struct wl_metric_series *all = given->metric_series;
	struct wl_sampled ret = { .n = 0 };
	double sum = 0;

	for (size_t i = all->of[series].lo; i < all->of[series].hi; i++) {
		const struct wl_metric_sample s = wl_metric_sample_at(given->trace, all, series, i);
		wl_ns time = s.end - s.begin;

		if (time == 0 || wl_intervals_covered(of, s.begin, s.end) != (outside ? 0 : time) ||
		    (outside && (s.begin < outside->begin || s.end > outside->end)))
			continue;
		ret.n++;
		ret.time += time;
		sum += (double)s.value * (double)time;
	}
	ret.mean = ret.time ? sum / (double)ret.time : 0;
	return ret;
}

struct wl_sampled wl_sampled_inside(const struct wl_derived *given, uint32_t series,
				    const struct wl_intervals *of)
{
	return add_up(given, series, of, NULL);
}

struct wl_sampled wl_sampled_outside(const struct wl_derived *given, uint32_t series,
				     const struct wl_intervals *of, struct wl_interval window)
{
	return add_up(given, series, of, &window);
}
