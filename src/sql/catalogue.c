/* SPDX-License-Identifier: MIT */
/* catalogue.c - the tables of a connection and their columns, for help and completion. */
#include <string.h>

#include "base/memory/vec.h"
#include "base/text/utf8.h"
#include "known/exports/schema.h"
#include "session/open/session.h"
#include "sql/extras.h"
#include "sql/failure.h"
#include "sql/verbs/declared.h"
#include "sql/verbs/verb_shape.h"

/* A list under construction. */
struct listing {
	struct wl_sql *sql;
	struct wl_arena *arena;
	struct wl_vec tables; /* struct wl_sql_table */
};

static int no_memory(struct wl_err *reterr)
{
	return wl_fail(reterr, WL_E_NOMEM, "no memory for the list of tables");
}

static const char *text_of(struct listing *l, sqlite3_stmt *stmt, int i)
{
	const char *text = (const char *)sqlite3_column_text(stmt, i);
	size_t n_replaced;

	return wl_utf8_clean_dup(l->arena, text ? text : "", text ? strlen(text) : 0, &n_replaced);
}

static const char *meaning(const char *table, const char *column)
{
	const char *text = wl_schema_meaning(table, column);

	return text ? text : "";
}

/* ---- Columns ---- */

/* Raw tables have the meaning of the catalogue of exports. */
static int take_columns(struct listing *l, sqlite3_stmt *stmt, struct wl_sql_table *t)
{
	struct wl_vec columns;
	struct wl_sql_column *copy;
	int code;

	wl_vec_init(&columns, sizeof(struct wl_sql_column), wl_arena_budget(l->arena));
	while ((code = sqlite3_step(stmt)) == SQLITE_ROW) {
		struct wl_sql_column c = { .name = text_of(l, stmt, 0),
					   .type = text_of(l, stmt, 1),
					   .is_parameter = sqlite3_column_int(stmt, 2) == 1 };

		c.help = c.name ? meaning(t->name, c.name) : "";

		if (c.name && c.type)
			wl_vec_push(&columns, &c);
		else
			columns.failed = true;
	}
	copy = WL_NEW(l->arena, struct wl_sql_column, columns.n ? columns.n : 1);
	if (copy && columns.n)
		memcpy(copy, columns.data, columns.n * sizeof(*copy));
	if (!copy || columns.failed)
		code = SQLITE_NOMEM;
	t->columns = copy;
	t->n_columns = columns.n;
	wl_vec_release(&columns);
	return code;
}

static int fill_columns(struct listing *l, struct wl_sql_table *t, const char *schema,
			struct wl_err *reterr)
{
	sqlite3_stmt *stmt = NULL;
	int code = sqlite3_prepare_v2(
		l->sql->db, "SELECT name, type, hidden FROM temp.pragma_table_xinfo(?1, ?2)", -1,
		&stmt, NULL);

	if (code == SQLITE_OK)
		code = sqlite3_bind_text(stmt, 1, t->name, -1, SQLITE_STATIC);
	if (code == SQLITE_OK)
		code = sqlite3_bind_text(stmt, 2, schema, -1, SQLITE_STATIC);
	if (code == SQLITE_OK)
		code = take_columns(l, stmt, t);
	(void)sqlite3_finalize(stmt);
	return code == SQLITE_DONE    ? WL_OK
	       : code == SQLITE_NOMEM ? no_memory(reterr)
				      : wl_sql_fail(l->sql, code, reterr);
}

/* ---- Tables ---- */

/* Some trace can answer it; NULL: with events of its own. */
static bool is_answered(const struct wl_sql *sql, const struct wl_analysis *verb)
{
	for (size_t i = 0; i < sql->opts.n; i++) {
		const struct wl_session *s = sql->opts.traces[i].session;

		if (verb ? wl_session_answers(s, verb) : !wl_session_is_facts(s))
			return true;
	}
	return sql->opts.n == 0;
}

/* The registry knows more of a verb than SQLite does. */
static int add_verb(struct listing *l, const struct wl_sql_shape *s, struct wl_err *reterr)
{
	size_t n = s->n_cols + s->n_params;
	struct wl_sql_column *c = WL_NEW(l->arena, struct wl_sql_column, n);
	const struct wl_sql_table t = { .name = wl_arena_strdup(l->arena, s->name),
					.kind = s->document ? WL_SQL_KIND_SECTION
							    : WL_SQL_KIND_VERB,
					.help = s->analysis->help ? s->analysis->help : "",
					.columns = c,
					.n_columns = n };

	for (size_t i = 0; c && i < s->n_cols; i++) {
		const struct wl_col *col = wl_sql_shape_col(s, i);

		c[i] = (struct wl_sql_column){ col->key, wl_sql_declare(col), col->help, false };
	}
	for (size_t i = 0; c && i < s->n_params; i++)
		c[s->n_cols + i] = (struct wl_sql_column){
			.name = wl_arena_strdup(l->arena, s->params[i].name),
			.type = "",
			.help = s->params[i].help,
			.is_parameter = true,
		};
	for (size_t i = 0; c && i < n; i++)
		c = c[i].name ? c : NULL;
	if (!c || !t.name)
		return no_memory(reterr);
	wl_vec_push(&l->tables, &t);
	return l->tables.failed ? no_memory(reterr) : WL_OK;
}

/* A shadow has the name of a table of exports, maybe with a schema before it. */
static bool is_shadow(const char *name)
{
	for (const char *part = name; part; part = strchr(part, '_')) {
		part += *part == '_';
		if (wl_schema_find(part, NULL))
			return true;
	}
	return false;
}

static int add_table(struct listing *l, sqlite3_stmt *stmt, struct wl_err *reterr)
{
	const char *schema = text_of(l, stmt, 0);
	const char *first = l->sql->n_files ? l->sql->files[0].schema : "main";
	struct wl_sql_table t = { .name = text_of(l, stmt, 1), .kind = WL_SQL_KIND_RAW };
	struct wl_sql_shape shape;
	int r;

	if (!schema || !t.name)
		return no_memory(reterr);
	if (strcmp(schema, "temp") == 0 && wl_sql_shape_find(t.name, &shape))
		return shape.document || is_answered(l->sql, shape.analysis)
			       ? add_verb(l, &shape, reterr)
			       : WL_OK;
	if (strcmp(schema, "temp") == 0 && wl_sql_is_extra(t.name))
		return WL_OK; /* is in the list */
	if (strcmp(schema, "temp") == 0)
		t.kind = is_shadow(t.name) ? WL_SQL_KIND_RAW : WL_SQL_KIND_TEMP;
	else if (strcmp(schema, "main") != 0 && strcmp(schema, first) != 0)
		t.schema = schema;
	r = fill_columns(l, &t, schema, reterr);
	if (r < 0)
		return r;
	t.help = meaning(t.name, NULL);
	wl_vec_push(&l->tables, &t);
	return l->tables.failed ? no_memory(reterr) : WL_OK;
}

/* Shadows come instead of what they stand for; what the file keeps for itself is left out. */
static int list_all(struct listing *l, struct wl_err *reterr)
{
	static const char text[] =
		"SELECT schema, name FROM temp.pragma_table_list WHERE name NOT LIKE "
		"'sqlite\\_%' "
		"ESCAPE '\\' AND type <> 'shadow' AND (schema = 'temp' OR name NOT IN (SELECT name "
		"FROM temp.pragma_table_list WHERE schema = 'temp')) "
		"ORDER BY schema = 'temp' DESC, schema, name";
	sqlite3_stmt *stmt = NULL;
	int code = sqlite3_prepare_v2(l->sql->db, text, -1, &stmt, NULL), r = WL_OK;

	while (code == SQLITE_OK && r == WL_OK && sqlite3_step(stmt) == SQLITE_ROW)
		r = add_table(l, stmt, reterr);
	(void)sqlite3_finalize(stmt);
	return code == SQLITE_OK ? r : wl_sql_fail(l->sql, code, reterr);
}

static void copy_by_kind(const struct wl_vec *tables, struct wl_sql_table *to)
{
	const struct wl_sql_table *all = tables->data;

	for (int kind = WL_SQL_KIND_VERB; kind <= WL_SQL_KIND_TEMP; kind++) {
		for (size_t i = 0; i < tables->n; i++) {
			if ((int)all[i].kind == kind)
				*to++ = all[i];
		}
	}
}

int wl_sql_tables(struct wl_sql *sql, struct wl_arena *arena, const struct wl_sql_table **ret,
		  size_t *ret_n, struct wl_err *reterr)
{
	struct listing l = { .sql = sql, .arena = arena };
	struct wl_sql_table *copy;
	int r;

	wl_vec_init(&l.tables, sizeof(struct wl_sql_table), wl_arena_budget(arena));
	wl_sql_list_extras(&l.tables, is_answered(sql, NULL), arena);
	r = l.tables.failed ? no_memory(reterr) : list_all(&l, reterr);
	copy = WL_NEW(arena, struct wl_sql_table, l.tables.n ? l.tables.n : 1);
	if (r == WL_OK && !copy)
		r = no_memory(reterr);
	if (r == WL_OK)
		copy_by_kind(&l.tables, copy);
	*ret = copy;
	*ret_n = l.tables.n;
	wl_vec_release(&l.tables);
	return r;
}

const struct wl_sql_table *wl_sql_table_find(const struct wl_sql_table *tables, size_t n,
					     const char *name)
{
	for (size_t i = 0; i < n; i++) {
		if (sqlite3_stricmp(tables[i].name, name) == 0)
			return &tables[i];
	}
	return NULL;
}
