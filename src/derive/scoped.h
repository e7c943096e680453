/* SPDX-License-Identifier: MIT */
/* scoped.h - finds what derived.def declares to be of the scope of an answer. */
#ifndef WL_DERIVE_SCOPED_H
#define WL_DERIVE_SCOPED_H

#include "base/memory/arena.h"
#include "derive/derived.h"

struct wl_scope;

/* A view of the set alone, for a result that is found from it; not of what that is from. */
struct wl_derived wl_derived_above(const struct wl_derived *all, uint64_t set,
				   struct wl_pool *pool);

/* Add to a view of all that is in the set what is found of a scope. False without memory. */
bool wl_scoped_find(struct wl_derived *view, const struct wl_scope *scope, uint64_t from,
		    struct wl_arena *arena) WL_MUST_CHECK;

/* The same, but of what the view has already nothing is found again. */
bool wl_scoped_add(struct wl_derived *view, const struct wl_scope *scope, uint64_t from,
		   struct wl_arena *arena) WL_MUST_CHECK;

/* Add what another view has of a scope. */
void wl_scoped_take(struct wl_derived *view, const struct wl_derived *other);

#endif
