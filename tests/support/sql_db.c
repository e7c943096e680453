/* SPDX-License-Identifier: MIT */
#include "support/sql_db.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session/open/session.h"
#include "sql/funcs/funcs.h"
#include "sql/rows/rows.h"
#include "support/unit.h"

static void open_source(struct sql_db *d, const char *path, const char *label)
{
	const struct wl_input_opts opts = { .budget = NULL };
	struct wl_sql_source *source = &d->source[d->ctx.n++];
	struct wl_err err = { .code = WL_OK };

	source->label = label;
	if (wl_session_open(path, &opts, &source->session, &err) < 0)
		fail_msg("%s: %s", path, err.msg);
	d->ctx.source = d->source;
}

void sql_db_open(struct sql_db *d, const char *path)
{
	struct wl_err err = { .code = WL_OK };

	*d = (struct sql_db){ .db = NULL };
	wl_sql_context_init(&d->ctx, &d->budget);
	if (path)
		open_source(d, path, "first");
	assert_int_equal(sqlite3_open_v2(path ? path : ":memory:", &d->db,
					 path ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE, NULL),
			 SQLITE_OK);
	if (wl_sql_add_functions(d->db, &d->ctx, &err) < 0 ||
	    wl_sql_add_rows(d->db, &d->ctx, &err) < 0)
		fail_msg("%s", err.msg);
}

void sql_db_add(struct sql_db *d, const char *path)
{
	char sql[4096];

	open_source(d, path, "second");
	sqlite3_snprintf(sizeof(sql), sql, "ATTACH %Q AS second", path);
	sql_db_run(d, sql);
}

void sql_db_close(struct sql_db *d)
{
	assert_int_equal(sqlite3_close(d->db), SQLITE_OK);
	wl_sql_context_release(&d->ctx);
	assert_int_equal(d->budget.used, 0);
	for (size_t i = 0; i < d->ctx.n; i++)
		wl_session_close(d->source[i].session);
}

const char *sql_db_fixture(const char *name)
{
	static char path[4096];
	const char *dir = getenv("WARPLENS_FIXTURES");

	assert_non_null(dir);
	(void)snprintf(path, sizeof(path), "%s/%s.sqlite", dir, name);
	return path;
}

void sql_db_run(struct sql_db *d, const char *sql)
{
	char *msg = NULL;

	if (sqlite3_exec(d->db, sql, NULL, NULL, &msg) != SQLITE_OK)
		fail_msg("%s: %s", sql, msg);
}

enum { CAP = 1 << 20 };

static size_t put_row(sqlite3_stmt *stmt, char *text, size_t at)
{
	for (int c = 0; c < sqlite3_column_count(stmt) && at < CAP; c++) {
		const char *cell = (const char *)sqlite3_column_text(stmt, c);

		at += (size_t)snprintf(text + at, CAP - at, "%s%s", c ? "|" : "",
				       cell ? cell : "NULL");
	}
	assert_true(at < CAP - 2);
	text[at++] = ';';
	text[at] = '\0';
	return at;
}

const char *sql_db_ask(struct sql_db *d, const char *sql)
{
	static char texts[2][CAP];
	static unsigned turn;
	char *text = texts[turn++ % 2];
	sqlite3_stmt *stmt;
	size_t at = 0;
	int r = sqlite3_prepare_v2(d->db, sql, -1, &stmt, NULL);

	text[0] = '\0';
	while (r == SQLITE_OK || r == SQLITE_ROW) {
		r = sqlite3_step(stmt);
		if (r == SQLITE_ROW)
			at = put_row(stmt, text, at);
	}
	if (r != SQLITE_DONE)
		(void)snprintf(text, CAP, "%s", sqlite3_errmsg(d->db));
	sqlite3_finalize(stmt);
	return text;
}

void sql_db_same(struct sql_db *d, const char *a, const char *b)
{
	const char *of_a = sql_db_ask(d, a), *of_b = sql_db_ask(d, b);

	if (strcmp(of_a, of_b) != 0 || !strchr(of_a, ';'))
		fail_msg("not the same:\n%s\n%.3000s\n%s\n%.3000s", a, of_a, b, of_b);
}
