/* SPDX-License-Identifier: MIT */
#include "derive/use/waits.h"

#include "base/memory/intern.h"
#include "base/process/pool.h"
#include "derive/derived.h"
#include "known/exports/codes.h"

#define SEVERAL (WL_NONE - 1) /* the process has several devices */

struct finding {
	const struct wl_trace *trace;
	const struct wl_links *links;
	uint32_t *only;       /* by process: its device, WL_NONE or SEVERAL */
	uint32_t *launched;   /* by wait: device of the first operation it launched */
	uint32_t *of_call;    /* by API row: its wait, or WL_NONE */
	struct wl_intern ids; /* struct { process, corr } of synchronisation rows */
	struct wl_vec device; /* uint32_t, by number in ids */
	struct wl_intervals *on;
};

static bool list_waits(struct finding *f, const uint8_t *blocks, struct wl_arena *scratch,
		       struct wl_arena *arena, struct wl_waits *ret)
{
	size_t n_calls = f->trace->family[WL_F_API].n, n = 0;
	uint32_t *call;

	for (size_t i = 0; i < n_calls; i++)
		n += blocks[i] != WL_BLOCKS_NOT;
	call = WL_NEW(arena, uint32_t, n);
	f->of_call = WL_NEW(scratch, uint32_t, n_calls);
	if (!call || !f->of_call)
		return false;
	for (size_t i = 0; i < n_calls; i++) {
		f->of_call[i] = WL_NONE;
		if (blocks[i] == WL_BLOCKS_NOT)
			continue;
		f->of_call[i] = (uint32_t)ret->n;
		call[ret->n++] = (uint32_t)i;
	}
	ret->call = call;
	return true;
}

/* Visit operations in the order of their numbers: the first one of a call counts. */
static void see_operations(struct finding *f, enum wl_op_kind kind)
{
	const struct wl_trace *t = f->trace;
	struct wl_ops ops = wl_trace_ops(t, wl_op_families[kind]);

	for (size_t i = 0; i < ops.n; i++) {
		const struct wl_place *p = &t->places[ops.place[i]];
		uint32_t link = wl_link_of(f->links, kind, i);
		uint32_t wait = link == WL_NONE ? WL_NONE : f->of_call[link];

		if (f->only[p->process] != p->device)
			f->only[p->process] = f->only[p->process] == WL_NONE ? p->device : SEVERAL;
		if (wait != WL_NONE && f->launched[wait] == WL_NONE)
			f->launched[wait] = p->device;
	}
}

static bool index_synchronisations(struct finding *f)
{
	const struct wl_trace *t = f->trace;
	const uint32_t *place = wl_syncs_place(t), *corr = wl_syncs_corr(t);
	const uint8_t *kind = wl_syncs_kind(t);

	for (size_t i = 0; place && corr && kind && i < t->family[WL_F_SYNCS].n; i++) {
		const struct wl_place *p = &t->places[place[i]];
		const uint32_t id[2] = { p->process, corr[i] };
		uint32_t number;

		/* Waits of streams do not block the host. A row names the device that its call
		 * waits for. */
		if (kind[i] == WL_SYNC_STREAM_WAITS || corr[i] == WL_NONE || p->device == WL_NONE)
			continue;
		number = wl_intern_put(&f->ids, id);
		if (number == WL_NONE)
			return false;
		/* The first row of an id counts; ids are numbered in order of first appearance. */
		if (number == f->device.n)
			wl_vec_push(&f->device, &p->device);
	}
	return !f->device.failed;
}

static uint32_t device_of(const struct finding *f, uint32_t call, size_t wait)
{
	const struct wl_trace *t = f->trace;
	const uint32_t process = t->threads[wl_api_thread(t)[call]].process;
	const uint32_t id[2] = { process, wl_api_corr(t)[call] };
	uint32_t number = id[1] == WL_NONE ? WL_NONE : wl_intern_find(&f->ids, id);

	/*
	 * From the strongest evidence to the weakest: the synchronisation row of the call, what the
	 * call itself launched, the only device of its process.
	 */
	if (number != WL_NONE)
		return ((const uint32_t *)f->device.data)[number];
	if (f->launched[wait] != WL_NONE)
		return f->launched[wait];
	return f->only[process] == SEVERAL ? WL_NONE : f->only[process];
}

static bool find_devices(struct finding *f, struct wl_arena *scratch, struct wl_arena *arena,
			 struct wl_waits *ret)
{
	uint32_t *device = WL_NEW(arena, uint32_t, ret->n);

	f->only = WL_NEW(scratch, uint32_t, f->trace->n_processes);
	f->launched = WL_NEW(scratch, uint32_t, ret->n);
	if (!device || !f->only || !f->launched || !index_synchronisations(f))
		return false;
	for (size_t i = 0; i < f->trace->n_processes; i++)
		f->only[i] = WL_NONE;
	for (size_t i = 0; i < ret->n; i++)
		f->launched[i] = WL_NONE;
	for (unsigned kind = 0; kind < WL_N_OP_FAMILIES; kind++)
		see_operations(f, (enum wl_op_kind)kind);
	for (size_t i = 0; i < ret->n; i++)
		device[i] = device_of(f, ret->call[i], i);
	ret->device = device;
	return true;
}

static bool find_busy(void *ctx, size_t i, struct wl_arena *arena)
{
	struct finding *f = ctx;

	return wl_intervals_of_device(f->trace, NULL, (uint32_t)i, arena, &f->on[i]);
}

bool wl_waits_find(const struct wl_derived *derived, struct wl_arena *arena, struct wl_waits *ret)
{
	const struct wl_blocking *blocking = derived->blocking;
	struct finding f = { .trace = derived->trace, .links = derived->links };
	struct wl_arena scratch;
	bool ok;

	*ret = (struct wl_waits){ .n = 0 };
	wl_arena_init_child(&scratch, arena);
	wl_intern_init(&f.ids, 2 * sizeof(uint32_t), wl_arena_budget(arena));
	wl_vec_init(&f.device, sizeof(uint32_t), wl_arena_budget(arena));
	ok = list_waits(&f, blocking->call, &scratch, arena, ret) &&
	     find_devices(&f, &scratch, arena, ret);
	wl_vec_release(&f.device);
	wl_intern_release(&f.ids);
	wl_arena_release(&scratch);
	f.on = ok ? WL_NEW(arena, struct wl_intervals, f.trace->n_devices) : NULL;
	ret->on = f.on;
	return f.on && wl_pool_map(derived->opts.pool, f.trace->n_devices, find_busy, &f, arena);
}
