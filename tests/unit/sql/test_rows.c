/* SPDX-License-Identifier: MIT */
/* Row sources against the raw tables, on every fixture. */
#include <stdio.h>
#include <string.h>

#include "sql/rows/rows.h"
#include "support/sql_db.h"
#include "support/traces.h"
#include "support/unit.h"

/* A fixture has a kernel table without most columns, which has no rows. */
static bool has(struct sql_db *d, const char *table)
{
	char sql[256];

	(void)snprintf(sql, sizeof(sql),
		       "SELECT count(*) FROM pragma_table_info('%s') WHERE name IN ('streamId', "
		       "'globalTid')",
		       table);
	return strcmp(sql_db_ask(d, sql), "1;") == 0;
}

/* "SELECT kind, start, end, stream FROM ..." of the raw tables that there are. */
static const char *raw_ops(struct sql_db *d)
{
	static const struct {
		const char *table, *kind;
	} tables[] = {
		{ "CUPTI_ACTIVITY_KIND_KERNEL", "kernel" },
		{ "CUPTI_ACTIVITY_KIND_MEMCPY", "memcpy" },
		{ "CUPTI_ACTIVITY_KIND_MEMSET", "memset" },
		{ "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", "graph" },
	};
	static char sql[2048];
	size_t n = (size_t)snprintf(sql, sizeof(sql),
				    "SELECT NULL kind, NULL start, NULL \"end\", NULL stream, NULL "
				    "pid, NULL corr WHERE 0");

	for (size_t i = 0; i < WL_COUNT(tables); i++) {
		if (has(d, tables[i].table))
			n += (size_t)snprintf(sql + n, sizeof(sql) - n,
					      " UNION ALL SELECT '%s', start, max(start, \"end\"), "
					      "streamId, globalPid >> 24, correlationId FROM %s "
					      "WHERE start NOT NULL",
					      tables[i].kind, tables[i].table);
	}
	return sql;
}

static void expect(struct sql_db *d, const char *name, const char *ours, const char *raw)
{
	const char *a = sql_db_ask(d, ours), *b = sql_db_ask(d, raw);

	if (strcmp(a, b) != 0)
		fail_msg("%s: not the same:\n%s\n%.2000s\n%s\n%.2000s", name, ours, a, raw, b);
}

static void check_ops(struct sql_db *d, const char *name)
{
	char raw[4096];

	(void)snprintf(
		raw, sizeof(raw),
		"SELECT kind, stream, count(*), sum(\"end\" - start), min(start), max(\"end\") "
		"FROM "
		"(%s) GROUP BY kind, stream ORDER BY kind, stream",
		raw_ops(d));
	expect(d, name,
	       "SELECT kind, stream, count(*), sum(duration), min(start), max(\"end\") FROM ops "
	       "GROUP BY kind, stream ORDER BY kind, stream",
	       raw);
	expect(d, name, "SELECT count(*), count(DISTINCT key) FROM ops",
	       "SELECT count(*), count(*) FROM ops");
	expect(d, name, "SELECT count(*) FROM ops WHERE \"end\" - start != duration", "SELECT 0");
}

static void check_windows(struct sql_db *d, const char *name)
{
	char ours[512], raw[4096];

	for (int i = 0; i < 5; i++) {
		long long from = 3000 + 7001 * i, to = from + 11000;

		(void)snprintf(
			ours, sizeof(ours),
			"SELECT start, \"end\" FROM ops WHERE start >= %lld AND start < %lld "
			"ORDER BY 1, 2",
			from, to);
		(void)snprintf(
			raw, sizeof(raw),
			"SELECT start, \"end\" FROM (%s) WHERE start >= %lld AND start < %lld "
			"ORDER BY 1, 2",
			raw_ops(d), from, to);
		expect(d, name, ours, raw);
	}
}

static void check_launches(struct sql_db *d, const char *name)
{
	char raw[4096];

	expect(d, name,
	       "SELECT op, name, tid, start, latency, nvtx_path, step FROM launches "
	       "ORDER BY op",
	       "SELECT key, call, tid, launch, latency, nvtx_path, step FROM ops WHERE launch NOT "
	       "NULL ORDER BY key");
	if (!has(d, "CUPTI_ACTIVITY_KIND_RUNTIME"))
		return;
	(void)snprintf(raw, sizeof(raw),
		       "SELECT count(*) FROM (%s) o WHERE EXISTS (SELECT 1 FROM "
		       "CUPTI_ACTIVITY_KIND_RUNTIME r WHERE r.globalTid >> 24 = o.pid AND "
		       "r.correlationId = o.corr AND r.start NOT NULL)",
		       raw_ops(d));
	expect(d, name, "SELECT count(*) FROM launches", raw);
}

static void check_ranges(struct sql_db *d, const char *name)
{
	if (!has(d, "NVTX_EVENTS"))
		return;
	expect(d, name,
	       "SELECT tid, count(*), sum(duration), min(start) FROM nvtx_ranges WHERE "
	       "closed GROUP BY tid ORDER BY tid",
	       "SELECT globalTid & 0xffffff, count(*), sum(max(\"end\", start) - start), "
	       "min(start) FROM NVTX_EVENTS WHERE eventType IN (59, 60, 70, 71) AND \"end\" NOT "
	       "NULL GROUP BY 1 ORDER BY 1");
	expect(d, name, "SELECT count(*) FROM nvtx_ranges WHERE NOT closed",
	       "SELECT count(*) FROM NVTX_EVENTS WHERE eventType IN (59, 60, 70, 71) AND \"end\" "
	       "IS NULL AND start NOT NULL");
	/* A parent is around its children, one level up, on their thread. */
	expect(d, name,
	       "SELECT count(*) FROM nvtx_ranges c WHERE parent IS NULL != (depth = 0) AND "
	       "kind = 'push/pop'",
	       "SELECT 0");
	expect(d, name,
	       "WITH r AS MATERIALIZED (SELECT * FROM nvtx_ranges) SELECT count(*) FROM r c JOIN r "
	       "p ON p.key = c.parent WHERE p.start > c.start OR p.\"end\" < c.\"end\" OR p.tid != "
	       "c.tid OR p.depth + 1 != c.depth",
	       "SELECT 0");
}

static void check_strings(struct sql_db *d, const char *name)
{
	expect(d, name, "SELECT value, uses, length FROM strings WHERE kind = 'kernel' ORDER BY 1",
	       "SELECT name, count(*), length(CAST(name AS BLOB)) FROM ops WHERE kind = 'kernel' "
	       "GROUP BY name ORDER BY 1");
}

/* Loads between two rows of a cursor change nothing. */
static void check_moving(struct sql_db *d, const char *path, const char *name)
{
	WITH(struct sql_db, fresh, sql_db_close, sql_db_open(&fresh, path));
	static const char sql[] =
		"SELECT o.key, o.name, o.start, o.nvtx_path, (SELECT count(*) FROM matches), "
		"(SELECT count(*) FROM strings), (SELECT count(*) FROM nvtx_ranges), o.launch, "
		"o.category, nvtx_at(o.tid, o.launch) FROM ops o";
	char *first;

	first = sqlite3_mprintf("%s", sql_db_ask(&fresh, sql));
	expect(&fresh, name, sql, sql);
	assert_string_equal(sql_db_ask(&fresh, sql), first);
	assert_string_equal(sql_db_ask(d, sql), first);
	sqlite3_free(first);
}

static void check_trace(void *ctx, const struct test_trace *trace)
{
	struct sql_db d;

	(void)ctx;
	/* It has rows that the reader repairs or drops, which raw SQL does not. */
	if (strcmp(trace->name, "fixture.hostile") == 0)
		return;
	sql_db_open(&d, trace->path);
	check_ops(&d, trace->name);
	check_windows(&d, trace->name);
	check_launches(&d, trace->name);
	check_ranges(&d, trace->name);
	check_strings(&d, trace->name);
	check_moving(&d, trace->path, trace->name);
	sql_db_close(&d);
}

TEST(rows_are_those_of_the_file)
{
	struct test_traces seen = for_each_fixture(check_trace, NULL);

	assert_true(seen.n_fixtures > 10);
}

TEST(windows_and_gpus_select)
{
	WITH(struct sql_db, d, sql_db_close, sql_db_open(&d, sql_db_fixture("steps")));

	sql_db_same(&d, "SELECT count(*), sum(duration) FROM ops('20us..50us')",
		    "SELECT count(*), sum(duration) FROM ops WHERE start < 50000 AND \"end\" > "
		    "20000");
	sql_db_same(&d, "SELECT * FROM ops WHERE gpu = 1", "SELECT * FROM ops WHERE device = 1");
	sql_db_same(&d, "SELECT * FROM ops(NULL, 1)", "SELECT * FROM ops WHERE device = 1");
	sql_db_same(&d,
		    "SELECT g, count(*) FROM (SELECT 0 g UNION SELECT 1), ops(NULL, g) GROUP BY g",
		    "SELECT device, count(*) FROM ops GROUP BY 1");
	sql_db_same(&d, "SELECT key FROM ops('iter:2') WHERE gpu = 0",
		    "SELECT key FROM ops WHERE \"window\" = 'iter:2' AND gpu = '0'");
	assert_string_equal(sql_db_ask(&d, "SELECT * FROM ops('39..42')"),
			    "ops: --window: '39' has no unit; write 39s or 39ms");
	assert_non_null(strstr(sql_db_ask(&d, "SELECT * FROM ops WHERE gpu = 'nine'"), "ops: "));
	assert_non_null(strstr(sql_db_ask(&d, "SELECT * FROM strings('steady')"), "whole trace"));
	assert_non_null(strstr(sql_db_ask(&d, "SELECT * FROM ops WHERE trace = 'x'"),
			       "no trace is called \"x\"; there are first"));
	assert_non_null(
		strstr(sql_db_ask(&d, "SELECT * FROM ops WHERE no_such = 1"), "no such column"));
}

TEST(several_traces_follow_each_other)
{
	WITH(struct sql_db, d, sql_db_close, sql_db_open(&d, sql_db_fixture("steps")));

	sql_db_add(&d, sql_db_fixture("nested"));
	sql_db_same(&d, "SELECT trace, count(*) FROM ops GROUP BY trace",
		    "SELECT 'first', count(*) FROM ops WHERE trace = 'first' UNION ALL SELECT "
		    "'second', count(*) FROM ops WHERE trace = 'second'");
	sql_db_same(&d, "SELECT count(*), sum(duration) FROM ops WHERE trace = 'second'",
		    "SELECT count(*), sum(\"end\" - start) FROM (SELECT start, \"end\" FROM "
		    "second.CUPTI_ACTIVITY_KIND_KERNEL UNION ALL SELECT start, \"end\" FROM "
		    "second.CUPTI_ACTIVITY_KIND_MEMCPY)");
	sql_db_same(&d,
		    "SELECT t, (SELECT count(*) FROM launches WHERE trace = t) FROM (SELECT "
		    "'first' t UNION SELECT 'second')",
		    "SELECT trace, count(*) FROM launches GROUP BY trace");
}

TEST(a_budget_is_kept)
{
	WITH(struct sql_db, d, sql_db_close, sql_db_open(&d, sql_db_fixture("nested")));
	bool failed = false;

	for (size_t limit = 64; limit <= 1 << 22; limit *= 4) {
		const char *said;

		d.budget.limit = limit;
		said = sql_db_ask(&d, "SELECT count(nvtx_path) >= 0 FROM ops");
		if (strcmp(said, "1;") != 0) {
			assert_string_equal(said, "out of memory");
			failed = true;
		}
	}
	assert_true(failed);
	assert_string_equal(sql_db_ask(&d, "SELECT count(nvtx_path) >= 0 FROM ops"), "1;");
	d.budget.limit = 0;
}

TEST(columns_are_described)
{
	WITH(struct sql_db, d, sql_db_close, sql_db_open(&d, sql_db_fixture("tiny")));
	char sql[256];

	for (size_t i = 0; i < WL_SQL_N_ROWS; i++) {
		const struct wl_sql_rows *r = wl_sql_rows[i];

		for (size_t c = 0; c < r->n_cols; c++)
			assert_true(r->cols[c].help[strlen(r->cols[c].help) - 1] == '.');
		(void)snprintf(sql, sizeof(sql), "SELECT * FROM %s", r->name);
		assert_null(strstr(sql_db_ask(&d, sql), "error"));
	}
}

static bool has_column(const struct wl_sql_rows *rows, const struct wl_col *col)
{
	for (size_t k = 0; k < rows->n_cols; k++) {
		if (strcmp(rows->cols[k].key, col->key) == 0 && rows->cols[k].type == col->type)
			return true;
	}
	return false;
}

/* They take the place of the verb's own table: a cell is there under the same name and type. */
TEST(a_verb_that_picks_rows_has_all_of_them_in_sql)
{
	for (size_t i = 0; i < wl_n_analyses; i++) {
		const struct wl_analysis *a = wl_analyses[i];
		const struct wl_sql_rows *rows = NULL;

		for (size_t k = 0; a->picks_rows && k < WL_SQL_N_ROWS; k++) {
			if (strcmp(wl_sql_rows[k]->name, a->name) == 0)
				rows = wl_sql_rows[k];
		}
		if (a->picks_rows && !rows)
			fail_msg("%s picks rows, and sql/rows has no table by its name", a->name);
		for (size_t c = 0; rows && c < a->n_cols; c++) {
			if (!has_column(rows, &a->cols[c]))
				fail_msg("%s has no column %s", a->name, a->cols[c].key);
		}
	}
}
