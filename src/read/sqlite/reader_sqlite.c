/* SPDX-License-Identifier: MIT */
/*
 * reader_sqlite.c - the reader based on libsqlite3: test oracle, fallback, and able to open
 * anything SQLite can.
 *
 * The file is untrusted. Only ordinary tables are read, so no expression from the file is ever
 * evaluated. Pages may form cycles, so that a small file seems to hold endless rows, cells or
 * schemas. Rows, bytes per cell and steps per statement are therefore bounded by the file's size.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/vec.h"
#include "read/guard.h"
#include "read/sqlite/connection.h"
#include "read/sqlite/harden.h"
#include "read/sqlite/heap.h"
#include "read/sqlite/rows.h"
#include "read/sqlite/uri.h"

/* The smallest row in a page: a pointer, a payload size, a rowid and a header. */
enum { MIN_ROW_BYTES = 4, MIN_CELL_LIMIT = 64 << 10 };

/* Steps of SQLite's virtual machine: a row takes one per cell and two more. */
enum { OPS_PER_CHECK = 4096, OPS_PER_BYTE = 16, FREE_CHECKS = 16 };

static_assert((WL_SCAN_COLUMNS + 2) / MIN_ROW_BYTES < OPS_PER_BYTE, "a scan of small rows");

struct wl_sqlite_reader {
	struct wl_reader base;
	sqlite3 *db;
	char *path;
	struct wl_guard guard; /* what the file looked like when it was opened */
	struct wl_err damage;  /* damage found; SQLite itself forgets it once a page is cached */
	const atomic_int *cancel;
	int64_t checks_left;     /* of the running statement, before it counts as endless */
	struct wl_budget budget; /* budget of the texts; child of the given one */
	struct wl_vec text;
	struct wl_batch_column *column; /* WL_SCAN_COLUMNS of them */
	struct wl_sqlite_schema schema;
};

__attribute__((constructor)) static void configure(void)
{
	wl_sqlite_heap_configure();
}

static int fail_again(const struct wl_sqlite_reader *r, struct wl_err *reterr)
{
	return wl_fail(reterr, r->damage.code, "%s", r->damage.msg);
}

int wl_sqlite_fail(struct wl_sqlite_reader *r, int code, struct wl_err *reterr)
{
	const char *why = r->db ? sqlite3_errmsg(r->db) : sqlite3_errstr(code);

	switch (code & 0xff) {
	case SQLITE_INTERRUPT:
		if (r->cancel && *r->cancel)
			return wl_fail(reterr, WL_E_CANCELED, "%s: stopped", r->path);
		return wl_fail(reterr, WL_E_FORMAT,
			       "%s: damaged: takes longer to read than its size explains", r->path);
	case SQLITE_NOMEM:
		return wl_fail(reterr, WL_E_NOMEM, "%s: no memory to read it", r->path);
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return wl_fail(reterr, WL_E_IO,
			       "%s: another program is writing it; wait until it is done", r->path);
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
	case SQLITE_FORMAT:
		(void)wl_fail(&r->damage, WL_E_FORMAT,
			      "%s: damaged (%s); copy it again, or export the report again",
			      r->path, why);
		return fail_again(r, reterr);
	case SQLITE_TOOBIG:
		return wl_fail(reterr, WL_E_FORMAT,
			       "%s: a row is larger than the file, or than %d MB", r->path,
			       WL_MAX_RECORD >> 20);
	case SQLITE_ERROR: /* a schema that does not parse */
		return wl_fail(reterr, WL_E_FORMAT, "%s: unusable schema (%s)", r->path, why);
	default:
		return wl_fail(reterr, WL_E_IO, "%s: %s", r->path, why);
	}
}

static int must_stop(void *ctx)
{
	struct wl_sqlite_reader *r = ctx;

	return (r->cancel && *r->cancel) || r->checks_left-- <= 0;
}

static void begin_statement(struct wl_sqlite_reader *r)
{
	r->checks_left = r->guard.data / OPS_PER_CHECK * OPS_PER_BYTE + FREE_CHECKS;
}

static struct wl_sqlite_reader *of(struct wl_reader *reader)
{
	return (struct wl_sqlite_reader *)reader;
}

static void close_reader(struct wl_reader *reader)
{
	struct wl_sqlite_reader *r = of(reader);

	if (!r)
		return;
	(void)sqlite3_close(r->db);
	wl_vec_release(&r->text);
	wl_vec_release(&r->schema.text);
	wl_vec_release(&r->schema.columns);
	free(r->column);
	free(r->path);
	free(r);
}

static int run_sql(struct wl_sqlite_reader *r, const char *sql, struct wl_err *reterr)
{
	int code = sqlite3_exec(r->db, sql, NULL, NULL, NULL);

	return code == SQLITE_OK ? WL_OK : wl_sqlite_fail(r, code, reterr);
}

/* No cell has more bytes than the file; text of a UTF-16 database grows by half. */
static int cell_limit(const struct wl_sqlite_reader *r)
{
	int64_t limit = r->guard.data + r->guard.data / 2;

	limit = limit < MIN_CELL_LIMIT ? MIN_CELL_LIMIT : limit;
	return (int)(limit < WL_MAX_RECORD ? limit : WL_MAX_RECORD);
}

/*
 * The guard made sure that no journal is live, so the file is complete: with immutable, SQLite
 * takes no lock and creates no file next to it.
 */
static int open_db(struct wl_sqlite_reader *r, struct wl_err *reterr)
{
	char *uri = wl_sqlite_uri(r->path);
	int code;

	if (!uri)
		return wl_fail(reterr, WL_E_NOMEM, "%s: no memory to open it", r->path);
	code = sqlite3_open_v2(uri, &r->db,
			       SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL);
	free(uri);
	if (code != SQLITE_OK)
		return wl_sqlite_fail(r, code, reterr);
	(void)sqlite3_extended_result_codes(r->db, 1);
	if (wl_sqlite_harden(r->db, reterr) < 0)
		return WL_E_IO;
	(void)sqlite3_db_config(r->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, (int *)NULL);
	(void)sqlite3_limit(r->db, SQLITE_LIMIT_LENGTH, cell_limit(r));
	sqlite3_progress_handler(r->db, OPS_PER_CHECK, must_stop, r);
	begin_statement(r);
	return run_sql(r, "PRAGMA cell_size_check=ON; PRAGMA query_only=ON", reterr);
}

static int open_reader(const char *path, const atomic_int *cancel, struct wl_budget *budget,
		       struct wl_reader **ret_reader, struct wl_err *reterr)
{
	struct wl_sqlite_reader *r = calloc(1, sizeof(*r));
	int code;

	if (r) {
		r->base.ops = &wl_reader_sqlite;
		r->path = strdup(path);
		r->column = calloc(WL_SCAN_COLUMNS, sizeof(*r->column));
		r->cancel = cancel;
		r->budget.of = budget;
		wl_vec_init(&r->text, 1, &r->budget);
		wl_vec_init(&r->schema.text, 1, &r->budget);
		wl_vec_init(&r->schema.columns, sizeof(struct wl_sqlite_column), &r->budget);
	}
	if (!r || !r->path || !r->column) {
		close_reader(r ? &r->base : NULL);
		return wl_fail(reterr, WL_E_NOMEM, "%s: no memory to open it", path);
	}
	code = wl_guard_take(path, &r->guard, reterr);
	if (code == WL_OK)
		code = open_db(r, reterr);
	if (code < 0) {
		close_reader(&r->base);
		return code;
	}
	*ret_reader = &r->base;
	return WL_OK;
}

int wl_sqlite_prepare(struct wl_sqlite_reader *r, const char *fmt, const char *name,
		      sqlite3_stmt **ret_stmt, struct wl_err *reterr)
{
	char *sql;
	int code;

	if (r->damage.code != WL_OK)
		return fail_again(r, reterr);
	sql = sqlite3_mprintf(fmt, name);
	begin_statement(r);
	code = sql ? sqlite3_prepare_v2(r->db, sql, -1, ret_stmt, NULL) : SQLITE_NOMEM;

	sqlite3_free(sql);
	return code == SQLITE_OK ? WL_OK : wl_sqlite_fail(r, code, reterr);
}

static int too_many_rows(const struct wl_sqlite_reader *r, const char *table, struct wl_err *reterr)
{
	return wl_fail(reterr, WL_E_FORMAT,
		       "%s: damaged: table %s has more rows than the file has room for", r->path,
		       table);
}

/* Keeps the text of a column of the row; failures are sticky in the vector. */
static uint32_t keep_text(struct wl_sqlite_schema *s, sqlite3_stmt *stmt, int column)
{
	const char *text = wl_sqlite_text(stmt, column);
	size_t n = strlen(text) + 1, at = s->text.n;
	char *to = at + n <= UINT32_MAX ? wl_vec_extend(&s->text, n) : NULL;

	s->text.failed = !to;
	if (to)
		memcpy(to, text, n);
	return (uint32_t)at;
}

/* Keeps a column; the table's name is stored once for all its columns. */
static bool keep_column(struct wl_sqlite_schema *s, sqlite3_stmt *stmt)
{
	const struct wl_sqlite_column *all = s->columns.data,
				      *last = s->columns.n ? &all[s->columns.n - 1] : NULL;
	struct wl_sqlite_column c = { .hidden = sqlite3_column_int(stmt, 3),
				      .has_default = sqlite3_column_int(stmt, 4) != 0,
				      .is_key = sqlite3_column_int(stmt, 5) > 0,
				      .root = sqlite3_column_int64(stmt, 6) };

	if (last && last->root == c.root &&
	    strcmp(wl_sqlite_schema_text(s, last->table), wl_sqlite_text(stmt, 0)) == 0)
		c.table = last->table;
	else
		c.table = keep_text(s, stmt, 0);
	c.name = keep_text(s, stmt, 1);
	c.type = keep_text(s, stmt, 2);
	wl_vec_push(&s->columns, &c);
	return !s->text.failed && !s->columns.failed;
}

static int read_schema(struct wl_sqlite_reader *r, struct wl_err *reterr)
{
	struct wl_sqlite_schema *s = &r->schema;
	sqlite3_stmt *stmt = NULL;
	int64_t n = 0;
	int code = SQLITE_DONE;
	int result = wl_sqlite_prepare(
		r,
		"SELECT s.name, c.name, c.type, c.hidden, c.dflt_value IS NOT NULL, c.pk, "
		"s.rootpage FROM sqlite_schema AS s, temp.pragma_table_xinfo(s.name) AS c "
		"WHERE s.type = 'table' AND s.rootpage > 0 AND s.sql LIKE 'CREATE TABLE%%' "
		"AND s.name NOT LIKE 'sqlite\\_%%' ESCAPE '\\' ORDER BY s.rowid",
		"", &stmt, reterr);

	while (result == WL_OK && (code = sqlite3_step(stmt)) == SQLITE_ROW) {
		if (++n > r->guard.data / MIN_ROW_BYTES)
			result = too_many_rows(r, "sqlite_schema", reterr);
		else if (strlen(wl_sqlite_text(stmt, 0)) == (size_t)sqlite3_column_bytes(stmt, 0) &&
			 !keep_column(s, stmt))
			result = wl_fail(reterr, WL_E_NOMEM, "%s: no memory for its schema",
					 r->path);
	}
	if (result == WL_OK && code != SQLITE_DONE)
		result = wl_sqlite_fail(r, code, reterr);
	(void)sqlite3_finalize(stmt);
	s->is_read = result == WL_OK;
	return result;
}

int wl_sqlite_schema_get(struct wl_sqlite_reader *r, struct wl_sqlite_schema **ret,
			 struct wl_err *reterr)
{
	*ret = &r->schema;
	if (r->damage.code != WL_OK)
		return fail_again(r, reterr);
	if (r->schema.is_read)
		return WL_OK;
	r->schema.text.n = r->schema.columns.n = r->schema.next = 0;
	return read_schema(r, reterr);
}

/* Generated columns do not count: their expressions come from the file. */
static int list_tables(struct wl_reader *reader, wl_list_fn *fn, void *ctx, struct wl_err *reterr)
{
	struct wl_sqlite_schema *s;
	int result = wl_sqlite_schema_get(of(reader), &s, reterr);
	const struct wl_sqlite_column *c = s->columns.data;

	for (size_t i = 0; result == WL_OK && i < s->columns.n; i++) {
		if (c[i].hidden == 0)
			result = fn(ctx, wl_sqlite_schema_text(s, c[i].table),
				    wl_sqlite_schema_text(s, c[i].name),
				    wl_sqlite_schema_text(s, c[i].type), reterr);
	}
	return result;
}

static int give_up(void *ctx)
{
	(void)ctx;
	return 1;
}

/* Whether there are rows; takes one step of a scan. */
static int has_rows(struct wl_sqlite_reader *r, const char *table, bool *ret, struct wl_err *reterr)
{
	sqlite3_stmt *stmt = NULL;
	int result = wl_sqlite_prepare(r, "SELECT 1 FROM \"%w\" NOT INDEXED", table, &stmt, reterr);
	int code = result == WL_OK ? sqlite3_step(stmt) : SQLITE_DONE;

	*ret = code == SQLITE_ROW;
	if (code != SQLITE_ROW && code != SQLITE_DONE)
		result = wl_sqlite_fail(r, code, reterr);
	(void)sqlite3_finalize(stmt);
	return result;
}

/*
 * The last rowid, which is found at once. In a table written by another program that name may mean
 * nothing, or a column that would have to be read in full: then it is 0. Every other failure is a
 * read error.
 */
static int last_rowid(struct wl_sqlite_reader *r, const char *table, int64_t *ret,
		      struct wl_err *reterr)
{
	char *sql = sqlite3_mprintf("SELECT max(rowid) FROM \"%w\" NOT INDEXED", table);
	sqlite3_stmt *stmt = NULL;
	int result = WL_OK, code;

	*ret = 0;
	sqlite3_progress_handler(r->db, OPS_PER_CHECK, give_up, NULL);
	code = sql ? sqlite3_prepare_v2(r->db, sql, -1, &stmt, NULL) : SQLITE_NOMEM;
	sqlite3_free(sql);
	if (code == SQLITE_OK)
		code = sqlite3_step(stmt);
	if (code == SQLITE_ROW)
		*ret = sqlite3_column_int64(stmt, 0);
	sqlite3_progress_handler(r->db, OPS_PER_CHECK, must_stop, r);
	if (code != SQLITE_ROW && (code & 0xff) != SQLITE_ERROR && code != SQLITE_INTERRUPT)
		result = wl_sqlite_fail(r, code, reterr);
	(void)sqlite3_finalize(stmt);
	return result;
}

static int estimate(struct wl_reader *reader, const char *table, int64_t *ret_rows,
		    struct wl_err *reterr)
{
	struct wl_sqlite_reader *r = of(reader);
	int64_t limit = r->guard.data / MIN_ROW_BYTES, rows = 0;
	bool any;
	int result = last_rowid(r, table, &rows, reterr);

	/* A rowid proves that there are rows; without one, search for a row. */
	any = rows > 0;
	if (result == WL_OK && !any)
		result = has_rows(r, table, &any, reterr);
	if (result < 0)
		return result;
	rows = rows < 1 && any ? 1 : rows;
	*ret_rows = rows > limit ? limit : rows;
	return WL_OK;
}

/* Counts by stepping, not with count(*), which cannot be bounded on a damaged file. */
static int count_rows(struct wl_reader *reader, const char *table, int64_t *ret_rows,
		      struct wl_err *reterr)
{
	struct wl_sqlite_reader *r = of(reader);
	sqlite3_stmt *stmt = NULL;
	int64_t rows = 0;
	int code = SQLITE_DONE;
	int result = wl_sqlite_prepare(r, "SELECT 1 FROM \"%w\" NOT INDEXED", table, &stmt, reterr);

	while (result == WL_OK && (code = sqlite3_step(stmt)) == SQLITE_ROW) {
		if (++rows > r->guard.data / MIN_ROW_BYTES)
			result = too_many_rows(r, table, reterr);
	}
	if (result == WL_OK && code != SQLITE_DONE)
		result = wl_sqlite_fail(r, code, reterr);
	(void)sqlite3_finalize(stmt);
	if (result == WL_OK)
		*ret_rows = rows;
	return result;
}

/* NOT INDEXED, because an added index would change the order of the rows. */
static int prepare_scan(struct wl_sqlite_reader *r, const struct wl_scan *scan,
			sqlite3_stmt **ret_stmt, struct wl_err *reterr)
{
	sqlite3_str *sql;
	char *text;
	int code;

	if (r->damage.code != WL_OK)
		return fail_again(r, reterr);
	sql = sqlite3_str_new(r->db);
	sqlite3_str_appendall(sql, "SELECT ");
	for (size_t i = 0; i < scan->n_columns; i++)
		sqlite3_str_appendf(sql, "%s\"%w\"", i ? "," : "", scan->column[i]);
	sqlite3_str_appendf(sql, " FROM \"%w\" NOT INDEXED", scan->table);
	text = sqlite3_str_finish(sql);
	begin_statement(r);
	code = text ? sqlite3_prepare_v2(r->db, text, -1, ret_stmt, NULL) : SQLITE_NOMEM;
	sqlite3_free(text);
	return code == SQLITE_OK ? WL_OK : wl_sqlite_fail(r, code, reterr);
}

static int hand_over(struct wl_sqlite_reader *r, size_t n_columns, size_t *n, wl_batch_fn *fn,
		     void *ctx, struct wl_err *reterr)
{
	const struct wl_batch batch = { *n, r->column, r->text.data };
	int result;

	wl_sqlite_rows_end(r->column, n_columns, *n);
	result = *n ? fn(ctx, &batch, reterr) : WL_OK;
	*n = 0;
	r->text.n = 0;
	return result;
}

static int scan_rows(struct wl_sqlite_reader *r, const struct wl_scan *scan, wl_batch_fn *fn,
		     void *ctx, struct wl_err *reterr)
{
	sqlite3_stmt *stmt = NULL;
	int result = prepare_scan(r, scan, &stmt, reterr);
	int64_t rows = 0;
	size_t n = 0;
	int code = SQLITE_DONE;

	while (result == WL_OK && (code = sqlite3_step(stmt)) == SQLITE_ROW) {
		if (!wl_sqlite_row_take(stmt, scan, n++, r->column, &r->text))
			result = wl_fail(reterr, WL_E_NOMEM, "%s: no memory for the text of %s",
					 r->path, scan->table);
		else if (++rows > r->guard.data / MIN_ROW_BYTES)
			result = too_many_rows(r, scan->table, reterr);
		else if (n == WL_BATCH_ROWS || r->text.n > WL_BATCH_TEXT)
			result = hand_over(r, scan->n_columns, &n, fn, ctx, reterr);
	}
	if (result == WL_OK && code != SQLITE_DONE)
		result = wl_sqlite_fail(r, code, reterr);
	if (result == WL_OK)
		result = hand_over(r, scan->n_columns, &n, fn, ctx, reterr);
	(void)sqlite3_finalize(stmt);
	return result;
}

/* A connection is for one thread at a time, so a scan has one part. */
struct scanning {
	struct wl_scanning base;
	struct wl_sqlite_reader *reader;
	const struct wl_scan *scan;
};

static int begin(struct wl_reader *reader, const struct wl_scan *scan, size_t max_parts,
		 struct wl_scanning **ret_scanning, struct wl_err *reterr)
{
	struct wl_sqlite_reader *r = of(reader);
	struct scanning *s = calloc(1, sizeof(*s));

	(void)max_parts;
	if (!s)
		return wl_fail(reterr, WL_E_NOMEM, "%s: no memory to read %s", r->path,
			       scan->table);
	*s = (struct scanning){ .base = { .n_parts = 1, .rows = { -1 } },
				.reader = r,
				.scan = scan };
	*ret_scanning = &s->base;
	return WL_OK;
}

static int read_part(struct wl_scanning *scanning, size_t part, wl_batch_fn *fn, void *ctx,
		     struct wl_err *reterr)
{
	struct scanning *s = (struct scanning *)scanning;

	(void)part;
	return scan_rows(s->reader, s->scan, fn, ctx, reterr);
}

static void end(struct wl_scanning *scanning)
{
	free(scanning);
}

static int check(struct wl_reader *reader, struct wl_err *reterr)
{
	const struct wl_sqlite_reader *r = of(reader);

	return wl_guard_check(r->path, &r->guard, reterr);
}

static const char *no_detours(struct wl_reader *reader)
{
	(void)reader;
	return NULL;
}

const struct wl_reader_ops wl_reader_sqlite = {
	.name = "sqlite",
	.open = open_reader,
	.close = close_reader,
	.list = list_tables,
	.estimate = estimate,
	.count = count_rows,
	.begin = begin,
	.read_part = read_part,
	.end = end,
	.check = check,
	.detours = no_detours,
};
