/* SPDX-License-Identifier: MIT */
#include "fleet/store/push.h"

#include <string.h>

#include "base/clock.h"
#include "base/file/varint.h"

/*
 * Rows of an insert. A server takes up to 1,048,576 rows as one block: all or nothing. Batches are
 * the same in every attempt, so that tokens name the same rows.
 */
enum { BATCH = 200000, BATCH_BYTES = 512 << 20 };

static void put_bytes(struct wl_text *to, uint64_t v, size_t n)
{
	char bytes[8];

	for (size_t i = 0; i < n; i++)
		bytes[i] = (char)(v >> (8 * i));
	wl_text_put(to, bytes, n);
}

static void put_str(struct wl_text *to, const char *text)
{
	unsigned char length[WL_MAX_VARINT];
	size_t n = strlen(text);

	wl_text_put(to, (const char *)length, wl_varint_put(length, n));
	wl_text_put(to, text, n);
}

/* A number that is a key has no NULL; others begin with a byte that says whether they are. */
static void put_number(struct wl_text *to, bool is_key, bool is_known, uint64_t v, size_t n)
{
	if (!is_key)
		put_bytes(to, !is_known, 1);
	if (is_key || is_known)
		put_bytes(to, v, n);
}

static void put_fact(const struct wl_facts *facts, const struct wl_store_column *c, size_t row,
		     struct wl_text *to)
{
	uint32_t u32;
	uint64_t u64;
	int64_t i64;

	switch (wl_facts_columns[c->fact].type) {
	case WL_FACTS_STR:
		put_str(to, wl_facts_str(facts, c->fact, row));
		break;
	case WL_FACTS_U32:
		u32 = wl_facts_u32(facts, c->fact, row);
		put_number(to, c->is_key, u32 != WL_NONE, u32, 4);
		break;
	case WL_FACTS_RANK:
		u32 = wl_facts_u32(facts, c->fact, row);
		put_number(to, c->is_key, u32 != WL_NONE,
			   u32 == WL_NONE ? u32 : wl_facts_rank_number(facts, u32), 4);
		break;
	case WL_FACTS_OP:
		u32 = wl_facts_u32(facts, c->fact, row);
		u64 = u32 == WL_NONE ? 0 : wl_facts_u64(facts, WL_FACTS_OPS_OP, u32);
		put_number(to, c->is_key, u32 != WL_NONE, u64, 8);
		break;
	case WL_FACTS_U64:
		u64 = wl_facts_u64(facts, c->fact, row);
		put_number(to, c->is_key, u64 != UINT64_MAX, u64, 8);
		break;
	case WL_FACTS_I64:
		i64 = wl_facts_i64(facts, c->fact, row);
		put_number(to, c->is_key, i64 != WL_FACTS_NONE, (uint64_t)i64, 8);
		break;
	}
}

static int64_t begin_ms(const struct wl_facts *facts)
{
	return wl_facts_i64(facts, WL_FACTS_RUNS_BEGIN, 0) / 1000000;
}

void wl_store_encode(const struct wl_facts *facts, enum wl_facts_table_id table, size_t from,
		     size_t end, int64_t ingested_ms, struct wl_text *to)
{
	const char *run_id = wl_facts_str(facts, WL_FACTS_RUNS_RUN_ID, 0);
	const char *version = wl_facts_str(facts, WL_FACTS_RUNS_VERSION, 0);
	struct wl_store_column c[WL_STORE_COLUMNS];
	size_t n = wl_store_columns(table, c);

	for (size_t row = from; row < end; row++)
		for (size_t i = 0; i < n; i++)
			switch (c[i].kind) {
			case WL_STORE_RUN_ID:
				put_str(to, run_id);
				break;
			case WL_STORE_VERSION:
				put_str(to, version);
				break;
			case WL_STORE_T:
				put_bytes(to, (uint64_t)begin_ms(facts), 8);
				break;
			case WL_STORE_INGESTED:
				put_bytes(to, (uint64_t)ingested_ms, 8);
				break;
			case WL_STORE_RANK:
				put_bytes(to, wl_facts_rank_number(facts, (uint32_t)row), 4);
				break;
			case WL_STORE_FACT:
				put_fact(facts, &c[i], row, to);
				break;
			}
}

/* INSERT INTO with all columns: a table of the database may have them in another order. */
static void put_insert(const struct wl_store *store, enum wl_facts_table_id table,
		       struct wl_text *to)
{
	struct wl_store_column c[WL_STORE_COLUMNS];
	size_t n = wl_store_columns(table, c);

	wl_text_puts(to, "INSERT INTO ");
	wl_store_put_target(store, table, to);
	for (size_t i = 0; i < n; i++)
		wl_text_printf(to, "%s`%s`", i ? ", " : " (", c[i].name);
	wl_text_puts(to, ") FORMAT RowBinary");
}

static int push_batch(const struct wl_store *store, const struct wl_facts *facts,
		      enum wl_facts_table_id table, size_t from, int64_t ingested_ms,
		      struct wl_pushed *pushed, struct wl_err *reterr)
{
	size_t end = facts->n[table] - from > BATCH ? from + BATCH : facts->n[table];
	struct wl_text rows = { .max = BATCH_BYTES }, statement = { 0 }, token = { 0 };
	int r;

	put_insert(store, table, &statement);
	wl_text_printf(&token, "%s:%s:%s:%zu", wl_facts_str(facts, WL_FACTS_RUNS_RUN_ID, 0),
		       wl_facts_tables[table].name, wl_facts_str(facts, WL_FACTS_RUNS_VERSION, 0),
		       from);
	/* The mark must not be taken for the one of an earlier push that another version followed,
	 * nor a verdict or an acknowledgement for the one before it. */
	if (table == WL_FACTS_RUNS || table == WL_FACTS_VERDICTS || table == WL_FACTS_ACKS)
		wl_text_printf(&token, ":%lld", (long long)ingested_ms);
	wl_store_encode(facts, table, from, end, ingested_ms, &rows);
	if (rows.failed || statement.failed || token.failed)
		r = wl_fail(reterr, WL_E_NOMEM, "no memory for rows of %s",
			    wl_facts_tables[table].name);
	else
		r = wl_store_insert(store, statement.bytes, rows.bytes, rows.n, token.bytes,
				    reterr);
	if (r == WL_OK) {
		pushed->n_rows += end - from;
		pushed->n_bytes += rows.n;
		pushed->n_inserts++;
	}
	wl_text_release(&rows);
	wl_text_release(&statement);
	wl_text_release(&token);
	return r;
}

static int ask_current(const struct wl_store *store, const struct wl_facts *facts, bool *ret,
		       struct wl_err *reterr)
{
	const char *version = wl_facts_str(facts, WL_FACTS_RUNS_VERSION, 0);
	struct wl_text question = { 0 }, answer = { 0 };
	int r;

	wl_text_puts(&question, "SELECT argMax(version, ingested) FROM ");
	wl_store_put_target(store, WL_FACTS_RUNS, &question);
	wl_text_puts(&question, " WHERE run_id = ");
	wl_store_quote(&question, wl_facts_str(facts, WL_FACTS_RUNS_RUN_ID, 0));
	r = question.failed ? wl_fail(reterr, WL_E_NOMEM, "no memory for a statement")
			    : wl_store_ask(store, 0, question.bytes, &answer, reterr);
	*ret = r == WL_OK && strncmp(wl_text_get(&answer), version, strlen(version)) == 0;
	wl_text_release(&question);
	wl_text_release(&answer);
	return r;
}

int wl_store_push(const struct wl_store *store, const struct wl_facts *facts, struct wl_pushed *ret,
		  struct wl_err *reterr)
{
	const int64_t now = wl_clock_utc_ms();
	int r = ask_current(store, facts, &ret->was_there, reterr);

	ret->n_rows = ret->n_bytes = ret->n_inserts = 0;
	if (r < 0 || ret->was_there)
		return r;
	for (size_t t = 0; t < wl_store_n_tables; t++) {
		enum wl_facts_table_id table = wl_store_tables[t].facts;

		for (size_t from = 0; r == WL_OK && from < facts->n[table]; from += BATCH)
			r = push_batch(store, facts, table, from, now, ret, reterr);
	}
	return r;
}

int wl_store_put(const struct wl_store *store, const struct wl_facts *facts,
		 enum wl_facts_table_id table, struct wl_err *reterr)
{
	struct wl_pushed pushed = { 0 };

	return push_batch(store, facts, table, 0, wl_clock_utc_ms(), &pushed, reterr);
}
