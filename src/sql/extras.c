/* SPDX-License-Identifier: MIT */
#include "sql/extras.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sql/context.h"
#include "sql/failure.h"
#include "sql/funcs/funcs.h"
#include "sql/rows/rows.h"
#include "sql/verbs/declared.h"

struct wl_sql_extras {
	struct wl_sql_context ctx;
	struct wl_sql_source source[];
};

static int declare(void *owner, sqlite3 *db, const char *text)
{
	return wl_sql_declare_vtab(owner, db, text);
}

static void failed(void *owner, const struct wl_err *err)
{
	((struct wl_sql *)owner)->failure = *err;
}

static struct wl_sql_extras *make(struct wl_sql *sql)
{
	size_t n = sql->opts.n;
	struct wl_sql_extras *e = calloc(1, sizeof(*e) + n * sizeof(e->source[0]));

	if (!e)
		return NULL;
	wl_sql_context_init(&e->ctx, sql->opts.budget);
	for (size_t i = 0; i < n; i++)
		e->source[i] = (struct wl_sql_source){ sql->opts.traces[i].session, sql->names[i] };
	e->ctx.source = e->source;
	e->ctx.n = n;
	e->ctx.marker = sql->opts.marker;
	e->ctx.conventions = sql->opts.conventions;
	e->ctx.pool = sql->opts.pool;
	e->ctx.declare = declare;
	e->ctx.failed = failed;
	e->ctx.owner = sql;
	return e;
}

static int make_table(struct wl_sql *sql, const char *name, struct wl_err *reterr)
{
	char text[128];

	(void)snprintf(text, sizeof(text), "CREATE VIRTUAL TABLE temp.%s USING %s", name, name);
	return wl_sql_exec(sql, text, reterr);
}

int wl_sql_add_extras(struct wl_sql *sql, struct wl_err *reterr)
{
	int r;

	sql->extras = make(sql);
	if (!sql->extras)
		return wl_fail(reterr, WL_E_NOMEM, "no memory for the functions of SQL");
	r = wl_sql_add_functions(sql->db, &sql->extras->ctx, reterr);
	if (r == WL_OK)
		r = wl_sql_add_rows(sql->db, &sql->extras->ctx, reterr);
	for (size_t i = 0; r == WL_OK && i < wl_sql_n_functions; i++) {
		if (wl_sql_functions[i].kind == WL_SQL_TABLE)
			r = make_table(sql, wl_sql_functions[i].name, reterr);
	}
	for (size_t i = 0; r == WL_OK && i < WL_SQL_N_ROWS; i++)
		r = make_table(sql, wl_sql_rows[i]->name, reterr);
	return r;
}

void wl_sql_release_extras(struct wl_sql *sql)
{
	if (sql->extras)
		wl_sql_context_release(&sql->extras->ctx);
	free(sql->extras);
	sql->extras = NULL;
}

/* ---- Descriptions ---- */

static struct wl_sql_column column_of(const struct wl_col *col, bool is_parameter)
{
	return (struct wl_sql_column){ col->key, wl_sql_declare(col), col->help, is_parameter };
}

static void list_rows(struct wl_vec *tables, const struct wl_sql_rows *rows, struct wl_arena *arena)
{
	size_t n = rows->n_cols + WL_SQL_N_ROW_PARAMS;
	struct wl_sql_column *columns = WL_NEW(arena, struct wl_sql_column, n);
	const struct wl_sql_table table = { .name = rows->name,
					    .kind = WL_SQL_KIND_ROWS,
					    .help = rows->help,
					    .columns = columns,
					    .n_columns = n };

	for (size_t i = 0; columns && i < n; i++)
		columns[i] = i < rows->n_cols
				     ? column_of(&rows->cols[i], false)
				     : column_of(&wl_sql_row_params[i - rows->n_cols], true);
	tables->failed = tables->failed || !columns;
	wl_vec_push(tables, &table);
}

static const struct wl_sql_column interval_columns[] = {
	{ "start", "INTEGER TIME", "When the interval begins.", false },
	{ "end", "INTEGER TIME", "When it ends.", false },
	{ "duration", "INTEGER NS", "Its length.", false },
	{ "set", "", "The set, which intervals() makes.", true },
};

static const struct wl_sql_column count_columns[] = {
	{ "time", "INTEGER TIME", "When the step or the bin begins.", false },
	{ "value", "", "How many intervals are under way; of a bin the mean.", false },
	{ "duration", "INTEGER NS", "Its length.", false },
	{ "peak", "INTEGER COUNT", "The largest number in it.", false },
	{ "set", "", "The set, which intervals() makes.", true },
	{ "bin", "INTEGER NS", "Length of bins; without it a row per step.", true },
};

/* Functions that give rows. */
static const struct wl_sql_table function_tables[] = {
	{ "each_interval", NULL, WL_SQL_KIND_ROWS, "Intervals of a set", interval_columns,
	  WL_COUNT(interval_columns) },
	{ "overlap_count", NULL, WL_SQL_KIND_ROWS,
	  "How many intervals of a set are under way over time", count_columns,
	  WL_COUNT(count_columns) },
};

void wl_sql_list_extras(struct wl_vec *tables, bool has_events, struct wl_arena *arena)
{
	for (size_t i = 0; has_events && i < WL_SQL_N_ROWS; i++)
		list_rows(tables, wl_sql_rows[i], arena);
	for (size_t i = 0; i < WL_COUNT(function_tables); i++)
		wl_vec_push(tables, &function_tables[i]);
}

bool wl_sql_is_extra(const char *name)
{
	for (size_t i = 0; i < WL_SQL_N_ROWS; i++) {
		if (strcmp(wl_sql_rows[i]->name, name) == 0)
			return true;
	}
	for (size_t i = 0; i < WL_COUNT(function_tables); i++) {
		if (strcmp(function_tables[i].name, name) == 0)
			return true;
	}
	return false;
}
