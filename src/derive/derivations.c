/* SPDX-License-Identifier: MIT */
#include "derive/derivations.h"

#include "base/process/pool.h"
#include "derive/calls/host_functions.h"
#include "derive/calls/library_calls.h"
#include "derive/comm/clocks/host_clocks.h"
#include "derive/comm/hosts.h"
#include "derive/comm/payloads.h"
#include "derive/graph/late/rank_holds.h"
#include "derive/graph/path.h"
#include "derive/graph/replay/replay_plan.h"
#include "derive/graph/scenario/late_verdict.h"
#include "derive/idle/idle_parts.h"
#include "derive/iters/step_change.h"
#include "derive/kinds/metric_series.h"
#include "derive/kinds/named.h"
#include "derive/nvtx/conventions.h"
#include "derive/nvtx/meshes.h"
#include "derive/nvtx/nccl.h"
#include "derive/nvtx/stages.h"
#include "derive/use/lost_stacks.h"
#include "derive/use/waits.h"

/* The results that belong to the whole trace and are kept. */
static const uint64_t of_trace = 0
#define WL_DERIVE(id, name, type, above, columns) | WL_FROM(id)
#include "derive/derived.def"
	;

/* These submit tasks to the pool themselves, so each of them runs alone. */
static const uint64_t has_tasks = WL_FROM(FOREST) | WL_FROM(ITERATIONS) | WL_FROM(WAITS)
/* These request other results while they are being found. */
#define WL_LATER(id, above) | WL_FROM(id)
#include "derive/derived.def"
	;

struct wl_derived_store {
	uint64_t found;
/* NOLINTBEGIN(bugprone-macro-parentheses): the name of a member */
#define WL_DERIVE(id, name, type, above, columns) struct type name;
/* NOLINTEND(bugprone-macro-parentheses) */
#include "derive/derived.def"
};

static bool find_later(void *ctx, uint64_t from, struct wl_pool *pool, struct wl_derived *ret)
{
	struct wl_derivations *d = ctx;

	if (!wl_derivations_find(d, from, pool))
		return false;
	*ret = d->all;
	return true;
}

void wl_derivations_init(struct wl_derivations *d, const struct wl_trace *trace,
			 const struct wl_derived_opts *opts, const struct wl_derived_source *source,
			 struct wl_budget *budget)
{
	*d = (struct wl_derivations){
		.all = { .trace = trace, .opts = *opts, .later = &d->later, .may = UINT64_MAX },
		.later = { d, find_later },
		.source = source
	};
	wl_arena_init_on(&d->arena, budget);
}

void wl_derivations_release(struct wl_derivations *d)
{
	/*
	 * Conventions own compiled patterns, which live on the heap; every other result is in the
	 * arena.
	 */
	if (d->store)
		wl_conventions_free(d->store->followed.detected);
	wl_kept_scopes_release(&d->scopes);
	wl_arena_release(&d->arena);
	d->store = NULL;
}

/* Results found at the same time; each sees only the results that it is found from. */
struct round {
	struct wl_derivations *d;
	struct wl_pool *pool;
	enum wl_derivation ready[WL_N_DERIVATIONS];
	bool is_found[WL_N_DERIVATIONS]; /* by index into ready */
	size_t n;
};

typedef bool find_fn(struct wl_derivations *d, const struct wl_derived *given,
		     struct wl_arena *arena);

/* static bool find_links(...), ...: takes the kept result, or computes it again. */
#define WL_DERIVE(id, name, type, above, columns)                                                  \
	static bool find_##name(struct wl_derivations *d, const struct wl_derived *given,          \
				struct wl_arena *arena)                                            \
	{                                                                                          \
		return (d->source && d->source->name &&                                            \
			d->source->name(d->source->ctx, given->trace, arena, &d->store->name)) ||  \
		       wl_##name##_find(given, arena, &d->store->name);                            \
	}
#include "derive/derived.def"

static find_fn *const finders[WL_N_DERIVATIONS] = {
#define WL_DERIVE(id, name, type, above, columns) [WL_DERIVATION_##id] = find_##name,
#include "derive/derived.def"
};

static bool find_ready(void *ctx, size_t i, struct wl_arena *arena)
{
	struct round *r = ctx;
	struct wl_derived given =
		wl_derived_above(&r->d->all, wl_derivation_infos[r->ready[i]].from, r->pool);

	given.later = &r->d->later;
	given.may = wl_from_later(UINT64_C(1) << r->ready[i]);
	/*
	 * Each task writes its own result and its own flag. Pointers in d->all appear between
	 * rounds, so no task sees a result of its round.
	 */
	r->is_found[i] = finders[r->ready[i]](r->d, &given, arena);
	return r->is_found[i];
}

/* Also runs after a failure: results that other tasks found are kept. */
static void add_found(const struct round *r)
{
	struct wl_derivations *d = r->d;

	for (size_t i = 0; i < r->n; i++)
		d->store->found |= (uint64_t)r->is_found[i] << r->ready[i];
#define WL_DERIVE(id, name, type, above, columns)                                                  \
	d->all.name = d->store->found & WL_FROM(id) ? &d->store->name : NULL;
#include "derive/derived.def"
}

/* Choose missing results whose sources exist: all those without pool tasks, or a single one with
 * tasks. */
static void choose_round(struct round *r, uint64_t missing)
{
	size_t alone = WL_N_DERIVATIONS;

	*r = (struct round){ .d = r->d, .pool = r->pool };
	for (size_t i = 0; i < WL_N_DERIVATIONS; i++) {
		if (!(missing >> i & 1) || wl_derivation_infos[i].from & ~r->d->store->found)
			continue;
		/* Only the first result with tasks runs; the others wait for later rounds. */
		if (has_tasks >> i & 1)
			alone = alone < i ? alone : i;
		else
			r->ready[r->n++] = (enum wl_derivation)i;
	}
	/*
	 * At least one result is always ready: a line names only lines above it, so the first
	 * missing result has all its sources.
	 */
	if (r->n == 0)
		r->ready[r->n++] = (enum wl_derivation)alone;
}

static bool get_store(struct wl_derivations *d)
{
	if (!d->store)
		d->store = WL_NEW(&d->arena, struct wl_derived_store, 1);
	return d->store != NULL;
}

bool wl_derivations_find(struct wl_derivations *d, uint64_t from, struct wl_pool *pool)
{
	struct round r = { .d = d, .pool = pool };
	uint64_t missing = wl_from_closure(from) & of_trace;

	if (missing && !get_store(d))
		return false;
	while (missing && missing & ~d->store->found) {
		bool ok;

		choose_round(&r, missing & ~d->store->found);
		/* A single result runs on this thread, because it may use the pool itself. */
		ok = r.n > 1 ? wl_pool_map(pool, r.n, find_ready, &r, &d->arena)
			     : find_ready(&r, 0, &d->arena);
		add_found(&r);
		if (!ok)
			return false;
	}
	return true;
}

struct wl_derived wl_derivations_view(const struct wl_derivations *d, uint64_t from,
				      struct wl_pool *pool)
{
	struct wl_derived view = wl_derived_only(&d->all, from);

	view.opts.pool = pool;
	return view;
}

bool wl_derivations_scope(struct wl_derivations *d, struct wl_derived *view,
			  const struct wl_scope *scope, uint64_t from, struct wl_arena *arena)
{
	return wl_kept_scopes_find(&d->scopes, view, scope, from, wl_arena_budget(&d->arena),
				   arena);
}

void wl_derivations_forget_scopes(struct wl_derivations *d)
{
	wl_kept_scopes_forget(&d->scopes);
}
