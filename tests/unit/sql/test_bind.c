/* SPDX-License-Identifier: MIT */
/* Parameters of statements are values, whatever they hold. */
#include <string.h>

#include "session/open/session.h"
#include "sql/sql.h"
#include "support/db.h"
#include "support/unit.h"

static const char *make(void **state)
{
	struct db *db = db_open(state, "trace.sqlite");

	db_make_tables(db, DB_3_25_0);
	db_string(db, 1, "gemm");
	DB_KERNEL(db, .start = 10, .end = 30, .name = 1);
	return db_close(db);
}

static int run(const char *path, const struct wl_sql_bound *bound, struct wl_arena *arena,
	       struct wl_cell *ret, struct wl_err *err)
{
	const struct wl_input_opts input = { .budget = NULL };
	const struct wl_sql_limits limits = { .rows = 0 };
	struct wl_sql_trace trace = { .path = path };
	struct wl_sql_opts opts = { .traces = &trace, .n = 1 };
	struct wl_document doc;
	struct wl_sql *sql;
	int r;

	assert_int_equal(wl_session_open(path, &input, &trace.session, err), WL_OK);
	assert_int_equal(wl_sql_open(&opts, &sql, err), WL_OK);
	r = wl_sql_run_bound(sql, bound, &limits, arena, &doc, err);
	if (r == WL_OK)
		*ret = wl_table_at(doc.sections[0].view.table, 0, 0);
	wl_sql_close(sql);
	wl_session_close(trace.session);
	return r;
}

TEST_WITH(values_are_bound, db_setup, db_teardown)
{
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, 64 << 20));
	const char *path = make(state);
	struct wl_sql_value values[] = {
		{ .name = "a", .type = WL_SQL_INTEGER, .i64 = 7 },
		{ .name = "b", .type = WL_SQL_REAL, .f64 = 0.5 },
		{ .name = "c", .type = WL_SQL_TEXT, .text = "x'; DROP TABLE StringIds; --" },
		{ .name = "d", .type = WL_SQL_NULL },
		{ .name = "e", .type = WL_SQL_NULL },
	};
	struct wl_cell cell;
	struct wl_err err;

	assert_int_equal(run(path, &(struct wl_sql_bound){ "SELECT :a + :b", values, 5 }, &arena,
			     &cell, &err),
			 WL_OK);
	assert_true(cell.f64 == 7.5);
	assert_true(values[0].is_used && values[1].is_used && !values[2].is_used);
	assert_int_equal(
		run(path, &(struct wl_sql_bound){ "SELECT :c", values, 5 }, &arena, &cell, &err),
		WL_OK);
	assert_string_equal(cell.str, "x'; DROP TABLE StringIds; --");
	assert_int_equal(run(path, &(struct wl_sql_bound){ "SELECT :d IS NULL", values, 5 }, &arena,
			     &cell, &err),
			 WL_OK);
	assert_int_equal(cell.i64, 1);
	/* A table of a verb takes one as if it were not there. */
	assert_int_equal(
		run(path, &(struct wl_sql_bound){ "SELECT count(*) FROM kernels(:d)", values, 5 },
		    &arena, &cell, &err),
		WL_OK);
	assert_int_equal(cell.i64, 1);
	assert_true(values[3].is_used && !values[4].is_used);
}

TEST_WITH(others_are_refused, db_setup, db_teardown)
{
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, 64 << 20));
	static const struct {
		const char *text, *part;
	} wrong[] = {
		{ "SELECT :limt", "no parameter :limt; did you mean :limit?" },
		{ "SELECT ?", "write parameters as :name, not as ?" },
		{ "SELECT ?1", "write parameters as :name" },
		{ "SELECT @limit", "write parameters as :name, not as @limit" },
		{ "SELECT $limit", "write parameters as :name" },
	};
	const char *path = make(state);
	struct wl_sql_value value = { .name = "limit", .type = WL_SQL_INTEGER, .i64 = 1 };
	struct wl_cell cell;
	struct wl_err err;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_int_equal(run(path, &(struct wl_sql_bound){ wrong[i].text, &value, 1 },
				     &arena, &cell, &err),
				 WL_E_USAGE);
		if (!strstr(err.msg, wrong[i].part))
			fail_msg("no \"%s\" in: %s", wrong[i].part, err.msg);
	}
}
