/*
 * derived.h - what analyses share: arrays derived from a trace, each found once, on demand.
 *
 * A session has one for its trace and drops it when a load changes the trace.
 * What is found stays valid until then. Asking is not thread safe: ask before
 * tasks start, and let them share the pointer.
 *
 * To add something, write wl_X_find(derived, arena, &x) with its own header and
 * a line in derived.def.
 */
#ifndef WL_DERIVE_DERIVED_H
#define WL_DERIVE_DERIVED_H

#include "base/arena.h"
#include "base/attr.h"
#include "model/trace.h"

struct wl_conventions;
struct wl_derived;
struct wl_pool;
#define WL_DERIVED(name, type) struct type;
#include "derive/derived.def"
#undef WL_DERIVED

/*
 * Things that were found before and kept elsewhere: by name, a function that gets one,
 * or false when it cannot, which is then found anew. NULL for what is not kept. They
 * must be what _find would find, in the arena or where they outlive the derived.
 */
struct wl_derived_source {
	const void *ctx;
/* NOLINTBEGIN(bugprone-macro-parentheses): the name of a member */
#define WL_DERIVED(name, type)                                                                     \
	bool (*name)(const void *ctx, struct wl_derived *d, struct wl_arena *arena,                \
		     struct type *ret);
/* NOLINTEND(bugprone-macro-parentheses) */
#include "derive/derived.def"
#undef WL_DERIVED
};

/* The members before the arena are the caller's to set; init copies them. */
struct wl_derived_opts {
	const struct wl_conventions *conventions; /* NULL: find out by the names in the trace */
	const char *marker;                       /* of iterations, as written; NULL for none */
	struct wl_pool *pool;                     /* NULL: in line */
	const struct wl_derived_source *source;   /* NULL: nothing is kept */
};

struct wl_derived_cache;

struct wl_derived {
	const struct wl_trace *trace;
	struct wl_derived_opts opts;
	struct wl_arena arena;          /* owns what was found */
	struct wl_derived_cache *cache; /* NULL until something is found */
};

/* All that opts points to must outlive d, and so must the budget; NULL: without limit. */
void wl_derived_init(struct wl_derived *d, const struct wl_trace *trace,
		     const struct wl_derived_opts *opts, struct wl_budget *budget);
void wl_derived_release(struct wl_derived *d); /* accepts a zeroed one */

/* const struct wl_links *wl_derived_links(d), ...: NULL when memory is exhausted. */
#define WL_DERIVED(name, type) const struct type *wl_derived_##name(struct wl_derived *d);
#include "derive/derived.def"
#undef WL_DERIVED

/* Whether iterations were asked for already, so that they cost nothing. */
bool wl_derived_has_iterations(const struct wl_derived *d);

/* What opts says, else what the names in the trace tell (derive/conventions.h); NULL as above. */
const struct wl_conventions *wl_derived_conventions(struct wl_derived *d);

#endif
