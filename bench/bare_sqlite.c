/* SPDX-License-Identifier: MIT */
/*
 * bare_sqlite.c - what SQLite itself takes to hand over the rows of some statements.
 *
 * usage: bare_sqlite DATABASE SQL...
 *
 * One connection, one statement after the other; every column of every row is fetched
 * once, by its declared type, and thrown away. That is the least that a program which
 * reads a trace through SQLite can do. Prints lines to standard error as
 * "warplens --stats" does.
 */
#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <time.h>

enum { MAX_COLUMNS = 64 };

/* Summed up, so that no fetch can be left out. */
struct seen {
	int64_t rows;
	uint64_t sum;
};

static double seconds(clockid_t clock)
{
	struct timespec t;

	(void)clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static uint64_t fetch(sqlite3_stmt *stmt, int column, int type)
{
	switch (type) {
	case SQLITE_TEXT:
		return (uint64_t)(uintptr_t)sqlite3_column_text(stmt, column) +
		       (uint64_t)sqlite3_column_bytes(stmt, column);
	case SQLITE_BLOB:
		return (uint64_t)(uintptr_t)sqlite3_column_blob(stmt, column) +
		       (uint64_t)sqlite3_column_bytes(stmt, column);
	case SQLITE_FLOAT:
		return sqlite3_column_double(stmt, column) > 0;
	default:
		return (uint64_t)sqlite3_column_int64(stmt, column);
	}
}

static int declared_type(sqlite3_stmt *stmt, int column)
{
	const char *type = sqlite3_column_decltype(stmt, column);

	if (type && strcasecmp(type, "TEXT") == 0)
		return SQLITE_TEXT;
	if (type && strcasecmp(type, "BLOB") == 0)
		return SQLITE_BLOB;
	return type && strcasecmp(type, "REAL") == 0 ? SQLITE_FLOAT : SQLITE_INTEGER;
}

/* Returns a result code of SQLite. */
static int read_rows(sqlite3 *db, const char *sql, struct seen *seen)
{
	int type[MAX_COLUMNS], n, code;
	sqlite3_stmt *stmt;

	code = sqlite3_prepare_v2(db, sql, -1, &stmt, NULL);
	if (code != SQLITE_OK)
		return code;
	n = sqlite3_column_count(stmt);
	n = n < MAX_COLUMNS ? n : MAX_COLUMNS;
	for (int c = 0; c < n; c++)
		type[c] = declared_type(stmt, c);
	while ((code = sqlite3_step(stmt)) == SQLITE_ROW) {
		for (int c = 0; c < n; c++)
			seen->sum += fetch(stmt, c, type[c]);
		seen->rows++;
	}
	(void)sqlite3_finalize(stmt);
	return code == SQLITE_DONE ? SQLITE_OK : code;
}

/* As the library comes. */
static int read_all(const char *path, char **sql, struct seen *seen)
{
	sqlite3 *db = NULL;
	int code = sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL);

	for (; code == SQLITE_OK && *sql; sql++)
		code = read_rows(db, *sql, seen);
	if (code != SQLITE_OK)
		(void)fprintf(stderr, "bare_sqlite: %s: %s\n", path,
			      db ? sqlite3_errmsg(db) : sqlite3_errstr(code));
	(void)sqlite3_close(db);
	return code;
}

int main(int argc, char **argv)
{
	double cpu = seconds(CLOCK_PROCESS_CPUTIME_ID), wall = seconds(CLOCK_MONOTONIC);
	struct seen seen = { .rows = 0 };

	if (argc < 3) {
		(void)fprintf(stderr, "usage: bare_sqlite DATABASE SQL...\n");
		return 2;
	}
	if (read_all(argv[1], argv + 2, &seen) != SQLITE_OK)
		return 1;
	(void)fprintf(stderr, "stats: sqlite %s\n", sqlite3_libversion());
	(void)fprintf(stderr, "stats: rows loaded %" PRId64 "\n", seen.rows);
	(void)fprintf(stderr, "stats: load %.6f s CPU %.6f s wall\n",
		      seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu, seconds(CLOCK_MONOTONIC) - wall);
	(void)printf("sum of all that was fetched: %" PRIu64 "\n", seen.sum);
	return 0;
}
