/* SPDX-License-Identifier: MIT */
/* run.c - statements, and their rows as a table. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory/vec.h"
#include "base/text/utf8.h"
#include "sql/bind.h"
#include "sql/failure.h"
#include "sql/guard/raw_reads.h"
#include "sql/verbs/declared.h"
#include "sql/verbs/verb_results.h"
#include "sql/verbs/verb_table.h"

/* One value of SQLite's: its type is SQLITE_INTEGER, _FLOAT, _TEXT or _NULL. */
struct value {
	int type;
	union {
		int64_t i64;
		double f64;
		const char *str;
	};
};

/* A result under construction. */
struct result {
	struct wl_sql *sql;
	const struct wl_sql_limits *limits;
	struct wl_arena *arena;
	const struct wl_sql_bound *bound;
	sqlite3_stmt *stmt;
	struct wl_col *cols; /* NULL: no statement returned rows */
	size_t n_cols;
	struct wl_vec values;       /* struct value, row by row */
	uint32_t seen[WL_MAX_COLS]; /* by column: bit of each type that a cell has */
	size_t n_rows, n_bytes;
	const char *more; /* why there are rows that were not read; NULL: there are none */
};

static int no_memory(struct wl_err *reterr)
{
	return wl_fail(reterr, WL_E_NOMEM,
		       "sql: no memory for the result; select fewer rows or columns");
}

/* ---- Columns ---- */

static bool is_taken(const struct result *r, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++) {
		if (strcmp(r->cols[i].key, name) == 0)
			return true;
	}
	return false;
}

/* Keys of JSON must differ. NULL without memory. */
static const char *column_name(const struct result *r, size_t i)
{
	const char *given = sqlite3_column_name(r->stmt, (int)i), *name;
	char other[128];
	size_t n_replaced;

	name = given ? wl_utf8_clean_dup(r->arena, given, strlen(given), &n_replaced) : NULL;
	if (!name || !is_taken(r, i, name))
		return name;
	for (unsigned k = 2;; k++) {
		(void)snprintf(other, sizeof(other), "%.100s_%u", name, k);
		if (!is_taken(r, i, other))
			return wl_arena_strdup(r->arena, other);
	}
}

static int take_columns(struct result *r, struct wl_err *reterr)
{
	size_t n = (size_t)sqlite3_column_count(r->stmt);

	if (n > WL_MAX_COLS)
		return wl_fail(reterr, WL_E_USAGE,
			       "sql: the result has %zu columns; at most %d are possible, so name "
			       "those that you want",
			       n, WL_MAX_COLS);
	r->cols = WL_NEW(r->arena, struct wl_col, n);
	if (!r->cols)
		return no_memory(reterr);
	r->n_cols = n;
	for (size_t i = 0; i < n; i++) {
		const char *name = column_name(r, i);

		if (!name)
			return no_memory(reterr);
		r->cols[i] = (struct wl_col){ .key = name, .title = name, .help = "" };
		wl_sql_undeclare(sqlite3_column_decltype(r->stmt, (int)i), &r->cols[i]);
	}
	return WL_OK;
}

/* ---- Rows ---- */

/* Renderers rely on texts that are UTF-8 and end at their NUL. */
static const char *keep_text(struct result *r, const char *text, size_t n)
{
	size_t n_replaced;

	r->n_bytes += n;
	return wl_utf8_clean_dup(r->arena, text, n, &n_replaced);
}

/* EXPLAIN names a virtual table by where it is in memory, which is of no use. */
static bool is_address(struct result *r, int i, const char *text)
{
	return sqlite3_stmt_isexplain(r->stmt) == 1 &&
	       strcmp(sqlite3_column_name(r->stmt, i), "p4") == 0 && strncmp(text, "vtab:", 5) == 0;
}

static const char *take_text(struct result *r, int i)
{
	const char *text = (const char *)sqlite3_column_text(r->stmt, i);

	if (!text)
		return NULL;
	return is_address(r, i, text)
		       ? "vtab"
		       : keep_text(r, text, (size_t)sqlite3_column_bytes(r->stmt, i));
}

/* x'0AFF', as SQL writes it. */
static const char *keep_blob(struct result *r, const unsigned char *bytes, size_t n)
{
	static const char digits[] = "0123456789ABCDEF";
	char *copy = wl_arena_calloc(r->arena, n * 2 + 4, 1), *to = copy;

	if (!copy)
		return NULL;
	*to++ = 'x';
	*to++ = '\'';
	for (size_t i = 0; i < n; i++) {
		*to++ = digits[bytes[i] >> 4];
		*to++ = digits[bytes[i] & 15];
	}
	*to = '\'';
	r->n_bytes += n * 2 + 3;
	return copy;
}

static bool take_value(struct result *r, int i, struct value *ret)
{
	const void *bytes;

	*ret = (struct value){ .type = sqlite3_column_type(r->stmt, i) };
	switch (ret->type) {
	case SQLITE_INTEGER:
		ret->i64 = sqlite3_column_int64(r->stmt, i);
		break;
	case SQLITE_FLOAT:
		ret->f64 = sqlite3_column_double(r->stmt, i);
		break;
	case SQLITE_TEXT:
		ret->str = take_text(r, i);
		break;
	case SQLITE_BLOB:
		bytes = sqlite3_column_blob(r->stmt, i);
		ret->str = keep_blob(r, bytes, (size_t)sqlite3_column_bytes(r->stmt, i));
		ret->type = SQLITE_TEXT;
		break;
	default:
		return true;
	}
	r->seen[i] |= UINT32_C(1) << ret->type;
	return ret->type != SQLITE_TEXT || ret->str;
}

static bool take_row(struct result *r)
{
	struct value *row = wl_vec_extend(&r->values, r->n_cols);
	bool ok = row != NULL;

	for (size_t i = 0; ok && i < r->n_cols; i++)
		ok = take_value(r, (int)i, &row[i]);
	r->n_rows += ok;
	return ok;
}

/* Rows of the pages before are counted and not kept. */
static bool is_skipped(const struct result *r)
{
	struct wl_sql_page *page = r->limits->page;

	if (!page || page->n_skipped == page->skip)
		return false;
	page->n_skipped++;
	return true;
}

/* The row beyond a limit is looked at, so that "there are more" is known and not guessed. */
static bool is_full(struct result *r)
{
	if (r->limits->rows && r->n_rows >= r->limits->rows)
		r->more = "rows";
	else if (r->limits->bytes && r->n_bytes >= r->limits->bytes)
		r->more = "bytes";
	if (r->more && r->limits->page)
		r->limits->page->has_more = true;
	return r->more != NULL;
}

static int step_rows(struct result *r, struct wl_err *reterr)
{
	int code;

	while ((code = sqlite3_step(r->stmt)) == SQLITE_ROW) {
		if (is_skipped(r))
			continue;
		if (is_full(r))
			return WL_OK;
		if (!take_row(r))
			return no_memory(reterr);
	}
	return code == SQLITE_DONE ? WL_OK : wl_sql_fail(r->sql, code, reterr);
}

/* ---- Statements ---- */

static int run_statement(struct result *r, struct wl_err *reterr)
{
	int code;

	if (sqlite3_column_count(r->stmt) > 0) {
		int status;

		if (r->cols)
			return wl_fail(reterr, WL_E_USAGE,
				       "sql: two statements return rows; run them one by one");
		status = take_columns(r, reterr);
		return status < 0 ? status : step_rows(r, reterr);
	}
	code = sqlite3_step(r->stmt);
	return code == SQLITE_DONE ? WL_OK : wl_sql_fail(r->sql, code, reterr);
}

static int bind_and_run(struct result *r, struct wl_err *reterr)
{
	int status = r->bound->values ? wl_sql_bind(r->sql, r->stmt, r->bound, reterr) : WL_OK;

	return status < 0 ? status : run_statement(r, reterr);
}

/* The table that SQLite misses; "" where it complains of something else. */
static void missing_table(struct wl_sql *sql, char name[WL_SQL_NAME])
{
	static const char start[] = "no such table: ";
	const char *message = sqlite3_errmsg(sql->db);

	name[0] = '\0';
	if (strncmp(message, start, strlen(start)) == 0)
		(void)snprintf(name, WL_SQL_NAME, "%s", message + strlen(start));
}

/* Tables by names of other tools are made when a statement wants them. */
static int prepare(struct result *r, const char *text, const char **ret_rest)
{
	char name[WL_SQL_NAME];
	int code;

	do {
		code = sqlite3_prepare_v2(r->sql->db, text, -1, &r->stmt, ret_rest);
		missing_table(r->sql, name);
	} while (code == SQLITE_ERROR && name[0] && wl_sql_add_alias(r->sql, name));
	return code;
}

static int run_all(struct result *r, const char *text, struct wl_err *reterr)
{
	int status = WL_OK;

	while (status == WL_OK && *text) {
		int code;

		r->sql->text = text;
		code = prepare(r, text, &text);

		if (code != SQLITE_OK)
			status = wl_sql_fail(r->sql, code, reterr);
		else if (r->stmt) /* else it was white space or a comment */
			status = bind_and_run(r, reterr);
		(void)sqlite3_finalize(r->stmt);
		r->stmt = NULL;
	}
	return status;
}

/* ---- The table ---- */

enum { INT_BIT = 1 << SQLITE_INTEGER, REAL_BIT = 1 << SQLITE_FLOAT, TEXT_BIT = 1 << SQLITE_TEXT };

/* What is declared holds as far as the values agree: a file may declare anything. */
static void settle_type(struct wl_col *c, uint32_t seen)
{
	bool is_declared = c->help == NULL;

	c->help = "";
	if (is_declared && wl_type_is_text(c->type) && !(seen & ~(uint32_t)TEXT_BIT))
		return;
	if (is_declared && wl_type_is_real(c->type) && !(seen & TEXT_BIT))
		return;
	if (is_declared && !wl_type_is_text(c->type) && !wl_type_is_real(c->type) &&
	    !(seen & ~(uint32_t)INT_BIT))
		return;
	c->flags &= WL_NUMBER;
	c->type = seen & TEXT_BIT ? WL_T_STR : seen & REAL_BIT ? WL_T_REAL : WL_T_COUNT;
	/* Without a value, a name with nothing below it is no number. */
	if (!seen)
		c->type = WL_T_STR;
	if (c->type != WL_T_COUNT)
		c->flags = 0;
}

/* A number in a column that has text, too. */
static void put_as_text(struct wl_table *t, size_t col, const struct value *v)
{
	char buf[64];

	if (v->type == SQLITE_TEXT) {
		wl_put_str(t, col, v->str);
		return;
	}
	if (v->type == SQLITE_INTEGER)
		(void)snprintf(buf, sizeof(buf), "%lld", (long long)v->i64);
	else
		(void)sqlite3_snprintf(sizeof(buf), buf, "%!.17g", v->f64);
	wl_put_copy(t, col, buf);
}

static void put_value(struct wl_table *t, size_t col, const struct value *v)
{
	if (v->type == SQLITE_NULL)
		return;
	if (wl_type_is_text(t->cols[col].type))
		put_as_text(t, col, v);
	else if (wl_type_is_real(t->cols[col].type))
		wl_put_f64(t, col, v->type == SQLITE_FLOAT ? v->f64 : (double)v->i64);
	else
		wl_put_i64(t, col, v->i64);
}

static void fill(struct result *r, struct wl_table *t)
{
	const struct value *v = r->values.data;

	for (size_t i = 0; i < r->n_cols; i++)
		settle_type(&r->cols[i], r->seen[i]);
	wl_table_init(t, r->arena, r->cols, r->n_cols);
	for (size_t row = 0; row < r->n_rows; row++) {
		wl_table_row(t);
		for (size_t i = 0; i < r->n_cols; i++)
			put_value(t, i, v++);
	}
	if (r->more && !r->limits->page)
		wl_table_note_limit(t, "%zu row%s shown, there are more (limit of %s)", r->n_rows,
				    r->n_rows == 1 ? "" : "s", r->more);
	if (r->sql->unmatched[0])
		wl_table_note(t, "%s", r->sql->unmatched);
	wl_sql_raw_note(r->sql, t);
	wl_sql_results_note(r->sql, t);
}

/* How the traces are called: "a.sqlite", "a.sqlite, b.sqlite and 2 more"; NULL without memory. */
static const char *name_traces(const struct wl_sql_opts *opts, struct wl_arena *arena)
{
	enum { NAMED = 3 };
	size_t size = 32, used = 0, n = opts->n < NAMED ? opts->n : NAMED;
	char *text;

	for (size_t i = 0; i < n; i++)
		size += strlen(wl_sql_label(&opts->traces[i])) + 2;
	text = wl_arena_calloc(arena, size, 1);
	for (size_t i = 0; text && i < n; i++)
		used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "",
					 wl_sql_label(&opts->traces[i]));
	if (text && opts->n > n)
		(void)snprintf(text + used, size - used, " and %zu more", opts->n - n);
	return text;
}

static int make_document(struct result *r, struct wl_table *t, struct wl_document *ret,
			 struct wl_err *reterr)
{
	const struct wl_view_opts all = { .limit = 0 };
	const char *names = name_traces(&r->sql->opts, r->arena);
	struct wl_section *section = WL_NEW(r->arena, struct wl_section, 1);
	struct wl_fact *fact = WL_NEW(r->arena, struct wl_fact, 1);
	int status;

	if (!names || !section || !fact || !wl_table_ok(t))
		return no_memory(reterr);
	*section = (struct wl_section){ .analysis = "sql" };
	*fact = (struct wl_fact){ .key = "path", .str = names };
	status = wl_view_make(t, &all, r->arena, &section->view, reterr);
	*ret = (struct wl_document){ .name = "sql",
				     .trace = fact,
				     .n_trace = 1,
				     .n_devices = -1,
				     .sections = section,
				     .n_sections = 1,
				     .single = true };
	return status;
}

static void begin(struct wl_sql *sql, const struct wl_sql_limits *limits)
{
	sql->stop.deadline = limits->time_ns ? wl_clock_wall_ns() + limits->time_ns : 0;
	sql->stop.flag = limits->cancel;
	sql->time_ns = limits->time_ns;
	sql->to_raise = limits->to_raise;
	sql->refusal[0] = '\0';
	sql->unmatched[0] = '\0';
	if (limits->page) {
		limits->page->n_skipped = 0;
		limits->page->has_more = false;
	}
	sql->failure.code = WL_OK;
	wl_sql_raw_begin(sql);
	wl_sql_results_begin(sql);
}

int wl_sql_run(struct wl_sql *sql, const char *text, const struct wl_sql_limits *limits,
	       struct wl_arena *arena, struct wl_document *ret_document, struct wl_err *reterr)
{
	const struct wl_sql_bound bound = { .text = text };

	return wl_sql_run_bound(sql, &bound, limits, arena, ret_document, reterr);
}

int wl_sql_run_bound(struct wl_sql *sql, const struct wl_sql_bound *bound,
		     const struct wl_sql_limits *limits, struct wl_arena *arena,
		     struct wl_document *ret_document, struct wl_err *reterr)
{
	struct result r = { .sql = sql, .limits = limits, .arena = arena, .bound = bound };
	struct wl_table *table = WL_NEW(arena, struct wl_table, 1);
	int status;

	if (!table)
		return no_memory(reterr);
	begin(sql, limits);
	wl_vec_init(&r.values, sizeof(struct value), wl_arena_budget(arena));
	status = run_all(&r, bound->text, reterr);
	if (status == WL_OK) {
		fill(&r, table);
		status = make_document(&r, table, ret_document, reterr);
	}
	wl_vec_release(&r.values);
	sql->stop = (struct wl_stop){ .flag = NULL };
	sql->text = NULL;
	return status;
}
