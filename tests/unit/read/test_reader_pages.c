/* SPDX-License-Identifier: MIT */
/*
 * What the reader of pages must get right by itself, and what it must leave to SQLite.
 * Each file is also read by both readers in every way, and all cells compared.
 */
#include "read/reader.h"

#include <assert.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/compare_readers.h"
#include "support/db.h"
#include "support/limit.h"
#include "support/unit.h"

enum { PAGE = 512, SHOWN = 16384, SHORT_TEXT = 24 };

/* Whatever hangs at work ends the program. */
static int setup(void **state)
{
	limit_cpu();
	return db_setup(state);
}

static struct db *open_sized(void **state, int page_size)
{
	struct db *db = db_open(state, "t");

	db_run(db, "COMMIT; PRAGMA page_size = %d; BEGIN", page_size);
	return db;
}

/* --- cells as a line of text ------------------------------------------------------------------ */

/* What a scan of one column gave. */
struct got {
	enum wl_want want;
	int code;
	struct wl_err err;
	int64_t rows;
	size_t n_parts;
	bool retried;
	char cells[SHOWN]; /* "7 null mistyped ok 'text' 900*x": long texts by length and first byte
			    */
	char detours[1024];
};

static void show(struct got *got, const struct wl_batch *batch, size_t row)
{
	const struct wl_batch_column *c = &batch->column[0];
	size_t used = strlen(got->cells), room = sizeof(got->cells) - used;
	char *to = got->cells + used;
	int state = c->all_ok ? WL_CELL_OK : c->all_null ? WL_CELL_NULL : c->state[row];

	if (used && room > 1) {
		*to++ = ' ';
		room--;
	}
	if (state != WL_CELL_OK)
		(void)snprintf(to, room, "%s", state == WL_CELL_NULL ? "null" : "mistyped");
	else if (got->want == WL_WANT_PRESENT)
		(void)snprintf(to, room, "ok");
	else if (got->want == WL_WANT_INT)
		(void)snprintf(to, room, "%" PRId64, c->value[row]);
	else if (c->len[row] > SHORT_TEXT)
		(void)snprintf(to, room, "%u*%c", c->len[row], batch->text[c->value[row]]);
	else
		(void)snprintf(to, room, "'%.*s'", (int)c->len[row],
			       c->len[row] ? batch->text + c->value[row] : "");
}

static int show_batch(void *ctx, const struct wl_batch *batch, struct wl_err *reterr)
{
	struct got *got = ctx;

	(void)reterr;
	for (size_t row = 0; row < batch->n; row++)
		show(got, batch, row);
	got->rows += (int64_t)batch->n;
	return WL_OK;
}

static int scan_once(struct wl_reader *reader, const struct wl_scan *scan, struct got *got)
{
	struct wl_scanning *s = NULL;
	int code = wl_reader_pages.begin(reader, scan, WL_SCAN_PARTS, &s, &got->err);

	got->cells[0] = 0;
	got->rows = 0;
	if (code < 0)
		return code;
	got->n_parts = s->n_parts;
	for (size_t i = 0; i < s->n_parts && code == WL_OK; i++)
		code = wl_reader_pages.read_part(s, i, show_batch, got, &got->err);
	wl_reader_pages.end(s);
	return code;
}

static struct got get(const char *path, const char *table, const char *column, enum wl_want want)
{
	const struct wl_scan scan = {
		.table = table, .column = { column }, .want = { want }, .n_columns = 1
	};
	struct got got = { .want = want };
	struct wl_reader *reader = NULL;
	const char *detours;

	got.code = wl_reader_pages.open(path, NULL, NULL, &reader, &got.err);
	if (got.code < 0)
		return got;
	got.code = scan_once(reader, &scan, &got);
	if (got.code == WL_E_RETRY) {
		got.retried = true;
		got.code = scan_once(reader, &scan, &got);
	}
	detours = wl_reader_pages.detours(reader);
	(void)snprintf(got.detours, sizeof(got.detours), "%s", detours ? detours : "");
	wl_reader_pages.close(reader);
	return got;
}

static void expect_same(struct db *db)
{
	struct comparer *comparer = comparer_new();
	const char *why = comparer_run(comparer, db_close(db), 1, COMPARE_ALL);

	if (why)
		fail_msg("%s", why);
	comparer_free(comparer);
}

/* The cells of table t, read by the pages reader alone. */
static void expect(struct db *db, const char *column, enum wl_want want, const char *cells)
{
	struct got got = get(db_close(db), "t", column, want);

	assert_int_equal(got.code, WL_OK);
	assert_string_equal(got.cells, cells);
	assert_string_equal(got.detours, "");
}

/* The cells of table t, left to SQLite for a reason that says the word. */
static void expect_detour(struct db *db, const char *column, enum wl_want want, const char *cells,
			  const char *word)
{
	struct got got = get(db_close(db), "t", column, want);

	assert_int_equal(got.code, WL_OK);
	assert_string_equal(got.cells, cells);
	if (!strstr(got.detours, word))
		fail_msg("\"%s\" does not say \"%s\"", got.detours, word);
}

static void expect_failure(const char *path, int code, const char *word)
{
	struct got got = get(path, "t", "a", WL_WANT_INT);

	assert_int_equal(got.code, code);
	if (!strstr(got.err.msg, word))
		fail_msg("\"%s\" does not say \"%s\"", got.err.msg, word);
}

/* --- bytes changed by hand -------------------------------------------------------------------- */

static void write_at(const char *path, size_t at, const void *bytes, size_t n)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, bytes, n, (off_t)at), n);
	assert_int_equal(close(fd), 0);
}

/* Where these bytes are in the file, which has them once. */
static size_t find_bytes(const char *path, const void *bytes, size_t n)
{
	char *data = NULL, *at, *other;
	size_t size = 0, found;

	assert_int_equal(wl_file_read(path, 1 << 24, &data, &size, NULL), WL_OK);
	at = memmem(data, size, bytes, n);
	assert_non_null(at);
	found = (size_t)(at - data);
	other = memmem(at + 1, size - found - 1, bytes, n);
	assert_null(other);
	free(data);
	return found;
}

#define REPLACE(db, from, to)                                                                      \
	do {                                                                                       \
		static_assert(sizeof(from) >= sizeof(to), "as many bytes");                        \
		write_at(db_close(db), find_bytes(db_close(db), from, sizeof(from) - 1), to,       \
			 sizeof(to) - 1);                                                          \
	} while (0)

/* --- what it reads itself --------------------------------------------------------------------- */

TEST_WITH(every_page_size_is_read, setup, db_teardown)
{
	for (int size = 512; size <= 65536; size *= 2) {
		struct db *db = open_sized(state, size);

		db_run(db, "CREATE TABLE t (a INT, b TEXT, c REAL)");
		for (int i = 0; i < 700; i++)
			db_run(db, "INSERT INTO t VALUES (%d, printf('%%.*c', %d, 'x'), %d)",
			       i * i - 500, i * 7 % 2000, i);
		expect_same(db);
		assert_string_equal(get(db->path, "t", "b", WL_WANT_TEXT).detours, "");
		assert_int_equal(get(db->path, "t", "b", WL_WANT_TEXT).rows, 700);
		assert_int_equal(unlink(db->path), 0);
	}
}

TEST_WITH(reserved_bytes_are_not_read, setup, db_teardown)
{
	static const struct {
		int page, reserved;
	} sizes[] = { { 512, 1 }, { 512, 32 }, { 1024, 12 }, { 4096, 255 }, { 65536, 255 } };

	for (size_t k = 0; k < WL_COUNT(sizes); k++) {
		struct db *db = open_sized(state, sizes[k].page);
		int n = sizes[k].reserved;

		db_run(db, "COMMIT");
		assert_int_equal(
			sqlite3_file_control(db->sql, "main", SQLITE_FCNTL_RESERVE_BYTES, &n),
			SQLITE_OK);
		db_run(db, "BEGIN; CREATE TABLE t (a INT, b TEXT)");
		for (int i = 0; i < 500; i++)
			db_run(db, "INSERT INTO t VALUES (%d, printf('%%.*c', %d, 'x'))", i,
			       i * 11 % 1500);
		expect_same(db);
		assert_int_equal(get(db->path, "t", "b", WL_WANT_TEXT).rows, 500);
		assert_string_equal(get(db->path, "t", "b", WL_WANT_TEXT).detours, "");
		assert_int_equal(unlink(db->path), 0);
	}
}

TEST_WITH(a_column_that_is_the_rowid_is_read, setup, db_teardown)
{
	static const char *const tables[] = {
		"CREATE TABLE t (b, a INTEGER PRIMARY KEY)",
		"CREATE TABLE t (b, a integer primary key autoincrement)",
		"CREATE TABLE t (b, a INTEGER PRIMARY KEY ASC NOT NULL)",
		"CREATE TABLE t (b, a INTEGER, PRIMARY KEY (a))",
		"CREATE TABLE t (b, a InTeGeR, CONSTRAINT \"x, y\" PRIMARY KEY (a DESC))",
		"CREATE TABLE t (b, a \"INTEGER\" PRIMARY KEY)",
	};

	for (size_t i = 0; i < WL_COUNT(tables); i++) {
		struct db *db = open_sized(state, PAGE);

		db_run(db, "%s", tables[i]);
		db_run(db, "INSERT INTO t VALUES (1, -9223372036854775807), (2, 0), (3, NULL),"
			   " (4, 1099511627776), (5, 9223372036854775807)");
		expect_same(db);
		expect(db, "a", WL_WANT_INT,
		       "-9223372036854775807 0 1 1099511627776 9223372036854775807");
		expect(db, "a", WL_WANT_TEXT, "mistyped mistyped mistyped mistyped mistyped");
		expect(db, "a", WL_WANT_PRESENT, "ok ok ok ok ok");
		expect(db, "b", WL_WANT_INT, "1 2 3 4 5");
		assert_int_equal(unlink(db->path), 0);
	}
}

TEST_WITH(keys_that_are_not_the_rowid_are_read, setup, db_teardown)
{
	static const char *const tables[] = {
		"CREATE TABLE t (b, a INTEGER PRIMARY KEY DESC)",
		"CREATE TABLE t (b, a INT PRIMARY KEY)",
		"CREATE TABLE t (b, a BIGINT PRIMARY KEY)",
		"CREATE TABLE t (b, a INTEGER, PRIMARY KEY (a, b))",
		"CREATE TABLE t (b, a INTEGER UNIQUE)",
	};

	for (size_t i = 0; i < WL_COUNT(tables); i++) {
		struct db *db = open_sized(state, PAGE);

		db_run(db, "%s", tables[i]);
		db_run(db, "INSERT INTO t VALUES (1, 30), (2, NULL), (3, 10)");
		expect_same(db);
		expect(db, "a", WL_WANT_INT, "30 null 10");
		assert_int_equal(unlink(db->path), 0);
	}
}

TEST_WITH(integers_of_every_width_are_read, setup, db_teardown)
{
	struct db *db = open_sized(state, PAGE);

	db_run(db, "CREATE TABLE t (a);"
		   "INSERT INTO t VALUES (0), (1), (-1), (127), (-128), (128), (-129), (32767),"
		   " (-32768), (32768), (8388607), (-8388608), (8388608), (2147483647),"
		   " (-2147483648), (2147483648), (140737488355327), (-140737488355328),"
		   " (140737488355328), (9223372036854775807), (-9223372036854775808)");
	expect_same(db);
	expect(db, "a", WL_WANT_INT,
	       "0 1 -1 127 -128 128 -129 32767 -32768 32768 8388607 -8388608 8388608 2147483647 "
	       "-2147483648 2147483648 140737488355327 -140737488355328 140737488355328 "
	       "9223372036854775807 -9223372036854775808");
}

/* Files of the first format have a byte for 0 and for 1. */
TEST_WITH(zeros_and_ones_may_have_bytes_or_not, setup, db_teardown)
{
	struct db *db = open_sized(state, PAGE);

	db_run(db, "CREATE TABLE t (a, b); INSERT INTO t VALUES (0, 1), (1, 0), (1, 1)");
	expect(db, "a", WL_WANT_INT, "0 1 1");
	expect(db, "b", WL_WANT_INT, "1 0 1");
	assert_int_equal(unlink(db->path), 0);
	db = open_sized(state, PAGE);
	assert_int_equal(
		sqlite3_db_config(db->sql, SQLITE_DBCONFIG_LEGACY_FILE_FORMAT, 1, (int *)NULL),
		SQLITE_OK);
	db_run(db, "CREATE TABLE t (a, b); INSERT INTO t VALUES (0, 1), (1, 0), (1, 1)");
	expect_same(db);
	expect(db, "a", WL_WANT_INT, "0 1 1");
	expect(db, "b", WL_WANT_INT, "1 0 1");
}

TEST_WITH(reals_without_a_fraction_are_integers, setup, db_teardown)
{
	struct db *db = open_sized(state, PAGE);

	db_run(db, "CREATE TABLE t (a REAL, b, c FLOATING);"
		   "INSERT INTO t VALUES (5, 5.0, 2.5), (-0.0, -0.0, NULL), (0.5, 1e300, 0),"
		   " (1, 9223372036854774784.0, 1), (9.3e18, 9223372036854775808.0, -1),"
		   " (-9223372036854775808.0, -9223372036854775808.0, 4294967296), (9e999, -9e999, "
		   "'x')");
	expect_same(db);
	expect(db, "a", WL_WANT_INT, "5 0 mistyped 1 mistyped -9223372036854775808 mistyped");
	expect(db, "b", WL_WANT_INT,
	       "5 0 mistyped 9223372036854774784 mistyped -9223372036854775808 mistyped");
	expect(db, "c", WL_WANT_INT, "mistyped null 0 1 -1 4294967296 mistyped");
	expect(db, "c", WL_WANT_TEXT, "mistyped null mistyped mistyped mistyped mistyped 'x'");
}

/* In a column of reals an integer stands for a real, which has fewer digits. */
TEST_WITH(an_integer_in_a_column_of_reals_is_rounded, setup, db_teardown)
{
	struct db *db = open_sized(state, PAGE);

	db_run(db, "CREATE TABLE t (x, a REAL); INSERT INTO t VALUES (0, 9007199254740994.5)");
	/* The header: 3 bytes, 0, a real. The real becomes the integer 2^53 + 1. */
	REPLACE(db, "\x03\x08\x07\x43\x40\x00\x00\x00\x00\x00\x01",
		"\x03\x08\x06\x00\x20\x00\x00\x00\x00\x00\x01");
	expect_same(db);
	expect(db, "a", WL_WANT_INT, "9007199254740992");
	/* The largest one becomes 2^63, which does not fit. */
	write_at(db->path, find_bytes(db->path, "\x03\x08\x06\x00\x20", 5) + 3,
		 "\x7f\xff\xff\xff\xff\xff\xff\xff", 8);
	expect_same(db);
	expect(db, "a", WL_WANT_INT, "mistyped");
}

TEST_WITH(what_is_not_a_number_is_null, setup, db_teardown)
{
	struct db *db = open_sized(state, PAGE);

	db_run(db, "CREATE TABLE t (a REAL); INSERT INTO t VALUES (1.5), (2.5)");
	REPLACE(db, "\x3f\xf8\x00\x00\x00\x00\x00\x00", "\x7f\xf8\x00\x00\x00\x00\x00\x01");
	expect_same(db);
	expect(db, "a", WL_WANT_INT, "null mistyped");
	expect(db, "a", WL_WANT_TEXT, "null mistyped");
	expect(db, "a", WL_WANT_PRESENT, "null ok");
}

TEST_WITH(texts_blobs_and_nulls_keep_apart, setup, db_teardown)
{
	struct db *db = open_sized(state, PAGE);

	db_run(db, "CREATE TABLE t (a INT, b TEXT);"
		   "INSERT INTO t VALUES (1, ''), ('text', 'b'), (NULL, NULL), (x'31', x'32'),"
		   " (zeroblob(0), 3), ('', zeroblob(2)), ('12', 'x''y')");
	expect_same(db);
	expect(db, "a", WL_WANT_INT, "1 mistyped null mistyped mistyped mistyped 12");
	expect(db, "a", WL_WANT_TEXT, "mistyped 'text' null mistyped mistyped '' mistyped");
	expect(db, "a", WL_WANT_PRESENT, "ok ok null ok ok ok ok");
	expect(db, "b", WL_WANT_TEXT, "'' 'b' null mistyped '3' mistyped 'x'y'");
}

/* Every size around those at which a record leaves its page, and a page its chain. */
TEST_WITH(records_of_every_size_are_read, setup, db_teardown)
{
	struct db *db = open_sized(state, PAGE);
	struct got got;

	db_run(db, "CREATE TABLE t (a INT, b TEXT, c INT)");
	for (int n = 0; n<1700; n += n> 380 && n < 560 ? 1 : n > 980 && n < 1100 ? 1 : 13)
		db_run(db, "INSERT INTO t VALUES (%d, printf('%%.*c', %d, 'x'), %d)", n, n, -n);
	expect_same(db);
	got = get(db->path, "t", "c", WL_WANT_INT);
	assert_int_equal(got.code, WL_OK);
	assert_string_equal(got.detours, "");
}

TEST_WITH(a_text_of_many_pages_is_read, setup, db_teardown)
{
	struct db *db = open_sized(state, 4096);

	db_run(db, "CREATE TABLE t (b TEXT, a INT);"
		   "INSERT INTO t VALUES (printf('%%.*c', 1500000, 'x'), 7),"
		   " (printf('%%.*c', 70000, 'y'), 8), ('z', 9)");
	expect_same(db);
	expect(db, "b", WL_WANT_TEXT, "1500000*x 70000*y 'z'");
	expect(db, "a", WL_WANT_INT, "7 8 9");
}

/* Records that SQLite wrote before the column was added. */
TEST_WITH(missing_fields_are_null, setup, db_teardown)
{
	struct db *db = open_sized(state, PAGE);

	db_run(db, "CREATE TABLE t (x); INSERT INTO t VALUES (1);"
		   "ALTER TABLE t ADD COLUMN a INT; INSERT INTO t VALUES (2, 3);"
		   "ALTER TABLE t ADD COLUMN b TEXT; INSERT INTO t VALUES (4, 5, 'six')");
	expect_same(db);
	expect(db, "a", WL_WANT_INT, "null 3 5");
	expect(db, "b", WL_WANT_TEXT, "null null 'six'");
	expect(db, "b", WL_WANT_PRESENT, "null null ok");
	expect(db, "x", WL_WANT_INT, "1 2 4");
}

TEST_WITH(computed_columns_move_the_others_only_if_stored, setup, db_teardown)
{
	struct db *db = open_sized(state, PAGE);

	db_run(db, "CREATE TABLE t (x AS (1), y, z AS (y + 1) STORED, a, w AS (2), b);"
		   "INSERT INTO t VALUES (10, 20, 30), (11, NULL, 31)");
	expect_same(db);
	expect(db, "y", WL_WANT_INT, "10 11");
	expect(db, "a", WL_WANT_INT, "20 null");
	expect(db, "b", WL_WANT_INT, "30 31");
}

/* The header alone takes several pages. */
TEST_WITH(wide_records_are_read, setup, db_teardown)
{
	struct db *db = open_sized(state, PAGE);

	db_run(db, "CREATE TABLE t (c0 TEXT)");
	for (int i = 1; i < 1000; i++)
		db_run(db, "ALTER TABLE t ADD COLUMN c%d", i);
	for (int row = 0; row < 3; row++) {
		db_run(db, "INSERT INTO t (c0) VALUES (printf('%%.*c', %d, 'x'))", 200 * row);
		db_run(db, "UPDATE t SET c998 = %d, c999 = 'last', c500 = zeroblob(700)", row + 7);
	}
	expect_same(db);
	expect(db, "c998", WL_WANT_INT, "9 9 9");
	expect(db, "c999", WL_WANT_TEXT, "'last' 'last' 'last'");
	expect(db, "c0", WL_WANT_TEXT, "'x' 200*x 400*x");
	expect(db, "c999", WL_WANT_INT, "mistyped mistyped mistyped");
}

TEST_WITH(tables_without_rows_have_one_part, setup, db_teardown)
{
	struct db *db = open_sized(state, PAGE);
	struct got got;

	db_run(db, "CREATE TABLE t (a)");
	expect_same(db);
	expect(db, "a", WL_WANT_INT, "");
	got = get(db->path, "t", "a", WL_WANT_INT);
	assert_int_equal(got.n_parts, 1);
}

TEST_WITH(large_tables_are_cut_into_many_parts, setup, db_teardown)
{
	struct db *db = open_sized(state, PAGE);
	struct got got;

	db_run(db, "CREATE TABLE t (a INT, b TEXT)");
	for (int i = 0; i < 5000; i++)
		db_run(db, "INSERT INTO t VALUES (%d, 'row')", i);
	db_run(db, "DELETE FROM t WHERE a > 1000 AND a < 2000");
	expect_same(db);
	got = get(db->path, "t", "a", WL_WANT_INT);
	assert_int_equal(got.n_parts, WL_SCAN_PARTS);
	assert_int_equal(got.rows, 4001);
	assert_string_equal(got.detours, "");
}

/* --- what it leaves to SQLite ----------------------------------------------------------------- */

TEST_WITH(tables_without_rowid_are_left_to_sqlite, setup, db_teardown)
{
	struct db *db = open_sized(state, PAGE);

	db_run(db, "CREATE TABLE t (a INT PRIMARY KEY, b) WITHOUT ROWID;"
		   "INSERT INTO t VALUES (5, 6), (3, 4); CREATE TABLE u (a)");
	expect_same(db);
	expect_detour(db, "a", WL_WANT_INT, "3 5", "t: WITHOUT ROWID");
	assert_string_equal(get(db->path, "u", "a", WL_WANT_INT).detours, "");
}

TEST_WITH(other_encodings_are_left_to_sqlite, setup, db_teardown)
{
	static const char *const encodings[] = { "UTF-16le", "UTF-16be" };

	for (size_t i = 0; i < WL_COUNT(encodings); i++) {
		struct db *db = open_sized(state, PAGE);

		db_run(db, "COMMIT; PRAGMA encoding = '%s'; BEGIN", encodings[i]);
		db_run(db, "CREATE TABLE t (a TEXT); INSERT INTO t VALUES ('x\xc3\xa4'), (5)");
		expect_same(db);
		expect_detour(db, "a", WL_WANT_TEXT, "'x\xc3\xa4' '5'", "UTF-8");
		assert_int_equal(unlink(db->path), 0);
	}
}

TEST_WITH(defaults_of_missing_fields_are_left_to_sqlite, setup, db_teardown)
{
	struct db *db = open_sized(state, PAGE);

	db_run(db, "CREATE TABLE t (x); INSERT INTO t VALUES (1);"
		   "ALTER TABLE t ADD COLUMN a INT DEFAULT 5; INSERT INTO t VALUES (2, 3);"
		   "CREATE TABLE u (a INT DEFAULT 5); INSERT INTO u VALUES (1)");
	expect_same(db);
	expect_detour(db, "a", WL_WANT_INT, "5 3", "default");
	assert_true(get(db->path, "t", "a", WL_WANT_INT).retried);
	/* Nobody asks for the column, or no record lacks it. */
	expect(db, "x", WL_WANT_INT, "1 2");
	assert_string_equal(get(db->path, "u", "a", WL_WANT_INT).detours, "");
}

/* Names that the schema spells otherwise have no page that is theirs; SQLite knows what they are.
 */
TEST_WITH(what_the_schema_does_not_know_is_left_to_sqlite, setup, db_teardown)
{
	struct db *db = open_sized(state, PAGE);
	struct got got;

	db_run(db, "CREATE TABLE t (a); INSERT INTO t VALUES (7)");
	expect_detour(db, "A", WL_WANT_INT, "7", "t: a page number");
	got = get(db->path, "T", "a", WL_WANT_INT);
	assert_string_equal(got.cells, "7");
	assert_non_null(strstr(got.detours, "T: a page number"));
	got = get(db->path, "u", "a", WL_WANT_INT);
	assert_int_equal(got.code, WL_E_FORMAT);
	assert_non_null(strstr(got.err.msg, db->path));
	assert_non_null(strstr(got.err.msg, "no such table: u"));
}

/* A record of one field of two bytes becomes one of no bytes and a type without a meaning. */
TEST_WITH(types_without_a_meaning_are_left_to_sqlite, setup, db_teardown)
{
	struct db *db = open_sized(state, PAGE);

	db_run(db, "CREATE TABLE t (a); INSERT INTO t VALUES (4660)");
	REPLACE(db, "\x04\x01\x02\x02\x12\x34", "\x02\x01\x02\x0a\x00\x00");
	expect_same(db);
	expect_detour(db, "a", WL_WANT_INT, "null", "keeps to itself");
	write_at(db->path, find_bytes(db->path, "\x02\x01\x02\x0a", 4), "\x02\x01\x02\x0b", 4);
	expect_same(db);
	expect_detour(db, "a", WL_WANT_PRESENT, "null", "keeps to itself");
}

/* --- what both refuse ------------------------------------------------------------------------- */

TEST_WITH(rows_in_a_journal_are_refused, setup, db_teardown)
{
	static const unsigned char magic[] = { 0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7, 0 };
	struct db *db = open_sized(state, PAGE);
	char beside[WL_PATH_CAP + 300];
	FILE *f;

	db_run(db, "CREATE TABLE t (a); INSERT INTO t VALUES (1)");
	expect(db, "a", WL_WANT_INT, "1");
	(void)snprintf(beside, sizeof(beside), "%s-journal", db->path);
	f = fopen(beside, "wbe");
	assert_non_null(f);
	assert_int_equal(fwrite(magic, sizeof(magic), 1, f), 1);
	assert_int_equal(fclose(f), 0);
	expect_failure(db->path, WL_E_IO, "left unfinished");
	assert_int_equal(unlink(beside), 0);
	(void)snprintf(beside, sizeof(beside), "%s-wal", db->path);
	f = fopen(beside, "wbe");
	assert_non_null(f);
	assert_int_equal(fputc('x', f), 'x');
	assert_int_equal(fclose(f), 0);
	expect_failure(db->path, WL_E_IO, "rows wait in");
}

TEST_WITH(a_file_that_was_in_wal_mode_is_read, setup, db_teardown)
{
	struct db *db = open_sized(state, PAGE);

	db_run(db, "CREATE TABLE t (a); COMMIT; PRAGMA journal_mode = WAL;"
		   "INSERT INTO t VALUES (1); BEGIN");
	expect_same(db);
	expect(db, "a", WL_WANT_INT, "1");
}

TEST_WITH(a_file_that_is_cut_short_is_refused, setup, db_teardown)
{
	struct db *db = open_sized(state, PAGE);

	db_run(db, "CREATE TABLE t (a); INSERT INTO t VALUES (zeroblob(5000))");
	assert_int_equal(truncate(db_close(db), (off_t)4 * PAGE), 0);
	expect_failure(db->path, WL_E_FORMAT, "cut short");
}

TEST_WITH(broken_records_are_refused, setup, db_teardown)
{
	static const char *const broken[] = {
		"\x04\x01\x20\x02\x12\x34", /* a header that is longer than the record */
		"\x04\x01\x02\x06\x12\x34", /* a field that is longer than the record */
		"\x7f\x01\x02\x02\x12\x34", /* a record that is longer than the page */
	};

	for (size_t i = 0; i < WL_COUNT(broken); i++) {
		struct db *db = open_sized(state, PAGE);

		db_run(db, "CREATE TABLE t (a); INSERT INTO t VALUES (4660)");
		(void)db_close(db);
		write_at(db->path, find_bytes(db->path, "\x04\x01\x02\x02\x12\x34", 6), broken[i],
			 6);
		expect_failure(db->path, WL_E_FORMAT, "damaged");
		assert_int_equal(unlink(db->path), 0);
	}
}

TEST_WITH(broken_pages_are_refused, setup, db_teardown)
{
	static const struct {
		size_t at; /* in the second page, the root of t, which has three cells */
		const char *bytes;
		size_t n;
	} broken[] = {
		{ 0, "\x02", 1 },     /* an index */
		{ 3, "\xff\xff", 2 }, /* more cells than fit */
		{ 8, "\x01\xff", 2 }, /* a cell at the end */
		{ 8, "\x00\x02", 2 }, /* one in the page header */
		{ 8, "\xff\xf0", 2 }, /* one outside */
		{ 0, "\x05\x00\x00\x00\x00\x02\x00\x00\x00\x00\x00\x02",
		  12 }, /* a child that is itself */
		{ 0, "\x05\x00\x00\x00\x00\x02\x00\x00\x7f\xff\xff\xff",
		  12 }, /* one that is not there */
		{ 0, "\x05\x00\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00", 12 }, /* page 0 */
	};

	for (size_t i = 0; i < WL_COUNT(broken); i++) {
		struct db *db = open_sized(state, PAGE);

		db_run(db, "CREATE TABLE t (a); INSERT INTO t VALUES (1), (2), (3)");
		write_at(db_close(db), PAGE + broken[i].at, broken[i].bytes, broken[i].n);
		expect_failure(db->path, WL_E_FORMAT, "");
		assert_int_equal(unlink(db->path), 0);
	}
}

/* The chain of a long text ends early, or goes on with its own first page. */
TEST_WITH(broken_chains_are_refused, setup, db_teardown)
{
	static const char *const next[] = { "\x00\x00\x00\x00", "\x00\x00\x00\x03",
					    "\x7f\x00\x00\x00" };

	for (size_t i = 0; i < WL_COUNT(next); i++) {
		struct db *db = open_sized(state, PAGE);
		struct got got;

		db_run(db, "CREATE TABLE t (b, a); INSERT INTO t VALUES (zeroblob(2000), 77)");
		/* The table has page 2, the chain 3 to 6. */
		write_at(db_close(db), (size_t)(3 - 1) * PAGE, next[i], 4);
		got = get(db->path, "t", "a", WL_WANT_INT);
		if (i != 1) /* in a circle there is a value, if not the right one */
			assert_int_equal(got.code, WL_E_FORMAT);
		assert_int_equal(unlink(db->path), 0);
	}
}

/* --- files that change, and users who stop ---------------------------------------------------- */

/* Open t, and begin a scan of a. */
struct under_way {
	struct wl_reader *reader;
	struct wl_scan scan;
	struct wl_scanning *scanning;
};

static void begin_scan(struct under_way *u, const char *path, const atomic_int *cancel)
{
	u->scan = (struct wl_scan){
		.table = "t", .column = { "a" }, .want = { WL_WANT_INT }, .n_columns = 1
	};
	assert_int_equal(wl_reader_pages.open(path, cancel, NULL, &u->reader, NULL), WL_OK);
	assert_int_equal(wl_reader_pages.begin(u->reader, &u->scan, 1, &u->scanning, NULL), WL_OK);
}

static void end_scan(struct under_way *u)
{
	wl_reader_pages.end(u->scanning);
	wl_reader_pages.close(u->reader);
}

static struct db *make_large(void **state)
{
	struct db *db = open_sized(state, PAGE);

	db_run(db, "CREATE TABLE t (a INT, b TEXT)");
	for (int i = 0; i < 5000; i++)
		db_run(db, "INSERT INTO t VALUES (%d, 'some bytes that fill the page')", i);
	(void)db_close(db);
	return db;
}

static int cut_file(void *ctx, const struct wl_batch *batch, struct wl_err *reterr)
{
	(void)batch;
	(void)reterr;
	assert_int_equal(truncate(ctx, (off_t)4 * PAGE), 0);
	return WL_OK;
}

TEST_WITH(a_file_that_shrinks_under_the_scan_is_an_error, setup, db_teardown)
{
	struct db *db = make_large(state);
	struct wl_err err = { .code = WL_OK };
	struct under_way u;

	begin_scan(&u, db->path, NULL);
	assert_int_equal(wl_reader_pages.read_part(u.scanning, 0, cut_file, db->path, &err),
			 WL_E_IO);
	assert_non_null(strstr(err.msg, "while it was read"));
	assert_int_equal(wl_reader_pages.check(u.reader, NULL), WL_E_IO);
	end_scan(&u);
}

static int write_file(void *ctx, const struct wl_batch *batch, struct wl_err *reterr)
{
	(void)batch;
	(void)reterr;
	write_at(ctx, 24, "\x00\x00\x7f\xff", 4); /* the change counter */
	return WL_OK;
}

TEST_WITH(a_file_that_is_written_under_the_scan_is_noticed, setup, db_teardown)
{
	struct db *db = make_large(state);
	struct under_way u;

	begin_scan(&u, db->path, NULL);
	assert_int_equal(wl_reader_pages.check(u.reader, NULL), WL_OK);
	assert_int_equal(wl_reader_pages.read_part(u.scanning, 0, write_file, db->path, NULL),
			 WL_OK);
	assert_int_equal(wl_reader_pages.check(u.reader, NULL), WL_E_IO);
	end_scan(&u);
}

struct stopping {
	atomic_int flag;
};

static int set_flag(void *ctx, const struct wl_batch *batch, struct wl_err *reterr)
{
	struct stopping *stopping = ctx;

	(void)batch;
	(void)reterr;
	stopping->flag = 1;
	return WL_OK;
}

TEST_WITH(a_scan_ends_when_the_user_stops_it, setup, db_teardown)
{
	struct stopping stopping = { 0 };
	struct db *db = make_large(state);
	struct under_way u;

	begin_scan(&u, db->path, &stopping.flag);
	assert_int_equal(wl_reader_pages.read_part(u.scanning, 0, set_flag, &stopping, NULL),
			 WL_E_CANCELED);
	end_scan(&u);
}

static int refuse(void *ctx, const struct wl_batch *batch, struct wl_err *reterr)
{
	(void)batch;
	(*(int *)ctx)++;
	return wl_fail(reterr, WL_E_NOMEM, "no more");
}

TEST_WITH(who_takes_the_rows_may_end_the_scan, setup, db_teardown)
{
	struct db *db = make_large(state);
	struct wl_err err = { .code = WL_OK };
	struct under_way u;
	int calls = 0;

	begin_scan(&u, db->path, NULL);
	assert_int_equal(wl_reader_pages.read_part(u.scanning, 0, refuse, &calls, &err),
			 WL_E_NOMEM);
	assert_int_equal(calls, 1);
	assert_string_equal(err.msg, "no more");
	end_scan(&u);
}
