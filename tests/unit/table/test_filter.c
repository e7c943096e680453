/* SPDX-License-Identifier: MIT */
#include "table/filter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/random.h"
#include "support/unit.h"

enum { NAME, KIND, CALLS, BEGIN, TIME, SIZE, SHARE, RATE, MEAN, PID, GRAPH, WAIT, N_COLS };

static const struct wl_col cols[] = {
	[NAME] = { "name", "Name", WL_T_STR, WL_KEY, "" },
	[KIND] = { "kind", "Kind", WL_T_ENUM, WL_PLAIN, "" },
	[CALLS] = { "calls", "Calls", WL_T_COUNT, WL_PLAIN, "" },
	[BEGIN] = { "begin", "Begin", WL_T_TIME, WL_PLAIN, "" },
	[TIME] = { "time", "Time", WL_T_NS, WL_PLAIN, "" },
	[SIZE] = { "size", "Size", WL_T_BYTES, WL_PLAIN, "" },
	[SHARE] = { "share", "Share", WL_T_RATIO, WL_PLAIN, "" },
	[RATE] = { "rate", "Rate", WL_T_RATE, WL_PLAIN, "" },
	[MEAN] = { "mean", "Mean", WL_T_REAL, WL_PLAIN, "" },
	[PID] = { "pid", "PID", WL_T_ID, WL_PLAIN, "" },
	[GRAPH] = { "graph", "Graph", WL_T_BOOL, WL_PLAIN, "" },
	[WAIT] = { "w", "Wait time", WL_T_NS, WL_PLAIN, "" },
};

struct fixture {
	struct wl_arena arena;
	struct wl_table table;
};

/* Row 0 is full, row 1 is empty. */
static int setup(void **state)
{
	static struct fixture f;
	struct wl_table *t = &f.table;

	wl_arena_init(&f.arena, (size_t)16 << 20);
	wl_table_init(t, &f.arena, cols, N_COLS);
	wl_table_row(t);
	wl_put_str(t, NAME, "sm80_gemm<f16> 'x'");
	wl_put_str(t, KIND, "compute");
	wl_put_i64(t, CALLS, 1500);
	wl_put_i64(t, BEGIN, 39000000000);
	wl_put_i64(t, TIME, 10000);
	wl_put_i64(t, SIZE, 65536);
	wl_put_f64(t, SHARE, 0.05);
	wl_put_f64(t, RATE, 12.3e9);
	wl_put_f64(t, MEAN, 2.5);
	wl_put_i64(t, PID, 4711);
	wl_put_i64(t, GRAPH, 1);
	wl_put_i64(t, WAIT, 5000000);
	wl_table_row(t);
	*state = &f;
	return wl_table_ok(t) ? 0 : -1;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	wl_arena_release(&f->arena);
	return 0;
}

static int match(struct fixture *f, const char *expr, size_t row)
{
	WL_CLEANUP(wl_filter_release) struct wl_filter filter = { .table = NULL };
	struct wl_err err = { .code = WL_OK };
	int r = wl_filter_init(&filter, &f->table, expr, &f->arena, &err);

	if (r < 0) {
		print_error("%s: %s\n", expr, err.msg);
		return r;
	}
	return wl_filter_match(&filter, row, &err);
}

TEST(values_take_the_units_of_their_column)
{
	static const char *const yes[] = {
		"calls = 1500",
		"calls >= 1.5K",
		"begin = 39s",
		"begin < 39.1s",
		"time=10us",
		"time = 10\u00b5s",
		"time <= '10 us'",
		"time > 9999",
		"size = 64KiB",
		"size > 65K",
		"share = 5%",
		"share = 0.05",
		"share >= 5%",
		"rate = 12.3GB/s",
		"mean = 2.5",
		"rate < 12.4G",
		"pid = 4711",
		"graph = yes",
		"graph = true",
		"graph != no",
		"kind = compute",
		"kind < computer",
		"kind != copy",
		"name ~ gemm",
		"name !~ ^gemm",
		"name ~ 'f\\d\\d>'",
		"name = 'sm80_gemm<f16> ''x'''",
		"name = \"sm80_gemm<f16> 'x'\"",
		"time > -1ms",
		/* as other languages write it */
		"calls == 1500 && time == 10us",
		"calls=1||time=10us",
		"!calls = 1 && !(calls = 2)",
		"name =~ gemm",
		"name ~ conv|gemm",
		/* units apart, columns by title and in any case */
		"time >= 10 us and size = 64 KiB",
		"CALLS = 1500",
		"Wait time = 5 ms",
		"wait_time = 5ms",
		"'Wait time' = 5ms",
		"\"wait-TIME\" = 5ms",
		/* a pattern in lower case ignores case */
		"kind ~ ompute",
		"name ~ 'X|gemm'",
		"name ~ sm80_gemm\\S",
	};
	static const char *const no[] = {
		"calls != 1500", "time < 10us",  "size = 64K",     "share > 5%", "graph = no",
		"name ~ GEMM",   "name !~ gemm", "kind = Compute", "kind > d",   "kind = ''",
	};

	for (size_t i = 0; i < WL_COUNT(yes); i++) {
		if (match(*state, yes[i], 0) != 1)
			fail_msg("%s", yes[i]);
	}
	for (size_t i = 0; i < WL_COUNT(no); i++) {
		if (match(*state, no[i], 0) != 0)
			fail_msg("%s", no[i]);
	}
}

TEST(an_unset_cell_only_equals_none)
{
	static const char *const no[] = {
		"calls = 0",  "calls != 0", "calls < 5",   "calls >= 0", "name = ''",
		"name != ''", "name ~ ''",  "name !~ 'x'", "graph = no", "name != none",
	};

	for (size_t i = 0; i < WL_COUNT(no); i++) {
		if (match(*state, no[i], 1) != 0)
			fail_msg("%s", no[i]);
	}
	assert_int_equal(match(*state, "name = none", 1), 1);
	assert_int_equal(match(*state, "calls = NONE", 1), 1);
	assert_int_equal(match(*state, "name = none", 0), 0);
	assert_int_equal(match(*state, "name != none", 0), 1);
	assert_int_equal(match(*state, "name = 'none'", 1), 0);
	assert_int_equal(match(*state, "not calls = 0", 1), 1);
}

TEST(and_binds_closer_than_or)
{
	assert_int_equal(match(*state, "calls=1 and calls=2 or calls=1500", 0), 1);
	assert_int_equal(match(*state, "calls=1 and (calls=2 or calls=1500)", 0), 0);
	assert_int_equal(match(*state, "calls=1500 or calls=1 and calls=2", 0), 1);
	assert_int_equal(match(*state, "NOT calls=1 AND Not calls=2", 0), 1);
	assert_int_equal(match(*state, "not (calls=1 or calls=1500)", 0), 0);
	assert_int_equal(match(*state, "not not calls=1500", 0), 1);
	assert_int_equal(match(*state, "((calls=1500))and(time=10us)", 0), 1);
	assert_int_equal(match(*state, "\tcalls=1500\n", 0), 1);
}

static void expect_error(struct fixture *f, const char *expr, const char *want)
{
	struct wl_filter filter;
	struct wl_err err = { .code = WL_OK };

	assert_int_equal(wl_filter_init(&filter, &f->table, expr, &f->arena, &err), WL_E_USAGE);
	wl_filter_release(&filter);
	if (!strstr(err.msg, want))
		fail_msg("%s: '%s' lacks '%s'", expr, err.msg, want);
}

TEST(errors_say_what_and_where)
{
	expect_error(*state, "",
		     "--where, character 1: expected a column, but the expression ends");
	expect_error(*state, "calls", "character 6: expected one of = != < <= > >= ~ !~, but");
	expect_error(*state, "calls =", "character 8: expected a value, but the expression ends");
	expect_error(*state, "calls = 5 or", "character 13: expected a column, but");
	expect_error(*state, "calls = 5 time = 5", "character 11: expected and, or or the end");
	expect_error(*state, "calls <> 5", "character 7: expected one of = != < <= > >= ~ !~");
	expect_error(*state, "calls often = 5", "character 7: expected one of = != < <= > >= ~ !~");
	expect_error(*state, "no such = 5", "character 1: no column 'no such'; columns: name");
	expect_error(*state, "calls = 5 && ", "character 14: expected a column");
	expect_error(*state, "foo = 5", "character 1: no column 'foo'; columns: name, kind, calls");
	expect_error(*state, "name = '\u00e9' and foo=1", "character 16: no column 'foo'");
	expect_error(*state, "(calls = 5", "character 11: expected and, or or ), but");
	expect_error(*state, "calls = 5)", "character 10: expected and, or or the end");
	expect_error(*state, "()", "character 2: expected a column instead of ')'");
	expect_error(*state, "name = 'x", "the quote is never closed");
	expect_error(*state, "name ~ '(x'", "malformed regular expression '(x' at position 2");
	expect_error(*state, "calls ~ 5", "character 7: ~ needs a text column; calls is a count");
	expect_error(*state, "graph < yes", "graph is yes or no");
	expect_error(*state, "graph = maybe", "'maybe' is neither yes nor no");
	expect_error(*state, "calls < none", "none goes with = and != only");
}

TEST(a_time_without_a_unit_is_nanoseconds)
{
	assert_int_equal(match(*state, "time > 10", 0), 1);
	expect_error(*state, "time > 1.5", "'1.5' is not a duration");
	expect_error(*state, "size > 5ms", "'5ms' is not a size");
	expect_error(*state, "share > 5ms", "'5ms' is not a ratio");
	expect_error(*state, "rate > 5ms", "'5ms' is not a rate");
	expect_error(*state, "mean > 5ms", "'5ms' is not a number");
	expect_error(*state, "pid > 5K", "'5K' is not a whole number");
}

/* "((((calls=1500))))" or "not not ... calls=1500" */
static char *nest(size_t depth, const char *open, const char *close)
{
	size_t size = depth * (strlen(open) + strlen(close)) + 32;
	char *s = calloc(1, size), *end = s;

	assert_non_null(s);
	for (size_t i = 0; i < depth; i++)
		end = stpcpy(end, open);
	end = stpcpy(end, "calls=1500");
	for (size_t i = 0; i < depth; i++)
		end = stpcpy(end, close);
	return s;
}

TEST(nesting_has_a_limit_and_length_has_none)
{
	char *s = nest(WL_FILTER_DEPTH, "(", ")");

	assert_int_equal(match(*state, s, 0), 1);
	free(s);
	s = nest(WL_FILTER_DEPTH, "not ", "");
	assert_int_equal(match(*state, s, 0), 1);
	free(s);
	s = nest(WL_FILTER_DEPTH + 1, "(", ")");
	expect_error(*state, s, "nested more than 100 deep");
	free(s);
	s = nest(20000, "(", ")");
	expect_error(*state, s, "nested more than 100 deep");
	free(s);
	s = nest(20000, "not ", "");
	expect_error(*state, s, "nested more than 100 deep");
	free(s);
	s = nest(1000, "calls=1 or ", " or calls=1 and calls=2");
	assert_int_equal(match(*state, s, 0), 1);
	free(s);
}

TEST(a_pattern_that_explodes_is_an_error)
{
	struct fixture *f = *state;
	struct wl_filter filter;
	struct wl_err err = { .code = WL_OK };
	struct wl_table t;

	wl_table_init(&t, &f->arena, cols, N_COLS);
	wl_table_row(&t);
	wl_put_str(&t, NAME, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
	assert_int_equal(
		wl_filter_init(&filter, &t, "not name ~ '^(?:(a+)+)+\\W$'", &f->arena, &err),
		WL_OK);
	assert_int_equal(wl_filter_match(&filter, 0, &err), WL_E_TIMEOUT);
	assert_int_equal(err.code, WL_E_TIMEOUT);
	wl_filter_release(&filter);
}

static uint32_t next_random(uint32_t *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 8;
}

TEST(garbage_is_refused_or_taken_but_never_harmful)
{
	static const char *const pieces[] = {
		"calls", "name", "time",   "=",     "!=",   "<",    ">=", "~",    "!~",
		"(",     ")",    "and",    "or",    "not",  "none", "5",  "10us", "'a'",
		"\"b",   "'",    " ",      "  ",    "\xff", "%",    "[",  "\\",   "!",
		"==",    "\n",   "\u4f60", "graph", "yes",  "*",    "^",  "-1",   "9e99",
	};
	struct fixture *f = *state;
	uint32_t seed = 42;
	char expr[256];

	for (int round = 0; round < random_cases(20000); round++) {
		struct wl_arena own;
		struct wl_filter filter;
		struct wl_err err = { .code = WL_OK };
		char *end = expr;
		int r;

		*expr = '\0';
		for (uint32_t n = next_random(&seed) % 16; n > 0; n--) {
			end = stpcpy(end, pieces[next_random(&seed) % WL_COUNT(pieces)]);
			if (next_random(&seed) % 2)
				end = stpcpy(end, " ");
		}
		wl_arena_init(&own, 1 << 14);
		r = wl_filter_init(&filter, &f->table, expr, &own, &err);
		assert_true(r == WL_OK || r == WL_E_USAGE || r == WL_E_NOMEM);
		assert_int_equal(err.code, r);
		if (r == WL_OK)
			assert_in_range(wl_filter_match(&filter, 0, &err), 0, 1);
		wl_filter_release(&filter);
		wl_arena_release(&own);
	}
}

/*
 * The oracle writes an expression and computes its value while writing, so it
 * needs no parser. Rows have a small number in calls, or nothing.
 */
struct oracle {
	uint32_t seed;
	char text[8192];
	size_t fill;
};

enum { ORACLE_ROWS = 6 }; /* row i has calls = i; the last has none */

static void say(struct oracle *o, const char *s)
{
	size_t n = strlen(s);

	assert_true(o->fill + n < sizeof(o->text));
	memcpy(o->text + o->fill, s, n + 1);
	o->fill += n;
}

static bool compare(uint32_t op, int64_t a, int64_t b)
{
	const bool holds[] = { a == b, a != b, a<b, a <= b, a> b, a >= b };

	return holds[op];
}

/* A bit per row: whether the comparison is true there. */
static unsigned say_comparison(struct oracle *o)
{
	static const char *const ops[] = { " = ", "!=", "<", " <= ", ">", ">=" };
	uint32_t op = next_random(&o->seed) % WL_COUNT(ops);
	int64_t value = next_random(&o->seed) % ORACLE_ROWS;
	unsigned mask = 0;
	char number[16];

	say(o, "calls");
	if (next_random(&o->seed) % 8 == 0) {
		say(o, op % 2 ? "=none" : " != none");
		return op % 2 ? 1U << (ORACLE_ROWS - 1) : (1U << (ORACLE_ROWS - 1)) - 1;
	}
	say(o, ops[op]);
	(void)snprintf(number, sizeof(number), "%d", (int)value);
	say(o, number);
	for (unsigned row = 0; row + 1 < ORACLE_ROWS; row++)
		mask |= (unsigned)compare(op, row, value) << row;
	return mask;
}

static unsigned say_or(struct oracle *o, int depth);

static unsigned say_factor(struct oracle *o, int depth)
{
	unsigned mask;

	switch (depth > 0 ? next_random(&o->seed) % 4 : 0) {
	case 1:
		say(o, "not ");
		return ~say_factor(o, depth - 1);
	case 2:
		say(o, "(");
		mask = say_or(o, depth - 1);
		say(o, ")");
		return mask;
	default:
		return say_comparison(o);
	}
}

static unsigned say_and(struct oracle *o, int depth)
{
	unsigned mask = say_factor(o, depth);

	while (next_random(&o->seed) % 3 == 0) {
		say(o, " and ");
		mask &= say_factor(o, depth);
	}
	return mask;
}

static unsigned say_or(struct oracle *o, int depth)
{
	unsigned mask = say_and(o, depth);

	while (next_random(&o->seed) % 3 == 0) {
		say(o, " or ");
		mask |= say_and(o, depth);
	}
	return mask;
}

TEST(evaluation_agrees_with_the_oracle)
{
	struct fixture *f = *state;
	struct oracle o = { .seed = 2024 };
	struct wl_table t;

	wl_table_init(&t, &f->arena, cols, N_COLS);
	for (int64_t row = 0; row < ORACLE_ROWS; row++) {
		wl_table_row(&t);
		if (row + 1 < ORACLE_ROWS)
			wl_put_i64(&t, CALLS, row);
	}
	for (int round = 0; round < random_cases(5000); round++) {
		struct wl_err err = { .code = WL_OK };
		struct wl_filter filter;
		struct wl_arena own;
		unsigned want;

		o.fill = 0;
		want = say_or(&o, 4);
		wl_arena_init(&own, 1 << 20);
		if (wl_filter_init(&filter, &t, o.text, &own, &err) < 0)
			fail_msg("%s: %s", o.text, err.msg);
		for (unsigned row = 0; row < ORACLE_ROWS; row++) {
			if (wl_filter_match(&filter, row, &err) != (int)(want >> row & 1))
				fail_msg("row %u of %s", row, o.text);
		}
		wl_filter_release(&filter);
		wl_arena_release(&own);
	}
}

TEST_GROUP(setup, teardown)
