/* SPDX-License-Identifier: MIT */
#include "derive/scoped.h"

#include "derive/iters/iter_accounts.h"
#include "derive/ledger/ledger_basis.h"
#include "derive/use/foreign_work.h"
#include "derive/use/iter_use.h"
#include "derive/use/lost_stacks.h"
#include "derive/use/thread_use.h"

struct wl_derived wl_derived_above(const struct wl_derived *all, uint64_t set, struct wl_pool *pool)
{
	struct wl_derived view = { .trace = all->trace, .opts = all->opts };

	view.opts.pool = pool;
#define WL_DERIVE(id, name, type, above, columns) view.name = set & WL_FROM(id) ? all->name : NULL;
#define WL_SCOPED(id, name, type, above, columns) view.name = set & WL_FROM(id) ? all->name : NULL;
#include "derive/derived.def"
	return view;
}

void wl_scoped_take(struct wl_derived *view, const struct wl_derived *other)
{
#define WL_SCOPED(id, name, type, above, columns)                                                  \
	if (other->name)                                                                           \
		view->name = other->name;
#include "derive/derived.def"
}

bool wl_scoped_add(struct wl_derived *view, const struct wl_scope *scope, uint64_t from,
		   struct wl_arena *arena)
{
	uint64_t wanted = wl_from_closure(from);
	bool ok = true;

#define WL_SCOPED(id, name, type, above, columns)                                                  \
	if (ok && wanted & WL_FROM(id) && !view->name) {                                           \
		const struct wl_derived given = wl_derived_above(                                  \
			view, wl_derivation_infos[WL_DERIVATION_##id].from, view->opts.pool);      \
		struct type *found = WL_NEW(arena, struct type, 1);                                \
                                                                                                   \
		ok = found && wl_##name##_find(&given, scope, arena, found);                       \
		view->name = ok ? found : NULL;                                                    \
	}
#include "derive/derived.def"
	return ok;
}

bool wl_scoped_find(struct wl_derived *view, const struct wl_scope *scope, uint64_t from,
		    struct wl_arena *arena)
{
#define WL_SCOPED(id, name, type, above, columns) view->name = NULL;
#include "derive/derived.def"
	return wl_scoped_add(view, scope, from, arena);
}
