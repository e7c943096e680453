/* SPDX-License-Identifier: MIT */
/*
 * kept_scopes.h - keeps the results of scopes for later answers about the same scope.
 *
 * Results that depend only on the selected devices and places, not on the window, are kept for the
 * first selection and never move. All others are kept for the last few scopes, for a caller that
 * finishes each answer before it asks for the next.
 */
#ifndef WL_DERIVE_KEPT_SCOPES_H
#define WL_DERIVE_KEPT_SCOPES_H

#include "base/memory/arena.h"
#include "derive/derived.h"
#include "derive/rows/scope.h"

enum { WL_N_KEPT_SCOPES = 2 };

/* The results of one scope, or of all scopes with one selection. */
struct wl_kept_scope {
	bool any;
	struct wl_arena arena; /* owns the copy of the scope and the results */
	struct wl_scope scope;
	struct wl_derived found; /* members are NULL until found */
	uint64_t asked;          /* value of n_asked at the last query */
};

/* Zeroed: nothing was found yet. */
struct wl_kept_scopes {
	struct wl_kept_scope selection;
	struct wl_kept_scope last[WL_N_KEPT_SCOPES];
	uint64_t n_asked;
};

void wl_kept_scopes_release(struct wl_kept_scopes *kept);

/* Drop all results except those of the selection. */
void wl_kept_scopes_forget(struct wl_kept_scopes *kept);

/*
 * Like wl_scoped_find(), but reuses kept results. New results are in the arena; if that is NULL,
 * they are kept, and become invalid after queries of WL_N_KEPT_SCOPES other scopes. All uses of one
 * wl_kept_scopes must have the same trace and naming.
 */
bool wl_kept_scopes_find(struct wl_kept_scopes *kept, struct wl_derived *view,
			 const struct wl_scope *scope, uint64_t from, struct wl_budget *budget,
			 struct wl_arena *arena) WL_MUST_CHECK;

#endif
