/* SPDX-License-Identifier: MIT */
/*
 * db.h - databases for tests: made of SQL, in a directory of their own.
 *
 * db_setup and db_teardown give each test of cmocka a struct db as its state.
 * Failures fail the test that runs.
 */
#ifndef WL_TESTS_DB_H
#define WL_TESTS_DB_H

#include <sqlite3.h>

#include "base/file/file.h"
#include "read/input.h"

struct db {
	struct wl_tmpdir dir;
	char path[WL_PATH_CAP + 256];
	sqlite3 *sql;        /* NULL while closed */
	struct wl_input *in; /* of db_trace, or NULL */
};

int db_setup(void **state);
int db_teardown(void **state);

/* Begin a database of this name in the directory, or go on with it. */
struct db *db_open(void **state, const char *name);

/* Run statements; fmt is one of sqlite3_mprintf (%Q, %lld). */
void db_run(struct db *db, const char *fmt, ...);

/* Finish writing. Returns the path. */
const char *db_close(struct db *db);

/* Finish writing and load every column. Close the result with wl_input_close. */
struct wl_input *db_load(struct db *db);

/* The same, once in a test: the teardown closes it. */
const struct wl_trace *db_trace(struct db *db);

/* Schema eras: which columns the tables have, and where. */
enum db_era { DB_2020, DB_2_9_1, DB_3_7_2, DB_3_25_0, DB_N_ERAS };

/* Kernels, API calls, NVTX, strings, thread names and, from 2.9.1 on, processes; all empty. */
void db_make_tables(struct db *db, enum db_era era);

/* What nsys calls a globalPid and a globalTid. */
int64_t db_pid(unsigned vm, unsigned pid);
int64_t db_tid(unsigned pid, unsigned tid);

void db_string(struct db *db, int id, const char *text);

/* Zeroes stand for pid 100, context 1, stream 7, no name and no graph node. */
struct db_kernel {
	int64_t start, end;
	unsigned vm, pid, device, context, stream, corr;
	int name; /* of StringIds */
	int64_t node;
};

void db_kernel(struct db *db, const struct db_kernel *kernel);

/* The same with the fields as arguments: DB_KERNEL(db, .start = 1, .end = 2); and others. */
#define DB_KERNEL(db, ...) db_kernel(db, &(struct db_kernel){ __VA_ARGS__ })
#define DB_API(db, ...)    db_api(db, &(struct db_api){ __VA_ARGS__ })
#define DB_NVTX(db, ...)   db_nvtx(db, &(struct db_nvtx){ __VA_ARGS__ })

/* A call by thread tid of process pid (0 is 100). */
struct db_api {
	int64_t start, end;
	unsigned pid, tid, corr;
	int name;
};

void db_api(struct db *db, const struct db_api *api);

/* A range or mark of type 59, 60, ... (0 is 59); NULL is no name; end INT64_MIN is NULL. */
struct db_nvtx {
	int64_t start, end;
	unsigned pid, tid;
	int type;
	const char *text;
};

void db_nvtx(struct db *db, const struct db_nvtx *nvtx);

#endif
