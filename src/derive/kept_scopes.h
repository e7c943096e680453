/* SPDX-License-Identifier: MIT */
/*
 * kept_scopes.h - what was found of scopes, for answers that ask of the same again.
 *
 * What follows from the selected devices and places alone, whatever the window, is kept of the
 * first selection and never moves. All else is kept of the last few scopes, for a caller whose
 * answers end before it asks the next.
 */
#ifndef WL_DERIVE_KEPT_SCOPES_H
#define WL_DERIVE_KEPT_SCOPES_H

#include "base/memory/arena.h"
#include "derive/derived.h"
#include "derive/rows/scope.h"

enum { WL_N_KEPT_SCOPES = 2 };

/* Results of one scope, or of all with one selection. */
struct wl_kept_scope {
	bool any;
	struct wl_arena arena; /* owns the copy of the scope and what was found */
	struct wl_scope scope;
	struct wl_derived found; /* NULL: not yet */
	uint64_t asked;          /* when last */
};

/* Zeroed: nothing was found. */
struct wl_kept_scopes {
	struct wl_kept_scope selection;
	struct wl_kept_scope last[WL_N_KEPT_SCOPES];
	uint64_t n_asked;
};

void wl_kept_scopes_release(struct wl_kept_scopes *kept);

/* All but what is of a selection. */
void wl_kept_scopes_forget(struct wl_kept_scopes *kept);

/*
 * As wl_scoped_find(), of what is kept. In the arena; NULL: the results are kept, and void once
 * so many other scopes were asked. All of one wl_kept_scopes must be of one trace and naming.
 */
bool wl_kept_scopes_find(struct wl_kept_scopes *kept, struct wl_derived *view,
			 const struct wl_scope *scope, uint64_t from, struct wl_budget *budget,
			 struct wl_arena *arena) WL_MUST_CHECK;

#endif
