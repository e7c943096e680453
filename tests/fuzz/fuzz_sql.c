/* SPDX-License-Identifier: MIT */
/*
 * fuzz_sql.c - the bytes are a text of SQL, over a small trace with private text.
 *
 * Whatever is asked ends soon, with a table or a sentence. Neither shows the environment or the
 * output of the traced program, and the file stays as it is.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <sqlite3.h>

#include "base/clock.h"
#include "base/file/file.h"
#include "base/text/utf8.h"
#include "fuzz/fuzz.h"
#include "session/open/session.h"
#include "sql/sql.h"

#define SECRET "hunter2hunter2"

enum { MEMORY = 64 << 20, RUNS_PER_CONNECTION = 500 };

static const int64_t time_limit = 50000000, patience = INT64_C(20000000000);

static struct wl_tmpdir dir;
static char path[WL_PATH_CAP + 32];
static struct wl_session *session;
static struct wl_sql_trace trace;
static struct wl_sql *sql;
static struct stat before;

static void need(bool promised)
{
	if (!promised)
		abort();
}

static void make_trace(void)
{
	static const char text[] =
		"CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);"
		"INSERT INTO StringIds VALUES (1, 'gemm'), (2, 'relu'), (3, 'step'), (4, '" SECRET
		"'),"
		" (5, 'TOKEN=" SECRET "' || char(0) || 'A=b'), (6, 'cudaLaunchKernel');"
		"CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INTEGER, end INTEGER, deviceId "
		"INTEGER,"
		" contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER,"
		" demangledName INTEGER, shortName INTEGER);"
		"WITH RECURSIVE c(x) AS (SELECT 0 UNION ALL SELECT x + 1 FROM c WHERE x < 40)"
		" INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT x * 100, x * 100 + 60 + x, x % 2, "
		"1, 7,"
		" x, 281474976710656 + 16777216 * 100, 1 + x % 2, 1 + x % 2 FROM c;"
		"CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start INTEGER, end INTEGER,"
		" eventClass INTEGER, globalTid INTEGER, correlationId INTEGER, nameId INTEGER,"
		" returnValue INTEGER);"
		"INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT start - 20, start - 10, 0, "
		"globalPid + 1,"
		" correlationId, 6, 0 FROM CUPTI_ACTIVITY_KIND_KERNEL;"
		"CREATE TABLE META_DATA_CAPTURE(name TEXT, value TEXT);"
		"INSERT INTO META_DATA_CAPTURE VALUES ('PROCESS_0:ENVIRONMENT_VARIABLE', 'T=" SECRET
		"');"
		"CREATE TABLE TARGET_INFO_SYSTEM_ENV(name TEXT, value TEXT);"
		"INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES ('DeviceEnvironment', 'T=" SECRET "');"
		"CREATE TABLE ProcessStreams(globalPid INTEGER, filenameId INTEGER, contentId "
		"INTEGER);"
		"INSERT INTO ProcessStreams VALUES (1, 1, 4);"
		"CREATE VIEW leak AS SELECT * FROM META_DATA_CAPTURE;";
	sqlite3 *db = NULL;

	need(wl_tmpdir_open(NULL, &dir, NULL) == WL_OK);
	(void)snprintf(path, sizeof(path), "%s/t.sqlite", dir.path);
	need(sqlite3_open(path, &db) == SQLITE_OK);
	need(sqlite3_exec(db, text, NULL, NULL, NULL) == SQLITE_OK);
	need(sqlite3_close(db) == SQLITE_OK);
	need(stat(path, &before) == 0);
}

static void leave(void)
{
	wl_sql_close(sql);
	wl_session_close(session);
	wl_tmpdir_close(&dir);
}

/* TEMP tables of earlier inputs would fill the memory that SQL may take. */
static void connect(void)
{
	static const struct wl_input_opts input = { .budget = NULL };
	const struct wl_sql_opts opts = { .traces = &trace, .n = 1, .heap = MEMORY };
	static unsigned n_runs;
	struct wl_err err;

	if (n_runs++ % RUNS_PER_CONNECTION != 0)
		return;
	if (!session) {
		make_trace();
		need(wl_session_open(path, &input, &session, &err) == WL_OK);
		trace = (struct wl_sql_trace){ .session = session, .path = path };
		(void)atexit(leave);
	}
	wl_sql_close(sql);
	sql = NULL;
	need(wl_sql_open(&opts, &sql, &err) == WL_OK);
}

static void check_text(const char *text)
{
	need(!strstr(text, SECRET));
	need(wl_utf8_is_valid(text, strlen(text)));
}

static void check(const struct wl_document *doc)
{
	const struct wl_table *t = doc->sections[0].view.table;

	for (size_t i = 0; i < t->n_cols; i++)
		need(wl_utf8_is_valid(t->cols[i].key, strlen(t->cols[i].key)));
	for (size_t row = 0; row < t->n_rows; row++) {
		for (size_t i = 0; i < t->n_cols; i++) {
			struct wl_cell c = wl_table_at(t, row, i);

			if (c.set && wl_type_is_text(t->cols[i].type))
				check_text(c.str);
		}
	}
	for (const struct wl_note *n = t->notes; n; n = n->next)
		check_text(n->text);
}

/* The secret itself may be written in the text. */
static bool has_secret(const char *text)
{
	return strstr(text, "hunter") != NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct wl_sql_limits limits = { .time_ns = time_limit, .rows = 200, .bytes = 65536 };
	char *text = malloc(size + 1);
	struct wl_document doc;
	struct wl_arena arena;
	struct wl_err err = { .code = WL_OK };
	struct stat after;
	int64_t begin;

	need(text != NULL);
	if (size > 0)
		memcpy(text, data, size);
	text[size] = '\0';
	connect();
	wl_arena_init(&arena, MEMORY);
	begin = wl_clock_wall_ns();
	if (has_secret(text))
		begin = 0;
	else if (wl_sql_run(sql, text, &limits, &arena, &doc, &err) == WL_OK)
		check(&doc);
	else
		need(err.msg[0] && !strstr(err.msg, SECRET));
	need(begin == 0 || wl_clock_wall_ns() - begin < patience);
	need(stat(path, &after) == 0 && after.st_size == before.st_size &&
	     after.st_mtim.tv_nsec == before.st_mtim.tv_nsec);
	wl_arena_release(&arena);
	free(text);
	return 0;
}
