/* SPDX-License-Identifier: MIT */
/* Random statements with equalities on tables of rows, against the same on copies of the tables. */
#include <stdio.h>
#include <string.h>

#include "sql/rows/rows.h"
#include "support/sql_db.h"
#include "support/traces.h"
#include "support/unit.h"

enum { N_STATEMENTS = 40, TEXT = 1024 };

/* Tables with a column that tells rows apart, and the columns of integers. */
static const struct {
	const char *name, *key;
	const char *column[10];
	unsigned n;
} tables[] = {
	{ "ops",
	  "key",
	  { "key", "device", "stream", "step", "correlation", "pid", "tid", "rank", "start",
	    "duration" },
	  10 },
	{ "launches",
	  "op",
	  { "op", "call", "device", "step", "correlation", "pid", "tid", "stream", "rank",
	    "op_start" },
	  10 },
	{ "nvtx_ranges",
	  "key",
	  { "key", "parent", "tid", "pid", "rank", "step", "depth", "start" },
	  8 },
	{ "matches", "op", { "match", "op", "device", "rank", "pid", "start" }, 6 },
};

static uint64_t state_of_random;

static unsigned random_below(unsigned n)
{
	state_of_random =
		state_of_random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned)(state_of_random >> 33) % n;
}

static const char *any_column(unsigned t)
{
	return tables[t].column[random_below(tables[t].n)];
}

/* Two tables, and up to three equal columns; prefix names the copies. */
static void join(char text[TEXT], const char *prefix, uint64_t seed)
{
	static const char *const kinds[] = { "JOIN", "LEFT JOIN", "CROSS JOIN" };
	unsigned a, b, n;
	size_t used;

	state_of_random = seed;
	a = random_below(WL_COUNT(tables));
	b = random_below(WL_COUNT(tables));
	n = 1 + random_below(3);
	used = (size_t)snprintf(text, TEXT,
				"SELECT count(*), sum(l.%s * 31 + r.%s), max(l.start - r.start) "
				"FROM %s%s AS l %s %s%s AS r ON l.pid = r.pid",
				tables[a].key, tables[b].key, prefix, tables[a].name,
				kinds[random_below(3)], prefix, tables[b].name);
	for (unsigned i = 0; i < n; i++)
		used += (size_t)snprintf(text + used, TEXT - used, " AND l.%s = r.%s",
					 any_column(a), any_column(b));
	if (random_below(3) == 0)
		(void)snprintf(text + used, TEXT - used, " AND r.start >= l.start");
}

/* One table, and values: those that rows have, others, reals and texts. */
static void narrow(char text[TEXT], const char *prefix, uint64_t seed)
{
	unsigned a, n;
	size_t used;

	state_of_random = seed;
	a = random_below(WL_COUNT(tables));
	n = 1 + random_below(3);
	used = (size_t)snprintf(text, TEXT, "SELECT count(*), sum(x.%s) FROM %s%s AS x WHERE 1",
				tables[a].key, prefix, tables[a].name);
	for (unsigned i = 0; i < n; i++) {
		/* Between these the column and a number. */
		static const char *const forms[][3] = {
			{ " AND x.", " = ", "" },          { " AND x.", " = ", ".0" },
			{ " AND x.", " = '", "'" },        { " AND x.", " = ", ".5" },
			{ " AND x.", " IN (", ", 1, 7)" }, { " AND x.", " = ", " + NULL" },
			{ " AND x.", " > ", " - 2" },      { " AND (x.", " = 0 OR x.pid = ", ")" },
			{ " AND x.", " IS NOT ", "" },
		};
		const char *const *form = forms[random_below(WL_COUNT(forms))];
		const char *column = any_column(a);

		if (random_below(3) == 0)
			used += (size_t)snprintf(
				text + used, TEXT - used,
				" AND x.%s IN (SELECT y.%s FROM %sops AS y WHERE y.step = %u)",
				column, any_column(0), prefix, random_below(3));
		else
			used += (size_t)snprintf(text + used, TEXT - used, "%s%s%s%u%s", form[0],
						 column, form[1], random_below(9), form[2]);
	}
}

static void compare(struct sql_db *d, const char *name, uint64_t seed,
		    void make(char *, const char *, uint64_t))
{
	char ours[TEXT], copied[TEXT];
	const char *a, *b;

	make(ours, "", seed);
	make(copied, "copied_", seed);
	/* Twice: the first question walks, the second makes an index. */
	for (int i = 0; i < 2; i++) {
		a = sql_db_ask(d, ours);
		b = sql_db_ask(d, copied);
		if (strcmp(a, b) != 0 || !strchr(a, ';'))
			fail_msg("%s: not the same:\n%s\n%.500s\n%.500s", name, ours, a, b);
	}
}

static void check_trace(void *ctx, const struct test_trace *trace)
{
	size_t *n_answers = ctx;
	struct sql_db d;
	char text[256];

	sql_db_open(&d, trace->path);
	for (size_t i = 0; i < WL_COUNT(tables); i++) {
		(void)snprintf(text, sizeof(text),
			       "CREATE TEMP TABLE copied_%s AS SELECT * FROM %s", tables[i].name,
			       tables[i].name);
		/* A trace may have no data for one. */
		if (sqlite3_exec(d.db, text, NULL, NULL, NULL) != SQLITE_OK) {
			sql_db_close(&d);
			return;
		}
	}
	for (uint64_t i = 0; i < N_STATEMENTS; i++) {
		compare(&d, trace->name, i * 2 + *n_answers, join);
		compare(&d, trace->name, i * 2 + 1 + *n_answers, narrow);
	}
	*n_answers += 2 * (size_t)N_STATEMENTS;
	sql_db_close(&d);
}

TEST(lookups_give_the_rows_of_a_copy)
{
	size_t n_answers = 0;
	struct test_traces seen = for_each_fixture(check_trace, &n_answers);

	assert_true(seen.n_fixtures > 10);
	assert_true(n_answers > 500);
}

/* Of parameters an index is their own: it has the rows of the window and the GPU only. */
TEST(an_index_is_of_a_window)
{
	WITH(struct sql_db, d, sql_db_close, sql_db_open(&d, sql_db_fixture("steps")));

	sql_db_run(&d, "CREATE TEMP TABLE part AS SELECT * FROM ops('20us..50us', 0)");
	for (int i = 0; i < 3; i++)
		sql_db_same(&d,
			    "SELECT count(*), sum(o.key) FROM launches l JOIN ops('20us..50us', 0) "
			    "o ON o.correlation = l.correlation AND o.pid = l.pid",
			    "SELECT count(*), sum(o.key) FROM launches l JOIN part o ON "
			    "o.correlation = l.correlation AND o.pid = l.pid");
}

/* What is loaded between two rows moves columns, not rows. */
TEST(loads_between_rows_change_nothing)
{
	WITH(struct sql_db, d, sql_db_close, sql_db_open(&d, sql_db_fixture("two_ranks")));
	static const char sql[] =
		"SELECT l.op, o.key, o.name, (SELECT count(*) FROM matches), (SELECT count(*) FROM "
		"strings), o.nvtx_path FROM launches l JOIN ops o USING (correlation, pid)";
	struct sql_db fresh;
	char *first;

	first = sqlite3_mprintf("%s", sql_db_ask(&d, sql));
	sql_db_open(&fresh, sql_db_fixture("two_ranks"));
	(void)sql_db_ask(&fresh, "SELECT count(*) FROM matches, strings, ops");
	assert_string_equal(sql_db_ask(&fresh, sql), first);
	assert_string_equal(sql_db_ask(&d, sql), first);
	sqlite3_free(first);
	sql_db_close(&fresh);
}

/* An index is charged to the budget: a close releases everything, as every test here checks. */
TEST(a_budget_is_kept)
{
	WITH(struct sql_db, d, sql_db_close, sql_db_open(&d, sql_db_fixture("steps")));
	static const char sql[] = "SELECT count(*) FROM launches l JOIN ops o USING (correlation)";
	size_t before;

	(void)sql_db_ask(&d, "SELECT count(*) FROM launches, ops");
	before = d.budget.used;
	(void)sql_db_ask(&d, sql);
	assert_true(d.budget.used > before);
}

TEST(texts_are_refused)
{
	WITH(struct sql_db, d, sql_db_close, sql_db_open(&d, sql_db_fixture("steps")));

	assert_non_null(strstr(sql_db_ask(&d, "SELECT * FROM ops WHERE duration > '1ms'"),
			       "ops: duration is in nanoseconds: write 1000000"));
	assert_non_null(strstr(sql_db_ask(&d, "SELECT * FROM ops WHERE start >= '1ms'"),
			       "start is in nanoseconds: write 1000000"));
	assert_non_null(strstr(sql_db_ask(&d, "SELECT * FROM ops WHERE step = 'steady'"),
			       "step is a number; 'steady' is not a number"));
	assert_non_null(strstr(sql_db_ask(&d, "SELECT * FROM ops WHERE duration LIKE '%ms'"),
			       "duration is in nanoseconds; '%ms' is not a number"));
	assert_non_null(strstr(sql_db_ask(&d, "SELECT * FROM ops WHERE step IS 'steady'"),
			       "step is a number; 'steady' is not a number"));
	assert_non_null(strstr(sql_db_ask(&d, "SELECT * FROM ops WHERE start <> 'steady'"),
			       "start is in nanoseconds; 'steady' is not a number"));
}
