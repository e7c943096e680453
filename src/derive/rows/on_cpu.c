/* SPDX-License-Identifier: MIT */
#include "derive/rows/on_cpu.h"

#include "derive/rows/ops.h"

static wl_ns last_end(const struct wl_family *family, const wl_ns *start, const uint32_t *dur,
		      wl_ns last)
{
	for (size_t i = 0; start && dur && i < family->n; i++) {
		wl_ns end = start[i] + wl_dur(family, dur, i);

		last = end > last ? end : last;
	}
	return last;
}

wl_ns wl_on_cpu_until(const struct wl_trace *t)
{
	/* WL_NO_TIME is the smallest number, so an unknown duration does not count. */
	wl_ns last = t->duration;

	for (unsigned i = 0; i < WL_N_OP_FAMILIES; i++) {
		struct wl_ops ops = wl_trace_ops(t, wl_op_families[i]);

		last = last_end(ops.family, ops.start, ops.dur, last);
	}
	last = last_end(&t->family[WL_F_API], wl_api_start(t), wl_api_dur(t), last);
	return last_end(&t->family[WL_F_NVTX], wl_nvtx_start(t), wl_nvtx_dur(t), last);
}

bool wl_on_cpu_next(const struct wl_trace *t, struct wl_slice rows, wl_ns until, size_t *at,
		    struct wl_interval *ret)
{
	const wl_ns *start = wl_sched_start(t);
	const uint8_t *in = wl_sched_in(t);
	bool runs = false;

	while (!runs && *at < rows.hi) {
		ret->begin = start[*at];
		/* Rows at the same time: the thread runs afterwards if any of them switches it
		 * in. */
		for (; *at < rows.hi && start[*at] == ret->begin; (*at)++)
			runs |= in[*at] == 1;
		if (*at < rows.hi)
			ret->end = start[*at];
		else
			ret->end = until > ret->begin ? until : ret->begin;
	}
	return runs;
}
