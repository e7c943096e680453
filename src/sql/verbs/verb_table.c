/* SPDX-License-Identifier: MIT */
/*
 * verb_table.c - a verb as a virtual table.
 *
 * Parameters are hidden columns; SQLite passes f(a, b) and WHERE column = value alike. A plan whose
 * order of tables does not know a parameter's value yet is refused, so that SQLite finds another.
 * Columns pid, rank, stream and gpu that a run does not fill stand for the parameter: kernels has
 * no stream unless asked by stream, and WHERE stream = 7 still means stream 7. A column of numbers
 * that has the name of a parameter is compared here and not by SQLite, which would not know that
 * "window" = 'steady' means the parameter.
 */
#include "sql/verbs/verb_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/nearest.h"
#include "sql/failure.h"
#include "sql/guard/mismatch.h"
#include "sql/verbs/declared.h"
#include "sql/verbs/verb_given.h"
#include "sql/verbs/verb_results.h"

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

/* How a constraint is taken, as wl_sql_givens_take() has it; not at all by 0. */
static char how_taken(const struct wl_sql_shape *s, const struct sqlite3_index_constraint *c)
{
	const struct wl_sql_param *twin;
	bool is_number;

	if (wl_sql_param_of(s, c->iColumn))
		return wl_sql_is_given(c->op) ? '=' : 0;
	if (c->iColumn < 0 || (size_t)c->iColumn >= s->n_cols)
		return 0;
	twin = wl_sql_twin_of(s, c->iColumn);
	is_number = !wl_type_is_text(wl_sql_shape_col(s, (size_t)c->iColumn)->type);
	/* IS finds rows by NULL as well, and so SQLite compares, too. */
	if (wl_sql_is_given(c->op) && twin && (is_number || wl_sql_is_selector(twin)))
		return c->op == SQLITE_INDEX_CONSTRAINT_EQ ? '=' : '!';
	if (!is_number)
		return 0;
	return wl_sql_comparison(c->op);
}

/* SQLite need not compare what is a parameter, and must not where a text stands for one. */
static bool is_ours(const struct wl_sql_shape *s, const struct sqlite3_index_constraint *c)
{
	return wl_sql_param_of(s, c->iColumn) ||
	       !wl_type_is_text(wl_sql_shape_col(s, (size_t)c->iColumn)->type);
}

/* A plan is "3=17?": columns in the order of the values, as wl_sql_givens_take() has them. */
static int best_index(sqlite3_vtab *vtab, sqlite3_index_info *info)
{
	const struct wl_sql_shape *s = &((struct verb_table *)vtab)->shape;
	sqlite3_str *columns = sqlite3_str_new(NULL);
	int n = 0, n_given = 0;

	for (int i = 0; i < info->nConstraint && n < WL_SQL_MAX_GIVEN; i++) {
		const struct sqlite3_index_constraint *c = &info->aConstraint[i];
		const struct wl_sql_param *param = wl_sql_param_of(s, c->iColumn);
		char how = how_taken(s, c);

		/* The trace is a column, too: each row has one. */
		if (param && strcmp(param->name, "trace") != 0 && wl_sql_is_vain(c->op)) {
			sqlite3_free(sqlite3_str_finish(columns));
			return wl_sql_refuse_vain(vtab, param->name);
		}
		if (!how || (!c->usable && !wl_sql_param_of(s, c->iColumn)))
			continue;
		if (!c->usable) {
			sqlite3_free(sqlite3_str_finish(columns));
			return SQLITE_CONSTRAINT;
		}
		info->aConstraintUsage[i].argvIndex = ++n;
		info->aConstraintUsage[i].omit = how == '=' && is_ours(s, c);
		n_given += how == '=' || how == '!';
		sqlite3_str_appendf(columns, "%d%c", c->iColumn, how);
	}
	info->idxNum = n;
	info->idxStr = sqlite3_str_finish(columns);
	info->needToFreeIdxStr = 1;
	/* Finding the table is what costs; parameters make it smaller. */
	info->estimatedCost = 100000.0 / (n_given + 1);
	info->estimatedRows = 1000 / (n_given + 1);
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
		if (a->params[i].operand && !a->params[i].def && !call->ask.args[i])
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

/* The row has every value that is compared here. */
static bool is_wanted(const struct cursor *c, const struct wl_sql_shape *s)
{
	bool ok = true;

	for (int i = 0; ok && i < c->givens.n; i++) {
		const struct wl_sql_given *g = &c->givens.at[i];

		if (g->is_compared)
			ok = wl_sql_given_is(g, s, c->results[c->trace], c->row);
	}
	return ok;
}

/* To the first row at or after where it stands. */
static void settle(struct cursor *c, const struct verb_table *t)
{
	while (c->trace < t->sql->opts.n) {
		const struct wl_sql_result *r = c->results[c->trace];

		while (r && c->row < r->n_rows) {
			if (is_wanted(c, &t->shape))
				return;
			c->row++;
		}
		c->trace++;
		c->row = 0;
	}
}

static int eof(sqlite3_vtab_cursor *cursor)
{
	return ((struct cursor *)cursor)->trace >=
	       ((struct verb_table *)cursor->pVtab)->sql->opts.n;
}

/* No row of any trace has something in the column. */
static bool is_blank(const struct cursor *c, const struct verb_table *t, int column)
{
	enum wl_type type;

	for (size_t i = 0; i < t->sql->opts.n; i++) {
		const struct wl_sql_result *r = c->results[i];

		for (size_t row = 0; r && row < r->n_rows; row++) {
			if (wl_sql_result_cell(r, &t->shape, row, (size_t)column, &type).set)
				return false;
		}
	}
	return true;
}

/*
 * No row has the rank, process or stream that is compared. Where the trace has none of that name,
 * the verb says so when it is selected: a failure where no comparison could have found a row, else
 * a note, because values of a join may well be absent.
 */
static int doubt(struct cursor *c, struct verb_table *t, struct wl_err *reterr)
{
	int r = WL_OK;

	for (int i = 0; r == WL_OK && i < c->givens.n && !t->sql->unmatched[0]; i++) {
		const struct wl_sql_given *g = &c->givens.at[i];
		struct wl_err why;

		if (!g->is_compared ||
		    wl_sql_givens_try(t->sql, &c->givens, &t->shape, g, &why) != WL_E_NOMATCH)
			continue;
		if (is_blank(c, t, g->column))
			r = wl_fail(reterr, WL_E_NOMATCH, "%s", why.msg);
		else
			(void)snprintf(t->sql->unmatched, sizeof(t->sql->unmatched), "%s: %.200s",
				       t->shape.name, why.msg);
	}
	return r;
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
	settle(c, t);
	if (eof(cursor))
		r = doubt(c, t, &err);
	return r < 0 ? wl_sql_vtab_fail(t->sql, cursor->pVtab, &err) : SQLITE_OK;
}

static int next(sqlite3_vtab_cursor *cursor)
{
	struct cursor *c = (struct cursor *)cursor;

	c->row++;
	c->n++;
	settle(c, (const struct verb_table *)cursor->pVtab);
	return SQLITE_OK;
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
	const struct wl_sql_given *selected;
	struct wl_cell cell;
	enum wl_type type;

	if ((size_t)i >= s->n_cols)
		return put_param(c, ctx, i);
	selected = selection_of(c, i);
	if (selected) {
		sqlite3_result_value(ctx, selected->value);
		return SQLITE_OK;
	}
	cell = wl_sql_result_cell(c->results[c->trace], s, c->row, (size_t)i, &type);
	put_cell(ctx, type, cell);
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
