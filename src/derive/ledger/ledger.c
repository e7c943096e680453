/* SPDX-License-Identifier: MIT */
#include "derive/ledger/ledger.h"

#include "base/memory/bound.h"
#include "base/process/pool.h"
#include "derive/derived.h"
#include "derive/ledger/ledger_parts.h"

const char *wl_loss_name(enum wl_loss loss)
{
	if (loss == WL_LOSS_EXPOSED_COMM)
		return "exposed_comm";
	if (loss == WL_LOSS_EXPOSED_COPY)
		return "exposed_copy";
	return wl_cause_name((enum wl_cause)loss);
}

struct finding {
	struct wl_ledger_sources from;
	struct wl_ledger_lane *lane;
};

/* The lane with most of a process's time. */
struct best_lane {
	wl_ns *time; /* by process */
	uint32_t *lane;
};

/* Make the lanes of one device: one for each user with iterations, else a single one without a
 * process. Returns the next user. */
static size_t make_device_lanes(struct finding *f, uint32_t device, size_t user, size_t *n,
				struct best_lane *best_of)
{
	const struct wl_device_user *u = f->from.basis.users.at;
	uint32_t chosen = wl_device_iterates_with(&f->from.basis.users, f->from.iterations, device);
	const struct wl_warm_up *warm_up = NULL;
	size_t first = *n;
	wl_ns most = 0;

	for (; user < f->from.basis.users.n && u[user].device == device; user++) {
		uint32_t p = u[user].process;

		if (u[user].time > most) {
			most = u[user].time;
			warm_up = &f->from.iterations->process[p].warm_up;
		}
		if (f->from.iterations->process[p].n == 0 || u[user].time == 0)
			continue;
		if (best_of->lane[p] == WL_NONE || u[user].time > best_of->time[p]) {
			best_of->time[p] = u[user].time;
			best_of->lane[p] = (uint32_t)*n;
		}
		f->lane[(*n)++] = (struct wl_ledger_lane){ .device = device,
							   .process = p,
							   .of_device = p == chosen };
	}
	if (*n == first)
		f->lane[(*n)++] =
			(struct wl_ledger_lane){ .device = device,
						 .process = WL_NONE,
						 .warm_up =
							 warm_up && warm_up->label ? warm_up : NULL,
						 .of_device = true };
	return user;
}

static bool make_lanes(struct finding *f, struct wl_arena *arena, size_t *ret_n)
{
	const struct wl_trace *t = f->from.trace;
	const struct wl_device_user *u = f->from.basis.users.at;
	struct best_lane best = { .time = WL_NEW(arena, wl_ns, t->n_processes),
				  .lane = WL_NEW(arena, uint32_t, t->n_processes) };
	size_t n = 0, user = 0;

	/* A lane per user, or one for a device without users that iterate. */
	f->lane = WL_NEW(arena, struct wl_ledger_lane, f->from.basis.users.n + t->n_devices);
	if (!f->lane || !best.time || !best.lane)
		return false;
	for (uint32_t p = 0; p < t->n_processes; p++)
		best.lane[p] = WL_NONE;
	for (uint32_t d = 0; d < t->n_devices; d++) {
		while (user < f->from.basis.users.n && u[user].device < d)
			user++;
		if (f->from.scope->device_on[d])
			user = make_device_lanes(f, d, user, &n, &best);
	}
	for (uint32_t p = 0; p < t->n_processes; p++) {
		if (best.lane[p] != WL_NONE)
			f->lane[best.lane[p]].of_process = true;
	}
	*ret_n = n;
	return true;
}

static bool fill(void *ctx, size_t i, struct wl_arena *arena)
{
	struct finding *f = ctx;

	return wl_ledger_lane_fill(&f->from, &f->lane[i], arena);
}

static void set_sources(const struct wl_derived *given, struct wl_ledger_sources *from)
{
	from->basis = *given->ledger_basis;
	from->idle = given->idle;
	from->classes = given->classes;
	from->activity = given->activity->device;
	from->links = given->links;
	from->blocking = given->blocking;
	from->collectives = given->collectives;
	from->iterations = given->iterations;
	from->forest = given->forest;
	from->stages = given->stages;
}

bool wl_ledger_find(const struct wl_derived *derived, const struct wl_scope *scope,
		    struct wl_arena *arena, struct wl_ledger *ret)
{
	struct finding f = { .from = { .trace = derived->trace, .scope = scope } };
	struct wl_ledger_sources *from = WL_NEW(arena, struct wl_ledger_sources, 1);
	bool ok;

	set_sources(derived, &f.from);
	ok = make_lanes(&f, arena, &ret->n) &&
	     wl_pool_map(derived->opts.pool, ret->n, fill, &f, arena);
	if (from)
		*from = f.from;
	*ret = (struct wl_ledger){ .lane = f.lane,
				   .n = ret->n,
				   .idle = f.from.idle,
				   .last_work = f.from.basis.last_work,
				   .from = from };
	return ok && from;
}

size_t wl_ledger_step_at(const struct wl_ledger_lane *lane, wl_ns at)
{
	/* The rest of the window is the last tile and surrounds the others. */
	bool has_rest = lane->n_tiles && lane->tile[lane->n_tiles - 1].iter == WL_NONE;
	size_t n = lane->n_tiles - has_rest;
	size_t i = WL_UPTO_BY(wl_tile, end, lane->tile, n, at);

	return i < n && lane->tile[i].begin <= at ? i : lane->n_tiles;
}
