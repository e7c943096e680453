/* SPDX-License-Identifier: MIT */
/* Functions and row sources on a connection as users have it, authorizer and limits included. */
#include <string.h>

#include "session/open/session.h"
#include "sql/sql.h"
#include "support/sql_db.h"
#include "support/unit.h"

struct world {
	struct wl_session *session;
	struct wl_sql_trace trace;
	struct wl_sql *sql;
	struct wl_arena arena;
};

static int set_up(void **state)
{
	static struct world w;
	const char *path = sql_db_fixture("steps");
	const struct wl_input_opts input = { .budget = NULL };
	struct wl_sql_opts opts = { .traces = &w.trace, .n = 1 };
	struct wl_err err = { .code = WL_OK };

	w = (struct world){ .session = NULL };
	if (wl_session_open(path, &input, &w.session, &err) != WL_OK)
		fail_msg("%s", err.msg);
	w.trace = (struct wl_sql_trace){ .session = w.session, .path = path };
	wl_arena_init(&w.arena, 256 << 20);
	if (wl_sql_open(&opts, &w.sql, &err) != WL_OK)
		fail_msg("%s", err.msg);
	*state = &w;
	return 0;
}

static int tear_down(void **state)
{
	struct world *w = *state;

	wl_sql_close(w->sql);
	wl_session_close(w->session);
	wl_arena_release(&w->arena);
	return 0;
}

static int run(struct world *w, const char *text, const struct wl_table **ret, struct wl_err *err)
{
	static const struct wl_sql_limits none = { .rows = 0 };
	struct wl_document doc;
	int r = wl_sql_run(w->sql, text, &none, &w->arena, &doc, err);

	if (r == WL_OK)
		*ret = doc.sections[0].view.table;
	return r;
}

static int64_t number(struct world *w, const char *text)
{
	const struct wl_table *t;
	struct wl_err err;

	if (run(w, text, &t, &err) != WL_OK)
		fail_msg("%s: %s", text, err.msg);
	assert_int_equal(t->n_rows, 1);
	return wl_table_at(t, 0, 0).i64;
}

TEST_WITH(tables_work_behind_the_authorizer, set_up, tear_down)
{
	struct world *w = *state;
	int64_t n = number(w, "SELECT count(*) FROM ops");

	assert_true(n > 0);
	assert_true(number(w, "SELECT union_ns(start, \"end\") FROM ops") > 0);
	assert_true(number(w, "SELECT count(*) FROM each_interval((SELECT intervals(start, "
			      "\"end\") FROM ops))") > 0);
	assert_true(number(w, "SELECT max(value) FROM overlap_count((SELECT intervals(start, "
			      "\"end\") FROM ops))") > 0);
	assert_true(number(w, "SELECT count(*) FROM launches") > 0);
	assert_true(number(w, "SELECT count(*) FROM nvtx_ranges") > 0);
	assert_true(number(w, "SELECT count(*) FROM strings") > 0);
	(void)number(w, "SELECT count(*) FROM matches");
}

/* SQLite then reads the schema again and reconnects tables. */
TEST_WITH(tables_survive_a_change_of_schema, set_up, tear_down)
{
	struct world *w = *state;
	const struct wl_table *t;
	struct wl_err err;
	int64_t n = number(w, "SELECT count(*) FROM ops");

	for (int i = 0; i < 3; i++) {
		if (run(w,
			"DROP VIEW IF EXISTS temp.v; CREATE TEMP VIEW v AS SELECT * FROM ops WHERE "
			"duration >= 0",
			&t, &err) != WL_OK)
			fail_msg("%s", err.msg);
		assert_int_equal(number(w, "SELECT count(*) FROM v"), n);
		assert_int_equal(number(w, "SELECT count(*) FROM launches, (SELECT 1)"),
				 number(w, "SELECT count(*) FROM launches"));
	}
}

TEST_WITH(columns_keep_their_units, set_up, tear_down)
{
	struct world *w = *state;
	const struct wl_table *t;
	struct wl_err err;

	assert_int_equal(run(w, "SELECT name, start, duration, bytes, device FROM ops", &t, &err),
			 WL_OK);
	assert_int_equal(t->cols[0].type, WL_T_STR);
	assert_true(t->cols[0].flags & WL_KERNEL);
	assert_int_equal(t->cols[1].type, WL_T_TIME);
	assert_int_equal(t->cols[2].type, WL_T_NS);
	assert_int_equal(t->cols[3].type, WL_T_BYTES);
	assert_int_equal(t->cols[4].type, WL_T_COUNT);
}

TEST_WITH(failures_keep_their_status, set_up, tear_down)
{
	struct world *w = *state;
	const struct wl_table *t;
	struct wl_err err;

	assert_int_equal(run(w, "SELECT * FROM ops WHERE gpu = 9", &t, &err), WL_E_NOMATCH);
	assert_non_null(strstr(err.msg, "ops: "));
	assert_int_equal(run(w, "SELECT * FROM ops('39..42')", &t, &err), WL_E_USAGE);
	assert_int_equal(run(w, "SELECT interval_ns(NULL)", &t, &err), WL_E_USAGE);
	assert_non_null(strstr(err.msg, "needs a set"));
}

TEST_WITH(they_are_in_the_list, set_up, tear_down)
{
	static const char *const names[] = { "ops",     "launches",      "nvtx_ranges",  "matches",
					     "strings", "each_interval", "overlap_count" };
	struct world *w = *state;
	const struct wl_sql_table *tables;
	struct wl_err err;
	size_t n;

	assert_int_equal(wl_sql_tables(w->sql, &w->arena, &tables, &n, &err), WL_OK);
	for (size_t i = 0; i < WL_COUNT(names); i++) {
		const struct wl_sql_table *t = wl_sql_table_find(tables, n, names[i]);

		assert_non_null(t);
		assert_int_equal(t->kind, WL_SQL_KIND_ROWS);
		for (size_t c = 0; c < t->n_columns; c++) {
			char sql[256];
			const struct wl_table *found;

			sqlite3_snprintf(
				sizeof(sql), sql,
				"SELECT count(*) FROM pragma_table_xinfo('%q') WHERE name = "
				"'%q' AND type = '%q' AND hidden = %d",
				names[i], t->columns[c].name, t->columns[c].type,
				t->columns[c].is_parameter);
			assert_int_equal(run(w, sql, &found, &err), WL_OK);
			if (wl_table_at(found, 0, 0).i64 != 1)
				fail_msg("%s.%s is listed as another column than it is", names[i],
					 t->columns[c].name);
		}
	}
}
