/* SPDX-License-Identifier: MIT */
#include "derive/iters/iter_accounts.h"

#include "base/process/pool.h"
#include "derive/derived.h"
#include "derive/iters/iter_pieces.h"
#include "derive/rows/streams.h"

struct finding {
	const struct wl_trace *trace;
	const struct wl_scope *scope;
	const struct wl_classes *classes;
	const struct wl_activity *activity; /* by device */
	const struct wl_iterations *iterations;
	struct wl_streams streams;
	struct wl_device_iters *device;
};

/*
 * Append the rows of one process on one device. Without a process, or without iterations, the
 * window is one row.
 */
static bool account(const struct finding *f, uint32_t device, uint32_t process,
		    const struct wl_intervals *compute, struct wl_arena *scratch,
		    struct wl_vec *rows)
{
	static const struct wl_process_iters none = { .n = 0 };
	struct wl_iter_account rest = { .process = process, .iter = WL_NONE };
	struct wl_comm_parts *parts;
	struct wl_usage *usage;
	struct wl_iter_pieces p;

	if (!wl_iter_cut(process == WL_NONE ? &none : &f->iterations->process[process],
			 f->scope->device[device], scratch, &p))
		return false;
	usage = WL_NEW(scratch, struct wl_usage, p.n);
	parts = WL_NEW(scratch, struct wl_comm_parts, p.n);
	if (!usage || !parts ||
	    !wl_exposure_tiles(f->trace, f->scope, f->classes, device, compute, p.at, p.n, scratch,
			       parts))
		return false;
	wl_sweep_tiles(f->trace, f->scope, f->classes, &f->activity[device], p.at, p.n, usage);
	for (size_t i = 0; i < p.n; i++) {
		struct wl_account time =
			wl_account_of(&usage[i], p.at[i].end - p.at[i].begin, &parts[i]);

		if (p.iter[i] == WL_NONE)
			wl_account_add(&rest.time, &time);
		else
			wl_vec_push(rows, &(struct wl_iter_account){ process, p.iter[i], time });
	}
	if (rest.time.length)
		wl_vec_push(rows, &rest);
	return !rows->failed;
}

/*
 * Streams are ordered by device and process, so each pair comes once. A device that several
 * processes use is cut once by the iterations of each, covering the operations of all: rows of
 * different processes overlap in time.
 */
static bool account_processes(const struct finding *f, uint32_t device,
			      const struct wl_intervals *compute, struct wl_arena *arena,
			      struct wl_vec *rows)
{
	uint32_t last = WL_NONE, other = WL_NONE; /* the only one without iterations */
	size_t n_others = 0;
	struct wl_arena scratch;
	bool ok = true;

	for (size_t i = wl_streams_from_device(f->trace, &f->streams, device);
	     ok && i < f->streams.n; i++) {
		const struct wl_place *p = &f->trace->places[f->streams.place[i]];

		if (p->device != device)
			break;
		if (p->process == last || !f->scope->place_on[f->streams.place[i]])
			continue;
		last = p->process;
		if (f->iterations->process[last].n == 0) {
			other = n_others++ ? WL_NONE : last;
			continue;
		}
		wl_arena_init_child(&scratch, arena);
		ok = account(f, device, p->process, compute, &scratch, rows);
		wl_arena_release(&scratch);
	}
	/*
	 * No process has iterations: the window is one row, which names the process if there is
	 * only one.
	 */
	if (!ok || rows->n)
		return ok;
	wl_arena_init_child(&scratch, arena);
	ok = account(f, device, other, compute, &scratch, rows);
	wl_arena_release(&scratch);
	return ok;
}

static bool find_device(void *ctx, size_t i, struct wl_arena *arena)
{
	struct finding *f = ctx;
	struct wl_iter_account *at;
	struct wl_intervals compute;
	struct wl_arena scratch;
	struct wl_vec rows;
	bool ok;

	if (!f->scope->device_on[i])
		return true;
	wl_arena_init_child(&scratch, arena);
	wl_vec_init(&rows, sizeof(struct wl_iter_account), wl_arena_budget(arena));
	ok = wl_activity_intervals(&f->activity[i], WL_ON_COMPUTE, &f->scope->device[i], &scratch,
				   &compute) &&
	     account_processes(f, (uint32_t)i, &compute, &scratch, &rows);
	wl_arena_release(&scratch);
	at = ok ? WL_NEW(arena, struct wl_iter_account, rows.n) : NULL;
	for (size_t k = 0; at && k < rows.n; k++)
		at[k] = ((const struct wl_iter_account *)rows.data)[k];
	f->device[i] = (struct wl_device_iters){ at, rows.n };
	wl_vec_release(&rows);
	return at != NULL;
}

bool wl_iter_accounts_find(const struct wl_derived *given, const struct wl_scope *scope,
			   struct wl_arena *arena, struct wl_iter_accounts *ret)
{
	const struct wl_trace *t = given->trace;
	struct finding f = { .trace = t,
			     .scope = scope,
			     .classes = given->classes,
			     .activity = given->activity->device,
			     .iterations = given->iterations,
			     .device = WL_NEW(arena, struct wl_device_iters, t->n_devices) };

	if (!f.device || !wl_streams_find(t, arena, &f.streams) ||
	    !wl_pool_map(given->opts.pool, t->n_devices, find_device, &f, arena))
		return false;
	*ret = (struct wl_iter_accounts){ f.device,
					  wl_account_notes_find(t, scope, given->classes) };
	return true;
}
