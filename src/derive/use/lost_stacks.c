/* SPDX-License-Identifier: MIT */
#include "derive/use/lost_stacks.h"

#include "base/process/pool.h"
#include "derive/derived.h"
#include "derive/use/stack_sums.h"

struct collecting {
	const struct wl_ledger_lane *lane;
	struct wl_stack_groups groups; /* by atom */
};

static void take_lost(void *ctx, const struct wl_gap *gap, uint32_t atom, wl_ns begin, wl_ns end)
{
	struct collecting *c = ctx;

	if (gap->call != WL_NONE && WL_STACK_CAUSES >> c->lane->atom[atom].loss & 1)
		wl_stack_groups_add(&c->groups, atom, wl_api_thread(c->groups.trace)[gap->call],
				    begin, end);
}

struct finding {
	const struct wl_derived *given;
	struct wl_group_stacks *lane;
};

static bool find_lane(void *ctx, size_t i, struct wl_arena *arena)
{
	const struct finding *f = ctx;
	const struct wl_ledger *ledger = f->given->ledger;
	struct collecting c = { .lane = &ledger->lane[i] };
	bool ok;

	if (!c.lane->of_device)
		return true;
	wl_stack_groups_init(&c.groups, f->given->trace, f->given->thread_stacks,
			     wl_arena_budget(arena));
	ok = wl_ledger_visit(ledger, c.lane, arena, take_lost, &c) &&
	     wl_stack_groups_keep(&c.groups, arena, &f->lane[i]);
	wl_stack_groups_release(&c.groups);
	return ok;
}

bool wl_lost_stacks_find(const struct wl_derived *given, const struct wl_scope *scope,
			 struct wl_arena *arena, struct wl_lost_stacks *ret)
{
	size_t n = given->ledger->n;
	struct finding f = { given, WL_NEW(arena, struct wl_group_stacks, n + 1) };

	(void)scope; /* the ledger already applies it */
	ret->lane = f.lane;
	if (!f.lane)
		return false;
	return given->trace->n_stacks == 0 ||
	       wl_pool_map(given->opts.pool, n, find_lane, &f, arena);
}
