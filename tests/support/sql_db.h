/* SPDX-License-Identifier: MIT */
/*
 * sql_db.h - a plain connection with the program's SQL functions and row sources, for their tests.
 *
 * Order of calls: open; run and ask; close. Failures fail the test that runs.
 */
#ifndef WL_TESTS_SQL_DB_H
#define WL_TESTS_SQL_DB_H

#include <sqlite3.h>

#include "sql/context.h"

struct sql_db {
	sqlite3 *db;
	struct wl_budget budget;
	struct wl_sql_context ctx;
	struct wl_sql_source source[2];
};

/* Of a database, its raw tables included; NULL: in memory, without a trace. */
void sql_db_open(struct sql_db *d, const char *path);

/* Another trace, labelled "second"; its raw tables are in the schema second. */
void sql_db_add(struct sql_db *d, const char *path);

/* All memory of functions must have been released. */
void sql_db_close(struct sql_db *d);

/* The path of a fixture; in a buffer of its own. */
const char *sql_db_fixture(const char *name);

/* Statements that must not fail. */
void sql_db_run(struct sql_db *d, const char *sql);

/*
 * All cells of all rows, "|" between columns and ";" behind rows; of a failure the message, also
 * of one to compile. In a buffer that the next call but one uses again.
 */
const char *sql_db_ask(struct sql_db *d, const char *sql);

/* Both questions have the same rows, and some. */
void sql_db_same(struct sql_db *d, const char *a, const char *b);

#endif
