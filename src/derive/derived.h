/* SPDX-License-Identifier: MIT */
/*
 * derived.h - views of shared results that are derived from a trace and declared in derived.def.
 *
 * A reader (an analysis, rule, view or export) declares the results that it needs in a struct
 * wl_wanted. The session finds them before the reader runs (derive/derivations.h) and hands out a
 * constant view of exactly these results. Any number of readers on any thread may share a view, and
 * none can read what it did not declare. A large result that few readers need is declared as
 * "later" and found only on request (wl_derived_with).
 *
 * To add a result, write wl_X_find(given, arena, &x) with its own header and a line in
 * derived.def.
 */
#ifndef WL_DERIVE_DERIVED_H
#define WL_DERIVE_DERIVED_H

#include <assert.h>

#include "base/attr.h"
#include "base/memory/arena.h"
#include "model/trace.h"

struct wl_conventions;
struct wl_pool;
#define WL_DERIVE(id, name, type, above, columns) struct type;
#define WL_SCOPED(id, name, type, above, columns) struct type;
#include "derive/derived.def"

enum wl_derivation {
#define WL_DERIVE(id, name, type, above, columns) WL_DERIVATION_##id,
#define WL_SCOPED(id, name, type, above, columns) WL_DERIVATION_##id,
#define WL_OVER(id, above, columns)               WL_DERIVATION_##id,
#include "derive/derived.def"
	WL_N_DERIVATIONS
};

static_assert(WL_N_DERIVATIONS <= 64, "a bit for each");

/* A set of derivations is a number: WL_FROM(LINKS) | WL_FROM(FOREST). */
#define WL_FROM(id) (UINT64_C(1) << WL_DERIVATION_##id)

struct wl_derivation_info {
	const char *name;                 /* as in derived.def: "LINKS" */
	uint64_t from;                    /* its sources, all of them above */
	const enum wl_column_id *columns; /* columns that it reads itself; ends with WL_N_COLUMNS */
};

extern const struct wl_derivation_info wl_derivation_infos[WL_N_DERIVATIONS];

/* The set plus all sources of its members. */
uint64_t wl_from_closure(uint64_t from);

/* The same plus all that they may ask for later; the second function returns only the later results
 * and their sources. */
uint64_t wl_from_reach(uint64_t from);
uint64_t wl_from_later(uint64_t from);

/* What a reader needs: derivations, and columns that it reads directly. */
struct wl_wanted {
	uint64_t from;
	struct wl_columns columns;
};

/* Add derivations and columns; WL_N_COLUMNS ends the list, which may be NULL. */
void wl_want(struct wl_wanted *wanted, uint64_t from, const enum wl_column_id *columns);
void wl_want_also(struct wl_wanted *wanted, const struct wl_wanted *other);

/* All columns to load: the direct ones, and those of all reachable derivations. */
struct wl_columns wl_wanted_columns(const struct wl_wanted *wanted);

/* How to read a trace. Everything that it points to must outlive the derived results. */
struct wl_derived_opts {
	const struct wl_conventions
		*conventions; /* NULL to detect them from the names in the trace */
	const char *marker;   /* marker of iterations, as the user wrote it; NULL for none */
	struct wl_pool *pool; /* NULL to run inline */
};

struct wl_derived;

/* Finds the results that readers ask for later; false when memory is exhausted. */
struct wl_derived_later {
	void *ctx;
	bool (*find)(void *ctx, uint64_t from, struct wl_pool *pool, struct wl_derived *ret);
};

/*
 * A view: a pointer to each result that it was made for, NULL for all others. It lives as long as
 * the derivations.
 */
struct wl_derived {
	const struct wl_trace *trace;
	struct wl_derived_opts opts;
	const struct wl_derived_later *later; /* NULL if no later result can be requested */
	uint64_t may;                         /* the results declared as possibly requested later */
/* NOLINTBEGIN(bugprone-macro-parentheses): the name of a member */
#define WL_DERIVE(id, name, type, above, columns) const struct type *name;
#define WL_SCOPED(id, name, type, above, columns) const struct type *name;
/* NOLINTEND(bugprone-macro-parentheses) */
#include "derive/derived.def"
};

/* The part of a view that belongs to a set of derivations and their sources. */
struct wl_derived wl_derived_only(const struct wl_derived *view, uint64_t from);

/*
 * The view extended by a set of WL_LATER lines, which are found now if they are missing. Returns
 * the view itself if it already has them, else a view owned by the arena; NULL when memory is
 * exhausted. Not thread safe: call it where the answer is made, not from pool tasks.
 */
const struct wl_derived *wl_derived_with(const struct wl_derived *view, uint64_t set,
					 struct wl_arena *arena) WL_MUST_CHECK;

#endif
