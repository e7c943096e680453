/* SPDX-License-Identifier: MIT */
/* Tables that are read in parts: what each part meets first, drops or cannot know alone. */
#include "read/fill.h"

#include "base/process/pool.h"
#include "read/input.h"
#include "support/db.h"
#include "support/invariants.h"
#include "support/same_trace.h"
#include "support/unit.h"

/* More than what makes reading in parts pay. */
enum { ROWS = 120000 };

static struct wl_input *load(const char *path, const struct wl_reader_ops *reader,
			     struct wl_pool *pool)
{
	const struct wl_input_opts opts = { .reader = reader, .pool = pool };
	struct wl_columns all = all_columns();
	struct wl_input *in = NULL;

	assert_int_equal(wl_input_open(path, &opts, &in, NULL), WL_OK);
	assert_int_equal(wl_input_load(in, &all, NULL), WL_OK);
	assert_null(broken_invariant(wl_input_trace(in)));
	return in;
}

static void expect_same(struct db *db)
{
	const char *path = db_close(db);
	struct wl_input *want = load(path, &wl_reader_sqlite, NULL);

	for (unsigned threads = 1; threads <= 5; threads += 2) {
		struct wl_pool *pool = wl_pool_new(threads);
		struct wl_input *got = load(path, &wl_reader_pages, pool);
		const char *what = trace_difference(wl_input_trace(want), wl_input_trace(got));

		if (what)
			fail_msg("%s differs on %u threads", what, threads);
		assert_null(wl_input_trace(got)->detours);
		wl_input_close(got);
		wl_pool_free(pool);
	}
	wl_input_close(want);
}

/* Rows without a start or a device, in stretches and alone; lengths that are long or absent. */
TEST_WITH(holes_are_closed_and_long_rows_found, db_setup, db_teardown)
{
	struct db *db = db_open(state, "holes");

	db_run(db,
	       "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId,"
	       " globalPid, correlationId, demangledName, shortName, mangledName);"
	       "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"
	       "WITH RECURSIVE i(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM i WHERE x < 500)"
	       " INSERT INTO StringIds SELECT x, 'kernel_' || x FROM i;"
	       "WITH RECURSIVE i(x) AS (SELECT 0 UNION ALL SELECT x + 1 FROM i WHERE x < %d)"
	       " INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT"
	       " CASE WHEN x %% 977 = 5 OR x BETWEEN 30000 AND 31000 THEN NULL ELSE x * 10 END,"
	       " CASE x %% 5003 WHEN 7 THEN x * 10 + 6000000000 WHEN 8 THEN NULL ELSE x * 10 + 4 "
	       "END,"
	       " CASE WHEN x %% 1009 = 3 THEN NULL WHEN x %% 1013 = 4 THEN -1 ELSE x %% 8 END,"
	       " x %% 3, x %% 11, (1 << 24) * (100 + x / 40000),"
	       " CASE WHEN x %% 701 = 1 THEN 1 << 40 ELSE x END,"
	       " 1 + x / 250 %% 500, CASE WHEN x %% 3 THEN 1 + x / 250 %% 500 END, 'text'"
	       " FROM i",
	       ROWS - 1);
	expect_same(db);
}

/* Texts of the rows themselves, most of them met in every part, some broken, some by number. */
TEST_WITH(texts_get_the_numbers_of_one_reading, db_setup, db_teardown)
{
	struct db *db = db_open(state, "texts");

	db_run(db,
	       "CREATE TABLE NVTX_EVENTS (start INT, end INT, eventType INT, text TEXT,"
	       " textId INT, globalTid INT, endGlobalTid INT, domainId INT);"
	       "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"
	       "INSERT INTO StringIds VALUES (1, 'step 3'), (2, 'by number');"
	       "WITH RECURSIVE i(x) AS (SELECT 0 UNION ALL SELECT x + 1 FROM i WHERE x < %d)"
	       " INSERT INTO NVTX_EVENTS SELECT x * 7 %% 100000, x * 7 %% 100000 + 5,"
	       " 59 + x %% 2, CASE x %% 4 WHEN 0 THEN NULL WHEN 1 THEN 'step ' || (x %% 50)"
	       " WHEN 2 THEN CAST(x'ff' || 'broken ' || (x %% 10) AS TEXT)"
	       " ELSE 'unique ' || x END,"
	       " CASE WHEN x %% 4 = 0 THEN 1 + x / 4 %% 3 END,"
	       " (1 << 24) * 100 + x / 20000, CASE WHEN x %% 9 = 0 THEN (1 << 24) * 100 + 77 END,"
	       " x %% 2 FROM i",
	       ROWS - 1);
	expect_same(db);
}

/* A row that the scanner leaves to SQLite comes after parts were read: all begins again. */
TEST_WITH(a_default_in_a_late_part_begins_again, db_setup, db_teardown)
{
	struct db *db = db_open(state, "late");
	struct wl_pool *pool = wl_pool_new(3);
	struct wl_input *want, *got;
	const char *path;

	db_run(db,
	       "CREATE TABLE OSRT_API (start INT, end INT, nameId INT);"
	       "WITH RECURSIVE i(x) AS (SELECT 0 UNION ALL SELECT x + 1 FROM i WHERE x < %d)"
	       " INSERT INTO OSRT_API SELECT x, x + 1, 1 FROM i;"
	       "ALTER TABLE OSRT_API ADD COLUMN globalTid INT DEFAULT 1234567890123",
	       ROWS - 1);
	path = db_close(db);
	want = load(path, &wl_reader_sqlite, NULL);
	got = load(path, &wl_reader_pages, pool);
	assert_null(trace_difference(wl_input_trace(want), wl_input_trace(got)));
	assert_non_null(wl_input_trace(got)->detours);
	assert_int_equal(wl_input_trace(got)->family[WL_F_OSRT].n, ROWS);
	wl_input_close(want);
	wl_input_close(got);
	wl_pool_free(pool);
}
