/* SPDX-License-Identifier: MIT */
#include "findings/rules/launching.h"

#include "derive/calls/blocking.h"
#include "derive/derived.h"
#include "derive/rows/ops.h"
#include "derive/rows/scope.h"

struct marking {
	const struct wl_rule_state *d;
	const struct wl_rule_gpu *gpu;
	bool *launches; /* by API row */
};

/* Mark the launch calls of one family's operations; a graph replay has one call. */
static void mark(const struct marking *m, enum wl_op_kind kind)
{
	const struct wl_trace *t = m->d->run->trace;
	const struct wl_derived *derived = m->d->run->derived;
	const struct wl_ops ops = wl_trace_ops(t, wl_op_families[kind]);
	uint32_t process = m->gpu->lane->process;
	size_t lo, hi;

	wl_ops_on_device(t, &ops, m->gpu->lane->device, &lo, &hi);
	for (size_t i = lo; i < hi; i++) {
		uint32_t call = wl_link_of(derived->links, kind, i);

		if (call != WL_NONE && derived->blocking->call[call] == WL_BLOCKS_NOT &&
		    (process == WL_NONE || t->places[ops.place[i]].process == process))
			m->launches[call] = true;
	}
}

bool wl_launching_find(const struct wl_rule_state *d, const struct wl_rule_gpu *gpu, wl_ns *ret)
{
	const struct wl_trace *t = d->run->trace;
	const struct wl_thread_rows api = wl_trace_thread_rows(t, WL_F_API);
	struct marking m = { .d = d, .gpu = gpu };
	struct wl_arena scratch;
	wl_ns sum = 0;

	*ret = 0;
	if (!api.start || !api.dur || !api.thread || !d->run->derived->links ||
	    !d->run->derived->blocking)
		return true;
	wl_arena_init_child(&scratch, d->run->arena);
	m.launches = WL_NEW(&scratch, bool, api.n + 1);
	for (unsigned kind = 0; m.launches && kind < WL_N_OP_FAMILIES; kind++)
		mark(&m, (enum wl_op_kind)kind);
	for (size_t i = 0; m.launches && i < api.n; i++) {
		wl_ns begin = api.start[i], end = wl_thread_row_end(&api, i);

		if (i == 0 || api.thread[i] != api.thread[i - 1])
			sum = 0;
		begin = begin > gpu->begin ? begin : gpu->begin;
		end = end < gpu->end ? end : gpu->end;
		sum += m.launches[i] && end > begin ? end - begin : 0;
		*ret = sum > *ret ? sum : *ret;
	}
	wl_arena_release(&scratch);
	return m.launches != NULL;
}
