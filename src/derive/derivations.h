/* SPDX-License-Identifier: MIT */
/*
 * derivations.h - finds the results that derived.def declares, each one once, and keeps them.
 *
 * A session has one for its trace and drops it when a load or a change of naming invalidates the
 * results. Order of calls: init; find and view, any number of times; release. Finding is not thread
 * safe, but readers of views may continue meanwhile: an existing result never moves.
 */
#ifndef WL_DERIVE_DERIVATIONS_H
#define WL_DERIVE_DERIVATIONS_H

#include "base/memory/arena.h"
#include "derive/derived.h"
#include "derive/kept_scopes.h"
#include "derive/scoped.h"

/*
 * Results that were found earlier and kept elsewhere. Each member is a function that gets one
 * result; it returns false when it cannot, and the result is then found again. NULL for results
 * that are not kept. They must equal what _find would find, and be in the arena or outlive the
 * derivations.
 */
struct wl_derived_source {
	const void *ctx;
/* NOLINTBEGIN(bugprone-macro-parentheses): the name of a member */
#define WL_DERIVE(id, name, type, above, columns)                                                  \
	bool (*name)(const void *ctx, const struct wl_trace *trace, struct wl_arena *arena,        \
		     struct type *ret);
/* NOLINTEND(bugprone-macro-parentheses) */
#include "derive/derived.def"
};

struct wl_derived_store;

/* Must not move, because views point to it. */
struct wl_derivations {
	struct wl_derived all; /* the results found so far */
	struct wl_derived_later later;
	const struct wl_derived_source *source;
	struct wl_arena arena;          /* owns the results */
	struct wl_derived_store *store; /* NULL until something is found */
	struct wl_kept_scopes scopes;
};

/*
 * opts is copied; the budget and everything that opts and source point to must outlive d. With a
 * NULL source nothing was kept; a NULL budget means no limit.
 */
void wl_derivations_init(struct wl_derivations *d, const struct wl_trace *trace,
			 const struct wl_derived_opts *opts, const struct wl_derived_source *source,
			 struct wl_budget *budget);
void wl_derivations_release(struct wl_derivations *d); /* also accepts a zeroed struct */

/*
 * Find the missing results of the set that belong to the trace, and all results that they are found
 * from, but nothing that they may ask for later. Results that are ready at the same time run in
 * parallel on the pool, which may be NULL. False when memory is exhausted.
 */
bool wl_derivations_find(struct wl_derivations *d, uint64_t from,
			 struct wl_pool *pool) WL_MUST_CHECK;

/* A view of what has been found of the set and of its sources. Tasks of its readers run on the
 * pool. */
struct wl_derived wl_derivations_view(const struct wl_derivations *d, uint64_t from,
				      struct wl_pool *pool);

/*
 * Add the results of a scope to a view that has everything in the set. They are put in the arena;
 * if it is NULL they are kept, as described in kept_scopes.h. False when memory is exhausted.
 */
bool wl_derivations_scope(struct wl_derivations *d, struct wl_derived *view,
			  const struct wl_scope *scope, uint64_t from,
			  struct wl_arena *arena) WL_MUST_CHECK;

/* Free the kept results of scopes; those that do not depend on the window stay. */
void wl_derivations_forget_scopes(struct wl_derivations *d);

#endif
