/* SPDX-License-Identifier: MIT */
/* Percentiles against a sorted list, names, NVTX paths and steps against the raw tables. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/sort.h"
#include "sql/funcs/funcs.h"
#include "support/random.h"
#include "support/sql_db.h"
#include "support/unit.h"

static int in_memory(void **state)
{
	static struct sql_db db;

	sql_db_open(&db, NULL);
	*state = &db;
	return 0;
}

static int in_nested(void **state)
{
	static struct sql_db db;

	sql_db_open(&db, sql_db_fixture("nested"));
	*state = &db;
	return 0;
}

static int in_steps(void **state)
{
	static struct sql_db db;

	sql_db_open(&db, sql_db_fixture("steps"));
	*state = &db;
	return 0;
}

static int tear_down(void **state)
{
	sql_db_close(*state);
	return 0;
}

/* ---- percentile ---- */

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The smallest value that at least p percent of all are not above, found by counting. */
static double brute(const double *v, size_t n, double p)
{
	for (size_t i = 0; i < n; i++) {
		size_t upto = 0;

		while (upto < n && v[upto] <= v[i])
			upto++;
		if ((double)upto * 100 >= p * (double)n - 1e-9 * (double)n)
			return v[i];
	}
	return v[n - 1];
}

TEST_WITH(percentiles_are_nearest_rank, in_memory, tear_down)
{
	static const double percents[] = { 0, 1, 10, 25, 50, 75, 90, 99, 99.9, 100 };
	struct sql_db *d = *state;
	uint64_t seed = 1;

	for (int round = 0; round < 400; round++) {
		size_t n = 1 + random_next(&seed) % 40;
		bool is_real = random_next(&seed) % 2;
		double p = percents[random_next(&seed) % WL_COUNT(percents)], v[40];
		char sql[256];

		sql_db_run(d, "DROP TABLE IF EXISTS v; CREATE TABLE v(x)");
		for (size_t i = 0; i < n; i++) {
			v[i] = (double)(random_next(&seed) % 50) - 25;
			v[i] += is_real && i % 3 == 0 ? 0.5 : 0;
			(void)snprintf(sql, sizeof(sql), "INSERT INTO v VALUES(%.*f)",
				       fmod(v[i], 1) != 0, v[i]);
			sql_db_run(d, sql);
		}
		sql_db_run(d, "INSERT INTO v VALUES(NULL)");
		qsort(v, n, sizeof(v[0]), by_value);
		(void)snprintf(sql, sizeof(sql), "SELECT percentile(x, %g) FROM v", p);
		assert_true(strtod(sql_db_ask(d, sql), NULL) == brute(v, n, p));
	}
}

/* Known values, and times whose squares a double cannot tell apart. */
TEST(medians_and_deviations)
{
	WITH(struct sql_db, d, sql_db_close, sql_db_open(&d, NULL));

	sql_db_run(&d, "CREATE TABLE v(x)");
	assert_string_equal(sql_db_ask(&d, "SELECT median(x), stddev(x) FROM v"), "NULL|NULL;");
	sql_db_run(&d, "INSERT INTO v VALUES (NULL), (7)");
	assert_string_equal(sql_db_ask(&d, "SELECT median(x), stddev(x) FROM v"), "7|NULL;");
	sql_db_run(&d,
		   "DELETE FROM v; INSERT INTO v VALUES (2), (4), (4), (4), (5), (5), (7), (9)");
	assert_string_equal(
		sql_db_ask(&d, "SELECT median(x), percentile(x, 50), round(stddev(x), 6) FROM v"),
		"4|4|2.13809;");
	sql_db_run(&d, "UPDATE v SET x = x + 1700000000000000000");
	assert_string_equal(sql_db_ask(&d, "SELECT median(x) FROM v"), "1700000000000000004;");
	sql_db_run(&d, "UPDATE v SET x = x - 1699999000000000000");
	assert_string_equal(sql_db_ask(&d, "SELECT round(stddev(x), 3) FROM v"), "2.138;");
	assert_non_null(strstr(sql_db_ask(&d, "SELECT stddev('a')"), "stddev: x must be a number"));
	assert_non_null(strstr(sql_db_ask(&d, "SELECT median('a')"), "median: x must be a number"));
}

TEST_WITH(percentiles_are_those_of_the_tables, in_memory, tear_down)
{
	struct sql_db *d = *state;

	for (size_t n = 1; n < 300; n += 7) {
		for (unsigned p = 1; p <= 100; p += 11) {
			char sql[256], want[32];

			(void)snprintf(
				sql, sizeof(sql),
				"WITH RECURSIVE s(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM s "
				"WHERE i < %zu) SELECT percentile(i, %u) FROM s",
				n - 1, p);
			(void)snprintf(want, sizeof(want), "%zu;", wl_rank(n, p));
			assert_string_equal(sql_db_ask(d, sql), want);
		}
	}
}

TEST_WITH(percentile_refuses_what_is_no_number, in_memory, tear_down)
{
	struct sql_db *d = *state;

	assert_string_equal(sql_db_ask(d, "SELECT percentile(x, 50) FROM (SELECT 1 x WHERE 0)"),
			    "NULL;");
	assert_string_equal(sql_db_ask(d, "SELECT percentile(NULL, 50)"), "NULL;");
	assert_string_equal(sql_db_ask(d, "SELECT percentile(1, 101)"),
			    "percentile: p is a number from 0 to 100");
	assert_string_equal(sql_db_ask(d, "SELECT percentile(1, NULL)"),
			    "percentile: p is a number from 0 to 100");
	assert_string_equal(sql_db_ask(d, "SELECT percentile('a', 50)"),
			    "percentile: x must be a number, not \"a\"");
	assert_string_equal(
		sql_db_ask(d, "SELECT percentile(1, p) FROM (SELECT 5 p UNION SELECT 6)"),
		"percentile: p must be the same in all rows of a group");
	/* A failed group releases its memory; a percentile of each of many groups works. */
	assert_string_equal(
		sql_db_ask(d,
			   "WITH RECURSIVE s(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM s WHERE "
			   "i < 9999) SELECT sum(p) FROM (SELECT percentile(i, 50) p FROM s GROUP "
			   "BY i % 1000)"),
		"4499500;");
}

TEST_WITH(numbers_for_people, in_memory, tear_down)
{
	struct sql_db *d = *state;

	assert_string_equal(sql_db_ask(d, "SELECT human_ns(2149900), human_ns(NULL), "
					  "human_ns(1500.4), human_bytes(1070000000)"),
			    "2.15 ms|NULL|1.5 us|1.07 GB;");
	assert_string_equal(sql_db_ask(d, "SELECT human_ns('x')"), "human_ns: needs a number");
	assert_string_equal(sql_db_ask(d, "SELECT human_bytes(1e300)"),
			    "human_bytes: needs a number");
}

TEST_WITH(without_a_trace_its_functions_fail, in_memory, tear_down)
{
	static const char *const calls[] = { "short_name('a')", "category('a')", "demangle('a')",
					     "nvtx_at(1, 2)", "iter_of(3)" };
	struct sql_db *d = *state;
	char sql[64];

	for (size_t i = 0; i < WL_COUNT(calls); i++) {
		(void)snprintf(sql, sizeof(sql), "SELECT %s", calls[i]);
		assert_string_equal(sql_db_ask(d, sql), "there is no trace to ask");
	}
}

TEST_WITH(every_function_is_described, in_memory, tear_down)
{
	struct sql_db *d = *state;

	for (size_t i = 0; i < wl_sql_n_functions; i++) {
		const struct wl_sql_function *f = &wl_sql_functions[i];
		char sql[256];

		assert_true(strncmp(f->call, f->name, strlen(f->name)) == 0);
		assert_true(f->help[strlen(f->help) - 1] == '.');
		(void)snprintf(
			sql, sizeof(sql),
			"SELECT (SELECT count(*) FROM pragma_function_list WHERE name = '%s') + "
			"(SELECT count(*) FROM pragma_module_list WHERE name = '%s') > 0",
			f->name, f->name);
		assert_string_equal(sql_db_ask(d, sql), "1;");
	}
}

/* Values that people and hostile files pass; sets among them. */
static const char *const values[] = {
	"NULL",
	"''",
	"'abc'",
	"x'00ff'",
	"0",
	"-1",
	"9223372036854775807",
	"1.5",
	"9e999",
	"-0.0",
	"'12'",
	"-9223372036854775808",
	"(SELECT intervals(1, 5))",
};

enum { N_VALUES = (int)(sizeof(values) / sizeof(values[0])) };

/* A call with n arguments, which are the digits of a number. */
static void call(struct sql_db *d, const struct wl_sql_function *f, size_t n, size_t number)
{
	char sql[512];
	int at = snprintf(sql, sizeof(sql),
			  f->kind == WL_SQL_TABLE ? "SELECT * FROM %s(" : "SELECT %s(", f->name);

	for (size_t i = 0; i < n; i++, number /= N_VALUES)
		at += snprintf(sql + at, sizeof(sql) - (size_t)at, "%s%s", i ? ", " : "",
			       values[number % N_VALUES]);
	(void)snprintf(sql + at, sizeof(sql) - (size_t)at, ")%s",
		       f->kind == WL_SQL_TABLE ? " LIMIT 10" : "");
	(void)sql_db_ask(d, sql);
}

/* It answers or refuses; the sanitizers look at the rest. */
TEST_WITH(functions_take_any_value, in_nested, tear_down)
{
	struct sql_db *d = *state;

	for (size_t i = 0; i < wl_sql_n_functions; i++) {
		for (size_t n = 0, all = 1; n <= 3; n++, all *= N_VALUES) {
			for (size_t number = 0; number < all; number++)
				call(d, &wl_sql_functions[i], n, number);
		}
	}
}

/* ---- Names ---- */

TEST_WITH(kernels_have_names_and_categories, in_nested, tear_down)
{
	struct sql_db *d = *state;

	assert_string_equal(sql_db_ask(d,
				       "SELECT short_name(NULL), category(NULL), demangle(NULL), "
				       "nvtx_at(NULL, 1), nvtx_at(1, NULL), iter_of(NULL)"),
			    "NULL|NULL|NULL|NULL|NULL|NULL;");
	assert_string_equal(sql_db_ask(d, "SELECT category('[CUDA memcpy HtoD]'), "
					  "category('(graph)'), category('ncclDevKernel_AllReduce_"
					  "Sum_f32_RING_LL(x)'), category('nothing_known')"),
			    "memory|(graph)|communication|(other);");
	assert_string_equal(sql_db_ask(d, "SELECT short_name('void a::f<4, b>(int)'), "
					  "demangle('_Z1fv')"),
			    "f|_Z1fv;");
}

/* ---- Times ---- */

/*
 * Push/pop ranges of the thread that are open, from the raw rows; no two of them cross here. A
 * domain stands before its ranges, and a row of type 75 names it.
 */
#define OPEN_RANGES                                                                                \
	"(SELECT group_concat(n, ' > ') FROM (SELECT ifnull((SELECT d.text || ':' FROM "           \
	"NVTX_EVENTS d WHERE d.eventType = 75 AND d.domainId = r.domainId), '') || "               \
	"coalesce(r.text, s.value) n FROM "                                                        \
	"NVTX_EVENTS r LEFT JOIN StringIds s ON s.id = r.textId WHERE r.eventType = 59 AND "       \
	"r.globalTid = a.globalTid AND r.start <= a.start AND r.\"end\" > a.start ORDER BY "       \
	"r.start, r.\"end\" DESC))"

TEST_WITH(nvtx_at_is_what_the_rows_say, in_nested, tear_down)
{
	struct sql_db *d = *state;

	sql_db_same(d,
		    "SELECT a.rowid, nvtx_at(globalTid, start) FROM CUPTI_ACTIVITY_KIND_RUNTIME a",
		    "SELECT a.rowid, " OPEN_RANGES " FROM CUPTI_ACTIVITY_KIND_RUNTIME a");
	sql_db_same(d,
		    "SELECT a.rowid, nvtx_at(globalTid & 0xffffff, start) FROM "
		    "CUPTI_ACTIVITY_KIND_RUNTIME a",
		    "SELECT a.rowid, " OPEN_RANGES " FROM CUPTI_ACTIVITY_KIND_RUNTIME a");
	assert_string_equal(sql_db_ask(d, "SELECT nvtx_at(987654321, 5000)"), "NULL;");
}

TEST_WITH(steps_of_several_processes_want_a_pid, in_steps, tear_down)
{
	struct sql_db *d = *state;
	const char *said = sql_db_ask(d, "SELECT iter_of(40000)");

	assert_string_equal(said, "iter_of: 2 processes have steps of their own: iter_of(t, pid)");
	assert_string_equal(sql_db_ask(d, "SELECT iter_of(40000, 4242)"), "NULL;");
}
