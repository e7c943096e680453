#include "derive/ledger.h"

#include "base/num.h"
#include "base/pool.h"
#include "derive/derived.h"
#include "derive/ledger_parts.h"

const char *wl_loss_name(enum wl_loss loss)
{
	if (loss == WL_LOSS_EXPOSED_COMM)
		return "exposed_comm";
	if (loss == WL_LOSS_EXPOSED_COPY)
		return "exposed_copy";
	return wl_cause_name((enum wl_cause)loss);
}

/* How long each process has operations under way on one device, as a sum. */
struct user {
	uint32_t device, process;
	wl_ns time;
};

struct finding {
	struct wl_ledger_sources from;
	struct wl_vec users; /* struct user, by device, then process */
	struct wl_ledger_lane *lane;
};

/* Streams are ordered by device and process, so the pairs are found in order. */
static bool find_users(struct finding *f, struct wl_arena *arena)
{
	const struct wl_trace *t = f->from.trace;
	uint32_t *user_of = WL_NEW(arena, uint32_t, t->n_places);
	struct user *users;

	if (!user_of)
		return false;
	for (size_t i = 0; i < f->from.streams.n; i++) {
		const struct wl_place *p = &t->places[f->from.streams.place[i]];
		const struct user *last = f->users.data;

		last = f->users.n ? last + f->users.n - 1 : NULL;
		if (!last || last->device != p->device || last->process != p->process)
			wl_vec_push(&f->users, &(struct user){ p->device, p->process, 0 });
		user_of[i] = (uint32_t)(f->users.n - 1);
	}
	if (f->users.failed)
		return false;
	users = f->users.data;
	for (size_t k = 0; k < WL_N_OP_FAMILIES; k++) {
		const struct wl_ops ops = wl_trace_ops(t, wl_op_families[k]);

		for (size_t i = 0; ops.place && i < ops.n; i++) {
			struct user *u = &users[user_of[f->from.streams.of_place[ops.place[i]]]];

			if (f->from.scope->place_on[ops.place[i]] &&
			    !wl_add_i64(u->time, wl_dur(ops.family, ops.dur, i), &u->time))
				u->time = INT64_MAX;
		}
	}
	return true;
}

/* Which lane has most of a process's time. */
struct best_lane {
	wl_ns *time; /* by process */
	uint32_t *lane;
};

/* The lanes of one device: of users with iterations, else one of none. Returns the next user. */
static size_t make_device_lanes(struct finding *f, uint32_t device, size_t user, size_t *n,
				struct best_lane *best_of)
{
	const struct user *u = f->users.data;
	size_t first = *n, best = *n;
	wl_ns most = -1;

	for (; user < f->users.n && u[user].device == device; user++) {
		uint32_t p = u[user].process;

		if (f->from.iterations->process[p].n == 0 || u[user].time == 0)
			continue;
		if (u[user].time > most) {
			most = u[user].time;
			best = *n;
		}
		if (best_of->lane[p] == WL_NONE || u[user].time > best_of->time[p]) {
			best_of->time[p] = u[user].time;
			best_of->lane[p] = (uint32_t)*n;
		}
		f->lane[(*n)++] = (struct wl_ledger_lane){ .device = device, .process = p };
	}
	if (*n == first)
		f->lane[(*n)++] = (struct wl_ledger_lane){ .device = device, .process = WL_NONE };
	f->lane[best].of_device = true;
	return user;
}

static bool make_lanes(struct finding *f, struct wl_arena *arena, size_t *ret_n)
{
	const struct wl_trace *t = f->from.trace;
	const struct user *u = f->users.data;
	struct best_lane best = { .time = WL_NEW(arena, wl_ns, t->n_processes),
				  .lane = WL_NEW(arena, uint32_t, t->n_processes) };
	size_t n = 0, user = 0;

	f->lane = WL_NEW(arena, struct wl_ledger_lane, f->users.n + t->n_devices);
	if (!f->lane || !best.time || !best.lane)
		return false;
	for (uint32_t p = 0; p < t->n_processes; p++)
		best.lane[p] = WL_NONE;
	for (uint32_t d = 0; d < t->n_devices; d++) {
		while (user < f->users.n && u[user].device < d)
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

/* False without memory. Where NVTX was not loaded, there are no stages. */
static bool find_stages(struct wl_ledger_sources *from, struct wl_derived *derived)
{
	static const enum wl_column_id needs[] = { WL_FOREST_COLUMNS };

	for (size_t i = 0; i < WL_COUNT(needs); i++) {
		if (!from->trace->column[needs[i]])
			return true;
	}
	from->forest = wl_derived_forest(derived);
	from->stages = wl_derived_stages(derived);
	return from->forest && from->stages;
}

static bool find_sources(struct wl_derived *derived, struct wl_arena *arena,
			 struct wl_ledger_sources *from)
{
	from->idle = wl_derived_idle(derived);
	from->classes = wl_derived_classes(derived);
	from->links = wl_derived_links(derived);
	from->blocking = wl_derived_blocking(derived);
	from->collectives = wl_derived_collectives(derived);
	from->iterations = wl_derived_iterations(derived);
	return from->idle && from->classes && from->links && from->blocking && from->collectives &&
	       from->iterations && find_stages(from, derived) &&
	       wl_streams_find(from->trace, arena, &from->streams);
}

bool wl_ledger_find(struct wl_derived *derived, const struct wl_scope *scope,
		    struct wl_arena *arena, struct wl_ledger *ret)
{
	struct finding f = { .from = { .trace = derived->trace, .scope = scope } };
	bool ok;

	wl_vec_init(&f.users, sizeof(struct user), wl_arena_budget(arena));
	ok = find_sources(derived, arena, &f.from) && find_users(&f, arena) &&
	     make_lanes(&f, arena, &ret->n) &&
	     wl_pool_map(derived->opts.pool, ret->n, fill, &f, arena);
	wl_vec_release(&f.users);
	ret->lane = f.lane;
	ret->idle = f.from.idle;
	return ok;
}
