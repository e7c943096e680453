/* SPDX-License-Identifier: MIT */
/* tool_sql.c - the tool that runs SQL on a trace, read-only and within limits. */
#include "agent/tools/call.h"
#include "agent/tools/handles.h"
#include "agent/tools/reply.h"
#include "agent/tools/schema.h"
#include "base/text/shell.h"
#include "sql/sql.h"

enum { MAX_SECONDS = 60, USUAL_SECONDS = 20, TEXT_BYTES = 8 << 20 };

/* What is asked. */
struct querying {
	struct wl_handle *handle;
	const char *query, *cursor;
	const char *how; /* the same query as a command line, to which a cursor belongs */
	int64_t seconds, limit;
	struct wl_sql_page page;
};

static int take(struct wl_tool_call *c, struct querying *q, struct wl_err *reterr)
{
	int r = wl_call_only(c, "trace query limit cursor seconds", reterr);

	if (r == WL_OK)
		r = wl_call_text(c, "query", &q->query, reterr);
	if (r == WL_OK && !q->query)
		r = wl_fail(reterr, WL_E_USAGE, "query: give one SQL statement");
	if (r == WL_OK)
		r = wl_call_text(c, "cursor", &q->cursor, reterr);
	if (r == WL_OK)
		r = wl_call_i64(c, "limit", 1, WL_REPLY_MAX_ROWS, &q->limit, reterr);
	if (r == WL_OK)
		r = wl_call_i64(c, "seconds", 1, MAX_SECONDS, &q->seconds, reterr);
	return r == WL_OK ? wl_call_trace(c, "trace", &q->handle, reterr) : r;
}

/* A cursor holds the number of rows on earlier pages: the statement runs again and skips them. */
static int take_page(struct wl_tool_call *c, struct querying *q, struct wl_err *reterr)
{
	const char *path = wl_shell_word(q->handle->path, &c->arena);
	const char *query = wl_shell_word(q->query, &c->arena);

	q->how =
		path && query ? wl_call_printf(c, "warplens sql %s %s -f json", path, query) : NULL;
	if (!q->how)
		return wl_fail(reterr, WL_E_NOMEM, "no memory for the reply");
	return q->cursor ? wl_cursor_parse(q->cursor, q->how, &q->page.skip, reterr) : WL_OK;
}

static int reply(struct wl_tool_call *c, const struct querying *q, const struct wl_document *doc,
		 struct wl_err *reterr)
{
	struct wl_section section = doc->sections[0];
	const struct wl_told told = { .verb = "sql",
				      .handle = q->handle->id,
				      .how = q->how,
				      .limit = (size_t)q->limit,
				      .whole = "read it in parts with substr()",
				      .n_before = q->page.n_skipped,
				      .has_more = q->page.has_more };

	section.view.chosen_cols = true; /* the statement chose the columns */
	return wl_reply_table(c, doc, &section, &told, reterr);
}

/* The connection belongs to this call: its TEMP objects end with it. */
int wl_tool_sql(struct wl_tool_call *c, struct wl_err *reterr)
{
	struct querying q = { .seconds = USUAL_SECONDS, .limit = WL_REPLY_ROWS };
	struct wl_sql_limits limits = { .to_raise = "give more seconds, at most 60",
					.rows = WL_REPLY_MAX_ROWS,
					.bytes = TEXT_BYTES,
					.cancel = c->how.cancel,
					.page = &q.page };
	struct wl_sql_trace trace;
	struct wl_sql_opts opts = { .traces = &trace, .n = 1 };
	struct wl_sql *sql = NULL;
	struct wl_document doc;
	int r = take(c, &q, reterr);

	if (r == WL_OK)
		r = take_page(c, &q, reterr);
	if (r < 0)
		return r;
	trace = (struct wl_sql_trace){ .session = q.handle->trace.session,
				       .path = q.handle->trace.database,
				       .label = q.handle->path };
	opts.budget = c->opts->budget;
	opts.pool = c->opts->pool;
	limits.time_ns = q.seconds * 1000000000;
	r = wl_sql_open(&opts, &sql, reterr);
	if (r == WL_OK)
		r = wl_sql_run(sql, q.query, &limits, &c->arena, &doc, reterr);
	if (r == WL_OK && doc.n_sections == 0)
		r = wl_fail(reterr, WL_E_USAGE, "query: the statement returns no rows");
	if (r == WL_OK)
		r = reply(c, &q, &doc, reterr);
	wl_sql_close(sql);
	return r;
}

/* ---- Schemas ---- */

void wl_schema_sql_input(struct wl_jsonw *w)
{
	wl_schema_begin(w);
	wl_schema_put(w, "trace", "string",
		      "Handle or path; may be left out while there is only one trace.");
	wl_schema_put(w, "query", "string",
		      "SELECT statement of SQLite. Tables: every verb by its name, _ for - (SELECT "
		      "name, sum FROM kernels WHERE gpu = 0), tables of the export (see describe), "
		      "ops, launches, nvtx_ranges. Parameters of verbs are arguments, the window "
		      "first (FROM overlap('steady')), or columns (FROM overlap WHERE \"window\" = "
		      "'steady'). PRAGMA table_info(kernels) lists columns.");
	wl_schema_range(w, "limit", 1, WL_REPLY_MAX_ROWS, "Rows; 50 by default.");
	wl_schema_put(w, "cursor", "string", "next_cursor of the reply before, for further rows.");
	wl_schema_range(w, "seconds", 1, MAX_SECONDS, "Time limit; 20 by default.");
	wl_schema_end(w, "query", true);
}
