/* SPDX-License-Identifier: MIT */
#include "derive/ledger/ledger_basis.h"

#include "derive/calls/launch.h"
#include "derive/derived.h"
#include "derive/rows/ops.h"
#include "derive/rows/small.h"
#include "known/exports/codes.h"

struct finding {
	const struct wl_derived *given;
	struct wl_ledger_basis *to;
};

/* Find the calls that read a few bytes back from the device. */
static bool find_reads(struct finding *f, struct wl_arena *arena)
{
	const struct wl_trace *t = f->given->trace;
	const int64_t *bytes = wl_memcpys_bytes(t);
	const uint8_t *kind = wl_memcpys_kind(t);
	bool *reads;

	if (!bytes || !kind)
		return true;
	reads = WL_NEW(arena, bool, t->family[WL_F_API].n);
	for (size_t i = 0; reads && i < t->family[WL_F_MEMCPYS].n; i++) {
		uint32_t call = wl_link_of(f->given->links, WL_OP_MEMCPY, i);

		/*
		 * A call may make several copies; one tiny read among them is enough to wait for.
		 */
		if (call != WL_NONE && kind[i] == WL_COPY_D2H && bytes[i] <= WL_TINY_READ_BYTES)
			reads[call] = true;
	}
	f->to->reads = reads;
	return reads != NULL;
}

/* Find when each kernel first ran: its launch may have loaded it. */
static bool find_first_starts(struct finding *f, struct wl_arena *arena)
{
	const struct wl_trace *t = f->given->trace;
	const struct wl_ops ops = wl_trace_ops(t, WL_F_KERNELS);
	const uint32_t *name = wl_kernels_name(t);
	wl_ns *first;

	if (!name)
		return true;
	first = WL_NEW(arena, wl_ns, t->n_kernel_names);
	if (!first)
		return false;
	for (size_t i = 0; i < t->n_kernel_names; i++)
		first[i] = INT64_MAX;
	for (size_t i = 0; i < ops.n; i++)
		first[name[i]] = ops.start[i] < first[name[i]] ? ops.start[i] : first[name[i]];
	f->to->first_start = first;
	return true;
}

/* Find when each device's work was done; never, if it has none. */
static bool find_last_work(struct finding *f, struct wl_arena *arena)
{
	static const enum wl_family_id work[] = { WL_F_KERNELS, WL_F_GRAPHS };
	const struct wl_trace *t = f->given->trace;
	wl_ns *last = WL_NEW(arena, wl_ns, t->n_devices);

	for (uint32_t d = 0; last && d < t->n_devices; d++) {
		last[d] = INT64_MIN;
		for (size_t k = 0; k < WL_COUNT(work); k++) {
			const struct wl_ops ops = wl_trace_ops(t, work[k]);
			size_t lo, hi;

			wl_ops_on_device(t, &ops, d, &lo, &hi);
			for (size_t i = lo; i < hi; i++) {
				wl_ns end = ops.start[i] + wl_dur(ops.family, ops.dur, i);

				last[d] = end > last[d] ? end : last[d];
			}
		}
		/* A device that only copies has no work for copies to come after. */
		last[d] = last[d] == INT64_MIN ? INT64_MAX : last[d];
	}
	f->to->last_work = last;
	return last != NULL;
}

/* Find where threads slept, if that was recorded and loaded. */
static bool find_sched(struct finding *f, struct wl_arena *arena)
{
	const struct wl_trace *t = f->given->trace;

	if (!wl_sched_start(t) || !wl_sched_thread(t) || !wl_sched_in(t))
		return true;
	f->to->sched = wl_slices_find(f->given->trace, WL_F_SCHED, arena);
	return f->to->sched != NULL;
}

bool wl_ledger_basis_find(const struct wl_derived *given, const struct wl_scope *scope,
			  struct wl_arena *arena, struct wl_ledger_basis *ret)
{
	struct finding f = { .given = given, .to = ret };

	*ret = (struct wl_ledger_basis){ .reads = NULL };
	return find_reads(&f, arena) && find_first_starts(&f, arena) && find_last_work(&f, arena) &&
	       find_sched(&f, arena) && wl_streams_find(given->trace, arena, &ret->streams) &&
	       wl_device_users_find(given->trace, scope, &ret->streams, arena, &ret->users);
}
