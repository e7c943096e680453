/* SPDX-License-Identifier: MIT */
#include "sql/guard/limits.h"

#include "read/sqlite/harden.h"
#include "sql/guard/format.h"
#include "sql/guard/text_funcs.h"

enum {
	/* Steps of SQLite's machine between two looks at the clock; one can read a whole text. */
	CHECK_OPS = 100,
	/* A function is not interrupted. */
	MAX_TEXT = 1 << 20,
	MAX_SQL = 1 << 20,
	MAX_DEPTH = 200,
	MAX_PATTERN = 1000,
	MAX_COMPOUND = 200,
	MAX_PROGRAM = 1000000, /* instructions of one statement */
};

static int must_stop(void *ctx)
{
	return wl_sql_must_stop(ctx);
}

int wl_sql_limit(sqlite3 *db, struct wl_sql *sql, struct wl_err *reterr)
{
	static const struct {
		int limit, value;
	} limits[] = {
		{ SQLITE_LIMIT_LENGTH, MAX_TEXT },
		{ SQLITE_LIMIT_SQL_LENGTH, MAX_SQL },
		{ SQLITE_LIMIT_EXPR_DEPTH, MAX_DEPTH },
		{ SQLITE_LIMIT_LIKE_PATTERN_LENGTH, MAX_PATTERN },
		{ SQLITE_LIMIT_COMPOUND_SELECT, MAX_COMPOUND },
		{ SQLITE_LIMIT_VDBE_OP, MAX_PROGRAM },
		{ SQLITE_LIMIT_TRIGGER_DEPTH, 1 },
		{ SQLITE_LIMIT_WORKER_THREADS, 0 },
	};

	(void)sqlite3_extended_result_codes(db, 1);
	(void)sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, (int *)NULL);
	(void)sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0, (int *)NULL);
	(void)sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DDL, 0, (int *)NULL);
	(void)sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DML, 0, (int *)NULL);
	for (size_t i = 0; i < WL_COUNT(limits); i++)
		(void)sqlite3_limit(db, limits[i].limit, limits[i].value);
	sqlite3_progress_handler(db, CHECK_OPS, must_stop, sql);
	if (wl_sql_bound_texts(db, sql) != SQLITE_OK || wl_sql_bound_format(db) != SQLITE_OK)
		return wl_fail(reterr, WL_E_NOMEM, "no memory for SQL");
	return wl_sqlite_harden(db, reterr);
}
