/* SPDX-License-Identifier: MIT */
#include "fleet/store/schema.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

/*
 * Rows of ranks, steps and operations are not here: op_work and arrivals stay in files, as they
 * grow with their product.
 */
const struct wl_store_table wl_store_tables[] = {
	{ WL_FACTS_RANKS, 3650, NULL },
	{ WL_FACTS_STEPS, 365, NULL },
	{ WL_FACTS_OPS, 3650, NULL },
	{ WL_FACTS_OP_RANK, 365, "op, run_id, version, rank" },
	{ WL_FACTS_OP_STEP, 90, NULL },
	{ WL_FACTS_COLLS, 90, NULL },
	{ WL_FACTS_WAITS, 365, NULL },
	{ WL_FACTS_STEP_WAITS, 365, NULL },
	{ WL_FACTS_IDLE, 365, NULL },
	{ WL_FACTS_FINDINGS, 3650, NULL },
	{ WL_FACTS_COVERAGE, 3650, NULL },
	{ WL_FACTS_LABELS, 3650, NULL },
	{ WL_FACTS_VERDICTS, 3650, NULL },
	{ WL_FACTS_ACKS, 3650, NULL },
	{ WL_FACTS_RUNS, 3650, "project, config, t, run_id, version" },
};
const size_t wl_store_n_tables = WL_COUNT(wl_store_tables);

static const char version_table[] = "schema_version";

size_t wl_store_columns(enum wl_facts_table_id table, struct wl_store_column ret[WL_STORE_COLUMNS])
{
	const struct wl_facts_table_info *info = &wl_facts_tables[table];
	size_t n = 0;

	ret[n++] = (struct wl_store_column){ "run_id", WL_STORE_RUN_ID, 0, true };
	ret[n++] = (struct wl_store_column){ "version", WL_STORE_VERSION, 0, true };
	ret[n++] = (struct wl_store_column){ "t", WL_STORE_T, 0, true };
	ret[n++] = (struct wl_store_column){ "ingested", WL_STORE_INGESTED, 0, true };
	if (table == WL_FACTS_RANKS)
		ret[n++] = (struct wl_store_column){ "rank", WL_STORE_RANK, 0, true };
	for (size_t c = info->first; c < wl_facts_end(table) && n < WL_STORE_COLUMNS; c++) {
		if (c == WL_FACTS_RUNS_RUN_ID || c == WL_FACTS_RUNS_VERSION)
			continue;
		ret[n++] = (struct wl_store_column){ wl_facts_columns[c].name, WL_STORE_FACT,
						     (enum wl_facts_column_id)c,
						     c - info->first < info->n_keys };
	}
	return n;
}

unsigned wl_store_days(enum wl_facts_table_id table)
{
	for (size_t i = 0; i < wl_store_n_tables; i++)
		if (wl_store_tables[i].facts == table)
			return wl_store_tables[i].days;
	return 0;
}

static bool is_modern(const struct wl_store *store)
{
	return store->version >= WL_STORE_MODERN;
}

static void put_number(struct wl_text *to, const char *type, bool is_key)
{
	wl_text_printf(to, is_key ? "%s" : "Nullable(%s)", type);
}

static void put_fact_type(const struct wl_store *store, const struct wl_store_column *c,
			  struct wl_text *to)
{
	const struct wl_facts_column_info *info = &wl_facts_columns[c->fact];

	switch (info->type) {
	case WL_FACTS_STR:
		wl_text_puts(to, is_modern(store) ? "LowCardinality(String)" : "String");
		break;
	case WL_FACTS_U32:
	case WL_FACTS_RANK:
		put_number(to, "UInt32", c->is_key);
		break;
	case WL_FACTS_U64:
	case WL_FACTS_OP:
		put_number(to, "UInt64", c->is_key);
		break;
	case WL_FACTS_I64:
		put_number(to, "Int64", c->is_key);
		break;
	}
	if (!is_modern(store) || info->type == WL_FACTS_STR)
		return;
	/* Points in time grow slowly from row to row; lengths have few digits. */
	if (info->unit == WL_FACTS_TIME || info->unit == WL_FACTS_UTC)
		wl_text_puts(to, " CODEC(Delta, ZSTD(3))");
	else
		wl_text_puts(to, " CODEC(ZSTD(3))");
}

static void put_type(const struct wl_store *store, const struct wl_store_column *c,
		     struct wl_text *to)
{
	switch (c->kind) {
	case WL_STORE_RUN_ID:
	case WL_STORE_VERSION:
		wl_text_puts(to, is_modern(store) ? "LowCardinality(String)" : "String");
		break;
	case WL_STORE_T:
		wl_text_puts(to, is_modern(store) ? "DateTime64(3, 'UTC')" : "UInt64");
		break;
	case WL_STORE_INGESTED:
		wl_text_puts(to, "UInt64");
		break;
	case WL_STORE_RANK:
		wl_text_puts(to, "UInt32");
		break;
	case WL_STORE_FACT:
		put_fact_type(store, c, to);
		break;
	}
}

static const char *name_of(const struct wl_store_table *table)
{
	return wl_facts_tables[table->facts].name;
}

static void put_target(const struct wl_store *store, const char *name, struct wl_text *to)
{
	wl_text_printf(to, "%s.%s_%s", store->database, name, store->cluster ? "spread" : "rows");
}

void wl_store_put_target(const struct wl_store *store, enum wl_facts_table_id table,
			 struct wl_text *to)
{
	put_target(store, wl_facts_tables[table].name, to);
}

/* With one address for a whole cluster, the servers pass the statement on. */
static const char *on_cluster(const struct wl_store *store, char buf[96])
{
	struct wl_text t = { .max = 95 };

	buf[0] = '\0';
	if (!store->cluster || store->n_urls > 1)
		return buf;
	wl_text_printf(&t, " ON CLUSTER %s", store->cluster);
	if (!t.failed)
		memcpy(buf, t.bytes, t.n + 1);
	wl_text_release(&t);
	return buf;
}

static void put_order(const struct wl_store_table *table, const struct wl_store_column *c, size_t n,
		      struct wl_text *to)
{
	if (table->order) {
		wl_text_puts(to, table->order);
		return;
	}
	wl_text_puts(to, "run_id, version");
	for (size_t i = 0; i < n; i++)
		if (c[i].is_key && c[i].kind >= WL_STORE_RANK)
			wl_text_printf(to, ", `%s`", c[i].name);
}

static void put_create(const struct wl_store *store, const struct wl_store_table *table,
		       struct wl_text *to)
{
	struct wl_store_column c[WL_STORE_COLUMNS];
	size_t n = wl_store_columns(table->facts, c);
	char where[96];

	wl_text_printf(to, "CREATE TABLE IF NOT EXISTS %s.%s_rows%s (", store->database,
		       name_of(table), on_cluster(store, where));
	for (size_t i = 0; i < n; i++) {
		wl_text_printf(to, "%s`%s` ", i ? ", " : "", c[i].name);
		put_type(store, &c[i], to);
	}
	wl_text_puts(to, ") ENGINE = ReplacingMergeTree(ingested) PARTITION BY ");
	wl_text_puts(to,
		     is_modern(store) ? "toYYYYMM(t)" : "toYYYYMM(toDateTime(intDiv(t, 1000)))");
	wl_text_puts(to, " ORDER BY (");
	put_order(table, c, n, to);
	wl_text_puts(to, ")");
	if (is_modern(store))
		wl_text_printf(to,
			       " TTL toDateTime(t) + INTERVAL %u DAY SETTINGS "
			       "non_replicated_deduplication_window = 1000",
			       table->days);
	wl_text_puts(to, "\n");
}

static void put_spread(const struct wl_store *store, const struct wl_store_table *table,
		       struct wl_text *to)
{
	const char *name = name_of(table);
	char where[96];

	/* All rows of a run are on one shard: they come and go together, and joins stay there. */
	wl_text_printf(to,
		       "CREATE TABLE IF NOT EXISTS %s.%s_spread%s AS %s.%s_rows ENGINE = "
		       "Distributed(%s, %s, %s_rows, cityHash64(run_id))\n",
		       store->database, name, on_cluster(store, where), store->database, name,
		       store->cluster, store->database, name);
}

static void put_view(const struct wl_store *store, const struct wl_store_table *table,
		     struct wl_text *to)
{
	struct wl_store_column c[WL_STORE_COLUMNS];
	size_t n = wl_store_columns(table->facts, c), put = 0;
	char where[96];

	on_cluster(store, where);
	wl_text_printf(to, "DROP TABLE IF EXISTS %s.%s%s\n", store->database, name_of(table),
		       where);
	wl_text_printf(to, "CREATE VIEW IF NOT EXISTS %s.%s%s AS SELECT ", store->database,
		       name_of(table), where);
	for (size_t i = 0; i < n; i++)
		if (c[i].kind != WL_STORE_INGESTED)
			wl_text_printf(to, "%s`%s`", put++ ? ", " : "", c[i].name);
	wl_text_puts(to, " FROM ");
	put_target(store, name_of(table), to);
	wl_text_puts(to, " FINAL WHERE (run_id, version) GLOBAL IN (SELECT run_id, "
			 "argMax(version, ingested) FROM ");
	put_target(store, wl_facts_tables[WL_FACTS_RUNS].name, to);
	wl_text_puts(to, " GROUP BY run_id)\n");
}

static void put_tables(const struct wl_store *store, struct wl_text *to)
{
	char where[96];

	on_cluster(store, where);
	wl_text_printf(to, "CREATE DATABASE IF NOT EXISTS %s%s\n", store->database, where);
	wl_text_printf(
		to,
		"CREATE TABLE IF NOT EXISTS %s.%s%s (version UInt32, ingested UInt64) ENGINE = "
		"ReplacingMergeTree(ingested) ORDER BY version\n",
		store->database, version_table, where);
	for (size_t i = 0; i < wl_store_n_tables; i++) {
		put_create(store, &wl_store_tables[i], to);
		if (store->cluster)
			put_spread(store, &wl_store_tables[i], to);
	}
}

static void put_views(const struct wl_store *store, struct wl_text *to)
{
	for (size_t i = 0; i < wl_store_n_tables; i++)
		put_view(store, &wl_store_tables[i], to);
}

bool wl_store_put_schema(const struct wl_store *store, struct wl_text *to)
{
	put_tables(store, to);
	put_views(store, to);
	return !to->failed;
}

/* Columns that a server has: "table\tname" lines between line ends, so that one is found whole. */
static int ask_columns(const struct wl_store *store, size_t server, struct wl_text *ret,
		       struct wl_err *reterr)
{
	struct wl_text question = { 0 }, answer = { .max = 4 << 20 };
	int r;

	wl_text_printf(&question,
		       "SELECT table, name FROM system.columns WHERE database = '%s' FORMAT "
		       "TabSeparated",
		       store->database);
	r = question.failed ? wl_fail(reterr, WL_E_NOMEM, "no memory for a statement")
			    : wl_store_ask(store, server, question.bytes, &answer, reterr);
	if (r == WL_OK) {
		wl_text_puts(ret, "\n");
		wl_text_put(ret, wl_text_get(&answer), answer.n);
		if (ret->failed)
			r = wl_fail(reterr, WL_E_NOMEM, "no memory for an answer");
	}
	wl_text_release(&question);
	wl_text_release(&answer);
	return r;
}

static bool has_column(const struct wl_text *columns, const char *table, const char *ending,
		       const char *name)
{
	struct wl_text line = { 0 };
	bool has;

	wl_text_printf(&line, "\n%s_%s\t%s\n", table, ending, name);
	has = line.failed || strstr(wl_text_get(columns), line.bytes) != NULL;
	wl_text_release(&line);
	return has;
}

/*
 * Statements for columns that tables of an older program lack, and their number. Of a table that
 * is not there all are missing; creating it comes first.
 */
static size_t put_missing(const struct wl_store *store, const struct wl_text *columns,
			  struct wl_text *to)
{
	static const char *const endings[] = { "rows", "spread" };
	size_t n_missing = 0;
	char where[96];

	on_cluster(store, where);
	for (size_t i = 0; i < wl_store_n_tables; i++) {
		struct wl_store_column c[WL_STORE_COLUMNS];
		size_t n = wl_store_columns(wl_store_tables[i].facts, c);
		const char *name = name_of(&wl_store_tables[i]);

		for (size_t e = 0; e < (store->cluster ? 2u : 1u); e++)
			for (size_t k = 0; k < n; k++) {
				if (has_column(columns, name, endings[e], c[k].name))
					continue;
				n_missing++;
				wl_text_printf(to, "ALTER TABLE %s.%s_%s%s ADD COLUMN `%s` ",
					       store->database, name, endings[e], where, c[k].name);
				put_type(store, &c[k], to);
				wl_text_puts(to, "\n");
			}
	}
	return n_missing;
}

/* Each line of a text on one server. */
static int run_lines(const struct wl_store *store, size_t server, struct wl_text *lines,
		     struct wl_err *reterr)
{
	int r = WL_OK;

	if (lines->failed)
		return wl_fail(reterr, WL_E_NOMEM, "no memory for statements");
	for (char *at = lines->bytes, *end; r == WL_OK && at && *at; at = end) {
		end = strchr(at, '\n');
		*end++ = '\0';
		r = wl_store_ask(store, server, at, NULL, reterr);
	}
	return r;
}

/* The number of the schema; 0 where there is none. */
static int ask_version(const struct wl_store *store, size_t server, unsigned long *ret,
		       struct wl_err *reterr)
{
	struct wl_text question = { 0 }, answer = { 0 };
	int r;

	*ret = 0;
	wl_text_printf(&question,
		       "SELECT count() FROM system.tables WHERE database = '%s' AND name = '%s'",
		       store->database, version_table);
	r = wl_store_ask(store, server, wl_text_get(&question), &answer, reterr);
	if (r == WL_OK && strtoul(wl_text_get(&answer), NULL, 10)) {
		wl_text_clear(&question);
		wl_text_printf(&question, "SELECT max(version) FROM %s.%s", store->database,
			       version_table);
		r = wl_store_ask(store, server, wl_text_get(&question), &answer, reterr);
		if (r == WL_OK)
			*ret = strtoul(wl_text_get(&answer), NULL, 10);
	}
	wl_text_release(&question);
	wl_text_release(&answer);
	if (r == WL_OK && *ret > WL_STORE_SCHEMA)
		return wl_fail(
			reterr, WL_E_USAGE,
			"database \"%s\" has tables of version %lu, and this program knows %d; "
			"use a newer warplens",
			store->database, *ret, WL_STORE_SCHEMA);
	return r;
}

static int add_missing(const struct wl_store *store, size_t server, size_t *ret_n,
		       struct wl_err *reterr)
{
	struct wl_text columns = { .max = 8 << 20 }, lines = { 0 };
	int r = ask_columns(store, server, &columns, reterr);

	*ret_n = 0;
	if (r == WL_OK) {
		*ret_n = put_missing(store, &columns, &lines);
		r = run_lines(store, server, &lines, reterr);
	}
	wl_text_release(&columns);
	wl_text_release(&lines);
	return r;
}

static int make_views(const struct wl_store *store, size_t server, struct wl_err *reterr)
{
	struct wl_text lines = { 0 };
	int r;

	put_views(store, &lines);
	wl_text_printf(&lines, "INSERT INTO %s.%s VALUES (%d, %lld)\n", store->database,
		       version_table, WL_STORE_SCHEMA, (long long)wl_clock_utc_ms());
	r = run_lines(store, server, &lines, reterr);
	wl_text_release(&lines);
	return r;
}

/* Views last: they name columns, and the version says that all is there. */
static int init_server(const struct wl_store *store, size_t server, size_t *ret_changes,
		       struct wl_err *reterr)
{
	struct wl_text before = { .max = 8 << 20 }, lines = { 0 };
	unsigned long version;
	size_t n_missing = 0, n_added = 0;
	int r = ask_version(store, server, &version, reterr);

	if (r == WL_OK)
		r = ask_columns(store, server, &before, reterr);
	if (r == WL_OK) {
		n_missing = put_missing(store, &before, &lines);
		wl_text_clear(&lines);
		put_tables(store, &lines);
		r = run_lines(store, server, &lines, reterr);
	}
	if (r == WL_OK)
		r = add_missing(store, server, &n_added, reterr);
	if (r == WL_OK && (n_missing || version < WL_STORE_SCHEMA))
		r = make_views(store, server, reterr);
	if (r == WL_OK)
		*ret_changes += n_missing;
	wl_text_release(&before);
	wl_text_release(&lines);
	return r;
}

int wl_store_init(const struct wl_store *store, size_t *ret_changes, struct wl_err *reterr)
{
	int r = WL_OK;

	*ret_changes = 0;
	for (size_t i = 0; r == WL_OK && i < store->n_urls; i++)
		r = init_server(store, i, ret_changes, reterr);
	return r;
}

int wl_store_check(const struct wl_store *store, struct wl_err *reterr)
{
	struct wl_text columns = { .max = 8 << 20 }, lines = { 0 };
	unsigned long version;
	int r = ask_version(store, 0, &version, reterr);

	if (r == WL_OK)
		r = ask_columns(store, 0, &columns, reterr);
	if (r == WL_OK && version == 0)
		r = wl_fail(reterr, WL_E_USAGE,
			    "database \"%s\" has no tables of warplens; make them with \"warplens "
			    "fleet init\"",
			    store->database);
	else if (r == WL_OK && put_missing(store, &columns, &lines))
		r = wl_fail(
			reterr, WL_E_USAGE,
			"database \"%s\" lacks tables or columns that this program has; add them "
			"with \"warplens fleet init\"",
			store->database);
	wl_text_release(&columns);
	wl_text_release(&lines);
	return r;
}
