/* SPDX-License-Identifier: MIT */
/* Intervals in SQL against flags per nanosecond, on random sets. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/random.h"
#include "support/sql_db.h"
#include "support/unit.h"

enum { SPAN = 60, MAX_LIST = 14, N_KEYS = 3, N_ROUNDS = 700 };

static int set_up(void **state)
{
	static struct sql_db db;

	sql_db_open(&db, NULL);
	*state = &db;
	return 0;
}

static int tear_down(void **state)
{
	sql_db_close(*state);
	return 0;
}

/* ---- Random sets ---- */

struct sets {
	int n[SPAN][N_KEYS]; /* how many intervals of a key are under way, by nanosecond */
};

static void fill(struct sql_db *f, uint64_t *seed, struct sets *s)
{
	size_t n = random_next(seed) % MAX_LIST;

	memset(s, 0, sizeof(*s));
	sql_db_run(f, "DROP TABLE IF EXISTS t; CREATE TABLE t(key, start, \"end\")");
	for (size_t i = 0; i < n; i++) {
		unsigned key = (unsigned)(random_next(seed) % N_KEYS);
		int start = (int)(random_next(seed) % SPAN);
		int end = start + (int)(random_next(seed) % 20) - 2;
		char sql[128], to[16];
		bool is_open = random_next(seed) % 8 == 0;

		end = end > SPAN ? SPAN : end;
		(void)snprintf(to, sizeof(to), "%d", end - 30);
		(void)snprintf(sql, sizeof(sql), "INSERT INTO t VALUES(%u, %d, %s)", key,
			       start - 30, is_open ? "NULL" : to);
		sql_db_run(f, sql);
		for (int t = start; t < (is_open ? SPAN : end); t++)
			s->n[t][key]++;
	}
}

enum combined { FIRST, SECOND, EITHER, BOTH, FIRST_ALONE, N_COMBINED };

static bool is_in(const struct sets *s, int t, enum combined how)
{
	bool a = s->n[t][0] > 0, b = s->n[t][1] > 0;

	switch (how) {
	case FIRST:
		return a;
	case SECOND:
		return b;
	case EITHER:
		return a || b;
	case BOTH:
		return a && b;
	case FIRST_ALONE:
	case N_COMBINED:
		break;
	}
	return a && !b;
}

static int length(const struct sets *s, enum combined how)
{
	int sum = 0;

	for (int t = 0; t < SPAN; t++)
		sum += is_in(s, t, how);
	return sum;
}

/* "start|end|length;" for each stretch. */
static const char *stretches(const struct sets *s, enum combined how)
{
	static char text[4096];
	size_t at = 0;

	text[0] = '\0';
	for (int t = 0; t < SPAN;) {
		int from = t;

		while (t < SPAN && is_in(s, t, how))
			t++;
		if (t > from)
			at += (size_t)snprintf(text + at, sizeof(text) - at, "%d|%d|%d;", from - 30,
					       t - 30, t - from);
		else
			t++;
	}
	return text;
}

static const char *const set_of[N_COMBINED] = {
	[FIRST] = "intervals(start, \"end\", 30) FILTER (WHERE key = 0)",
	[SECOND] = "intervals(start, \"end\", 30) FILTER (WHERE key = 1)",
	[EITHER] = "interval_union(intervals(start, \"end\", 30) FILTER (WHERE key = 0), "
		   "intervals(start, \"end\", 30) FILTER (WHERE key = 1))",
	[BOTH] = "interval_intersect(intervals(start, \"end\", 30) FILTER (WHERE key = 0), "
		 "intervals(start, \"end\", 30) FILTER (WHERE key = 1))",
	[FIRST_ALONE] = "interval_subtract(intervals(start, \"end\", 30) FILTER (WHERE key = 0), "
			"intervals(start, \"end\", 30) FILTER (WHERE key = 1))",
};

TEST_WITH(sets_are_those_of_flags, set_up, tear_down)
{
	struct sql_db *f = *state;
	uint64_t seed = 23;
	struct sets s;
	char sql[1024], want[64];

	for (int round = 0; round < N_ROUNDS; round++) {
		fill(f, &seed, &s);
		for (int how = 0; how < N_COMBINED; how++) {
			(void)snprintf(sql, sizeof(sql), "SELECT interval_ns(%s) FROM t",
				       set_of[how]);
			(void)snprintf(want, sizeof(want), "%d;", length(&s, (enum combined)how));
			assert_string_equal(sql_db_ask(f, sql), want);
			(void)snprintf(sql, sizeof(sql),
				       "SELECT * FROM each_interval((SELECT %s FROM t))",
				       set_of[how]);
			assert_string_equal(sql_db_ask(f, sql), stretches(&s, (enum combined)how));
		}
	}
}

TEST_WITH(groups_have_their_own_union, set_up, tear_down)
{
	struct sql_db *f = *state;
	uint64_t seed = 5;
	struct sets s;

	for (int round = 0; round < N_ROUNDS; round++) {
		char want[128] = "";
		size_t at = 0;

		fill(f, &seed, &s);
		for (int key = 0; key < N_KEYS; key++) {
			int sum = 0;

			for (int t = 0; t < SPAN; t++)
				sum += s.n[t][key] > 0;
			if (sum)
				at += (size_t)snprintf(want + at, sizeof(want) - at, "%d|%d;", key,
						       sum);
		}
		assert_string_equal(sql_db_ask(f,
					       "SELECT key, union_ns(start, \"end\", 30) u FROM t "
					       "GROUP BY key HAVING u > 0 ORDER BY key"),
				    want);
	}
}

/* Rows of (time, value) from where the first begins, where the number changes. */
static const char *steps(const struct sets *s, int key)
{
	static char text[4096];
	size_t at = 0;
	int last = 0;

	text[0] = '\0';
	for (int t = 0; t <= SPAN; t++) {
		int now = t < SPAN ? s->n[t][key] : 0;

		if (now != last)
			at += (size_t)snprintf(text + at, sizeof(text) - at, "%d|%d;", t - 30, now);
		last = now;
	}
	return text;
}

TEST_WITH(overlap_count_steps_are_those_of_flags, set_up, tear_down)
{
	struct sql_db *f = *state;
	uint64_t seed = 77;
	struct sets s;

	for (int round = 0; round < N_ROUNDS; round++) {
		fill(f, &seed, &s);
		assert_string_equal(
			sql_db_ask(f,
				   "SELECT time, value FROM overlap_count((SELECT intervals(start, "
				   "\"end\", 30) FROM t WHERE key = 2))"),
			steps(&s, 2));
		/* Steps fill the time without gaps. */
		assert_string_equal(
			sql_db_ask(f,
				   "WITH s AS (SELECT time, duration, lead(time) OVER (ORDER BY "
				   "time) n "
				   "FROM overlap_count((SELECT intervals(start, \"end\", 30) FROM "
				   "t))) "
				   "SELECT time FROM s WHERE time + duration != ifnull(n, time)"),
			"");
	}
}

static int first_under_way(const struct sets *s, int from, int to)
{
	for (int t = from; t < to; t++) {
		if (t >= 0 && t < SPAN && s->n[t][2] > 0)
			return t;
	}
	return to;
}

/* "time|mean * bin|peak;" from the bin of the first to that of the last. */
static const char *bins(const struct sets *s, int bin)
{
	static char text[8192];
	int first = first_under_way(s, 0, SPAN), last = SPAN - 1;
	size_t at = 0;

	text[0] = '\0';
	while (last >= 0 && s->n[last][2] == 0)
		last--;
	for (int b = (int)floor((first - 30) / (double)bin) * bin; last >= 0 && b + 30 <= last;
	     b += bin) {
		int sum = 0, peak = 0;

		for (int t = b + 30; t < b + 30 + bin; t++) {
			int now = t >= 0 && t < SPAN ? s->n[t][2] : 0;

			sum += now;
			peak = now > peak ? now : peak;
		}
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%d|%d|%d|%d;", b, sum, peak,
				       bin);
	}
	return text;
}

TEST_WITH(overlap_count_bins_are_those_of_flags, set_up, tear_down)
{
	struct sql_db *f = *state;
	uint64_t seed = 99;
	struct sets s;
	char sql[256];

	for (int round = 0; round < N_ROUNDS; round++) {
		int bin = 1 + (int)(random_next(&seed) % 25);

		fill(f, &seed, &s);
		(void)snprintf(
			sql, sizeof(sql),
			"SELECT time, CAST(round(value * %d) AS INTEGER), peak, duration FROM "
			"overlap_count((SELECT intervals(start, \"end\", 30) FROM t WHERE "
			"key = 2), %d)",
			bin, bin);
		assert_string_equal(sql_db_ask(f, sql), bins(&s, bin));
	}
}

/* ---- Edges ---- */

TEST_WITH(unfinished_intervals_last_until_the_last_time, set_up, tear_down)
{
	struct sql_db *f = *state;

	sql_db_run(f, "CREATE TABLE u(start, \"end\"); INSERT INTO u VALUES(10, 20), (30, NULL), "
		      "(35, 50)");
	assert_string_equal(sql_db_ask(f, "SELECT union_ns(start, \"end\") FROM u"), "30;");
	assert_string_equal(sql_db_ask(f, "SELECT union_ns(start, \"end\", 40) FROM u"), "30;");
	assert_string_equal(sql_db_ask(f, "SELECT union_ns(start, \"end\", 60) FROM u"), "40;");
	assert_string_equal(sql_db_ask(f, "SELECT union_ns(start, \"end\", NULL) FROM u"), "30;");
}

TEST_WITH(nothing_covers_nothing, set_up, tear_down)
{
	struct sql_db *f = *state;

	sql_db_run(f, "CREATE TABLE e(start, \"end\")");
	assert_string_equal(sql_db_ask(f, "SELECT union_ns(start, \"end\") FROM e"), "0;");
	assert_string_equal(sql_db_ask(f, "SELECT interval_ns(intervals(start, \"end\")) FROM e"),
			    "0;");
	assert_string_equal(
		sql_db_ask(f, "SELECT * FROM each_interval((SELECT intervals(start, \"end\") "
			      "FROM e))"),
		"");
	assert_string_equal(
		sql_db_ask(f, "SELECT * FROM overlap_count((SELECT intervals(1, 1)), 5)"), "");
	assert_string_equal(sql_db_ask(f, "SELECT union_ns(NULL, 5)"), "0;");
	assert_string_equal(sql_db_ask(f, "SELECT union_ns(9, 5)"), "0;");
	assert_string_equal(sql_db_ask(f, "SELECT union_ns(5.0, '9')"), "4;");
}

TEST_WITH(a_lost_set_is_an_error, set_up, tear_down)
{
	static const char *const lost[] = {
		"WITH a AS MATERIALIZED (SELECT intervals(1, 5) s) SELECT interval_ns(s) FROM a",
		"SELECT 1 FROM (SELECT intervals(1, 5) s LIMIT 1) a, each_interval(a.s)",
		"SELECT interval_ns(NULL)",
		"SELECT interval_ns(5)",
		"SELECT interval_intersect((SELECT intervals(1, 5)), NULL)",
		"SELECT interval_subtract('a', (SELECT intervals(1, 5)))",
		"SELECT * FROM overlap_count(NULL)",
		"SELECT * FROM overlap_count",
		"SELECT * FROM each_interval",
	};
	struct sql_db *f = *state;

	for (size_t i = 0; i < WL_COUNT(lost); i++) {
		const char *said = sql_db_ask(f, lost[i]);

		if (!strstr(said, "needs a set"))
			fail_msg("%s: %s", lost[i], said);
	}
}

TEST_WITH(times_that_are_none_are_errors, set_up, tear_down)
{
	static const struct {
		const char *sql, *says;
	} wrong[] = {
		{ "SELECT union_ns('abc', 5)", "not \"abc\"" },
		{ "SELECT union_ns(1, x'00')", "numbers of nanoseconds" },
		{ "SELECT union_ns(1.5, 5)", "whole nanoseconds, not 1.5" },
		{ "SELECT union_ns(0, 9223372036854775807)", "out of range" },
		{ "SELECT union_ns(-9223372036854775808, 0)", "out of range" },
		{ "SELECT union_ns(-1e300, 0)", "out of range" },
		{ "SELECT * FROM overlap_count((SELECT intervals(0, 9)), 0)", "above 0" },
		{ "SELECT * FROM overlap_count((SELECT intervals(0, 9)), -5)", "above 0" },
		{ "SELECT * FROM overlap_count((SELECT intervals(0, 9)), 'x')", "above 0" },
	};
	struct sql_db *f = *state;

	for (size_t i = 0; i < WL_COUNT(wrong); i++) {
		const char *said = sql_db_ask(f, wrong[i].sql);

		if (!strstr(said, wrong[i].says))
			fail_msg("%s: %s", wrong[i].sql, said);
	}
}

/* Of 20,000 rows each budget either gives the answer or says that memory is exhausted. */
TEST_WITH(a_budget_is_kept, set_up, tear_down)
{
	static const char sql[] =
		"WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 19999) "
		"SELECT union_ns((i * 7919) % 20000 * 10, (i * 7919) % 20000 * 10 + 5) FROM n";
	struct sql_db *f = *state;
	bool failed = false;

	for (size_t limit = 1 << 13; limit <= 1 << 21; limit *= 4) {
		const char *said;

		f->budget.limit = limit;
		said = sql_db_ask(f, sql);
		if (strcmp(said, "100000;") != 0) {
			assert_string_equal(said, "out of memory");
			failed = true;
		}
		assert_int_equal(f->budget.used, 0);
	}
	assert_true(failed);
	f->budget.limit = 0;
	assert_string_equal(sql_db_ask(f, sql), "100000;");
}

TEST_WITH(a_set_serves_several_readers, set_up, tear_down)
{
	struct sql_db *f = *state;

	sql_db_run(
		f,
		"CREATE TABLE r(k, start, \"end\"); INSERT INTO r VALUES(1, 0, 10), (1, 20, 30), "
		"(2, 5, 25)");
	/* Partitions: a scalar subquery for each outer row. */
	assert_string_equal(
		sql_db_ask(
			f,
			"SELECT k, e.start, e.\"end\" FROM (SELECT DISTINCT k FROM r) g, "
			"each_interval((SELECT intervals(start, \"end\") FROM r WHERE k = g.k)) e"),
		"1|0|10;1|20|30;2|5|25;");
	assert_string_equal(
		sql_db_ask(
			f,
			"SELECT a.start, b.start FROM each_interval((SELECT intervals(start, "
			"\"end\") FROM r WHERE k = 1)) a, each_interval((SELECT intervals(start, "
			"\"end\") FROM r WHERE k = 1)) b WHERE a.start < b.start"),
		"0|20;");
	assert_string_equal(
		sql_db_ask(f, "SELECT count(*) FROM each_interval((SELECT intervals(start, "
			      "\"end\") FROM r)) LIMIT 1"),
		"1;");
}
