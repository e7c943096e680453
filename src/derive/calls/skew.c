/* SPDX-License-Identifier: MIT */
#include "derive/calls/skew.h"

const bool *wl_skew_find(const struct wl_trace *t, const struct wl_links *links,
			 struct wl_arena *arena)
{
	bool *skewed = WL_NEW(arena, bool, t->n_processes);
	int64_t *balance = WL_NEW(arena, int64_t, t->n_processes); /* late minus other launches */

	if (!skewed || !balance)
		return NULL;
	for (unsigned kind = 0; kind < WL_N_OP_FAMILIES; kind++) {
		struct wl_ops ops = wl_trace_ops(t, wl_op_families[kind]);

		for (size_t i = 0; i < ops.n; i++) {
			uint32_t call = wl_link_of(links, (enum wl_op_kind)kind, i);

			/*
			 * A majority decides: single operations begin too early by the resolution
			 * of clocks on sound traces, too.
			 */
			if (call != WL_NONE)
				balance[t->places[ops.place[i]].process] +=
					ops.start[i] < wl_api_start(t)[call] ? 1 : -1;
		}
	}
	for (size_t i = 0; i < t->n_processes; i++)
		skewed[i] = balance[i] > 0;
	return skewed;
}

wl_ns wl_skew_mean(const struct wl_trace *t, const struct wl_links *links, uint32_t process)
{
	double sum = 0; /* of times that come from a file: integers could overflow */
	size_t n = 0;

	for (unsigned kind = 0; kind < WL_N_OP_FAMILIES; kind++) {
		struct wl_ops ops = wl_trace_ops(t, wl_op_families[kind]);

		for (size_t i = 0; i < ops.n; i++) {
			uint32_t call = wl_link_of(links, (enum wl_op_kind)kind, i);

			if (call == WL_NONE || t->places[ops.place[i]].process != process ||
			    ops.start[i] >= wl_api_start(t)[call])
				continue;
			sum += (double)wl_api_start(t)[call] - (double)ops.start[i];
			n++;
		}
	}
	sum = n ? sum / (double)n : 0;
	return sum < 9e18 ? (wl_ns)sum : INT64_MAX;
}
