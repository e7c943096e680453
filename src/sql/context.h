/* SPDX-License-Identifier: MIT */
/*
 * context.h - the traces that SQL functions and row sources read, and what they keep of them.
 *
 * Order of calls: init; the functions and tables of a connection, as often as wanted; close the
 * connection; release. One thread at a time uses a context.
 *
 * A view of a trace (wl_sql_view_get) is made when it is first asked for and again when the session
 * has loaded more, which moves columns. So nothing of a view is kept over a call that may run
 * a request on the same session; ask again instead, which costs a comparison where nothing moved.
 */
#ifndef WL_SQL_CONTEXT_H
#define WL_SQL_CONTEXT_H

#include <sqlite3.h>

#include "analysis/analysis.h"
#include "session/document/request.h"

struct wl_session;
struct wl_sql_view_store;

struct wl_sql_source {
	struct wl_session *session;
	const char *label; /* what the hidden column trace calls it */
};

struct wl_sql_context {
	const struct wl_sql_source *source; /* n; the first one answers functions without a trace */
	size_t n;
	const char *marker;              /* how steps are found, as in wl_request */
	struct wl_named_doc conventions; /* the same */
	struct wl_budget *budget;        /* of all that functions hold; never NULL */
	struct wl_pool *pool;            /* NULL: in line */
	/* What an authorizer stands before: how a table declares itself. NULL: by SQLite alone. */
	int (*declare)(void *owner, sqlite3 *db, const char *text);
	/* Told of what a table fails with: SQLite carries its text, not its status. Or NULL. */
	void (*failed)(void *owner, const struct wl_err *err);
	void *owner;
	struct wl_sql_view_store *views; /* private */
};

/* What a view is for; each loads and derives no more than that. */
enum wl_sql_need {
	WL_SQL_NAMES,   /* names of kernels: labels, categories */
	WL_SQL_RANGES,  /* NVTX ranges of threads */
	WL_SQL_WORKS,   /* the same, with their GPU work */
	WL_SQL_STEPS,   /* iterations */
	WL_SQL_OPS,     /* operations and the calls that launched them */
	WL_SQL_MATCHES, /* collectives across ranks */
	WL_SQL_TEXTS,   /* what events are called */
	WL_SQL_N_NEEDS
};

/* All zeroed but the members above; source may be NULL where n is 0. */
void wl_sql_context_init(struct wl_sql_context *ctx, struct wl_budget *budget);
void wl_sql_context_release(struct wl_sql_context *ctx);

/* Declare a table of this context. */
int wl_sql_context_declare(const struct wl_sql_context *ctx, sqlite3 *db, const char *text);

/* What a need takes of a trace. */
void wl_sql_need_want(enum wl_sql_need need, struct wl_wanted *wanted);

/* Which part of which trace, and what for. */
struct wl_sql_choice {
	size_t source;
	enum wl_sql_need need;
	struct wl_selection selection;
};

/* A part of a trace, and what is derived of all of it. */
struct wl_sql_part {
	struct wl_scope scope;
	struct wl_derived derived;
};

/*
 * Load, resolve the selection and derive: the arrays of the scope are the arena's, what is derived
 * lives until wl_session_generation() changes.
 */
int wl_sql_resolve(const struct wl_sql_context *ctx, const struct wl_sql_choice *choice,
		   struct wl_arena *arena, struct wl_sql_part *ret,
		   struct wl_err *reterr) WL_MUST_CHECK;

/* What functions ask of a whole trace. */
struct wl_sql_view {
	struct wl_derived derived;
	struct wl_arena arena;      /* for what users of the view add to it; released with it */
	void *made;                 /* of the arena: what the need's user has made; NULL at first */
	void (*unmake)(void *made); /* releases what made has beyond the arena; NULL: nothing */
	uint64_t generation;
	bool is_made;
};

/* The view of a source. Contents of its arena and made are void whenever made is NULL. */
int wl_sql_view_get(struct wl_sql_context *ctx, size_t source, enum wl_sql_need need,
		    struct wl_sql_view **ret, struct wl_err *reterr) WL_MUST_CHECK;

#endif
