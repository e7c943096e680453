/* SPDX-License-Identifier: MIT */
#include "sql/guard/format.h"

#include <stdbool.h>
#include <string.h>

/* SQLite's own printf() is asked through a connection that has it; it takes the rest of the work.
 */
struct formatter {
	sqlite3 *db; /* NULL: not needed yet */
	sqlite3_stmt *stmt;
	int n;         /* arguments of stmt */
	bool with_dot; /* what it has before the text */
};

static void release(void *ctx)
{
	struct formatter *f = ctx;

	(void)sqlite3_finalize(f->stmt);
	(void)sqlite3_close(f->db);
	sqlite3_free(f);
}

/* SELECT printf(?1, ?2, ...), with a character before the text or without. */
static int prepare(struct formatter *f, int n, bool with_dot)
{
	sqlite3_str *text = sqlite3_str_new(f->db);
	char *sql;
	int code;

	(void)sqlite3_finalize(f->stmt);
	f->stmt = NULL;
	f->n = n;
	f->with_dot = with_dot;
	sqlite3_str_appendall(text, with_dot ? "SELECT printf('.' || ?1" : "SELECT printf(?1");
	for (int i = 1; i < n; i++)
		sqlite3_str_appendf(text, ", ?%d", i + 1);
	sqlite3_str_appendall(text, ")");
	sql = sqlite3_str_finish(text);
	code = sql ? sqlite3_prepare_v2(f->db, sql, -1, &f->stmt, NULL) : SQLITE_NOMEM;
	sqlite3_free(sql);
	return code;
}

/* SQLITE_ROW with the text in the statement, or the failure. */
static int run(struct formatter *f, bool with_dot, int n, sqlite3_value **arg)
{
	int code = SQLITE_OK;

	if (!f->stmt || f->n != n || f->with_dot != with_dot)
		code = prepare(f, n, with_dot);
	else
		(void)sqlite3_reset(f->stmt);
	for (int i = 0; code == SQLITE_OK && i < n; i++)
		code = sqlite3_bind_value(f->stmt, i + 1, arg[i]);
	return code == SQLITE_OK ? sqlite3_step(f->stmt) : code;
}

static int open_db(struct formatter *f, sqlite3 *of)
{
	int code = f->db ? SQLITE_OK
			 : sqlite3_open_v2(":memory:", &f->db,
					   SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY, NULL);

	if (code == SQLITE_OK)
		(void)sqlite3_limit(f->db, SQLITE_LIMIT_LENGTH,
				    sqlite3_limit(of, SQLITE_LIMIT_LENGTH, -1));
	return code;
}

static void bounded_printf(sqlite3_context *to, int n, sqlite3_value **arg)
{
	struct formatter *f = sqlite3_user_data(to);
	int code;

	if (n < 1 || sqlite3_value_type(arg[0]) == SQLITE_NULL)
		return;
	code = open_db(f, sqlite3_context_db_handle(to));
	if (code == SQLITE_OK)
		code = run(f, false, n, arg);
	if (code == SQLITE_ROW && sqlite3_column_type(f->stmt, 0) != SQLITE_NULL) {
		sqlite3_result_value(to, sqlite3_column_value(f->stmt, 0));
	} else if (code == SQLITE_ROW) {
		/* Of no character it is NULL as well, and one more makes the difference. */
		code = run(f, true, n, arg);
		if (code == SQLITE_ROW && sqlite3_column_type(f->stmt, 0) == SQLITE_NULL)
			code = SQLITE_TOOBIG;
	}
	if (code == SQLITE_TOOBIG)
		sqlite3_result_error_toobig(to);
	else if (code != SQLITE_ROW)
		sqlite3_result_error_code(to, code);
	if (f->stmt) {
		(void)sqlite3_reset(f->stmt);
		(void)sqlite3_clear_bindings(f->stmt);
	}
}

int wl_sql_bound_format(sqlite3 *db)
{
	static const char *const names[] = { "printf", "format" };
	int code = SQLITE_OK;

	for (size_t i = 0; code == SQLITE_OK && i < sizeof(names) / sizeof(names[0]); i++) {
		struct formatter *f = sqlite3_malloc64(sizeof(*f));

		if (!f)
			return SQLITE_NOMEM;
		memset(f, 0, sizeof(*f));
		/* As SQLite's: views of a file may call them. The formatter is released with it. */
		code = sqlite3_create_function_v2(
			db, names[i], -1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, f,
			bounded_printf, NULL, NULL, release);
	}
	return code;
}
