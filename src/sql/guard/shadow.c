/* SPDX-License-Identifier: MIT */
#include "sql/guard/shadow.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read/sqlite/uri.h"
#include "sql/failure.h"
#include "sql/guard/limits.h"
#include "sql/guard/private.h"

/* A cell of the file, before it is masked; the output of a program may be long. */
enum { MAX_CELL = 256 << 20 };

/* ---- The virtual table ---- */

struct shadow {
	sqlite3_vtab base;
	struct wl_sql *sql;
	sqlite3 *db;  /* of the file */
	char *select; /* "SELECT rowid, ... FROM ... WHERE ..." */
	char *lookup; /* the same of one row; NULL: it has no key */
	int key;      /* column that is the rowid; -1 for none */
};

struct cursor {
	sqlite3_vtab_cursor base;
	sqlite3_stmt *scan, *one, *now;
	bool at_end;
};

/* The declaration for SQLite, and the statement that reads. */
struct shadow_text {
	char *declared, *select;
	int key;
};

/* What stands for the column; NULL without memory. */
static char *append_column(char *select, const struct wl_sql_hidden *h, const char *name)
{
	char *to = sqlite3_stricmp(name, h->column) == 0
			   ? sqlite3_mprintf("%s, %s", select, h->shown)
			   : sqlite3_mprintf("%s, \"%w\"", select, name);

	sqlite3_free(select);
	return to;
}

static char *append_declared(char *declared, const char *name, const char *type, bool is_first)
{
	char *to = sqlite3_mprintf("%s%s\"%w\" %s", declared, is_first ? "" : ", ", name, type);

	sqlite3_free(declared);
	return to;
}

static bool has_column(sqlite3 *db, const char *table, const char *column)
{
	return sqlite3_table_column_metadata(db, "main", table, column, NULL, NULL, NULL, NULL,
					     NULL) == SQLITE_OK;
}

/* A type that is more than words would be SQL of the file's. */
static const char *plain_type(const char *type)
{
	for (const char *c = type; c && *c; c++) {
		if (!isalnum((unsigned char)*c) && *c != ' ' && *c != '_')
			return "";
	}
	return type ? type : "";
}

static int make_text(sqlite3 *db, const struct wl_sql_hidden *h, struct shadow_text *ret)
{
	sqlite3_stmt *stmt = NULL;
	int code = sqlite3_prepare_v2(
		db, "SELECT name, type, pk FROM temp.pragma_table_info(?1) ORDER BY cid", -1, &stmt,
		NULL);
	int n = 0;

	*ret = (struct shadow_text){ .key = -1 };
	ret->declared = sqlite3_mprintf("CREATE TABLE x(");
	ret->select = sqlite3_mprintf("SELECT rowid");
	if (code == SQLITE_OK)
		code = sqlite3_bind_text(stmt, 1, h->name, -1, SQLITE_STATIC);
	while (code == SQLITE_OK && (code = sqlite3_step(stmt)) == SQLITE_ROW) {
		const char *name = (const char *)sqlite3_column_text(stmt, 0);
		const char *type = (const char *)sqlite3_column_text(stmt, 1);

		code = name && ret->declared && ret->select ? SQLITE_OK : SQLITE_NOMEM;
		if (code != SQLITE_OK)
			break;
		if (sqlite3_column_int(stmt, 2) == 1 && type &&
		    sqlite3_stricmp(type, "INTEGER") == 0)
			ret->key = n;
		ret->select = append_column(ret->select, h, name);
		ret->declared = append_declared(ret->declared, name, plain_type(type), n == 0);
		n++;
	}
	(void)sqlite3_finalize(stmt);
	if (code != SQLITE_DONE || n == 0)
		return code == SQLITE_DONE ? SQLITE_ERROR : code;
	return ret->declared && ret->select ? SQLITE_OK : SQLITE_NOMEM;
}

static int disconnect(sqlite3_vtab *vtab)
{
	struct shadow *s = (struct shadow *)vtab;

	sqlite3_free(s->select);
	sqlite3_free(s->lookup);
	sqlite3_free(s);
	return SQLITE_OK;
}

/* argv: module, schema, table; then the number of the file, and the table it stands for. */
static int connect(sqlite3 *db, void *ctx, int argc, const char *const *argv, sqlite3_vtab **ret,
		   char **error)
{
	struct wl_sql *sql = ctx;
	size_t file = argc == 5 ? strtoul(argv[3], NULL, 10) : SIZE_MAX;
	const struct wl_sql_hidden *h = argc == 5 ? wl_sql_hidden_find(argv[4]) : NULL;
	struct shadow_text text = { .key = -1 };
	struct shadow *s;
	int code;

	/* By its own name the module is a table, too. */
	if (!h || !h->column || file >= sql->n_files) {
		*error = sqlite3_mprintf("no such table: %s", argv[0]);
		return SQLITE_ERROR;
	}
	code = make_text(sql->files[file].hidden, h, &text);
	if (code == SQLITE_OK) {
		char *whole = sqlite3_mprintf("%s)", text.declared);

		code = whole ? wl_sql_declare_vtab(sql, db, whole) : SQLITE_NOMEM;
		sqlite3_free(whole);
	}
	sqlite3_free(text.declared);
	s = code == SQLITE_OK ? sqlite3_malloc(sizeof(*s)) : NULL;
	if (!s) {
		sqlite3_free(text.select);
		return code == SQLITE_OK ? SQLITE_NOMEM : code;
	}
	*s = (struct shadow){ .sql = sql, .db = sql->files[file].hidden, .key = text.key };
	s->select = sqlite3_mprintf("%s FROM \"%w\" WHERE %s", text.select, h->name, h->keep);
	s->lookup = s->select ? sqlite3_mprintf("%s AND rowid = ?1", s->select) : NULL;
	sqlite3_free(text.select);
	*ret = &s->base;
	if (s->lookup)
		return SQLITE_OK;
	(void)disconnect(&s->base);
	return SQLITE_NOMEM;
}

static int best_index(sqlite3_vtab *vtab, sqlite3_index_info *info)
{
	const struct shadow *s = (struct shadow *)vtab;

	info->estimatedCost = 1e6;
	info->estimatedRows = 100000;
	for (int i = 0; i < info->nConstraint; i++) {
		const struct sqlite3_index_constraint *c = &info->aConstraint[i];

		if (!c->usable || c->op != SQLITE_INDEX_CONSTRAINT_EQ ||
		    (c->iColumn != -1 && c->iColumn != s->key))
			continue;
		info->aConstraintUsage[i].argvIndex = 1;
		info->idxNum = 1;
		info->estimatedCost = 2;
		info->estimatedRows = 1;
		info->idxFlags = SQLITE_INDEX_SCAN_UNIQUE;
		return SQLITE_OK;
	}
	return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *vtab, sqlite3_vtab_cursor **ret)
{
	struct cursor *c = sqlite3_malloc(sizeof(*c));

	(void)vtab;
	if (!c)
		return SQLITE_NOMEM;
	*c = (struct cursor){ .at_end = true };
	*ret = &c->base;
	return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *cursor)
{
	struct cursor *c = (struct cursor *)cursor;

	(void)sqlite3_finalize(c->scan);
	(void)sqlite3_finalize(c->one);
	sqlite3_free(c);
	return SQLITE_OK;
}

static int fail(struct shadow *s, int code)
{
	sqlite3_free(s->base.zErrMsg);
	s->base.zErrMsg = sqlite3_mprintf("%s", sqlite3_errmsg(s->db));
	return code;
}

static int next(sqlite3_vtab_cursor *cursor)
{
	struct cursor *c = (struct cursor *)cursor;
	int code = sqlite3_step(c->now);

	c->at_end = code != SQLITE_ROW;
	if (code == SQLITE_ROW || code == SQLITE_DONE)
		return SQLITE_OK;
	return fail((struct shadow *)cursor->pVtab, code);
}

static int filter(sqlite3_vtab_cursor *cursor, int number, const char *text, int argc,
		  sqlite3_value **argv)
{
	struct cursor *c = (struct cursor *)cursor;
	struct shadow *s = (struct shadow *)cursor->pVtab;
	sqlite3_stmt **stmt = number ? &c->one : &c->scan;
	int code = SQLITE_OK;

	(void)text;
	if (!*stmt)
		code = sqlite3_prepare_v2(s->db, number ? s->lookup : s->select, -1, stmt, NULL);
	if (code != SQLITE_OK)
		return fail(s, code);
	(void)sqlite3_reset(*stmt);
	if (argc > 0)
		code = sqlite3_bind_value(*stmt, 1, argv[0]);
	c->now = *stmt;
	return code == SQLITE_OK ? next(cursor) : fail(s, code);
}

static int eof(sqlite3_vtab_cursor *cursor)
{
	return ((struct cursor *)cursor)->at_end;
}

static int column(sqlite3_vtab_cursor *cursor, sqlite3_context *ctx, int i)
{
	const struct cursor *c = (struct cursor *)cursor;

	/* The first one read is the rowid. */
	sqlite3_result_value(ctx, sqlite3_column_value(c->now, i + 1));
	return SQLITE_OK;
}

static int row_id(sqlite3_vtab_cursor *cursor, sqlite3_int64 *ret)
{
	*ret = sqlite3_column_int64(((struct cursor *)cursor)->now, 0);
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

/* ---- Making them ---- */

/*
 * Only ordinary tables are read: connecting a virtual table of the file takes more rights, and its
 * module would work on whatever the file holds.
 */
static int allow_reading(void *ctx, int action, const char *a, const char *b, const char *schema,
			 const char *by)
{
	(void)ctx;
	(void)b;
	(void)schema;
	(void)by;
	if (action == SQLITE_SELECT || action == SQLITE_READ || action == SQLITE_FUNCTION)
		return SQLITE_OK;
	return action == SQLITE_PRAGMA && a && sqlite3_stricmp(a, "table_info") == 0 ? SQLITE_OK
										     : SQLITE_DENY;
}

static int restrict_hidden(sqlite3 *db)
{
	int code =
		sqlite3_exec(db, "SELECT 1 FROM temp.pragma_table_info LIMIT 0", NULL, NULL, NULL);

	return code == SQLITE_OK ? sqlite3_set_authorizer(db, allow_reading, NULL) : code;
}

static int open_hidden(struct wl_sql *sql, struct wl_sql_file *file, struct wl_err *reterr)
{
	char *uri = wl_sqlite_uri(file->path);
	int code = SQLITE_NOMEM;

	if (uri)
		code = sqlite3_open_v2(uri, &file->hidden,
				       SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX,
				       NULL);
	free(uri);
	wl_vec_init(&file->output, sizeof(int64_t), sql->opts.budget);
	if (code == SQLITE_OK) {
		if (wl_sql_limit(file->hidden, sql, reterr) < 0)
			return reterr->code;
		(void)sqlite3_db_config(file->hidden, SQLITE_DBCONFIG_ENABLE_VIEW, 0, (int *)NULL);
		(void)sqlite3_limit(file->hidden, SQLITE_LIMIT_LENGTH, MAX_CELL);
		code = restrict_hidden(file->hidden);
	}
	if (code == SQLITE_OK)
		code = wl_sql_add_masks(file);
	return code == SQLITE_OK
		       ? WL_OK
		       : wl_fail(reterr, WL_E_IO, "%s: %s", file->path, sqlite3_errstr(code));
}

static int add_shadow(struct wl_sql *sql, size_t i, const struct wl_sql_hidden *h,
		      struct wl_err *reterr)
{
	char name[160], *text;
	int r;

	/* A table without the column that is masked stays closed: nothing is known of it. */
	if (!h->column || !has_column(sql->files[i].hidden, h->name, h->column))
		return WL_OK;
	wl_sql_shadow_name(sql, &sql->files[i], h->name, name, sizeof(name));
	text = sqlite3_mprintf("CREATE VIRTUAL TABLE temp.\"%w\" USING wl_shadow(%d, %s)", name,
			       (int)i, h->name);
	r = text ? wl_sql_exec(sql, text, reterr)
		 : wl_fail(reterr, WL_E_NOMEM, "no memory to open %s", sql->files[i].path);
	sqlite3_free(text);
	return r;
}

int wl_sql_add_shadows(struct wl_sql *sql, struct wl_err *reterr)
{
	int r = WL_OK;

	if (sql->opts.show_environment)
		return WL_OK;
	if (sqlite3_create_module(sql->db, "wl_shadow", &module, sql) != SQLITE_OK)
		return wl_fail(reterr, WL_E_NOMEM, "no memory for SQL");
	for (size_t i = 0; r == WL_OK && i < sql->n_files; i++) {
		r = open_hidden(sql, &sql->files[i], reterr);
		for (size_t k = 0; r == WL_OK && wl_sql_hidden_at(k); k++)
			r = add_shadow(sql, i, wl_sql_hidden_at(k), reterr);
	}
	return r;
}

void wl_sql_close_shadows(struct wl_sql *sql)
{
	for (size_t i = 0; i < sql->n_files; i++) {
		(void)sqlite3_close(sql->files[i].hidden);
		wl_vec_release(&sql->files[i].output);
	}
}
