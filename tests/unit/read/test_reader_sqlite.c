/* SPDX-License-Identifier: MIT */
/* Databases that nsys never writes, but that people and damage make. */
#include "read/reader.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/db.h"
#include "support/invariants.h"
#include "support/limit.h"
#include "support/unit.h"

enum { PAGE = 512 };

/* Whatever hangs at work ends the program. */
static int setup(void **state)
{
	limit_cpu();
	return db_setup(state);
}

/* A database with small pages. */
static struct db *open_small(void **state)
{
	struct db *db = db_open(state, "t");

	db_run(db, "COMMIT; PRAGMA page_size = 512; BEGIN");
	return db;
}

static void expect_damaged(struct db *db, const char *word)
{
	const struct wl_input_opts opts = { .budget = NULL };
	struct wl_columns all = all_columns();
	struct wl_input *in = NULL;
	struct wl_err err = { .code = WL_OK };
	int r = wl_input_open(db->path, &opts, &in, &err);

	if (r == WL_OK)
		r = wl_input_load(in, &all, &err);
	wl_input_close(in);
	assert_int_equal(r, WL_E_FORMAT);
	if (!strstr(err.msg, word))
		fail_msg("\"%s\" does not say \"%s\"", err.msg, word);
}

TEST_WITH(views_are_ignored, setup, db_teardown)
{
	struct db *db = db_open(state, "t");
	const struct wl_trace *t;

	db_run(db, "CREATE TABLE t (start, end, deviceId); INSERT INTO t VALUES (1, 2, 0);"
		   "CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS SELECT * FROM t");
	t = db_trace(db);
	assert_int_equal(t->family[WL_F_KERNELS].n, 0);
	assert_int_equal(t->family[WL_F_TABLES].n, 1);
}

TEST_WITH(virtual_tables_are_ignored, setup, db_teardown)
{
	struct db *db = db_open(state, "t");
	const struct wl_trace *t;

	db_run(db, "CREATE VIRTUAL TABLE OSRT_API USING fts4 (start, end, nameId);"
		   "INSERT INTO OSRT_API VALUES (1, 2, 3)");
	t = db_trace(db);
	assert_int_equal(t->family[WL_F_OSRT].n, 0);
}

/* A schema that calls a virtual table an ordinary one. */
TEST_WITH(a_disguised_virtual_table_is_ignored, setup, db_teardown)
{
	struct db *db = db_open(state, "t");
	const struct wl_trace *t;

	db_run(db, "CREATE VIRTUAL TABLE OSRT_API USING fts4 (start, end, nameId);"
		   "INSERT INTO OSRT_API VALUES (1, 2, 3);"
		   "PRAGMA writable_schema = ON;"
		   "UPDATE sqlite_schema SET rootpage = 2 WHERE name = 'OSRT_API'");
	t = db_trace(db);
	assert_int_equal(t->family[WL_F_OSRT].n, 0);
}

TEST_WITH(generated_columns_are_ignored, setup, db_teardown)
{
	struct db *db = db_open(state, "t");
	const struct wl_trace *t;

	db_run(db, "CREATE TABLE OSRT_API (start, end, nameId, globalTid AS (start * 16777216),"
		   " nestingLevel AS (7) STORED);"
		   "INSERT INTO OSRT_API VALUES (1, 2, 3);"
		   "CREATE TABLE SCHED_EVENTS (start, isSchedIn AS (1));"
		   "INSERT INTO SCHED_EVENTS VALUES (1)");
	t = db_trace(db);
	assert_int_equal(t->family[WL_F_OSRT].n, 1);
	assert_int_equal(t->threads[wl_osrt_thread(t)[0]].global, 0);
	assert_int_equal(t->family[WL_F_SCHED].n, 0);
	assert_int_equal(t->n_source_columns, 4);
}

TEST_WITH(an_index_does_not_change_the_order_of_rows, setup, db_teardown)
{
	struct db *db = db_open(state, "t");
	const struct wl_trace *t;
	const uint32_t *event;

	db_run(db, "CREATE TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT (deviceId, eventId);"
		   "INSERT INTO CUPTI_ACTIVITY_KIND_CUDA_EVENT VALUES (0, 2), (0, 3), (0, 1);"
		   "CREATE INDEX added ON CUPTI_ACTIVITY_KIND_CUDA_EVENT (eventId, deviceId);"
		   "ANALYZE");
	t = db_trace(db);
	event = wl_events_event(t);
	assert_int_equal(event[0], 2);
	assert_int_equal(event[1], 3);
	assert_int_equal(event[2], 1);
}

TEST_WITH(tables_without_rowid_are_read, setup, db_teardown)
{
	struct db *db = db_open(state, "t");
	const struct wl_trace *t;

	db_run(db,
	       "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value) WITHOUT ROWID;"
	       "INSERT INTO StringIds VALUES (9, 'nine'), (4, 'four');"
	       "CREATE TABLE OSRT_API (start, end, nameId, PRIMARY KEY (end, start)) WITHOUT ROWID;"
	       "INSERT INTO OSRT_API VALUES (3, 8, 9), (5, 6, 4);"
	       "CREATE TABLE SCHED_EVENTS (start PRIMARY KEY, isSchedIn) WITHOUT ROWID");
	t = db_trace(db);
	assert_true(t->family[WL_F_OSRT].present);
	assert_false(t->family[WL_F_SCHED].present);
	assert_int_equal(t->family[WL_F_OSRT].n, 2);
	assert_string_equal(wl_str(t, wl_osrt_name(t)[0]), "nine");
	assert_string_equal(wl_str(t, wl_osrt_name(t)[1]), "four");
}

TEST_WITH(utf16_databases_are_read, setup, db_teardown)
{
	static const char *const encodings[] = { "UTF-16le", "UTF-16be" };

	for (size_t i = 0; i < WL_COUNT(encodings); i++) {
		struct db *db = db_open(state, encodings[i]);
		struct wl_input *in;
		const struct wl_trace *t;

		db_run(db, "COMMIT; PRAGMA encoding = '%s'; BEGIN", encodings[i]);
		db_make_tables(db, DB_3_7_2);
		db_string(db, 1, "k\xc3\xa4rnel \xe4\xbd\xa0\xe5\xa5\xbd \xf0\x9f\x98\x80");
		DB_KERNEL(db, .start = 1, .end = 2, .name = 1);
		db_run(db, "INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid)"
			   " VALUES (1, 2, 59, CAST(x'00d8' AS TEXT), 1)");
		in = db_load(db);
		t = wl_input_trace(in);
		assert_string_equal(wl_str(t, t->kernel_names[wl_kernels_name(t)[0]].brief),
				    "k\xc3\xa4rnel \xe4\xbd\xa0\xe5\xa5\xbd \xf0\x9f\x98\x80");
		assert_int_equal(t->family[WL_F_NVTX].n, 1);
		wl_input_close(in);
	}
}

TEST_WITH(a_column_called_rowid_is_no_row_number, setup, db_teardown)
{
	struct db *db = db_open(state, "t");
	const struct wl_trace *t;

	db_run(db, "CREATE TABLE OSRT_API (rowid, start, end, nameId);"
		   "INSERT INTO OSRT_API VALUES (NULL, 1, 2, 0), (NULL, 3, 4, 0)");
	t = db_trace(db);
	assert_true(t->family[WL_F_OSRT].present);
	assert_int_equal(t->family[WL_F_OSRT].n, 2);
}

TEST_WITH(rows_below_zero_are_rows, setup, db_teardown)
{
	struct db *db = db_open(state, "t");
	const struct wl_trace *t;

	db_run(db, "CREATE TABLE OSRT_API (start, end, nameId);"
		   "INSERT INTO OSRT_API (rowid, start, end, nameId) VALUES (-5, 1, 2, 0)");
	t = db_trace(db);
	assert_true(t->family[WL_F_OSRT].present);
	assert_int_equal(t->family[WL_F_OSRT].n, 1);
}

TEST_WITH(names_of_tables_and_columns_may_be_anything, setup, db_teardown)
{
	struct db *db = db_open(state, "t");
	const struct wl_trace *t;

	db_run(db,
	       "CREATE TABLE \"a \"\"b' c\" (\"x \"\"y\", \"\", ' '); INSERT INTO \"a \"\"b' c\""
	       " VALUES (1, 2, 3), (4, 5, 6);"
	       "CREATE TABLE \"bad\xff\" (\"bad\xff\"); CREATE TABLE \"bad\xfe\" (b);"
	       "CREATE TABLE \"nvtx_events\" (start, end, eventType);"
	       "INSERT INTO nvtx_events VALUES (1, 2, 59)");
	t = db_trace(db);
	/* Those that are not UTF-8 are none of ours, and could not be shown. */
	assert_int_equal(t->family[WL_F_TABLES].n, 2);
	assert_string_equal(wl_str(t, wl_tables_name(t)[0]), "a \"b' c");
	assert_int_equal(wl_tables_rows(t)[0], 2);
	assert_int_equal(t->family[WL_F_NVTX].n, 0);
}

/* Pages of the file, to be damaged and written back. */
struct pages {
	unsigned char *bytes;
	size_t n;
};

static struct pages read_pages(const char *path)
{
	FILE *f = fopen(path, "rbe");
	struct pages p;
	long size;

	assert_non_null(f);
	assert_int_equal(fseek(f, 0, SEEK_END), 0);
	size = ftell(f);
	assert_true(size > 0 && size % PAGE == 0);
	p.n = (size_t)size / PAGE;
	p.bytes = malloc((size_t)size);
	assert_non_null(p.bytes);
	rewind(f);
	assert_int_equal(fread(p.bytes, PAGE, p.n, f), p.n);
	(void)fclose(f);
	return p;
}

/* The page numbered as SQLite does, from 1. */
static unsigned char *page(const struct pages *p, size_t number)
{
	assert_in_range(number, 1, p->n);
	return p->bytes + (number - 1) * PAGE;
}

static void put_u32(unsigned char *at, size_t v)
{
	at[0] = (unsigned char)(v >> 24);
	at[1] = (unsigned char)(v >> 16);
	at[2] = (unsigned char)(v >> 8);
	at[3] = (unsigned char)v;
}

static void put_u16(unsigned char *at, size_t v)
{
	at[0] = (unsigned char)(v >> 8);
	at[1] = (unsigned char)v;
}

/* Write the first n pages back, with a header that agrees, and forget them. */
static void write_pages(const char *path, struct pages *p, size_t n)
{
	FILE *f;

	put_u32(p->bytes + 28, n);
	f = fopen(path, "wbe");
	assert_non_null(f);
	assert_int_equal(fwrite(p->bytes, PAGE, n, f), n);
	assert_int_equal(fclose(f), 0);
	free(p->bytes);
}

enum { FAN = 50, CELL = 5 };

/* Make an interior page of a table, all of whose children are one page. */
static void make_interior(unsigned char *at, size_t header, size_t child)
{
	memset(at + header, 0, PAGE - header);
	at[header] = 5;
	put_u16(at + header + 3, FAN);
	put_u16(at + header + 5, PAGE - FAN * CELL);
	put_u32(at + header + 8, child);
	for (size_t i = 0; i < FAN; i++) {
		size_t cell = PAGE - (i + 1) * CELL;

		put_u16(at + header + 12 + 2 * i, cell);
		put_u32(at + cell, child);
		at[cell + 4] = (unsigned char)(FAN - i);
	}
}

/* Pages that exist only to be overwritten; they follow the tables made so far. */
static void put_filler(struct db *db)
{
	db_run(db, "CREATE TABLE filler (a); INSERT INTO filler VALUES (zeroblob(16384))");
}

enum { FIRST_FILLER = 8, LEVELS = 12 };

/* Replace a leaf by a tree over itself whose pages are shared: FAN ^ LEVELS times its rows. */
static void grow_tree(const char *path, size_t leaf, size_t header)
{
	struct pages p = read_pages(path);
	unsigned char *last = page(&p, FIRST_FILLER + LEVELS);

	memcpy(last, page(&p, leaf), PAGE);
	memmove(last, last + header, 8 + 2 * 8); /* the page header and some cell pointers */
	make_interior(page(&p, leaf), header, FIRST_FILLER + 1);
	for (size_t i = 1; i < LEVELS; i++)
		make_interior(page(&p, FIRST_FILLER + i), 0, FIRST_FILLER + i + 1);
	write_pages(path, &p, p.n);
}

TEST_WITH(a_tree_that_shares_its_pages_is_refused, setup, db_teardown)
{
	struct db *db = open_small(state);

	db_run(db, "CREATE TABLE OSRT_API (start, end, nameId);"
		   "INSERT INTO OSRT_API VALUES (1, 2, 3)");
	put_filler(db);
	grow_tree(db_close(db), 2, 0);
	expect_damaged(db, "more rows than the file has room for");
}

/* Where rowid is a column, the largest one is found only by reading all rows. */
TEST_WITH(a_tree_that_shares_its_pages_does_not_hang_the_guess, setup, db_teardown)
{
	struct db *db = open_small(state);

	db_run(db, "CREATE TABLE OSRT_API (rowid, start, end, nameId);"
		   "INSERT INTO OSRT_API VALUES (1, 2, 3, 4)");
	put_filler(db);
	grow_tree(db_close(db), 2, 0);
	expect_damaged(db, "more rows than the file has room for");
}

TEST_WITH(a_schema_that_shares_its_pages_is_refused, setup, db_teardown)
{
	struct db *db = open_small(state);

	db_run(db, "CREATE TABLE x (a)");
	put_filler(db);
	db_run(db, "PRAGMA writable_schema = ON;"
		   "UPDATE sqlite_schema SET sql = 'CREATE TABLE IF NOT EXISTS x (a)'"
		   " WHERE name = 'x'; DELETE FROM sqlite_schema WHERE name = 'filler'");
	grow_tree(db_close(db), 1, 100);
	expect_damaged(db, "damaged");
}

/* A text of 2 MB in a file of 4 kB: its overflow page follows itself. */
TEST_WITH(a_cell_larger_than_the_file_is_refused, setup, db_teardown)
{
	struct db *db = open_small(state);
	struct pages p;

	db_run(db, "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"
		   "CREATE TABLE OSRT_API (start, end, nameId);"
		   "INSERT INTO OSRT_API VALUES (1, 2, 1);"
		   "INSERT INTO StringIds VALUES (1, printf('%%.2000000c', 'x'))");
	p = read_pages(db_close(db));
	/* The tables have pages 2 and 3. */
	put_u32(page(&p, 4), 4);
	write_pages(db->path, &p, 8);
	expect_damaged(db, "a row is larger than the file");
}

TEST_WITH(every_damaged_page_ends_well, setup, db_teardown)
{
	const struct wl_input_opts opts = { .budget = NULL };
	struct wl_columns all = all_columns();
	struct db *db = open_small(state);
	unsigned random = 7;
	struct pages p;
	int fd;

	db_make_tables(db, DB_3_7_2);
	db_string(db, 1, "name");
	for (int i = 0; i < 100; i++) {
		DB_KERNEL(db, .start = i, .end = i + 2, .name = 1);
		DB_API(db, .start = i, .end = i + 1, .corr = (unsigned)i);
	}
	p = read_pages(db_close(db));
	fd = open(db->path, O_WRONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	for (int i = 0; i < 2000; i++) {
		struct wl_input *in = NULL;
		unsigned char byte;
		size_t at;

		random = random * 1103515245 + 12345;
		at = 100 + (random >> 8) % (p.n * PAGE - 100);
		byte = (unsigned char)(random >> 3);
		assert_int_equal(pwrite(fd, &byte, 1, (off_t)at), 1);
		if (wl_input_open(db->path, &opts, &in, NULL) == WL_OK &&
		    wl_input_load(in, &all, NULL) == WL_OK)
			assert_null(broken_invariant(wl_input_trace(in)));
		wl_input_close(in);
		if (i % 4 == 3) /* up to four wrong bytes at a time */
			assert_int_equal(pwrite(fd, p.bytes, p.n * PAGE, 0), p.n * PAGE);
	}
	(void)close(fd);
	free(p.bytes);
}
