/* SPDX-License-Identifier: MIT */
/*
 * verb_table.c - a verb as a virtual table.
 *
 * Parameters are hidden columns; SQLite passes f(a, b) and WHERE column = value alike. A plan whose
 * order of tables does not know a parameter's value yet is refused, so that SQLite finds another.
 * Columns pid, rank, stream and gpu that a run does not fill stand for the parameter: kernels has
 * no stream unless asked by stream, and WHERE stream = 7 still means stream 7.
 */
#include "sql/verb_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "sql/declared.h"
#include "sql/failure.h"
#include "sql/verb_given.h"
#include "sql/verb_results.h"

struct verb_table {
	sqlite3_vtab base;
	struct wl_sql *sql;
	struct wl_sql_shape shape;
};

struct cursor {
	sqlite3_vtab_cursor base;
	struct wl_sql_givens givens;
	const struct wl_sql_result **results; /* by trace; NULL where a trace is left out */
	size_t trace, row;                    /* where it stands */
	sqlite3_int64 n;                      /* rows before it */
};

/* ---- Tables ---- */

/* "CREATE TABLE x(name TEXT KERNEL, ..., "window" HIDDEN)"; NULL without memory. */
static char *make_declaration(const struct wl_sql_shape *s)
{
	sqlite3_str *text = sqlite3_str_new(NULL);

	sqlite3_str_appendall(text, "CREATE TABLE x(");
	for (size_t i = 0; i < s->n_cols; i++) {
		const struct wl_col *c = wl_sql_shape_col(s, i);

		sqlite3_str_appendf(text, "%s\"%w\" %s", i ? ", " : "", c->key, wl_sql_declare(c));
	}
	for (size_t i = 0; i < s->n_params; i++)
		sqlite3_str_appendf(text, ", \"%w\" HIDDEN", s->params[i].name);
	sqlite3_str_appendall(text, ")");
	return sqlite3_str_finish(text);
}

/* argv: module, schema, table, and the name of the shape. */
static int connect(sqlite3 *db, void *ctx, int argc, const char *const *argv, sqlite3_vtab **ret,
		   char **error)
{
	struct verb_table *t = sqlite3_malloc(sizeof(*t));
	char *declaration;
	int code;

	if (!t)
		return SQLITE_NOMEM;
	*t = (struct verb_table){ .sql = ctx };
	/* By its own name the module is a table, too. */
	if (argc != 4 || !wl_sql_shape_find(argv[3], &t->shape)) {
		sqlite3_free(t);
		*error = sqlite3_mprintf("no such table: %s", argv[0]);
		return SQLITE_ERROR;
	}
	declaration = make_declaration(&t->shape);
	code = declaration ? wl_sql_declare_vtab(t->sql, db, declaration) : SQLITE_NOMEM;
	sqlite3_free(declaration);
	if (code == SQLITE_OK)
		*ret = &t->base;
	else
		sqlite3_free(t);
	return code;
}

static int disconnect(sqlite3_vtab *vtab)
{
	sqlite3_free(vtab);
	return SQLITE_OK;
}

/* ---- Plans ---- */

static int best_index(sqlite3_vtab *vtab, sqlite3_index_info *info)
{
	const struct wl_sql_shape *s = &((struct verb_table *)vtab)->shape;
	sqlite3_str *columns = sqlite3_str_new(NULL);
	int n = 0;

	for (int i = 0; i < info->nConstraint && n < WL_SQL_MAX_GIVEN; i++) {
		const struct sqlite3_index_constraint *c = &info->aConstraint[i];
		bool is_param = wl_sql_param_of(s, c->iColumn) != NULL;

		if (c->op != SQLITE_INDEX_CONSTRAINT_EQ ||
		    (!is_param && !wl_sql_twin_of(s, c->iColumn)))
			continue;
		if (!c->usable && is_param) {
			sqlite3_free(sqlite3_str_finish(columns));
			return SQLITE_CONSTRAINT;
		}
		if (!c->usable)
			continue;
		info->aConstraintUsage[i].argvIndex = ++n;
		info->aConstraintUsage[i].omit = is_param;
		sqlite3_str_appendf(columns, "%d,", c->iColumn);
	}
	info->idxNum = n;
	info->idxStr = sqlite3_str_finish(columns);
	info->needToFreeIdxStr = 1;
	/* Finding the table is what costs; parameters make it smaller. */
	info->estimatedCost = 100000.0 / (n + 1);
	info->estimatedRows = 1000 / (n + 1);
	return n == 0 || info->idxStr ? SQLITE_OK : SQLITE_NOMEM;
}

/* ---- Cursors ---- */

static int open_cursor(sqlite3_vtab *vtab, sqlite3_vtab_cursor **ret)
{
	const struct verb_table *t = (struct verb_table *)vtab;
	struct cursor *c = calloc(1, sizeof(*c));

	if (!c)
		return SQLITE_NOMEM;
	c->results = calloc(t->sql->opts.n, sizeof(struct wl_sql_result *));
	if (!c->results) {
		free(c);
		return SQLITE_NOMEM;
	}
	c->trace = t->sql->opts.n;
	*ret = &c->base;
	return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *cursor)
{
	struct cursor *c = (struct cursor *)cursor;

	wl_sql_givens_forget(&c->givens);
	free(c->results);
	free(c);
	return SQLITE_OK;
}

static int check_trace(const struct wl_sql *sql, const char *trace, struct wl_err *reterr)
{
	struct wl_nearest near;
	const char *best;

	wl_nearest_init(&near, trace);
	for (size_t i = 0; i < sql->opts.n; i++) {
		if (strcmp(sql->names[i], trace) == 0)
			return WL_OK;
		wl_nearest_offer(&near, sql->names[i]);
	}
	best = wl_nearest_get(&near);
	return wl_fail(reterr, WL_E_USAGE, "trace = '%.60s': there is no such trace; %s %s", trace,
		       best ? "did you mean" : "the first is", best ? best : sql->names[0]);
}

/* Operands have no default: an analysis would refuse it in words of the command line. */
static int check_operands(const struct wl_sql_call *call, struct wl_err *reterr)
{
	const struct wl_analysis *a = call->shape->analysis;

	for (size_t i = 0; i < a->n_params && !call->shape->document; i++) {
		if (a->params[i].operand && !a->params[i].def && !call->args[i])
			return wl_fail(reterr, WL_E_USAGE, "%s needs its %s: %s('...')",
				       call->shape->name, a->params[i].key, call->shape->name);
	}
	return WL_OK;
}

/* Of several traces some may have no data, or nothing of what is selected. */
static bool is_absence(const struct wl_sql *sql, int r)
{
	return sql->opts.n > 1 && (r == WL_E_NODATA || r == WL_E_NOMATCH);
}

static int ask(struct cursor *c, struct wl_sql *sql, const struct wl_sql_shape *s,
	       struct wl_err *reterr)
{
	struct wl_sql_call call;
	const char *only = wl_sql_givens_call(&c->givens, s, &call);
	struct wl_err why = { .code = WL_OK };
	size_t n_found = 0;
	int r = check_operands(&call, reterr);

	if (r == WL_OK && only)
		r = check_trace(sql, only, reterr);
	for (size_t i = 0; r == WL_OK && i < sql->opts.n; i++) {
		int one;

		c->results[i] = NULL;
		if (only && strcmp(sql->names[i], only) != 0)
			continue;
		call.trace = i;
		one = wl_sql_result_get(sql, &call, &c->results[i], &why);
		n_found += one == WL_OK;
		if (one < 0 && !is_absence(sql, one))
			r = wl_fail(reterr, why.code, "%s", why.msg);
		if (wl_sql_must_stop(sql))
			r = wl_sql_stopped(sql, reterr);
	}
	if (r == WL_OK && n_found == 0)
		r = wl_fail(reterr, why.code, "%s", why.msg);
	return r;
}

/* To the first row at or after where it stands. */
static void settle(struct cursor *c, size_t n_traces)
{
	while (c->trace < n_traces &&
	       (!c->results[c->trace] || c->row >= c->results[c->trace]->n_rows)) {
		c->trace++;
		c->row = 0;
	}
}

static int filter(sqlite3_vtab_cursor *cursor, int number, const char *columns, int argc,
		  sqlite3_value **argv)
{
	struct cursor *c = (struct cursor *)cursor;
	struct verb_table *t = (struct verb_table *)cursor->pVtab;
	struct wl_err err = { .code = WL_OK };
	int r = wl_sql_givens_take(&c->givens, &t->shape, columns ? columns : "", argc, argv, &err);

	(void)number;
	if (r == WL_OK)
		r = ask(c, t->sql, &t->shape, &err);
	if (r < 0)
		return wl_sql_vtab_fail(t->sql, cursor->pVtab, &err);
	c->trace = c->givens.is_contradiction ? t->sql->opts.n : 0;
	c->row = 0;
	c->n = 0;
	settle(c, t->sql->opts.n);
	return SQLITE_OK;
}

static int next(sqlite3_vtab_cursor *cursor)
{
	struct cursor *c = (struct cursor *)cursor;

	c->row++;
	c->n++;
	settle(c, ((struct verb_table *)cursor->pVtab)->sql->opts.n);
	return SQLITE_OK;
}

static int eof(sqlite3_vtab_cursor *cursor)
{
	return ((struct cursor *)cursor)->trace >=
	       ((struct verb_table *)cursor->pVtab)->sql->opts.n;
}

static int row_id(sqlite3_vtab_cursor *cursor, sqlite3_int64 *ret)
{
	*ret = ((struct cursor *)cursor)->n + 1;
	return SQLITE_OK;
}

/* ---- Cells ---- */

static void put_cell(sqlite3_context *ctx, enum wl_type type, struct wl_cell cell)
{
	if (!cell.set)
		sqlite3_result_null(ctx);
	else if (wl_type_is_text(type))
		sqlite3_result_text(ctx, cell.str, -1, SQLITE_STATIC);
	else if (wl_type_is_real(type))
		sqlite3_result_double(ctx, cell.f64);
	else
		sqlite3_result_int64(ctx, cell.i64);
}

/* What was given for the column; without that, what holds by default. */
static int put_param(const struct cursor *c, sqlite3_context *ctx, int column)
{
	struct verb_table *t = (struct verb_table *)c->base.pVtab;
	const struct wl_sql_param *p = wl_sql_param_of(&t->shape, column);
	struct wl_err err;

	if (p->kind == WL_SQL_PARAM_TRACE) {
		sqlite3_result_text(ctx, t->sql->names[c->trace], -1, SQLITE_STATIC);
		return SQLITE_OK;
	}
	for (int i = 0; i < c->givens.n; i++) {
		if (c->givens.at[i].column != column)
			continue;
		sqlite3_result_value(ctx, c->givens.at[i].value);
		return SQLITE_OK;
	}
	if (p->def) {
		sqlite3_result_text(ctx, p->def, -1, SQLITE_STATIC);
		return SQLITE_OK;
	}
	/* NULL would make gpu > 1 leave out every row. */
	(void)wl_fail(&err, WL_E_USAGE,
		      "%s: %s is a parameter, not a column of the rows; give it as %s = ...",
		      t->shape.name, p->name, p->name);
	return wl_sql_vtab_fail(t->sql, c->base.pVtab, &err);
}

static const struct wl_sql_given *selection_of(const struct cursor *c, int column)
{
	for (int i = 0; i < c->givens.n; i++) {
		if (c->givens.at[i].column == column && c->givens.at[i].is_selection)
			return &c->givens.at[i];
	}
	return NULL;
}

static int column(sqlite3_vtab_cursor *cursor, sqlite3_context *ctx, int i)
{
	const struct cursor *c = (struct cursor *)cursor;
	const struct wl_sql_shape *s = &((struct verb_table *)cursor->pVtab)->shape;
	size_t n_tree = s->n_cols - s->analysis->n_cols;
	const struct wl_sql_result *r = c->results[c->trace];
	const struct wl_sql_given *selected;
	int at;

	if ((size_t)i >= s->n_cols)
		return put_param(c, ctx, i);
	if ((size_t)i < n_tree) {
		put_cell(ctx, wl_tree_cols[i].type,
			 wl_tree_at(r->table, r->rows[c->row], (size_t)i));
		return SQLITE_OK;
	}
	selected = selection_of(c, i);
	at = r->at[(size_t)i - n_tree];
	if (selected)
		sqlite3_result_value(ctx, selected->value);
	else if (at >= 0)
		put_cell(ctx, r->table->cols[at].type,
			 wl_table_at(r->table, r->rows[c->row], (size_t)at));
	return SQLITE_OK;
}

static const sqlite3_module module = {
	.xCreate = connect,
	.xConnect = connect,
	.xBestIndex = best_index,
	.xDisconnect = disconnect,
	.xDestroy = disconnect,
	.xOpen = open_cursor,
	.xClose = close_cursor,
	.xFilter = filter,
	.xNext = next,
	.xEof = eof,
	.xColumn = column,
	.xRowid = row_id,
};

static int make_table(struct wl_sql *sql, const struct wl_sql_shape *shape)
{
	char text[160];

	(void)snprintf(text, sizeof(text), "CREATE VIRTUAL TABLE temp.%s USING wl_verb(%s)",
		       shape->name, shape->name);
	return sqlite3_exec(sql->db, text, NULL, NULL, NULL);
}

int wl_sql_add_verbs(struct wl_sql *sql, struct wl_err *reterr)
{
	struct wl_sql_shape shape;
	int code = sqlite3_create_module(sql->db, "wl_verb", &module, sql);

	for (size_t i = 0; code == SQLITE_OK && wl_sql_shape_at(i, &shape); i++)
		code = make_table(sql, &shape);
	return code == SQLITE_OK ? WL_OK : wl_sql_fail(sql, code, reterr);
}

bool wl_sql_add_alias(struct wl_sql *sql, const char *name)
{
	struct wl_sql_shape shape;
	int code;

	if (!wl_sql_shape_find(name, &shape) || !shape.alias)
		return false;
	/* The name is the registry's, so that nothing of the statement is in the text. */
	sql->is_connecting = true;
	code = make_table(sql, &shape);
	sql->is_connecting = false;
	return code == SQLITE_OK;
}
