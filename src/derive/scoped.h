/* SPDX-License-Identifier: MIT */
/* scoped.h - finds the derivations that derived.def declares as scoped, for the scope of an
 * answer. */
#ifndef WL_DERIVE_SCOPED_H
#define WL_DERIVE_SCOPED_H

#include "base/memory/arena.h"
#include "derive/derived.h"

struct wl_scope;

/* A view with only the derivations in the set, for a result found from them; without what these
 * were found from. */
struct wl_derived wl_derived_above(const struct wl_derived *all, uint64_t set,
				   struct wl_pool *pool);

/* Find the scoped derivations in from, and those they need, and add them to a view that has the
 * others. False if out of memory. */
bool wl_scoped_find(struct wl_derived *view, const struct wl_scope *scope, uint64_t from,
		    struct wl_arena *arena) WL_MUST_CHECK;

/* The same, but keeps the scoped derivations that the view already has. */
bool wl_scoped_add(struct wl_derived *view, const struct wl_scope *scope, uint64_t from,
		   struct wl_arena *arena) WL_MUST_CHECK;

/* Add the scoped derivations that another view has. */
void wl_scoped_take(struct wl_derived *view, const struct wl_derived *other);

#endif
