/* SPDX-License-Identifier: MIT */
/* Statements that must not write, reach other files, run for ever or show private text. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "read/sqlite/heap.h"
#include "session/open/session.h"
#include "sql/sql.h"
#include "support/db.h"
#include "support/unit.h"

#define ENVIRONMENT "hunter2"      /* in the environment of the traced program */
#define OUTPUT      "correcthorse" /* in its output */

/* A trace, whose file has a schema that wants to do harm as well. */
static const char *make(void **state)
{
	struct db *db = db_open(state, "trace.sqlite");

	db_make_tables(db, DB_3_25_0);
	db_string(db, 1, "gemm");
	db_string(db, 2, OUTPUT "\nsecond line");
	db_string(db, 4, "BATCH=32");
	DB_KERNEL(db, .start = 10, .end = 30, .name = 1);
	db_run(db, "INSERT INTO StringIds VALUES (3, 'TOKEN=' || %Q || char(0) || 'HOME=/root')",
	       ENVIRONMENT);
	db_run(db, "INSERT INTO StringIds VALUES (5, 'TOKEN_FILE=/' || %Q)", ENVIRONMENT);
	db_run(db, "CREATE TABLE META_DATA_CAPTURE(name TEXT, value TEXT);"
		   "INSERT INTO META_DATA_CAPTURE VALUES"
		   "('PROCESS_0:ENVIRONMENT_VARIABLE', 'TOKEN=\"" ENVIRONMENT "\"'),"
		   "('PROCESS_0:COMMAND', 'train.py'), ('PROCESS_0:ARGUMENT_0', '--lr=0.1'),"
		   "('PROCESS_0:ARGUMENT_1', '--hf-token'), ('PROCESS_0:ARGUMENT_2', '" ENVIRONMENT
		   "'),"
		   "('PROCESS_0:ARGUMENT_3', '--api-key=" ENVIRONMENT "');"
		   "CREATE INDEX meta_index ON META_DATA_CAPTURE(value);"
		   "CREATE TABLE TARGET_INFO_SYSTEM_ENV(name TEXT, nameEnum INTEGER, value TEXT);"
		   "INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES"
		   "('DeviceEnvironment', 1, 'TOKEN=" ENVIRONMENT ";HOME=/root'),"
		   "('Hostname', 2, 'node7');"
		   "CREATE TABLE ProcessStreams(globalPid INTEGER, filenameId INTEGER,"
		   " contentId INTEGER);"
		   "INSERT INTO ProcessStreams VALUES (1, 1, 2);"
		   "CREATE VIEW leak AS SELECT * FROM META_DATA_CAPTURE;"
		   "CREATE VIEW leak_text AS SELECT value FROM StringIds;"
		   "CREATE VIEW loads AS SELECT load_extension('x');"
		   "CREATE VIEW slow AS SELECT sum(printf('%%.*c', 14000 + x, 'a') LIKE '%%' ||"
		   " printf('%%.*c', 990, 'a') || 'b') FROM big;"
		   "CREATE TABLE generated(a, b AS (hex(a)));"
		   "CREATE TRIGGER fires AFTER INSERT ON generated BEGIN"
		   " DELETE FROM StringIds; END;"
		   "CREATE VIRTUAL TABLE words USING fts5(body);"
		   "CREATE TABLE big AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL"
		   " SELECT x + 1 FROM c WHERE x < 2000) SELECT x FROM c;"
		   "ANALYZE");
	return db_close(db);
}

struct world {
	struct wl_session *session;
	struct wl_sql_trace trace;
	struct wl_sql *sql;
	struct wl_arena arena;
};

static void open_world(struct world *w, const char *path, bool show_environment)
{
	const struct wl_input_opts input = { .budget = NULL };
	struct wl_sql_opts opts = { .traces = &w->trace, .n = 1, .heap = 64 << 20 };
	struct wl_err err;

	*w = (struct world){ .session = NULL };
	if (wl_session_open(path, &input, &w->session, &err) != WL_OK)
		fail_msg("%s", err.msg);
	w->trace = (struct wl_sql_trace){ .session = w->session, .path = path };
	opts.show_environment = show_environment;
	wl_arena_init(&w->arena, 256 << 20);
	if (wl_sql_open(&opts, &w->sql, &err) != WL_OK)
		fail_msg("%s", err.msg);
}

static void close_world(struct world *w)
{
	wl_sql_close(w->sql);
	wl_session_close(w->session);
	wl_arena_release(&w->arena);
}

static int run_for(struct world *w, int64_t time_ns, const char *text, struct wl_document *doc,
		   struct wl_err *err)
{
	const struct wl_sql_limits limits = { .time_ns = time_ns, .rows = 10000 };

	*err = (struct wl_err){ .code = WL_OK };
	return wl_sql_run(w->sql, text, &limits, &w->arena, doc, err);
}

static int run(struct world *w, const char *text, struct wl_document *doc, struct wl_err *err)
{
	return run_for(w, 500000000, text, doc, err);
}

/* ---- What is refused, with which words ---- */

static const struct attack {
	const char *text, *words;
} attacks[] = {
	{ "ATTACH '/etc/passwd' AS p", "ATTACH is not allowed" },
	{ "ATTACH ':memory:' AS m", "ATTACH is not allowed" },
	{ "ATTACH 'file:x?mode=rwc' AS m", "ATTACH is not allowed" },
	{ "DETACH main", "DETACH is not allowed" },
	{ "VACUUM", "ATTACH is not allowed" },
	{ "VACUUM INTO '/tmp/stolen.sqlite'", "ATTACH is not allowed" },
	{ "DELETE FROM StringIds", "" },
	{ "DELETE FROM main.StringIds", "read-only" },
	{ "DELETE FROM big", "read-only" },
	{ "UPDATE big SET x = 1", "read-only" },
	{ "INSERT INTO big VALUES (1)", "read-only" },
	{ "REPLACE INTO big VALUES (1)", "read-only" },
	{ "INSERT INTO generated(a) VALUES (1)", "read-only" },
	{ "DROP TABLE big", "read-only" },
	{ "DROP VIEW leak", "read-only" },
	{ "DROP INDEX meta_index", "read-only" },
	{ "DROP TRIGGER fires", "triggers" },
	{ "DROP TABLE temp.StringIds", "cannot be dropped" },
	{ "ALTER TABLE big RENAME TO small", "ALTER TABLE" },
	{ "ALTER TABLE big ADD COLUMN y", "ALTER TABLE" },
	{ "ALTER TABLE temp.StringIds RENAME TO x", "" },
	{ "CREATE TABLE t(x)", "CREATE TEMP TABLE" },
	{ "CREATE TABLE main.t AS SELECT 1", "CREATE TEMP TABLE" },
	{ "CREATE VIEW v AS SELECT 1", "CREATE TEMP VIEW" },
	{ "CREATE INDEX i ON big(x)", "TEMP" },
	{ "CREATE TRIGGER t AFTER INSERT ON big BEGIN SELECT 1; END", "triggers" },
	{ "CREATE TEMP TRIGGER t AFTER INSERT ON big BEGIN SELECT 1; END", "triggers" },
	{ "CREATE VIRTUAL TABLE temp.v USING fts5(x)", "virtual tables" },
	{ "CREATE VIRTUAL TABLE v USING rtree(a, b, c)", "read-only" },
	{ "CREATE VIRTUAL TABLE temp.v USING wl_shadow(0, StringIds)", "virtual tables" },
	{ "BEGIN", "transactions" },
	{ "BEGIN EXCLUSIVE", "transactions" },
	{ "COMMIT", "transactions" },
	{ "SAVEPOINT s", "savepoints" },
	{ "ANALYZE", "read-only" },
	{ "REINDEX", "read-only" },
	{ "PRAGMA journal_mode=DELETE", "PRAGMA journal_mode" },
	{ "PRAGMA writable_schema=ON", "PRAGMA writable_schema" },
	{ "PRAGMA trusted_schema=ON", "PRAGMA trusted_schema" },
	{ "PRAGMA temp_store_directory='/etc'", "PRAGMA temp_store_directory" },
	{ "PRAGMA database_list", "PRAGMA database_list" },
	{ "PRAGMA hard_heap_limit=0", "PRAGMA hard_heap_limit" },
	{ "PRAGMA main.user_version=7", "PRAGMA user_version" },
	{ "PRAGMA integrity_check", "PRAGMA integrity_check" },
	{ "PRAGMA optimize", "PRAGMA optimize" },
	{ "PRAGMA query_only=OFF", "PRAGMA query_only" },
	{ "SELECT * FROM pragma_database_list", "" },
	{ "SELECT load_extension('/tmp/x.so')", "not a" },
	{ "SELECT fts3_tokenizer('simple')", "" },
	{ "SELECT readfile('/etc/passwd')", "readfile" },
	{ "SELECT writefile('/tmp/x', 'y')", "writefile" },
	{ "SELECT edit('x')", "edit" },
	{ "SELECT * FROM loads", "" },
	{ "SELECT * FROM words", "words is not available" },
	{ "SELECT * FROM dbstat", "dbstat is not available" },
	{ "SELECT * FROM sqlite_dbpage", "" },
	{ "SELECT * FROM sqlite_stmt", "" },
	{ "SELECT * FROM fts3tokenize('simple', 'a')", "" },
	{ "SELECT * FROM wl_shadow", "" },
	{ "SELECT * FROM wl_shadow('0', 'StringIds')", "" },
	{ "SELECT * FROM sqlite_stat1", "statistics" },
	{ "UPDATE sqlite_schema SET sql = ''", "" },
	{ "UPDATE sqlite_temp_schema SET sql = ''", "" },
	{ "DELETE FROM sqlite_temp_schema", "" },
	{ "SELECT zeroblob(1000000000)", "too big" },
	{ "SELECT printf('%.*c', 2000000, 'x') IS NULL", "too big" },
	{ "SELECT group_concat(zeroblob(1000), '') FROM big", "too big" },
	{ "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT max(x) FROM c",
	  "time limit" },
	{ "SELECT count(*) FROM big a, big b, big c, big d", "time limit" },
	{ "SELECT 1 FROM big a, big b, big c WHERE a.x + b.x + c.x < 0", "time limit" },
	{ "CREATE TEMP TABLE fat AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)"
	  " SELECT x, zeroblob(900000) AS b FROM c",
	  "memory" },
	/* Minutes of one function, and seconds of each of many. */
	{ "SELECT json_patch('{}', '{}')", "json_patch" },
	{ "SELECT trim(printf('%.*c', 900000, 'a'), printf('%.*c', 450000, 'b') || 'a')",
	  "too long" },
	{ "SELECT * FROM slow", "time limit" },
	{ "SELECT count(instr(printf('%.*c', 900000 + x % 2, 'a'),"
	  " printf('%.*c', 450000, 'a') || 'b')) FROM big",
	  "time limit" },
	{ "SELECT count(upper(printf('%.*c', 900000 + x % 2, 'a'))) FROM big", "time limit" },
	{ "SELECT 1; SELECT 2", "one by one" },
	{ "SELECT", "incomplete input" },
	{ "SELECT \"nosuchcolumn\"", "no such column" },
	{ "SELECT * FROM nosuchtable", "no such table" },
	{ "EXPLAIN DELETE FROM main.META_DATA_CAPTURE", "" },
	/* What is private, by its own name and by ways around it. */
	{ "SELECT * FROM main.META_DATA_CAPTURE", "--show-environment" },
	{ "SELECT * FROM main.\"meta_data_capture\"", "--show-environment" },
	{ "SELECT * FROM main.[META_DATA_CAPTURE] WHERE rowid = 1", "--show-environment" },
	{ "SELECT rowid FROM main.META_DATA_CAPTURE", "--show-environment" },
	{ "SELECT count(*) FROM main.META_DATA_CAPTURE", "--show-environment" },
	{ "SELECT 1 FROM main.META_DATA_CAPTURE INDEXED BY meta_index WHERE value > ''",
	  "--show-environment" },
	{ "SELECT * FROM main.TARGET_INFO_SYSTEM_ENV", "--show-environment" },
	{ "SELECT * FROM ProcessStreams", "--show-environment" },
	{ "SELECT * FROM main.ProcessStreams", "--show-environment" },
	{ "SELECT value FROM main.StringIds", "--show-environment" },
	{ "SELECT * FROM leak", "--show-environment" },
	{ "SELECT * FROM leak_text", "--show-environment" },
	/* SQLite tells an authorizer the name of the view that reads; this one is not a view. */
	{ "WITH META_DATA_CAPTURE AS (SELECT * FROM main.META_DATA_CAPTURE)"
	  " SELECT * FROM META_DATA_CAPTURE",
	  "--show-environment" },
	{ "WITH StringIds AS (SELECT * FROM main.StringIds) SELECT * FROM StringIds",
	  "--show-environment" },
	{ "SELECT * FROM (SELECT * FROM main.StringIds) AS StringIds", "--show-environment" },
	{ "CREATE TEMP VIEW StringIds AS SELECT * FROM main.StringIds", "already" },
	{ "CREATE TEMP TABLE copy AS SELECT * FROM main.StringIds", "--show-environment" },
	{ "CREATE TEMP VIEW peek AS SELECT * FROM main.META_DATA_CAPTURE; SELECT * FROM peek",
	  "--show-environment" },
	{ "SELECT (SELECT value FROM main.StringIds WHERE id = 2)", "--show-environment" },
	{ "SELECT 1 WHERE EXISTS (SELECT 1 FROM main.META_DATA_CAPTURE WHERE value LIKE '%h%')",
	  "--show-environment" },
	{ "SELECT x FROM big ORDER BY (SELECT max(value) FROM main.META_DATA_CAPTURE)",
	  "--show-environment" },
	{ "SELECT 1 UNION SELECT value FROM main.META_DATA_CAPTURE", "--show-environment" },
	{ "SELECT x FROM big JOIN main.StringIds AS s ON s.id = x", "--show-environment" },
	{ "SELECT x FROM big NATURAL JOIN main.ProcessStreams", "--show-environment" },
	{ "DELETE FROM main.META_DATA_CAPTURE RETURNING value", "" },
	{ "SELECT sum(1) OVER (ORDER BY value) FROM main.META_DATA_CAPTURE", "--show-environment" },
};

static void shows_no_secret(const struct wl_document *doc, const char *text)
{
	const struct wl_table *t = doc->sections[0].view.table;

	for (size_t row = 0; row < t->n_rows; row++) {
		for (size_t i = 0; i < t->n_cols; i++) {
			struct wl_cell c = wl_table_at(t, row, i);

			if (c.set && wl_type_is_text(t->cols[i].type) &&
			    (strstr(c.str, ENVIRONMENT) || strstr(c.str, OUTPUT)))
				fail_msg("%s shows %s", text, c.str);
		}
	}
}

TEST_WITH(refused, db_setup, db_teardown)
{
	const char *path = make(state);
	struct stat before, after;
	struct wl_document doc;
	struct wl_err err;
	struct world w;

	assert_int_equal(stat(path, &before), 0);
	open_world(&w, path, false);
	for (size_t i = 0; i < WL_COUNT(attacks); i++) {
		/* CPU time: how long other programs hold the machine is not the attack's. */
		int64_t begin = wl_clock_cpu_ns();
		/* What is not stopped by its time gets an hour, which ctest cuts short. */
		bool is_timed = strcmp(attacks[i].words, "time limit") == 0;
		int r = run_for(&w, is_timed ? 500000000 : 3600000000000, attacks[i].text, &doc,
				&err);

		if (getenv("SHOW_ATTACKS"))
			print_message("%-60.60s -> %d %s\n", attacks[i].text, r, err.msg);
		if (r == WL_OK)
			fail_msg("not refused: %s", attacks[i].text);
		if (!strstr(err.msg, attacks[i].words) || err.msg[0] == '\0')
			fail_msg("%s: \"%s\" does not say \"%s\"", attacks[i].text, err.msg,
				 attacks[i].words);
		if (strstr(err.msg, ENVIRONMENT) || strstr(err.msg, OUTPUT))
			fail_msg("%s: the message shows a secret: %s", attacks[i].text, err.msg);
		if (wl_clock_cpu_ns() - begin > 3000000000)
			fail_msg("%s: took more than 3 s of CPU", attacks[i].text);
	}
	/* SQLite has read the schema again meanwhile, and the shadows with it. */
	assert_int_equal(run(&w, "SELECT * FROM StringIds", &doc, &err), WL_OK);
	shows_no_secret(&doc, "after attacks");
	close_world(&w);
	assert_int_equal(stat(path, &after), 0);
	assert_int_equal(before.st_size, after.st_size);
	assert_int_equal(before.st_mtim.tv_nsec, after.st_mtim.tv_nsec);
}

/* ---- What is allowed shows nothing private ---- */

static const char *const harmless[] = {
	"SELECT * FROM META_DATA_CAPTURE",
	"SELECT * FROM temp.META_DATA_CAPTURE",
	"SELECT * FROM TARGET_INFO_SYSTEM_ENV",
	"SELECT * FROM StringIds",
	"SELECT rowid, * FROM StringIds",
	"SELECT * FROM StringIds WHERE id = 2",
	"SELECT * FROM StringIds WHERE id IN (2, 3, 5)",
	"SELECT * FROM StringIds WHERE rowid = 3",
	"SELECT value FROM StringIds WHERE value LIKE '%" OUTPUT "%'",
	"SELECT hex(value), length(CAST(value AS BLOB)) FROM StringIds",
	"SELECT group_concat(value) FROM StringIds",
	"SELECT json_group_array(value) FROM META_DATA_CAPTURE",
	"SELECT s.value FROM big JOIN StringIds AS s ON s.id = x",
	"CREATE TEMP TABLE kept AS SELECT * FROM StringIds; SELECT * FROM kept",
	"SELECT * FROM sqlite_schema",
	"SELECT * FROM sqlite_temp_schema",
	"EXPLAIN SELECT * FROM StringIds",
	"EXPLAIN QUERY PLAN SELECT * FROM StringIds WHERE id = 2",
	"SELECT * FROM pragma_table_info('META_DATA_CAPTURE')",
	"SELECT * FROM json_each('[1, 2]')",
	"PRAGMA table_list",
	"PRAGMA index_list('big')",
};

TEST_WITH(private_text_is_hidden, db_setup, db_teardown)
{
	WITH(struct world, w, close_world, open_world(&w, make(state), false));
	struct wl_document doc;
	struct wl_err err;

	for (size_t i = 0; i < WL_COUNT(harmless); i++) {
		if (run(&w, harmless[i], &doc, &err) != WL_OK)
			fail_msg("%s: %s", harmless[i], err.msg);
		shows_no_secret(&doc, harmless[i]);
	}
	/* What is not private is there: masked rows keep their place. */
	assert_int_equal(run(&w,
			     "SELECT count(*), sum(value = 'gemm'), sum(value = 'BATCH=32'),"
			     " sum(value = '(hidden)') FROM StringIds",
			     &doc, &err),
			 WL_OK);
	assert_int_equal(wl_table_at(doc.sections[0].view.table, 0, 0).i64, 5);
	assert_int_equal(wl_table_at(doc.sections[0].view.table, 0, 1).i64, 1);
	assert_int_equal(wl_table_at(doc.sections[0].view.table, 0, 2).i64, 1);
	assert_int_equal(wl_table_at(doc.sections[0].view.table, 0, 3).i64, 3);
	assert_int_equal(
		run(&w, "SELECT group_concat(value, ' ') FROM META_DATA_CAPTURE", &doc, &err),
		WL_OK);
	assert_string_equal(wl_table_at(doc.sections[0].view.table, 0, 0).str,
			    "train.py --lr=0.1 --hf-token *** --api-key=***");
}

TEST_WITH(private_text_on_request, db_setup, db_teardown)
{
	WITH(struct world, w, close_world, open_world(&w, make(state), true));
	struct wl_document doc;
	struct wl_err err;

	assert_int_equal(run(&w,
			     "SELECT s.value FROM ProcessStreams JOIN StringIds AS s ON s.id ="
			     " contentId UNION ALL SELECT value FROM META_DATA_CAPTURE",
			     &doc, &err),
			 WL_OK);
	assert_int_equal(doc.sections[0].view.n_rows, 7);
	assert_non_null(strstr(wl_table_at(doc.sections[0].view.table, 0, 0).str, OUTPUT));
	assert_non_null(strstr(wl_table_at(doc.sections[0].view.table, 1, 0).str, ENVIRONMENT));
	/* The rest is as closed as before. */
	assert_int_equal(run(&w, "DELETE FROM META_DATA_CAPTURE", &doc, &err), WL_E_USAGE);
	assert_int_equal(run(&w, "ATTACH ':memory:' AS m", &doc, &err), WL_E_USAGE);
}

/* Tables that are hidden may be virtual ones of the file, whose modules must not run. */
TEST_WITH(virtual_tables_of_the_file, db_setup, db_teardown)
{
	struct db *db = db_open(state, "virtual.sqlite");
	struct wl_document doc;
	struct wl_err err;
	struct world w;

	db_make_tables(db, DB_3_25_0);
	db_string(db, 1, "gemm");
	DB_KERNEL(db, .start = 10, .end = 30, .name = 1);
	db_run(db, "CREATE VIRTUAL TABLE ProcessStreams USING fts5(contentId);"
		   "CREATE VIRTUAL TABLE META_DATA_CAPTURE USING fts5(name, value);"
		   "INSERT INTO META_DATA_CAPTURE VALUES ('a', 'b');"
		   "CREATE VIEW TARGET_INFO_SYSTEM_ENV AS SELECT 'a' AS name, 'b' AS value");
	open_world(&w, db_close(db), false);
	assert_int_equal(run(&w, "SELECT value FROM StringIds WHERE id = 1", &doc, &err), WL_OK);
	assert_string_equal(wl_table_at(doc.sections[0].view.table, 0, 0).str, "gemm");
	assert_int_equal(run(&w, "SELECT * FROM META_DATA_CAPTURE", &doc, &err), WL_E_USAGE);
	assert_int_equal(run(&w, "SELECT * FROM ProcessStreams", &doc, &err), WL_E_USAGE);
	assert_int_equal(run(&w, "SELECT * FROM TARGET_INFO_SYSTEM_ENV", &doc, &err), WL_E_USAGE);
	close_world(&w);
}

/* ---- Limits ---- */

TEST_WITH(statuses, db_setup, db_teardown)
{
	WITH(struct world, w, close_world, open_world(&w, make(state), false));
	static const atomic_int stop = 1;
	const struct wl_sql_limits stopped = { .cancel = &stop }, short_time = { .time_ns = 1 };
	static const char verb[] = "SELECT count(*) FROM kernels";
	static const char endless[] = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 "
				      "FROM c) SELECT count(*) FROM c";
	struct wl_document doc;
	struct wl_err err;
	static const char fat[] = "CREATE TEMP TABLE fat AS WITH RECURSIVE c(x) AS (SELECT 1 UNION "
				  "ALL SELECT x + 1 FROM c) SELECT zeroblob(900000) FROM c";
	struct world other;

	assert_int_equal(run(&w, endless, &doc, &err), WL_E_TIMEOUT);
	assert_int_equal(wl_sql_run(w.sql, endless, &stopped, &w.arena, &doc, &err), WL_E_CANCELED);
	/* A verb that is stopped can be asked again. */
	assert_int_equal(wl_sql_run(w.sql, verb, &stopped, &w.arena, &doc, &err), WL_E_CANCELED);
	assert_string_equal(err.msg, "sql: stopped");
	assert_int_equal(wl_sql_run(w.sql, verb, &short_time, &w.arena, &doc, &err), WL_E_TIMEOUT);
	assert_non_null(strstr(err.msg, ", its time limit; select less"));
	assert_int_equal(run(&w, verb, &doc, &err), WL_OK);
	assert_int_equal(run(&w, "SELECT nothing", &doc, &err), WL_E_USAGE);
	assert_int_equal(run_for(&w, 60000000000, fat, &doc, &err), WL_E_NOMEM);
	/* The limit is the program's, and stays while a connection is open. */
	open_world(&other, w.trace.path, false);
	close_world(&other);
	assert_int_equal(run_for(&w, 60000000000, fat, &doc, &err), WL_E_NOMEM);
	/* Memory comes back with the statement. */
	assert_int_equal(run(&w, "SELECT count(*) FROM big", &doc, &err), WL_OK);
}

TEST_WITH(budgets_of_rows_and_bytes, db_setup, db_teardown)
{
	WITH(struct world, w, close_world, open_world(&w, make(state), false));
	const struct wl_sql_limits rows = { .rows = 10 }, exact = { .rows = 2000 };
	const struct wl_sql_limits bytes = { .bytes = 1000 };
	const struct wl_table *t;
	struct wl_document doc;
	struct wl_err err;

	assert_int_equal(wl_sql_run(w.sql, "SELECT x FROM big", &rows, &w.arena, &doc, &err),
			 WL_OK);
	t = doc.sections[0].view.table;
	assert_int_equal(t->n_rows, 10);
	assert_non_null(strstr(t->notes->text, "10 rows shown, there are more"));
	/* As many rows as the limit, and no more of them: nothing is left out. */
	assert_int_equal(wl_sql_run(w.sql, "SELECT x FROM big", &exact, &w.arena, &doc, &err),
			 WL_OK);
	assert_int_equal(doc.sections[0].view.table->n_rows, 2000);
	assert_int_equal(doc.sections[0].view.table->n_notes, 0);
	assert_int_equal(wl_sql_run(w.sql, "SELECT printf('%.100c', 'x') FROM big", &bytes,
				    &w.arena, &doc, &err),
			 WL_OK);
	t = doc.sections[0].view.table;
	assert_int_equal(t->n_rows, 10);
	assert_int_equal(t->n_notes, 1);
}

/* A query of many millions of rows ends when its time is over, and soon after. */
TEST_WITH(many_rows_end_in_time, db_setup, db_teardown)
{
	WITH(struct world, w, close_world, open_world(&w, make(state), false));
	const struct wl_sql_limits limits = { .time_ns = 300000000 };
	int64_t begin, took;
	struct wl_document doc;
	struct wl_err err;

	begin = wl_clock_cpu_ns();
	assert_int_equal(wl_sql_run(w.sql, "SELECT a.x, b.x FROM big a, big b, big c", &limits,
				    &w.arena, &doc, &err),
			 WL_E_TIMEOUT);
	took = wl_clock_cpu_ns() - begin;
	assert_true(took < 2000000000);
}
