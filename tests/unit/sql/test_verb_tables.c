/* SPDX-License-Identifier: MIT */
/* Verbs as tables of SQL: parameters, joins, types, messages. The cells are compared with csv
 * elsewhere. */
#include <stdio.h>
#include <string.h>

#include "session/open/session.h"
#include "sql/sql.h"
#include "support/db.h"
#include "support/unit.h"

/* Two GPUs; stream 7 on both, stream 9 on GPU 1 only. */
static const char *make(void **state, const char *name, int64_t length)
{
	struct db *db = db_open(state, name);

	db_make_tables(db, DB_3_25_0);
	db_string(db, 1, "gemm");
	db_string(db, 2, "relu");
	DB_KERNEL(db, .start = 100, .end = 100 + length, .name = 1);
	DB_KERNEL(db, .start = 500, .end = 540, .name = 2);
	DB_KERNEL(db, .start = 100, .end = 130, .name = 1, .device = 1);
	DB_KERNEL(db, .start = 600, .end = 605, .name = 2, .device = 1, .stream = 9);
	/* A table that wants to be taken for the verb's. */
	db_run(db, "CREATE TABLE kernels(name TEXT, sum INTEGER);"
		   "INSERT INTO kernels VALUES ('forged', 1)");
	return db_close(db);
}

struct world {
	struct wl_session *session[2];
	struct wl_sql_trace trace[2];
	char path[2][WL_PATH_CAP + 256];
	struct wl_sql *sql;
	struct wl_arena arena;
};

static void open_world(struct world *w, void **state, size_t n)
{
	const struct wl_input_opts input = { .budget = NULL };
	const struct wl_sql_opts opts = { .traces = w->trace, .n = n };
	struct wl_err err;

	*w = (struct world){ .sql = NULL };
	for (size_t i = 0; i < n; i++) {
		const char *path = make(state, i ? "b-side.sqlite" : "1st.sqlite", i ? 17 : 20);

		memcpy(w->path[i], path, strlen(path) + 1);
		if (wl_session_open(path, &input, &w->session[i], &err) != WL_OK)
			fail_msg("%s", err.msg);
		w->trace[i] = (struct wl_sql_trace){ .session = w->session[i], .path = w->path[i] };
	}
	wl_arena_init(&w->arena, 64 << 20);
	if (wl_sql_open(&opts, &w->sql, &err) != WL_OK)
		fail_msg("%s", err.msg);
}

static void close_world(struct world *w)
{
	wl_sql_close(w->sql);
	wl_session_close(w->session[0]);
	wl_session_close(w->session[1]);
	wl_arena_release(&w->arena);
}

static const struct wl_table *ask(struct world *w, const char *text)
{
	const struct wl_sql_limits none = { .rows = 0 };
	struct wl_document doc;
	struct wl_err err;

	if (wl_sql_run(w->sql, text, &none, &w->arena, &doc, &err) != WL_OK)
		fail_msg("%s: %s", text, err.msg);
	return doc.sections[0].view.table;
}

static void refuses(struct world *w, const char *text, enum wl_status status, const char *words)
{
	const struct wl_sql_limits none = { .rows = 0 };
	struct wl_document doc;
	struct wl_err err = { .code = WL_OK };
	int r = wl_sql_run(w->sql, text, &none, &w->arena, &doc, &err);

	if (r != (int)status || !strstr(err.msg, words))
		fail_msg("%s: %d \"%s\", not %d \"%s\"", text, r, err.msg, (int)status, words);
}

/* The first column of all rows, with blanks between. */
static const char *column(struct world *w, const char *text)
{
	static char buf[400];
	const struct wl_table *t = ask(w, text);
	size_t used = 0;

	buf[0] = '\0';
	for (size_t row = 0; row < t->n_rows; row++) {
		struct wl_cell c = wl_table_at(t, row, 0);
		const char *blank = row ? " " : "";
		size_t room = sizeof(buf) - used;

		if (!c.set)
			used += (size_t)snprintf(buf + used, room, "%s-", blank);
		else if (wl_type_is_text(t->cols[0].type))
			used += (size_t)snprintf(buf + used, room, "%s%s", blank, c.str);
		else if (wl_type_is_real(t->cols[0].type))
			used += (size_t)snprintf(buf + used, room, "%s%g", blank, c.f64);
		else
			used += (size_t)snprintf(buf + used, room, "%s%lld", blank,
						 (long long)c.i64);
		assert_true(used < sizeof(buf));
	}
	return buf;
}

TEST_WITH(parameters, db_setup, db_teardown)
{
	WITH(struct world, w, close_world, open_world(&w, state, 1));

	/* A table of the file has the name, but not the place. */
	assert_string_equal(column(&w, "SELECT name FROM main.kernels"), "forged");
	assert_string_equal(column(&w, "SELECT sum FROM kernels ORDER BY device, sum"),
			    "20 40 5 30");
	assert_string_equal(column(&w, "SELECT sum FROM kernels WHERE gpu = 1 ORDER BY sum"),
			    "5 30");
	assert_string_equal(column(&w, "SELECT sum FROM kernels(NULL, 1) ORDER BY sum"), "5 30");
	assert_string_equal(column(&w, "SELECT sum FROM kernels('0ns..550ns', '0,1') ORDER BY sum"),
			    "20 30 40");
	assert_string_equal(
		column(&w, "SELECT sum FROM kernels WHERE \"window\" = '0ns..550ns' AND gpu = 1"),
		"30");
	/* An option, by itself and where a column has its name. */
	assert_string_equal(
		column(&w, "SELECT sum FROM kernels WHERE \"by\" = 'name' ORDER BY sum"), "45 50");
	assert_string_equal(
		column(&w, "SELECT name FROM kernels WHERE name_option = 'base' AND gpu = 0"),
		"relu gemm");
	/* Each value is a question of its own. */
	assert_string_equal(column(&w, "SELECT gpu FROM kernels WHERE gpu IN (0, 1) ORDER BY gpu"),
			    "0 0 1 1");
	assert_string_equal(
		column(&w, "SELECT sum FROM kernels WHERE gpu = 0 OR gpu = 1 ORDER BY sum"),
		"5 20 30 40");
	assert_string_equal(column(&w, "SELECT count(*) FROM kernels WHERE gpu = 0 AND gpu = 1"),
			    "0");
	assert_string_equal(column(&w, "SELECT count(*) FROM kernels('all', 0) AS k, overlap AS o "
				       "WHERE k.gpu = o.device"),
			    "2");
	/* What holds by default can be read. */
	assert_string_equal(column(&w, "SELECT DISTINCT \"window\" FROM kernels"), "all");
	assert_string_equal(column(&w, "SELECT DISTINCT \"by\" FROM kernels"), "device");
}

/* Of a number and a text; what a number can be like is compared. */
TEST_WITH(comparisons_with_a_text, db_setup, db_teardown)
{
	static const char *const of_parameter[] = { "LIKE 'all'", "GLOB 'a*'",    "<> 'all'",
						    "IS 'all'",   "IS NOT 'all'", "> 'all'",
						    "LIKE '0m%'", "GLOB '?m'" };
	static const char *const of_number[] = { "LIKE 'gemm'", "GLOB '*m'", "<> 'gemm'",
						 "IS 'gemm'",   "IS NOT ''", "< 'gemm'" };
	WITH(struct world, w, close_world, open_world(&w, state, 1));
	char text[100];

	for (size_t i = 0; i < WL_COUNT(of_parameter); i++) {
		(void)snprintf(text, sizeof(text), "SELECT * FROM overlap WHERE \"window\" %s",
			       of_parameter[i]);
		refuses(&w, text, WL_E_USAGE,
			"\"window\" is a parameter and takes one value: \"window\" = '...'");
	}
	for (size_t i = 0; i < WL_COUNT(of_number); i++) {
		(void)snprintf(text, sizeof(text), "SELECT * FROM kernels WHERE sum %s",
			       of_number[i]);
		refuses(&w, text, WL_E_USAGE, "kernels: sum is in nanoseconds; '");
	}
	refuses(&w, "SELECT * FROM overlap WHERE \"window\" IS NOT '1us'", WL_E_USAGE,
		"write 1000 instead of '1us'");
	refuses(&w, "SELECT * FROM kernels WHERE \"window\" IS NOT 'all'", WL_E_USAGE,
		"\"window\" is a parameter");
	assert_string_equal(column(&w,
				   "SELECT sum FROM kernels WHERE sum LIKE '%0' AND sum <> '30' "
				   "ORDER BY sum"),
			    "20 40");
	assert_string_equal(column(&w, "SELECT sum FROM kernels WHERE sum GLOB '[a-z]*' OR "
				       "sum IS 5.0"),
			    "5");
	assert_string_equal(column(&w, "SELECT sum FROM kernels WHERE sum GLOB '[0-2]*'"), "20");
	assert_string_equal(column(&w, "SELECT count(*) FROM overlap WHERE \"window\" = 'all' AND "
				       "\"window\" IS NOT NULL"),
			    "2");
	/* IS says the value of a parameter as well, and finds rows by NULL. */
	assert_string_equal(column(&w, "SELECT sum FROM kernels WHERE \"window\" IS '0ns..550ns' "
				       "AND gpu IS 1"),
			    "30");
	assert_string_equal(column(&w, "SELECT sum FROM kernels WHERE stream IS 9"), "5");
	assert_string_equal(column(&w, "SELECT count(*) FROM kernels WHERE stream IS NULL"), "4");
}

/* A column that the run does not fill stands for the parameter; one that it fills is compared. */
TEST_WITH(columns_that_select, db_setup, db_teardown)
{
	WITH(struct world, w, close_world, open_world(&w, state, 1));

	assert_string_equal(column(&w, "SELECT sum FROM kernels WHERE stream = 9"), "5");
	assert_string_equal(column(&w, "SELECT stream FROM kernels WHERE stream = 9"), "9");
	assert_string_equal(
		column(&w, "SELECT sum FROM kernels WHERE \"by\" = 'stream' AND stream = 9"), "5");
	assert_string_equal(column(&w, "SELECT sum FROM kernels WHERE device = 1 ORDER BY sum"),
			    "5 30");
	assert_string_equal(column(&w, "SELECT count(*) FROM kernels WHERE stream > 7"), "0");
}

TEST_WITH(joins, db_setup, db_teardown)
{
	WITH(struct world, w, close_world, open_world(&w, state, 1));

	/* The value of a parameter comes from another table, whichever stands first. */
	assert_string_equal(
		column(&w, "SELECT k.sum FROM (SELECT 1 AS g) AS t, kernels AS k WHERE k.gpu = t.g "
			   "ORDER BY 1"),
		"5 30");
	assert_string_equal(
		column(&w, "SELECT k.sum FROM kernels AS k, (SELECT 1 AS g) AS t WHERE k.gpu = t.g "
			   "ORDER BY 1"),
		"5 30");
	assert_string_equal(
		column(&w, "SELECT count(*) FROM gaps('all', 0), overlap AS o WHERE o.device = 0"),
		column(&w, "SELECT count(*) FROM gaps('all', 0)"));
	assert_string_equal(column(&w, "SELECT sum(a.sum) FROM kernels AS a JOIN kernels AS b "
				       "USING (name, device)"),
			    "95");
	assert_string_equal(column(&w,
				   "CREATE TEMP VIEW top AS SELECT * FROM kernels WHERE gpu = 1;"
				   "SELECT sum FROM top ORDER BY sum"),
			    "5 30");
}

TEST_WITH(messages, db_setup, db_teardown)
{
	WITH(struct world, w, close_world, open_world(&w, state, 1));

	refuses(&w, "SELECT * FROM kernels WHERE gpu = 7", WL_E_NOMATCH, "--gpu 7");
	refuses(&w, "SELECT * FROM kernels WHERE gpu = 'x y'", WL_E_NOMATCH, "--gpu");
	refuses(&w, "SELECT * FROM kernels WHERE \"by\" = 'colour'", WL_E_USAGE, "--by colour");
	refuses(&w, "SELECT * FROM kernels('yesterday')", WL_E_USAGE, "yesterday");
	refuses(&w, "SELECT * FROM kernels WHERE gpu > 0", WL_E_USAGE, "\"gpu\" is a parameter");
	refuses(&w, "SELECT * FROM kernels WHERE trace = 'other'", WL_E_USAGE, "no such trace");
	refuses(&w, "SELECT * FROM kernels(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13)", WL_E_USAGE,
		"too many arguments");
	refuses(&w, "SELECT * FROM search", WL_E_USAGE, "search needs its pattern");
	refuses(&w, "SELECT * FROM osrt", WL_E_NODATA, "");
	refuses(&w, "SELECT * FROM kernel", WL_E_USAGE, "did you mean kernels?");
	refuses(&w, "SELECT * FROM gc_impact", WL_E_USAGE, "it is api in SQL");
	refuses(&w, "SELECT nmae FROM kernels", WL_E_USAGE, "did you mean name?");
	refuses(&w, "SELECT * FROM wl_verb", WL_E_USAGE, "no such table");
	refuses(&w, "SELECT * FROM wl_verb('kernels')", WL_E_USAGE, "no such table");
	refuses(&w, "DROP TABLE temp.kernels", WL_E_USAGE, "cannot be dropped");
	refuses(&w, "INSERT INTO kernels(name) VALUES ('x')", WL_E_USAGE, "may not be modified");
	/* After refusals, which make SQLite read the schema again, it all works. */
	assert_string_equal(column(&w, "SELECT count(*) FROM kernels"), "4");
}

TEST_WITH(types, db_setup, db_teardown)
{
	WITH(struct world, w, close_world, open_world(&w, state, 1));
	const struct wl_table *t;

	t = ask(&w, "WITH k AS (SELECT * FROM kernels) SELECT name, device, sum, share, sum * 2, "
		    "sum / 2.0, 'x' || name, calls, name FROM (SELECT * FROM k)");
	assert_int_equal(t->cols[0].type, WL_T_STR);
	assert_true(t->cols[0].flags & WL_KERNEL);
	assert_int_equal(t->cols[2].type, WL_T_NS);
	assert_int_equal(t->cols[3].type, WL_T_RATIO);
	assert_int_equal(t->cols[4].type, WL_T_COUNT);
	assert_int_equal(t->cols[5].type, WL_T_REAL);
	assert_int_equal(t->cols[6].type, WL_T_STR);
	assert_int_equal(t->cols[7].type, WL_T_COUNT);
	assert_string_equal(t->cols[8].key, "name_2");
	/* Integers of the file say which; mixed columns are text; bytes are SQL's. */
	t = ask(&w, "SELECT sum FROM main.kernels");
	assert_true(t->cols[0].flags & WL_NUMBER);
	t = ask(&w, "SELECT 1 AS a, x'0AFF' AS b, NULL AS c UNION ALL SELECT 'two', 2.5, NULL");
	assert_string_equal(wl_table_at(t, 0, 0).str, "1");
	assert_string_equal(wl_table_at(t, 0, 1).str, "x'0AFF'");
	assert_string_equal(wl_table_at(t, 1, 1).str, "2.5");
	assert_false(wl_table_at(t, 0, 2).set);
	t = ask(&w, "SELECT CAST(x'41FF42' AS TEXT) AS a, 'c' || char(0) || 'd' AS b");
	assert_string_equal(wl_table_at(t, 0, 0).str, "A\xEF\xBF\xBD"
						      "B");
	assert_string_equal(wl_table_at(t, 0, 1).str, "c\xEF\xBF\xBD"
						      "d");
	t = ask(&w, "CREATE TEMP TABLE kept AS SELECT 1");
	assert_int_equal(t->n_cols, 0);
}

/* What other tools call a verb, with what the name implies. */
TEST_WITH(names_of_other_tools, db_setup, db_teardown)
{
	WITH(struct world, w, close_world, open_world(&w, state, 1));

	assert_string_equal(column(&w, "SELECT sum FROM top_kernels WHERE gpu = 1 ORDER BY sum"),
			    "5 30");
	assert_string_equal(column(&w, "SELECT DISTINCT \"by\" FROM cuda_gpu_kern_gb_sum"), "grid");
	assert_string_equal(column(&w, "SELECT sum FROM cuda_gpu_kern_gb_sum WHERE \"by\" = 'name' "
				       "ORDER BY 1"),
			    "45 50");
	assert_string_equal(column(&w, "SELECT a.sum FROM top_kernels AS a, cuda_gpu_kern_sum AS b "
				       "WHERE a.gpu = 0 AND b.gpu = 0 AND a.sum < b.sum"),
			    "20");
	assert_string_equal(column(&w, "SELECT count(*) FROM kernel_instances"), "4");
	refuses(&w, "SELECT * FROM main.top_kernels", WL_E_USAGE, "no such table");
	refuses(&w, "CREATE TABLE top_kernels(x)", WL_E_USAGE, "read-only");
	refuses(&w, "DROP TABLE temp.top_kernels", WL_E_USAGE, "cannot be dropped");
}

TEST_WITH(several_traces, db_setup, db_teardown)
{
	WITH(struct world, w, close_world, open_world(&w, state, 2));

	assert_string_equal(column(&w, "SELECT DISTINCT trace FROM kernels ORDER BY 1"),
			    "b_side t1st");
	assert_string_equal(
		column(&w, "SELECT sum FROM kernels WHERE trace = 'b_side' AND gpu = 0 ORDER BY 1"),
		"17 40");
	assert_string_equal(
		column(&w, "SELECT a.sum - b.sum FROM kernels AS a JOIN kernels AS b USING (name, "
			   "device) WHERE a.trace = 't1st' AND b.trace = 'b_side' ORDER BY 1"),
		"0 0 0 3");
	assert_string_equal(column(&w, "SELECT max(\"end\" - start) FROM "
				       "b_side.CUPTI_ACTIVITY_KIND_KERNEL"),
			    "40");
	assert_string_equal(column(&w, "SELECT count(*) FROM main.CUPTI_ACTIVITY_KIND_KERNEL"),
			    "4");
	assert_string_equal(column(&w, "SELECT value FROM b_side_StringIds WHERE id = 1"), "gemm");
	refuses(&w, "SELECT * FROM b_side.StringIds", WL_E_USAGE, "read b_side_StringIds");
	refuses(&w, "SELECT * FROM osrt", WL_E_NODATA, "");
	refuses(&w, "SELECT * FROM kernels WHERE trace = 'b_sdie'", WL_E_USAGE, "b_side");
}

TEST_WITH(list_of_tables, db_setup, db_teardown)
{
	WITH(struct world, w, close_world, open_world(&w, state, 2));
	const struct wl_sql_table *tables, *t;
	struct wl_err err;
	size_t n, n_parameters = 0;

	assert_int_equal(wl_sql_tables(w.sql, &w.arena, &tables, &n, &err), WL_OK);
	t = wl_sql_table_find(tables, n, "KERNELS");
	assert_non_null(t);
	assert_int_equal(t->kind, WL_SQL_KIND_VERB);
	assert_string_equal(t->help, "Rank GPU kernels by time");
	for (size_t i = 0; i < t->n_columns; i++) {
		assert_true(t->columns[i].help[0] != '\0');
		n_parameters += t->columns[i].is_parameter;
	}
	assert_true(n_parameters >= 7);
	assert_string_equal(t->columns[0].type, "TEXT KERNEL");
	t = wl_sql_table_find(tables, n, "info_gpus");
	assert_int_equal(t->kind, WL_SQL_KIND_SECTION);
	t = wl_sql_table_find(tables, n, "StringIds");
	assert_int_equal(t->kind, WL_SQL_KIND_RAW);
	assert_true(t->help[0] != '\0');
	t = wl_sql_table_find(tables, n, "CUPTI_ACTIVITY_KIND_KERNEL");
	assert_int_equal(t->kind, WL_SQL_KIND_RAW);
	assert_null(wl_sql_table_find(tables, n, "nothing"));
	(void)ask(&w, "CREATE TEMP TABLE mine AS SELECT 1 AS a");
	assert_int_equal(wl_sql_tables(w.sql, &w.arena, &tables, &n, &err), WL_OK);
	assert_int_equal(wl_sql_table_find(tables, n, "mine")->kind, WL_SQL_KIND_TEMP);
	/* By kind. */
	for (size_t i = 1; i < n; i++)
		assert_true(tables[i - 1].kind <= tables[i].kind);
}
