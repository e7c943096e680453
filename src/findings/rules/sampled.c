/* SPDX-License-Identifier: MIT */
#include "findings/rules/sampled.h"

#include "derive/kinds/intervals.h"

/* Find when at least one of the kernels runs, inside the window. */
static bool find_running(const struct wl_rule_state *d, uint32_t device, wl_sampled_counts *counts,
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

static bool measure(const struct wl_rule_state *d, uint32_t device, uint32_t series,
		    const struct wl_sampled_question *q, struct wl_sampled *ret)
{
	struct wl_intervals of;
	struct wl_arena scratch;
	bool ok;

	*ret = (struct wl_sampled){ .n = 0 };
	if (series == WL_NONE)
		return true;
	wl_arena_init_child(&scratch, d->run->arena);
	ok = find_running(d, device, q->counts, &scratch, &of);
	if (ok)
		*ret = wl_sampled_inside(d->run->derived, series, &of);
	wl_arena_release(&scratch);
	return ok;
}

static bool choose(const struct wl_rule_state *d, const struct wl_sampled_question *q,
		   const uint32_t *series, struct wl_finding *f, struct wl_sampled *ret)
{
	for (size_t t = 0; t < d->n_gpus; t++) {
		double of_window;
		struct wl_sampled have;

		const uint32_t device = d->gpu[t].lane->device;
		if (!measure(d, device, series[device], q, &have))
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

bool wl_sampled_find(const struct wl_rule_state *d, const struct wl_sampled_question *q,
		     struct wl_finding *f, struct wl_sampled *ret)
{
	struct wl_arena scratch;
	const uint32_t *series;
	bool ok;

	*ret = (struct wl_sampled){ .n = 0 };
	wl_arena_init_child(&scratch, d->run->arena);
	series = wl_sampled_series(d->run->derived, q->metric, &scratch);
	ok = series && choose(d, q, series, f, ret);
	wl_arena_release(&scratch);
	return ok;
}
