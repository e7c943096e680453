/* SPDX-License-Identifier: MIT */
#include "export/timeline/flows.h"

#include "derive/calls/launch.h"

struct finding {
	const struct wl_tracks *tracks;
	const struct wl_shown *shown;
	struct wl_ops ops[WL_N_OP_FAMILIES];
	uint32_t *to;
};

static wl_ns start_of(const struct finding *f, uint32_t ref)
{
	const struct wl_track_op op = wl_track_op_of(ref);

	return f->ops[op.kind].start[op.row];
}

/* Families and their rows are visited in the order that breaks ties. */
static void note_ops(struct finding *f, enum wl_op_kind kind)
{
	const struct wl_ops *ops = &f->ops[kind];

	for (uint32_t row = 0; row < ops->n; row++) {
		uint32_t call = wl_link_of(f->tracks->links, kind, row);
		uint32_t ref = wl_track_ref(wl_op_families[kind], row);

		if (call == WL_NONE || ref == WL_NONE || !wl_op_is_shown(f->shown, ops, row))
			continue;
		if (f->to[call] == WL_NONE || ops->start[row] < start_of(f, f->to[call]))
			f->to[call] = ref;
	}
}

bool wl_flows_find(const struct wl_tracks *tracks, const struct wl_shown *shown,
		   struct wl_arena *arena, struct wl_flows *ret)
{
	const struct wl_trace *t = tracks->trace;
	const struct wl_thread_rows calls = wl_trace_thread_rows(t, WL_F_API);
	size_t n = calls.n;
	struct finding f = { tracks, shown, .to = WL_NEW(arena, uint32_t, n) };

	*ret = (struct wl_flows){ .to = f.to };
	if (!f.to)
		return false;
	for (size_t i = 0; i < n; i++)
		f.to[i] = WL_NONE;
	for (unsigned i = 0; i < WL_N_OP_FAMILIES; i++)
		f.ops[i] = wl_trace_ops(t, wl_op_families[i]);
	for (unsigned i = 0; i < WL_N_OP_FAMILIES; i++)
		note_ops(&f, (enum wl_op_kind)i);
	for (uint32_t i = 0; i < n; i++) {
		if (f.to[i] == WL_NONE)
			continue;
		if (!wl_host_row_is_shown(shown, &calls, i)) {
			f.to[i] = WL_NONE;
		} else if (start_of(&f, f.to[i]) <= wl_api_start(t)[i]) {
			f.to[i] = WL_NONE;
			ret->backward++;
		} else {
			ret->n++;
		}
	}
	return true;
}

uint64_t wl_flow_out(const struct wl_flows *flows, const struct wl_trace *trace, uint32_t call)
{
	uint64_t process;

	if (!flows->to || flows->to[call] == WL_NONE)
		return 0;
	process = trace->threads[wl_api_thread(trace)[call]].process;
	return (process + 1) << 32 | wl_api_corr(trace)[call];
}

uint64_t wl_flow_in(const struct wl_flows *flows, const struct wl_tracks *tracks,
		    enum wl_op_kind kind, uint32_t row)
{
	uint32_t call;

	if (!flows->to)
		return 0;
	call = wl_link_of(tracks->links, kind, row);
	if (call == WL_NONE || flows->to[call] != wl_track_ref(wl_op_families[kind], row))
		return 0;
	return wl_flow_out(flows, tracks->trace, call);
}
