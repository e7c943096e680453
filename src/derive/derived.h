/* SPDX-License-Identifier: MIT */
/*
 * derived.h - views of shared results: derived from a trace, declared in derived.def.
 *
 * A reader names its results in advance: an analysis, a rule, a view, an export say in a
 * struct wl_wanted what they want, the session finds all that before they run
 * (derive/derivations.h), and hands out a constant view that has just this. So any number
 * of readers may share a view across threads, and none can read what it did not declare. A large
 * result that few readers need is declared to be found later: where one asks (wl_derived_with).
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
	uint64_t from;                    /* what it is found from, all of it above */
	const enum wl_column_id *columns; /* that it reads itself; WL_N_COLUMNS ends */
};

extern const struct wl_derivation_info wl_derivation_infos[WL_N_DERIVATIONS];

/* The set, and all that its members are found from. */
uint64_t wl_from_closure(uint64_t from);

/* And all that they may ask for later; the second is that alone, and what it is found from. */
uint64_t wl_from_reach(uint64_t from);
uint64_t wl_from_later(uint64_t from);

/* What a reader needs of a trace: derivations, and columns that it reads directly. */
struct wl_wanted {
	uint64_t from;
	struct wl_columns columns;
};

/* Add derivations and columns; WL_N_COLUMNS ends the list, which may be NULL. */
void wl_want(struct wl_wanted *wanted, uint64_t from, const enum wl_column_id *columns);
void wl_want_also(struct wl_wanted *wanted, const struct wl_wanted *other);

/* All columns to load: the direct ones, and those of all that the derivations reach. */
struct wl_columns wl_wanted_columns(const struct wl_wanted *wanted);

/* How a trace is to be read. All that it points to must outlive what is derived. */
struct wl_derived_opts {
	const struct wl_conventions *conventions; /* NULL: find out by the names in the trace */
	const char *marker;                       /* of iterations, as written; NULL for none */
	struct wl_pool *pool;                     /* NULL: in line */
};

struct wl_derived;

/* Finds what readers ask for later: a view of all that is there then, or false without memory. */
struct wl_derived_later {
	void *ctx;
	bool (*find)(void *ctx, uint64_t from, struct wl_pool *pool, struct wl_derived *ret);
};

/*
 * A view: of each result that it was made for a pointer, and NULL for all others. It
 * lives as long as the derivations.
 */
struct wl_derived {
	const struct wl_trace *trace;
	struct wl_derived_opts opts;
	const struct wl_derived_later *later; /* NULL: nothing can be asked for */
	uint64_t may;                         /* what was declared to be asked for */
/* NOLINTBEGIN(bugprone-macro-parentheses): the name of a member */
#define WL_DERIVE(id, name, type, above, columns) const struct type *name;
#define WL_SCOPED(id, name, type, above, columns) const struct type *name;
/* NOLINTEND(bugprone-macro-parentheses) */
#include "derive/derived.def"
};

/* What a view has of a set of derivations and of what these are found from. */
struct wl_derived wl_derived_only(const struct wl_derived *view, uint64_t from);

/*
 * The view with a set of WL_LATER lines, which are found now if they are not there. It is the view
 * itself where that has them, else owned by the arena; NULL without memory. Not thread safe: it is
 * asked where the answer is made, not by tasks of a pool.
 */
const struct wl_derived *wl_derived_with(const struct wl_derived *view, uint64_t set,
					 struct wl_arena *arena) WL_MUST_CHECK;

#endif
