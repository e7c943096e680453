/* SPDX-License-Identifier: MIT */
#include "derive/use/foreign_work.h"

#include "derive/derived.h"
#include "derive/rows/ops.h"

/* A tenth of the SMs is more than drivers use; a tenth of the window is worth reporting. */
static const double least_active = 10, least_share = 0.1;

/* The times when any operation runs, even one that the scope leaves out. */
static bool find_busy(const struct wl_trace *t, uint32_t device, struct wl_arena *arena,
		      struct wl_intervals *ret)
{
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
	return list && wl_intervals_unite(list, n, arena, ret);
}

static bool measure(const struct wl_derived *given, const struct wl_scope *scope, uint32_t device,
		    uint32_t series, struct wl_arena *arena, struct wl_foreign *ret)
{
	const struct wl_interval window = scope->device[device];
	struct wl_sampled active;
	struct wl_intervals busy;
	struct wl_arena scratch;
	double share;
	bool ok;

	wl_arena_init_child(&scratch, arena);
	ok = find_busy(given->trace, device, &scratch, &busy);
	if (ok) {
		active = wl_sampled_outside(given, series, &busy, window);
		share = window.end > window.begin
				? (double)active.time / (double)(window.end - window.begin)
				: 0;
		if (active.n >= WL_SAMPLED_ENOUGH && active.mean >= least_active &&
		    share >= least_share)
			*ret = (struct wl_foreign){ active, share < 1 ? share : 1 };
	}
	wl_arena_release(&scratch);
	return ok;
}

bool wl_foreign_work_find(const struct wl_derived *given, const struct wl_scope *scope,
			  struct wl_arena *arena, struct wl_foreign_work *ret)
{
	const uint32_t *series = wl_sampled_series(given, WL_METRIC_SM_ACTIVE, arena);
	struct wl_foreign *of = WL_NEW(arena, struct wl_foreign, given->trace->n_devices + 1);

	*ret = (struct wl_foreign_work){ .of = of, .most = WL_NONE };
	if (!series || !of)
		return false;
	for (uint32_t i = 0; i < given->trace->n_devices; i++) {
		if (!scope->device_on[i] || series[i] == WL_NONE)
			continue;
		if (!measure(given, scope, i, series[i], arena, &of[i]))
			return false;
		if (of[i].active.n && (ret->most == WL_NONE || of[i].share > of[ret->most].share))
			ret->most = i;
	}
	return true;
}
