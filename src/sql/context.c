/* SPDX-License-Identifier: MIT */
#include "sql/context.h"

#include <stdlib.h>

#include "session/open/session.h"
#include "sql/sql.h"

struct wl_sql_view_store {
	struct wl_sql_view at[WL_SQL_N_NEEDS]; /* of one source */
};

void wl_sql_context_init(struct wl_sql_context *ctx, struct wl_budget *budget)
{
	*ctx = (struct wl_sql_context){ .budget = budget };
}

static void clear(struct wl_sql_view *view)
{
	if (view->made && view->unmake)
		view->unmake(view->made);
	wl_arena_release(&view->arena);
	*view = (struct wl_sql_view){ .is_made = false };
}

void wl_sql_context_release(struct wl_sql_context *ctx)
{
	for (size_t i = 0; ctx->views && i < ctx->n; i++) {
		for (size_t need = 0; need < WL_SQL_N_NEEDS; need++)
			clear(&ctx->views[i].at[need]);
	}
	free(ctx->views);
	ctx->views = NULL;
}

int wl_sql_context_declare(const struct wl_sql_context *ctx, sqlite3 *db, const char *text)
{
	return ctx->declare ? ctx->declare(ctx->owner, db, text) : sqlite3_declare_vtab(db, text);
}

static const enum wl_column_id name_columns[] = { WL_KERNELS_NAME, WL_N_COLUMNS };
static const enum wl_column_id range_columns[] = {
	WL_NVTX_START,  WL_NVTX_DUR,        WL_NVTX_THREAD, WL_NVTX_KIND, WL_NVTX_NAME,
	WL_NVTX_DOMAIN, WL_NVTX_END_THREAD, WL_NVTX_FLAGS,  WL_N_COLUMNS
};
static const enum wl_column_id payload_columns[] = { WL_NVTX_EVENT, WL_NVTX_PAYLOAD, WL_N_COLUMNS };
static const enum wl_column_id op_columns[] = {
	WL_OP_STARTS,    WL_KERNELS_NAME,  WL_MEMCPYS_BYTES,
	WL_MEMCPYS_KIND, WL_MEMSETS_BYTES, WL_N_COLUMNS,
};
static const enum wl_column_id text_columns[] = {
	WL_KERNELS_NAME,   WL_API_NAME,        WL_NVTX_NAME,    WL_NVTX_KIND,      WL_OSRT_NAME,
	WL_MPI_COLLS_NAME, WL_MPI_OTHERS_NAME, WL_MPI_P2P_NAME, WL_MPI_WAITS_NAME, WL_N_COLUMNS
};
static const enum wl_column_id match_columns[] = { WL_OP_STARTS, WL_KERNELS_NAME, WL_N_COLUMNS };

void wl_sql_need_want(enum wl_sql_need need, struct wl_wanted *wanted)
{
	switch (need) {
	case WL_SQL_NAMES:
		wl_want(wanted, WL_FROM(NAMED), name_columns);
		break;
	case WL_SQL_RANGES:
		wl_want(wanted, WL_FROM(FOLDS) | WL_FROM(RANKS) | WL_FROM(ITERATIONS),
			range_columns);
		break;
	case WL_SQL_WORKS:
		wl_want(wanted, WL_FROM(RANGE_USES) | WL_FROM(RANKS) | WL_FROM(ITERATIONS),
			range_columns);
		wl_want(wanted, 0, payload_columns);
		break;
	case WL_SQL_STEPS:
		wl_want(wanted, WL_FROM(ITERATIONS) | WL_FROM(RANKS), NULL);
		break;
	case WL_SQL_OPS:
		wl_want(wanted,
			WL_FROM(LINKS) | WL_FROM(NAMED) | WL_FROM(CLASSES) | WL_FROM(ITERATIONS) |
				WL_FROM(RANKS) | WL_FROM(FOLDS),
			op_columns);
		break;
	case WL_SQL_MATCHES:
		wl_want(wanted, WL_FROM(MATCHES) | WL_FROM(RANKS), match_columns);
		break;
	case WL_SQL_TEXTS:
		wl_want(wanted, 0, text_columns);
		break;
	case WL_SQL_N_NEEDS:
		break;
	}
}

void wl_sql_want(struct wl_wanted *wanted)
{
	for (int need = 0; need < WL_SQL_N_NEEDS; need++)
		wl_sql_need_want((enum wl_sql_need)need, wanted);
}

/* The run is over when wl_session_run() returns. */
static int keep_scope(void *ctx, const struct wl_run *run, const struct wl_scope_notes *notes,
		      struct wl_err *reterr)
{
	struct wl_sql_part *part = ctx;

	(void)notes;
	(void)reterr;
	part->scope = *run->scope;
	part->derived = *run->derived;
	return WL_OK;
}

int wl_sql_resolve(const struct wl_sql_context *ctx, const struct wl_sql_choice *choice,
		   struct wl_arena *arena, struct wl_sql_part *ret, struct wl_err *reterr)
{
	struct wl_session *session = ctx->source[choice->source].session;
	struct wl_visitor visitor = { .name = "sql", .visit = keep_scope, .ctx = ret };
	const struct wl_request request = { .visitor = &visitor,
					    .selection = choice->selection,
					    .marker = ctx->marker,
					    .conventions = ctx->conventions,
					    .pool = ctx->pool,
					    .stop = ctx->budget->stop };
	struct wl_document doc;
	int r;

	wl_sql_need_want(choice->need, &visitor.wanted);
	r = wl_session_load(session, &request, reterr);
	return r < 0 ? r : wl_session_run(session, &request, arena, &doc, reterr);
}

static int make(struct wl_sql_context *ctx, size_t source, enum wl_sql_need need,
		struct wl_sql_view *view, struct wl_err *reterr)
{
	const struct wl_sql_choice whole = { .source = source, .need = need };
	struct wl_sql_part part;
	int r;

	clear(view);
	wl_arena_init_on(&view->arena, ctx->budget);
	r = wl_sql_resolve(ctx, &whole, &view->arena, &part, reterr);
	if (r < 0)
		return r;
	view->derived = part.derived;
	view->generation = wl_session_generation(ctx->source[source].session);
	view->is_made = true;
	return WL_OK;
}

int wl_sql_view_get(struct wl_sql_context *ctx, size_t source, enum wl_sql_need need,
		    struct wl_sql_view **ret, struct wl_err *reterr)
{
	struct wl_sql_view *view;

	if (source >= ctx->n)
		return wl_fail(reterr, WL_E_USAGE, "there is no trace to ask");
	if (!ctx->views)
		ctx->views = calloc(ctx->n, sizeof(*ctx->views));
	if (!ctx->views)
		return wl_fail(reterr, WL_E_NOMEM, "no memory for a view of the trace");
	view = &ctx->views[source].at[need];
	*ret = view;
	if (view->is_made && view->generation == wl_session_generation(ctx->source[source].session))
		return WL_OK;
	return make(ctx, source, need, view, reterr);
}
