/* SPDX-License-Identifier: MIT */
/*
 * row_table.c - a virtual table over a row source.
 *
 * A cursor walks one trace after the other. A table of another verb in the same statement may load
 * columns while a cursor stands on a row; the generation of the session says so, and the cursor
 * then makes its walk again and skips to the row where it was. Loads only ever add, so this
 * happens a few times per connection at most. A cursor that looks rows up goes over the rows of an
 * index (row_index.h) instead of the walk's.
 */
#include <stdio.h>
#include <string.h>

#include "base/stop.h"
#include "session/open/session.h"
#include "sql/guard/mismatch.h"
#include "sql/rows/row_plan.h"
#include "sql/verbs/declared.h"

enum { WINDOW = WL_ROW_WINDOW, GPU = WL_ROW_GPU, TRACE = WL_ROW_TRACE };

const struct wl_col wl_sql_row_params[WL_SQL_N_ROW_PARAMS] = {
	[WINDOW] = { "window", "Window", WL_T_STR, WL_PLAIN,
		     "The part of the trace, as --window." },
	[GPU] = { "gpu", "GPU", WL_T_STR, WL_PLAIN, "Devices, as --gpu." },
	[TRACE] = { "trace", "Trace", WL_T_STR, WL_PLAIN, "The trace that the row is of." },
};

struct row_table {
	sqlite3_vtab base;
	const struct wl_row_source *source;
	struct wl_sql_context *ctx;
	struct wl_row_indexes indexes;
};

struct row_cursor {
	sqlite3_vtab_cursor base;
	struct wl_row_walk walk;
	char *given[WL_SQL_N_ROW_PARAMS]; /* of sqlite3_malloc(); NULL: all */
	size_t trace;                     /* which is walked */
	uint64_t generation;              /* of its session, when the walk was made */
	bool is_made;
	size_t n_seen; /* rows of the walk so far, this one included */
	struct wl_row_sought sought;
	struct wl_row_index *index; /* of the walk, by which rows are looked up; or NULL */
	size_t hit, n_hits;         /* where it stands in the index: one more than the row's */
	sqlite3_int64 rowid;
	bool eof;
};

static int connect_table(sqlite3 *db, void *aux, int argc, const char *const *argv,
			 sqlite3_vtab **ret, char **reterr)
{
	const struct wl_row_module_data *data = aux;
	const struct wl_sql_rows *rows = &data->source->rows;
	sqlite3_str *sql = sqlite3_str_new(db);
	struct row_table *t;
	char *text;
	int r;

	(void)argc;
	(void)argv;
	(void)reterr;
	sqlite3_str_appendall(sql, "CREATE TABLE x(");
	for (size_t i = 0; i < rows->n_cols; i++)
		sqlite3_str_appendf(sql, "\"%w\" %s, ", rows->cols[i].key,
				    wl_sql_declare(&rows->cols[i]));
	sqlite3_str_appendall(
		sql, "\"window\" TEXT NAME HIDDEN, gpu TEXT NAME HIDDEN, trace TEXT NAME HIDDEN)");
	text = sqlite3_str_finish(sql);
	r = text ? wl_sql_context_declare(data->ctx, db, text) : SQLITE_NOMEM;
	sqlite3_free(text);
	if (r != SQLITE_OK)
		return r;
	t = sqlite3_malloc64(sizeof(*t));
	if (!t)
		return SQLITE_NOMEM;
	*t = (struct row_table){ .source = data->source, .ctx = data->ctx };
	*ret = &t->base;
	return SQLITE_OK;
}

static int disconnect(sqlite3_vtab *vtab)
{
	wl_row_indexes_release(&((struct row_table *)vtab)->indexes);
	sqlite3_free(vtab);
	return SQLITE_OK;
}

static int best_index(sqlite3_vtab *vtab, sqlite3_index_info *info)
{
	static const char *const name[WL_SQL_N_ROW_PARAMS] = { [WINDOW] = "window", [GPU] = "gpu" };
	const struct wl_row_source *source = ((const struct row_table *)vtab)->source;

	for (int i = 0; i < info->nConstraint; i++) {
		const struct sqlite3_index_constraint *c = &info->aConstraint[i];
		int param = c->iColumn - (int)source->rows.n_cols;

		if (param >= 0 && param < WL_SQL_N_ROW_PARAMS && name[param] &&
		    wl_sql_is_vain(c->op))
			return wl_sql_refuse_vain(vtab, name[param]);
	}
	info->idxNum = (info->colUsed & source->costly_cols) != 0;
	return wl_row_plan_make(source, info);
}

/* ---- Walking ---- */

static struct row_table *table_of(const struct row_cursor *c)
{
	return (struct row_table *)c->base.pVtab;
}

static int fail(struct row_cursor *c, const struct wl_err *err)
{
	const struct row_table *t = table_of(c);
	struct wl_err told = { .code = err->code };

	if (err->code == WL_E_NOMEM)
		return SQLITE_NOMEM;
	(void)snprintf(told.msg, sizeof(told.msg), "%s: %.400s", t->source->rows.name, err->msg);
	if (t->ctx->failed)
		t->ctx->failed(t->ctx->owner, &told);
	sqlite3_free(c->base.pVtab->zErrMsg);
	c->base.pVtab->zErrMsg = sqlite3_mprintf("%s", told.msg);
	return SQLITE_ERROR;
}

static int refuse(struct row_cursor *c, const char *msg)
{
	struct wl_err err;

	(void)wl_fail(&err, WL_E_USAGE, "%s", msg);
	return fail(c, &err);
}

static void drop_walk(struct row_cursor *c)
{
	const struct wl_row_source *source = table_of(c)->source;

	if (c->walk.state && source->release)
		source->release(&c->walk);
	wl_arena_release(&c->walk.arena);
	c->walk.state = NULL;
	c->is_made = false;
}

static int make_walk(struct row_cursor *c)
{
	struct row_table *t = table_of(c);
	const struct wl_sql_choice choice = {
		c->trace,
		c->walk.is_costly ? t->source->costly_need : t->source->need,
		{ .window = c->given[WINDOW], .gpu = c->given[GPU] }
	};
	struct wl_row_walk *w = &c->walk;
	struct wl_sql_part part;
	struct wl_err err = { .code = WL_OK };
	int r;

	drop_walk(c);
	wl_arena_init_on(&w->arena, t->ctx->budget);
	w->ctx = t->ctx;
	r = wl_sql_resolve(t->ctx, &choice, &w->arena, &part, &err);
	if (r < 0)
		return fail(c, &err);
	w->scope = part.scope;
	w->derived = part.derived;
	w->trace = w->derived.trace;
	w->state = wl_arena_calloc(&w->arena, 1, t->source->state_size);
	if (!w->state || (t->source->prepare && !t->source->prepare(w)))
		return SQLITE_NOMEM;
	c->generation = wl_session_generation(t->ctx->source[c->trace].session);
	c->is_made = true;
	return SQLITE_OK;
}

static bool is_fresh(const struct row_cursor *c)
{
	const struct row_table *t = table_of(c);

	return c->is_made &&
	       c->generation == wl_session_generation(t->ctx->source[c->trace].session);
}

static void drop_index(struct row_cursor *c)
{
	wl_row_index_put(c->index);
	c->index = NULL;
}

/* By an index, if there is one or it is worth one. */
static int begin_lookup(struct row_cursor *c)
{
	struct row_table *t = table_of(c);
	const struct wl_row_index_of of = { .trace = c->trace,
					    .generation = c->generation,
					    .columns = c->sought.columns,
					    .window = c->given[WINDOW],
					    .gpu = c->given[GPU] };

	if (c->index && wl_row_index_columns(c->index) != of.columns)
		drop_index(c);
	if (!c->index && !wl_row_index_get(&t->indexes, t->source, &of, &c->walk, &c->index))
		return wl_stop_is_due(t->ctx->budget->stop) ? SQLITE_INTERRUPT : SQLITE_NOMEM;
	if (c->index)
		wl_row_index_find(c->index, &c->sought, &c->hit, &c->n_hits);
	return SQLITE_OK;
}

/* Before the first row of the trace. */
static int begin_trace(struct row_cursor *c)
{
	int r = SQLITE_OK;

	if (!is_fresh(c) || !c->sought.columns)
		drop_index(c);
	if (!is_fresh(c))
		r = make_walk(c);
	c->n_seen = 0;
	if (r == SQLITE_OK && c->sought.columns)
		r = begin_lookup(c);
	if (r == SQLITE_OK && !c->index)
		table_of(c)->source->rewind(&c->walk);
	return r;
}

/* To the next row of the trace; false past the last. */
static bool take_next(struct row_cursor *c)
{
	const struct wl_row_source *source = table_of(c)->source;

	if (!c->index)
		return source->next(&c->walk);
	if (c->hit >= c->n_hits)
		return false;
	source->seek(&c->walk, wl_row_index_at(c->index, c->hit++));
	return true;
}

/* The walk stands where it stood, whatever was loaded meanwhile: rows keep their numbers. */
static int refresh(struct row_cursor *c)
{
	const struct wl_row_source *source = table_of(c)->source;
	size_t n = c->n_seen;
	int r;

	if (is_fresh(c))
		return SQLITE_OK;
	if (c->index) {
		r = make_walk(c);
		if (r == SQLITE_OK && n > 0)
			source->seek(&c->walk, wl_row_index_at(c->index, c->hit - 1));
		return r;
	}
	r = begin_trace(c);
	while (r == SQLITE_OK && c->n_seen < n && source->next(&c->walk))
		c->n_seen++;
	return r;
}

static bool is_wanted(const struct row_cursor *c, size_t trace)
{
	return !c->given[TRACE] ||
	       strcmp(c->given[TRACE], table_of(c)->ctx->source[trace].label) == 0;
}

/* The first wanted trace from this one on, or the number of traces. */
static size_t wanted_from(const struct row_cursor *c, size_t trace)
{
	while (trace < table_of(c)->ctx->n && !is_wanted(c, trace))
		trace++;
	return trace;
}

static int advance(struct row_cursor *c)
{
	const struct row_table *t = table_of(c);
	int r = refresh(c);

	while (r == SQLITE_OK && !take_next(c)) {
		size_t next = wanted_from(c, c->trace + 1);

		if (next >= t->ctx->n) {
			c->eof = true;
			return SQLITE_OK;
		}
		c->trace = next;
		c->is_made = false;
		r = begin_trace(c);
	}
	c->n_seen++;
	c->rowid++;
	return r;
}

/* ---- The methods ---- */

static int open_cursor(sqlite3_vtab *vtab, sqlite3_vtab_cursor **ret)
{
	struct row_cursor *c = sqlite3_malloc64(sizeof(*c));

	(void)vtab;
	if (!c)
		return SQLITE_NOMEM;
	*c = (struct row_cursor){ .eof = true };
	*ret = &c->base;
	return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *cursor)
{
	struct row_cursor *c = (struct row_cursor *)cursor;

	drop_index(c);
	drop_walk(c);
	for (size_t i = 0; i < WL_SQL_N_ROW_PARAMS; i++)
		sqlite3_free(c->given[i]);
	sqlite3_free(c);
	return SQLITE_OK;
}

/* A parameter of this scan; another one than before makes the walk void. */
static int set_given(struct row_cursor *c, size_t which, sqlite3_value *value)
{
	const char *text = value ? (const char *)sqlite3_value_text(value) : NULL;
	char *old = c->given[which];

	if (text ? old && strcmp(text, old) == 0 : !old)
		return SQLITE_OK;
	if (which != TRACE)
		c->is_made = false;
	c->given[which] = text ? sqlite3_mprintf("%s", text) : NULL;
	sqlite3_free(old);
	return !text || c->given[which] ? SQLITE_OK : SQLITE_NOMEM;
}

static int no_such_trace(struct row_cursor *c)
{
	const struct wl_sql_context *ctx = table_of(c)->ctx;
	char msg[512];
	size_t n = 0;

	if (ctx->n == 0)
		return refuse(c, "there is no trace to ask");
	n += (size_t)snprintf(msg, sizeof(msg), "no trace is called \"%.100s\"; there are",
			      c->given[TRACE]);
	for (size_t i = 0; i < ctx->n && n < sizeof(msg); i++)
		n += (size_t)snprintf(msg + n, sizeof(msg) - n, "%s %.60s", i ? "," : "",
				      ctx->source[i].label);
	return refuse(c, msg);
}

static int filter(sqlite3_vtab_cursor *cursor, int idx, const char *plan, int n,
		  sqlite3_value **arg)
{
	struct row_cursor *c = (struct row_cursor *)cursor;
	struct wl_row_asked asked;
	struct wl_err err;
	size_t first;
	int r = SQLITE_OK;

	(void)n;
	if (wl_row_plan_read(table_of(c)->source, plan, arg, &asked, &err) < 0)
		return fail(c, &err);
	for (size_t i = 0; r == SQLITE_OK && i < WL_SQL_N_ROW_PARAMS; i++)
		r = set_given(c, i, asked.given[i]);
	if (r != SQLITE_OK)
		return r;
	if (table_of(c)->source->is_whole && (c->given[WINDOW] || c->given[GPU]))
		return refuse(c, "it is of the whole trace: leave out window and gpu");
	c->is_made = c->is_made && c->walk.is_costly == (idx != 0);
	c->walk.is_costly = idx != 0;
	c->walk.from = asked.from;
	c->walk.to = asked.to;
	c->sought = asked.sought;
	first = wanted_from(c, 0);
	if (first >= table_of(c)->ctx->n)
		return no_such_trace(c);
	c->is_made = c->is_made && c->trace == first;
	c->trace = first;
	c->eof = asked.sought.is_none;
	c->rowid = 0;
	if (c->eof)
		return SQLITE_OK;
	r = begin_trace(c);
	return r == SQLITE_OK ? advance(c) : r;
}

static int next(sqlite3_vtab_cursor *cursor)
{
	return advance((struct row_cursor *)cursor);
}

static int at_end(sqlite3_vtab_cursor *cursor)
{
	return ((const struct row_cursor *)cursor)->eof;
}

static void put_cell(struct row_cursor *c, sqlite3_context *to, int which)
{
	const struct wl_row_source *source = table_of(c)->source;
	int64_t value;

	if (!source->lookup || !source->lookup[which].get)
		source->cells[which](&c->walk, to);
	else if (source->lookup[which].get(&c->walk, &value))
		sqlite3_result_int64(to, value);
}

static int column(sqlite3_vtab_cursor *cursor, sqlite3_context *to, int which)
{
	struct row_cursor *c = (struct row_cursor *)cursor;
	const struct row_table *t = table_of(c);
	int param = which - (int)t->source->rows.n_cols;
	int r = SQLITE_OK;

	if (param == TRACE) {
		wl_row_text(to, t->ctx->source[c->trace].label);
	} else if (param >= 0) {
		wl_row_text(to, c->given[param]);
	} else {
		r = refresh(c);
		if (r == SQLITE_OK)
			put_cell(c, to, which);
	}
	return r;
}

static int rowid(sqlite3_vtab_cursor *cursor, sqlite3_int64 *ret)
{
	*ret = ((const struct row_cursor *)cursor)->rowid;
	return SQLITE_OK;
}

const sqlite3_module wl_row_module = {
	.xCreate = connect_table,
	.xConnect = connect_table,
	.xBestIndex = best_index,
	.xDisconnect = disconnect,
	.xDestroy = disconnect,
	.xOpen = open_cursor,
	.xClose = close_cursor,
	.xFilter = filter,
	.xNext = next,
	.xEof = at_end,
	.xColumn = column,
	.xRowid = rowid,
};
