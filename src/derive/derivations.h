/* SPDX-License-Identifier: MIT */
/*
 * derivations.h - finds what derived.def declares, each result once, and keeps it.
 *
 * A session has one for its trace and drops it when a load or another naming makes what
 * was found void. Order of calls: init; find and view, as often as wanted; release.
 * Finding is not thread safe, but readers of views may go on meanwhile: a result that is
 * there never moves.
 */
#ifndef WL_DERIVE_DERIVATIONS_H
#define WL_DERIVE_DERIVATIONS_H

#include "base/memory/arena.h"
#include "derive/derived.h"
#include "derive/kept_scopes.h"
#include "derive/scoped.h"

/*
 * Results that were found before and kept elsewhere: by name, a function that gets one,
 * or false when it cannot, which is then found again. NULL for what is not kept. They
 * must be what _find would find, in the arena or where they outlive the derivations.
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

/* Stays where it was made: views point to it. */
struct wl_derivations {
	struct wl_derived all; /* what was found so far */
	struct wl_derived_later later;
	const struct wl_derived_source *source;
	struct wl_arena arena;          /* owns what was found */
	struct wl_derived_store *store; /* NULL until something is found */
	struct wl_kept_scopes scopes;
};

/*
 * opts is copied, what it and source point to must outlive d, and so must the budget. A
 * source of NULL keeps nothing, a budget of NULL is without limit.
 */
void wl_derivations_init(struct wl_derivations *d, const struct wl_trace *trace,
			 const struct wl_derived_opts *opts, const struct wl_derived_source *source,
			 struct wl_budget *budget);
void wl_derivations_release(struct wl_derivations *d); /* accepts a zeroed one */

/*
 * Find those of the set, and all that they are from, which are of the trace and are not
 * there yet, but nothing that they may ask for later: what is ready at the same time on several
 * threads of the pool, which may be NULL. False when memory is exhausted.
 */
bool wl_derivations_find(struct wl_derivations *d, uint64_t from,
			 struct wl_pool *pool) WL_MUST_CHECK;

/* What of the set is found, and of what it is from. Tasks of its readers run on the pool. */
struct wl_derived wl_derivations_view(const struct wl_derivations *d, uint64_t from,
				      struct wl_pool *pool);

/*
 * Add to a view of all that is in the set what is found of a scope. In the arena; NULL: it is kept,
 * as kept_scopes.h says. False without memory.
 */
bool wl_derivations_scope(struct wl_derivations *d, struct wl_derived *view,
			  const struct wl_scope *scope, uint64_t from,
			  struct wl_arena *arena) WL_MUST_CHECK;

/* Free what is kept of scopes; what does not depend on the window stays. */
void wl_derivations_forget_scopes(struct wl_derivations *d);

#endif
