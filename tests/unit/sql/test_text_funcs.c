/* SPDX-License-Identifier: MIT */
/* Functions of texts give what SQLite's own give, and end in time. */
#include <string.h>

#include "base/clock.h"
#include "sql/guard/format.h"
#include "sql/guard/text_funcs.h"
#include "support/unit.h"

struct pair {
	sqlite3 *own, *plain; /* with our functions, and with SQLite's */
	struct wl_sql sql;
};

static void open_pair(struct pair *p, const char *encoding)
{
	char *text = sqlite3_mprintf("PRAGMA encoding='%q'; CREATE TABLE t(x)", encoding);

	*p = (struct pair){ .own = NULL };
	assert_int_equal(sqlite3_open(":memory:", &p->own), SQLITE_OK);
	assert_int_equal(sqlite3_open(":memory:", &p->plain), SQLITE_OK);
	assert_int_equal(sqlite3_exec(p->own, text, NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_exec(p->plain, text, NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(wl_sql_bound_texts(p->own, &p->sql), SQLITE_OK);
	assert_int_equal(wl_sql_bound_format(p->own), SQLITE_OK);
	sqlite3_free(text);
}

static void close_pair(struct pair *p)
{
	(void)sqlite3_close(p->own);
	(void)sqlite3_close(p->plain);
}

/* What the statement gives: its type and bytes, or the error. */
static void ask(sqlite3 *db, const char *text, char *buf, size_t size)
{
	char *all =
		sqlite3_mprintf("SELECT typeof(v) || ' ' || hex(v) FROM (SELECT %s AS v)", text);
	sqlite3_stmt *stmt = NULL;

	if (sqlite3_prepare_v2(db, all, -1, &stmt, NULL) != SQLITE_OK)
		fail_msg("%s: %s", all, sqlite3_errmsg(db));
	if (sqlite3_step(stmt) == SQLITE_ROW)
		(void)sqlite3_snprintf((int)size, buf, "%s", sqlite3_column_text(stmt, 0));
	else
		(void)sqlite3_snprintf((int)size, buf, "error: %s", sqlite3_errmsg(db));
	(void)sqlite3_finalize(stmt);
	sqlite3_free(all);
}

static void same(const struct pair *p, const char *text)
{
	char own[600], plain[600];

	ask(p->own, text, own, sizeof(own));
	ask(p->plain, text, plain, sizeof(plain));
	if (strcmp(own, plain) != 0)
		fail_msg("%s: %s, SQLite says %s", text, own, plain);
}

static const char *const values[] = {
	"NULL",
	"''",
	"'a'",
	"'ab'",
	"'aab'",
	"'aabaab'",
	"'bba a b'",
	"'A%b_c'",
	"'%'",
	"'_'",
	"'a%'",
	"'%B%'",
	"'a_b'",
	"'*a'",
	"'[ab]*'",
	"'[^a]b'",
	"'a[b'",
	"'\\%'",
	"12",
	"1.5",
	"-3",
	"0",
	"x''",
	"x'61'",
	"x'6162'",
	"x'00'",
	"x'610062'",
	"'\u00e9'",
	"'a\u00e9b'",
	"'\u00e9\u00e9a\u4e16'",
	"'\U0001F600a'",
	"x'a9'",
	"x'c3a9'",
	"x'C3'",
	"x'c3a961'",
	"CAST(x'a961' AS TEXT)",
	"CAST(x'61a9a961' AS TEXT)",
	"CAST(x'c3a9a9a9' AS TEXT)",
	"CAST(x'a9' AS TEXT)",
	"CAST(x'610062' AS TEXT)",
	"CAST(x'00' AS TEXT)",
	"CAST(x'ff61' AS TEXT)",
	"zeroblob(2)",
};

/* Half a character of UTF-16 has no text, with which SQLite looks behind the end of the other. */
static bool is_odd(const char *value, const char *encoding)
{
	return strcmp(encoding, "UTF-8") != 0 && value[0] == 'x';
}

static void compare_all(const char *encoding)
{
	WITH(struct pair, p, close_pair, open_pair(&p, encoding));
	static const char *const two[] = { "instr(%s, %s)",
					   "trim(%s, %s)",
					   "ltrim(%s, %s)",
					   "rtrim(%s, %s)",
					   "%s LIKE %s",
					   "%s GLOB %s",
					   "%s LIKE %s ESCAPE '\\'",
					   "%s LIKE %s ESCAPE '\u00e9'" };

	for (size_t i = 0; i < WL_COUNT(values) * WL_COUNT(values); i++) {
		const char *a = values[i % WL_COUNT(values)], *b = values[i / WL_COUNT(values)];

		if (is_odd(a, encoding) || is_odd(b, encoding))
			continue;
		for (size_t k = 0; k < WL_COUNT(two); k++) {
			char *text = sqlite3_mprintf(two[k], a, b);

			same(&p, text);
			sqlite3_free(text);
		}
		for (size_t k = 0; k < WL_COUNT(values); k += 7) {
			char *text = sqlite3_mprintf("replace(%s, %s, %s)", a, b, values[k]);

			same(&p, text);
			sqlite3_free(text);
		}
	}
}

TEST(same_as_sqlite)
{
	compare_all("UTF-8");
	compare_all("UTF-16le");
}

TEST(other_calls_are_sqlites)
{
	WITH(struct pair, p, close_pair, open_pair(&p, "UTF-8"));
	static const char *const texts[] = {
		"trim('  a ')",
		"ltrim('  a ')",
		"rtrim('  a ')",
		"'a' LIKE 'a' ESCAPE 'ab'",
		"'a' LIKE 'a' ESCAPE NULL",
		"'a' LIKE 'a' ESCAPE ''",
		"replace(printf('%.*c', 900, 'a'), 'a', 'aaaa')",
		"replace(printf('%.*c', 900, 'a'), 'a', 'a')",
		"'a' LIKE printf('%.*c', 1001, 'a')",
		"printf()",
		"printf(NULL, 1)",
		"printf('')",
		"printf('%s', '')",
		"printf('%s', NULL)",
		"printf('%', 1)",
		"printf('%y', 1)",
		"printf(12, 1)",
		"printf(x'2573', 'a')",
		"printf('%d %5.2f %s %q %Q', 7, 1.5, 'a', 'b''c', 'd')",
		"printf('%s|%s', 'a')",
		"printf('%!.20s', 'a\u00e9')",
		"format('%08.3f', 2.5) || format('%d', 3) || format('%d%d', 3, 4)",
		"length(printf('%.*c', 1900, 'a'))"
	};
	char said[100];

	(void)sqlite3_limit(p.own, SQLITE_LIMIT_LENGTH, 2000);
	(void)sqlite3_limit(p.plain, SQLITE_LIMIT_LENGTH, 2000);
	(void)sqlite3_limit(p.own, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000);
	(void)sqlite3_limit(p.plain, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000);
	for (size_t i = 0; i < WL_COUNT(texts); i++)
		same(&p, texts[i]);
	/* SQLite says NULL. */
	ask(p.own, "printf('%.*c', 2001, 'a')", said, sizeof(said));
	assert_string_equal(said, "error: string or blob too big");
	ask(p.own, "format('%s%s', printf('%.*c', 1999, 'a'), 'bb')", said, sizeof(said));
	assert_string_equal(said, "error: string or blob too big");
	ask(p.own, "format('%s', 'a')", said, sizeof(said));
	assert_string_equal(said, "text 61");
}

/* Each takes SQLite minutes or seconds. */
TEST(long_texts)
{
	WITH(struct pair, p, close_pair, open_pair(&p, "UTF-8"));
#define A "printf('%.*c', 900000, 'a')"
#define B "printf('%.*c', 450000, 'a') || 'b'"
	static const struct {
		const char *text, *want;
	} cases[] = {
		{ "instr(" A ", " B ")", "integer 30" },
		{ "instr(CAST(" A " AS BLOB), CAST(" B " AS BLOB))", "integer 30" },
		{ "instr(" A " || 'b', " B ")", "integer 343530303031" },
		{ "length(replace(" A ", " B ", ''))", "integer 393030303030" },
		{ "length(trim(" A ", hex(" B ")))", "error: the texts are too long to compare "
						     "them; use shorter ones" },
		{ A " LIKE '%' || printf('%.*c', 990, 'a') || 'b'",
		  "error: the texts are too long to compare them; use shorter ones" },
		{ A " GLOB '*[' || printf('%.*c', 990, 'b') || ']'",
		  "error: the texts are too long to compare them; use shorter ones" },
	};

	for (size_t i = 0; i < WL_COUNT(cases); i++) {
		int64_t begin = wl_clock_cpu_ns();
		char got[200];

		ask(p.own, cases[i].text, got, sizeof(got));
		if (strcmp(got, cases[i].want) != 0)
			fail_msg("%s: %s", cases[i].text, got);
		assert_true(wl_clock_cpu_ns() - begin < 5000000000);
	}
	p.sql.stop.deadline = 1; /* long over */
	for (size_t i = 0; i < WL_COUNT(cases); i++) {
		char got[200];

		ask(p.own, cases[i].text, got, sizeof(got));
		assert_true(strstr(got, "interrupted") || strstr(got, "too long"));
	}
}
