/* SPDX-License-Identifier: MIT */
#include "derive/exposed/device_accounts.h"

#include "base/process/pool.h"
#include "derive/derived.h"
#include "derive/rows/owners.h"

struct finding {
	const struct wl_derived *given;
	const struct wl_scope *scope;
	struct wl_device_account *device;
};

static bool find_device(void *ctx, size_t i, struct wl_arena *arena)
{
	const struct finding *f = ctx;
	const struct wl_trace *t = f->given->trace;
	const struct wl_classes *classes = f->given->classes;
	const struct wl_activity *activity = &f->given->activity->device[i];
	const struct wl_interval *window = &f->scope->device[i];
	struct wl_comm_parts parts = { .sum = 0 };
	struct wl_usage usage = { .n_ops = 0 };
	struct wl_intervals compute;
	struct wl_arena scratch;
	bool ok = true;

	if (!f->scope->device_on[i])
		return true;
	wl_sweep_usage(t, f->scope, classes, activity, &usage);
	if (wl_usage_any(&usage, WL_ON_COMM)) {
		wl_arena_init_child(&scratch, arena);
		ok = wl_activity_intervals(activity, WL_ON_COMPUTE, window, &scratch, &compute) &&
		     wl_exposure_tiles(t, f->scope, classes, (uint32_t)i, &compute, window, 1,
				       &scratch, &parts);
		wl_arena_release(&scratch);
	}
	if (!ok)
		return false;
	f->device[i].time = wl_account_of(&usage, window->end - window->begin, &parts);
	return true;
}

struct wl_account_notes wl_account_notes_find(const struct wl_trace *trace,
					      const struct wl_scope *scope,
					      const struct wl_classes *classes)
{
	struct wl_account_notes notes = { wl_ops_admitted(trace, scope, WL_F_GRAPHS), 0 };
	struct wl_ops ops = wl_trace_ops(trace, WL_F_MEMCPYS);

	for (size_t i = 0; classes->copy_is_comm && i < ops.n; i++) {
		wl_ns start, end;

		notes.n_comm_copies +=
			classes->copy_is_comm[i] && wl_op_clip(trace, scope, &ops, i, &start, &end);
	}
	return notes;
}

bool wl_device_accounts_find(const struct wl_derived *given, const struct wl_scope *scope,
			     struct wl_arena *arena, struct wl_device_accounts *ret)
{
	const struct wl_trace *t = given->trace;
	const uint32_t *owner = wl_owners_find(t, arena);
	struct finding f = { given, scope, WL_NEW(arena, struct wl_device_account, t->n_devices) };

	if (!owner || !f.device ||
	    !wl_pool_map(given->opts.pool, t->n_devices, find_device, &f, arena))
		return false;
	for (size_t i = 0; i < t->n_devices; i++)
		f.device[i].process = owner[i];
	*ret = (struct wl_device_accounts){ f.device,
					    wl_account_notes_find(t, scope, given->classes) };
	return true;
}
