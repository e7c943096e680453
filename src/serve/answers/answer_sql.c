/* SPDX-License-Identifier: MIT */
/*
 * answer_sql.c - statements of SQL on a trace, read-only and within limits. Each question has a
 * connection of its own: what it makes in TEMP ends with it.
 */
#include "serve/answers/answer_rows.h"
#include "sql/sql.h"

enum { SECONDS = 20, TEXT_BYTES = 8 << 20 };

/* Marker and conventions are those of the page: a held session answers by no others. */
static int run(const struct wl_ask *ask, size_t which, const char *text,
	       struct wl_sql_limits *limits, struct wl_answer *ret, struct wl_err *reterr)
{
	const struct wl_served_opts *opts = &ask->served->opts;
	const struct wl_request *request = &opts->trace[which].request;
	const struct wl_sql_trace trace = { .session = ask->served->show.scene[which]->session,
					    .path = opts->trace[which].path,
					    .label = opts->label[which] };
	struct wl_sql *sql = NULL;
	struct wl_document doc;
	int r;

	if (!trace.session || !trace.path)
		return wl_fail(reterr, WL_E_NODATA, "the trace cannot be asked");
	r = wl_sql_open(&(struct wl_sql_opts){ .traces = &trace,
					       .n = 1,
					       .budget = opts->budget,
					       .pool = request->pool,
					       .marker = request->marker,
					       .conventions = request->conventions },
			&sql, reterr);
	if (r == WL_OK)
		r = wl_sql_run(sql, text, limits, ask->arena, &doc, reterr);
	if (r == WL_OK && (doc.n_sections == 0 || doc.sections[0].view.n_cols == 0))
		r = wl_fail(reterr, WL_E_USAGE, "the statement returns no rows");
	if (r == WL_OK)
		r = wl_answer_rows(ret, &doc.sections[0].view,
				   wl_show_origin(&ask->served->show, which), reterr);
	wl_sql_close(sql);
	return r;
}

int wl_answer_sql(const struct wl_ask *ask, struct wl_answer *ret, struct wl_err *reterr)
{
	const char *text = wl_query_text(ask->query, "q");
	struct wl_sql_page page = { .skip = 0 };
	/* One row more than is sent says that there are more. */
	struct wl_sql_limits limits = { .time_ns = SECONDS * INT64_C(1000000000),
					.rows = WL_ANSWER_MAX_ROWS + 1,
					.bytes = TEXT_BYTES,
					.cancel = &ask->served->stop,
					.page = &page };
	int64_t which = 0, last = (int64_t)ask->served->show.n - 1;
	int r = wl_query_i64(ask->query, "trace", 0, last, &which, reterr);

	if (r < 0)
		return r;
	if (!text)
		return wl_fail(reterr, WL_E_USAGE, "q: give a statement of SQL");
	return run(ask, (size_t)which, text, &limits, ret, reterr);
}
