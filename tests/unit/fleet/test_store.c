/* SPDX-License-Identifier: MIT */
/* Statements, answers and rows, without a server; tests/fleet has the real one. */
#include <stdio.h>
#include <string.h>

#include "facts/run.h"
#include "fleet/store/push.h"
#include "fleet/store/tsv.h"
#include "support/unit.h"

TEST(rows_are_taken_apart)
{
	char text[] = "a\tb\\tc\n\\N\tx\\\\y\\'z\\n\n\t\n";
	struct wl_tsv tsv = { .at = text };
	char *cell[2];

	assert_true(wl_tsv_row(&tsv, cell, 2));
	assert_string_equal(cell[0], "a");
	assert_string_equal(cell[1], "b\tc");
	assert_true(wl_tsv_row(&tsv, cell, 2));
	assert_string_equal(cell[0], "");
	assert_string_equal(cell[1], "x\\y'z\n");
	assert_true(wl_tsv_row(&tsv, cell, 2));
	assert_string_equal(cell[1], "");
	assert_false(wl_tsv_row(&tsv, cell, 2));
	assert_false(tsv.is_broken);
}

TEST(other_numbers_of_cells_are_refused)
{
	char few[] = "a\tb\nc\n", many[] = "a\tb\tc\n", open_end[] = "a\t\\";
	char *cell[2];
	struct wl_tsv tsv = { .at = few };

	assert_true(wl_tsv_row(&tsv, cell, 2));
	assert_false(wl_tsv_row(&tsv, cell, 2));
	assert_true(tsv.is_broken);
	tsv = (struct wl_tsv){ .at = many };
	assert_false(wl_tsv_row(&tsv, cell, 2));
	tsv = (struct wl_tsv){ .at = open_end };
	assert_true(wl_tsv_row(&tsv, cell, 2));
	assert_string_equal(cell[1], "\\");
}

TEST(names_are_plain)
{
	assert_true(wl_store_is_name("warplens"));
	assert_true(wl_store_is_name("_a1"));
	assert_false(wl_store_is_name(""));
	assert_false(wl_store_is_name("1a"));
	assert_false(wl_store_is_name("a.b"));
	assert_false(wl_store_is_name("a`; DROP"));
	assert_false(wl_store_is_name("a23456789012345678901234567890123456789012345678901234567890"
				      "12345"));
}

/* What a server answers, in turn, and what it was asked. */
static struct {
	const char *body[4];
	int status[4];
	int n;
	char url[1024], header[2][256];
} server;

static int post(const struct wl_http_post *p, struct wl_http_reply *ret, struct wl_err *reterr)
{
	int i = server.n++;

	(void)snprintf(server.url, sizeof(server.url), "%s", p->url);
	for (int k = 0; k < 2; k++)
		(void)snprintf(server.header[k], sizeof(server.header[k]), "%s",
			       p->header[k] ? p->header[k] : "");
	if (server.status[i] == 0)
		return wl_fail(reterr, WL_E_IO, "no connection");
	ret->status = server.status[i];
	assert_true(p->take(p->context, ret->status, server.body[i], strlen(server.body[i])));
	return WL_OK;
}

static struct wl_store store_of(void)
{
	return (struct wl_store){ .url = { "http://127.0.0.1:8123/" },
				  .n_urls = 1,
				  .database = "w",
				  .retries = 1,
				  .post = post };
}

TEST(versions_are_numbers)
{
	struct wl_store store = store_of();
	struct wl_err err;

	memset(&server, 0, sizeof(server));
	server.status[0] = server.status[1] = 200;
	server.body[0] = "18.16.1\n";
	server.body[1] = "PostgreSQL\n";
	assert_int_equal(wl_store_connect(&store, &err), WL_OK);
	assert_int_equal(store.version, 18016);
	assert_string_equal(server.url, "http://127.0.0.1:8123/?wait_end_of_query=1");
	assert_int_equal(wl_store_connect(&store, &err), WL_E_IO);
}

TEST(what_passes_is_asked_again)
{
	static const char *const said[] = {
		"Code: 252, e.displayText() = DB::Exception: Too many parts, e.what() = x",
		/* A shard was killed while it wrote. */
		"Code: 32, e.displayText() = DB::Exception: Attempt to read after eof: while "
		"receiving packet from 127.0.0.1:9000: Insertion status:\n",
	};
	struct wl_store store = store_of();
	struct wl_err err;

	for (size_t i = 0; i < WL_COUNT(said); i++) {
		memset(&server, 0, sizeof(server));
		server.status[0] = 500;
		server.body[0] = said[i];
		server.status[1] = 200;
		server.body[1] = "ok";
		assert_int_equal(wl_store_ask(&store, 0, "SELECT 1", NULL, &err), WL_OK);
		assert_int_equal(server.n, 2);
	}
	memset(&server, 0, sizeof(server));
	server.status[1] = 200;
	server.body[1] = "ok";
	assert_int_equal(wl_store_ask(&store, 0, "SELECT 1", NULL, &err), WL_OK);
	assert_int_equal(server.n, 2);
}

TEST(what_stays_is_said_once)
{
	struct wl_store store = store_of();
	struct wl_err err;

	memset(&server, 0, sizeof(server));
	server.status[0] = 500;
	server.body[0] = "Code: 60, e.displayText() = DB::Exception: Table w.x doesn't exist\x1b., "
			 "e.what() = DB::Exception\nstack";
	assert_int_equal(wl_store_ask(&store, 0, "SELECT 1", NULL, &err), WL_E_IO);
	assert_int_equal(server.n, 1);
	assert_string_equal(err.msg,
			    "http://127.0.0.1:8123/: status 500: Table w.x doesn't exist .");
}

TEST(passwords_are_headers_and_nothing_else)
{
	struct wl_store store = store_of();
	struct wl_err err;

	store.user = "writer";
	store.password = "s3cret";
	store.version = WL_STORE_MODERN;
	store.cluster = "c";
	memset(&server, 0, sizeof(server));
	server.status[0] = 401;
	server.body[0] = "Code: 516. DB::Exception: writer: Authentication failed";
	assert_int_equal(
		wl_store_insert(&store, "INSERT INTO w.x FORMAT RowBinary", "a", 1, "t:1", &err),
		WL_E_USAGE);
	assert_null(strstr(err.msg, "s3cret"));
	assert_non_null(strstr(err.msg, "writer"));
	assert_null(strstr(server.url, "s3cret"));
	assert_non_null(strstr(server.url,
			       "&insert_distributed_sync=1&insert_deduplication_token=t%3A1"
			       "&query=INSERT%20INTO%20w%2Ex%20FORMAT%20RowBinary"));
	assert_string_equal(server.header[0], "X-ClickHouse-User: writer");
	assert_string_equal(server.header[1], "X-ClickHouse-Key: s3cret");
	store.password = "two\r\nlines";
	assert_int_equal(wl_store_ask(&store, 0, "SELECT 1", NULL, &err), WL_E_USAGE);
	assert_int_equal(server.n, 1);
}

TEST(literals_are_quoted)
{
	struct wl_text t = { 0 };

	wl_store_quote(&t, "it's \\ here");
	assert_string_equal(t.bytes, "'it\\'s \\\\ here'");
	wl_text_release(&t);
}

static size_t count_of(const char *text, const char *what)
{
	size_t n = 0;

	while ((text = strstr(text, what)) != NULL) {
		text += strlen(what);
		n++;
	}
	return n;
}

TEST(tables_follow_the_version)
{
	struct wl_store store = store_of();
	struct wl_text t = { 0 };

	store.version = 18016;
	assert_true(wl_store_put_schema(&store, &t));
	assert_int_equal(count_of(t.bytes, "_rows ("), wl_store_n_tables);
	assert_int_equal(count_of(t.bytes, "CREATE VIEW"), wl_store_n_tables);
	assert_int_equal(count_of(t.bytes, "CODEC") + count_of(t.bytes, "LowCardinality") +
				 count_of(t.bytes, "TTL") + count_of(t.bytes, "Distributed"),
			 0);
	wl_text_clear(&t);
	store.version = 26007;
	store.cluster = "c";
	assert_true(wl_store_put_schema(&store, &t));
	assert_int_equal(count_of(t.bytes, "TTL toDateTime(t)"), wl_store_n_tables);
	assert_int_equal(count_of(t.bytes, "Distributed(c, w, "), wl_store_n_tables);
	assert_int_equal(count_of(t.bytes, " ON CLUSTER c"), 2 + 4 * wl_store_n_tables);
	wl_text_release(&t);
	/* Readers rely on it. */
	assert_int_equal(wl_store_tables[wl_store_n_tables - 1].facts, WL_FACTS_RUNS);
}

TEST(rows_are_bytes)
{
	static const char expected[] = "\x02"
				       "id"
				       "\x01"
				       "v"
				       "\x05\0\0\0\0\0\0\0"
				       "\x07\0\0\0\0\0\0\0"
				       "\x03\0\0\0"            /* rank */
				       "\x09\0\0\0"            /* step */
				       "\x01"                  /* begin: not known */
				       "\0\x2a\0\0\0\0\0\0\0"; /* period */
	struct wl_store_column c[WL_STORE_COLUMNS];
	struct wl_budget budget = { 0 };
	struct wl_text t = { 0 };
	WITH(struct wl_facts, f, wl_facts_release, wl_facts_init(&f, &budget));

	wl_facts_row(&f, WL_FACTS_RANKS);
	wl_facts_put(&f, WL_FACTS_RANKS_NUMBER, 3);
	wl_facts_row(&f, WL_FACTS_STEPS);
	wl_facts_put(&f, WL_FACTS_STEPS_RANK, 0);
	wl_facts_put(&f, WL_FACTS_STEPS_STEP, 9);
	wl_facts_put(&f, WL_FACTS_STEPS_PERIOD, 42);
	assert_true(wl_facts_settle(&f));
	wl_facts_row(&f, WL_FACTS_RUNS);
	wl_facts_put_str(&f, WL_FACTS_RUNS_RUN_ID, "id");
	wl_facts_put_str(&f, WL_FACTS_RUNS_VERSION, "v");
	wl_facts_put(&f, WL_FACTS_RUNS_BEGIN, 5999999);
	wl_store_encode(&f, WL_FACTS_STEPS, 0, 1, 7, &t);
	assert_true(t.n > sizeof(expected) - 1);
	assert_memory_equal(t.bytes, expected, sizeof(expected) - 1);
	/* What is not known is a byte in each of the other columns: the mark of no number, or the
	 * length of no text. */
	assert_int_equal(t.n - (sizeof(expected) - 1), wl_store_columns(WL_FACTS_STEPS, c) - 8);
	for (size_t i = sizeof(expected) - 1; i < t.n; i++)
		assert_int_equal(t.bytes[i],
				 wl_facts_columns[c[8 + i - (sizeof(expected) - 1)].fact].type ==
						 WL_FACTS_STR
					 ? 0
					 : 1);
	wl_text_release(&t);
}
