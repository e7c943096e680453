/* SPDX-License-Identifier: MIT */
/*
 * fuzz_db_schema.c - the bytes are a program that makes a valid database.
 *
 * It creates tables that nsys writes, with some of their columns, other types
 * and shuffled order, and fills them with values that are rarely reasonable. So
 * every byte reaches the loaders, where fuzz_db_bytes mostly meets SQLite's own
 * checks. The first bytes say how it is loaded.
 */
#include <sqlite3.h>
#include <stdlib.h>

#include "base/attr.h"
#include "fuzz/fuzz.h"
#include "read/bind.h"
#include "support/fuzz_db.h"

enum { MAX_COLUMNS = 24, MAX_ROWS = 1024, MAX_TABLES = 12 };

/* The rest of the program; past its end there are only zeros. */
struct program {
	const uint8_t *at, *end;
};

static unsigned byte(struct program *p)
{
	return p->at < p->end ? *p->at++ : 0;
}

/* Small tables that the catalogue reads, each with its columns. */
static const char *const small_tables[][14] = {
	{ "StringIds", "id", "value" },
	{ "ThreadNames", "nameId", "globalTid" },
	{ "PROCESSES", "globalPid", "name" },
	{ "MPI_RANKS", "globalTid", "rank" },
	{ "META_DATA_CAPTURE", "name", "value" },
	{ "META_DATA_EXPORT", "name", "value" },
	{ "TARGET_INFO_SYSTEM_ENV", "name", "value" },
	{ "ANALYSIS_DETAILS", "duration" },
	{ "TARGET_INFO_SESSION_START_TIME", "utcEpochNs" },
	{ "TARGET_INFO_CUDA_DEVICE", "pid", "cudaId", "gpuId", "uuid" },
	{ "TARGET_INFO_GPU", "id", "name", "busLocation", "uuid", "totalMemory", "memoryBandwidth",
	  "clockRate", "smCount", "cuDevice", "deviceId", "computeMajor", "computeMinor" },
	{ "EXPORT_META_DATA", "name", "value" },
	{ "TARGET_INFO_GPU_METRICS", "typeId", "metricId", "metricName" },
	{ "TARGET_INFO_NETWORK_METRICS", "metricsListId", "metricsIdx", "name", "unit" },
	{ "TARGET_INFO_NIC_INFO", "nicId", "name" },
	{ "NIC_ID_MAP", "globalId", "nicId" },
	{ "NVTX_PAYLOAD_SCHEMA_ENTRIES", "domainId", "schemaId", "type", "offset", "name", "idx",
	  "flags", "arrayOrUnionDetail" },
	{ "NVTX_SCOPES", "domainId", "scopeId", "path" },
	{ "NVTX_PAYLOAD_ENUM_ENTRIES", "domainId", "schemaId", "value", "name" },
};

struct table {
	const char *name;
	const char *column[MAX_COLUMNS];
	size_t n_columns;
};

static void add_column(struct table *t, const char *column)
{
	for (size_t i = 0; i < t->n_columns; i++) {
		if (t->column[i] == column || sqlite3_stricmp(t->column[i], column) == 0)
			return;
	}
	if (t->n_columns < MAX_COLUMNS)
		t->column[t->n_columns++] = column;
}

/* The table of this number with all columns that the reader knows. */
static struct table describe(unsigned number)
{
	struct table t = { .n_columns = 0 };

	number %= (unsigned)(wl_n_family_tables + WL_COUNT(small_tables));
	if (number >= wl_n_family_tables) {
		const char *const *s = small_tables[number - wl_n_family_tables];

		t.name = s[0];
		for (size_t i = 1; i < WL_COUNT(small_tables[0]) && s[i]; i++)
			add_column(&t, s[i]);
		return t;
	}
	t.name = wl_family_tables[number].table;
	for (size_t c = 0; c < WL_N_COLUMNS; c++) {
		const struct wl_binding *b = &wl_family_tables[number].binding[c];

		if (wl_column_infos[c].family != wl_family_tables[number].family)
			continue;
		for (size_t i = 0; i < WL_BIND_SOURCES && b->source[i]; i++)
			add_column(&t, b->source[i]);
	}
	for (size_t i = 0; i < WL_TABLE_REQUIRED && wl_family_tables[number].required[i]; i++)
		add_column(&t, wl_family_tables[number].required[i]);
	return t;
}

/* Leave out some columns and rotate the others. */
static void shuffle(struct table *t, struct program *p)
{
	unsigned keep = byte(p) << 8 | byte(p), turn = byte(p);
	struct table all = *t;

	t->n_columns = 0;
	for (size_t i = 0; i < all.n_columns; i++) {
		size_t from = (i + turn) % all.n_columns;

		if (!(keep >> (from % 16) & 1) || from >= 16)
			t->column[t->n_columns++] = all.column[from];
	}
	/* Tables of other programs say in their own way whose a row is. */
	if (turn >= 128) {
		add_column(t, turn % 2 ? "pid" : "processId");
		add_column(t, "threadId");
	}
	if (turn >= 192)
		add_column(t, "eventClass");
	if (t->n_columns == 0)
		t->column[t->n_columns++] = "unknown";
}

static void run(sqlite3 *db, sqlite3_str *sql)
{
	char *text = sqlite3_str_finish(sql);

	if (text)
		(void)sqlite3_exec(db, text, NULL, NULL, NULL);
	sqlite3_free(text);
}

static void create(sqlite3 *db, const struct table *t, struct program *p)
{
	static const char *const types[] = { "INTEGER", "TEXT", "REAL",
					     "BLOB",    "",     "INTEGER NOT NULL" };
	static const char *const tails[] = { ")", ") STRICT", ")", ", CHECK (1))" };
	unsigned how = byte(p);
	sqlite3_str *sql = sqlite3_str_new(db);

	sqlite3_str_appendf(sql, "CREATE TABLE \"%w\" (", t->name);
	for (size_t i = 0; i < t->n_columns; i++)
		sqlite3_str_appendf(sql, "%s\"%w\" %s", i ? "," : "", t->column[i],
				    types[how < 128 ? 0 : (how + i) % WL_COUNT(types)]);
	sqlite3_str_appendf(sql, "%s", tails[how % WL_COUNT(tails)]);
	run(db, sql);
}

static int64_t number(struct program *p)
{
	static const int64_t special[] = { 0,
					   1,
					   -1,
					   59,
					   60,
					   INT64_MAX,
					   INT64_MIN,
					   UINT32_MAX,
					   INT64_C(1) << 61,
					   75,
					   255,
					   256,
					   -(INT64_C(1) << 61) };
	unsigned b = byte(p);

	if (b < 128)
		return b;
	if (b < 160)
		return special[b % WL_COUNT(special)];
	if (b < 192) /* a process or a thread */
		return (int64_t)(b % 4) << 24 | (int64_t)(byte(p) % 4) << 48 | byte(p) % 4;
	if (b < 224)
		return (int64_t)byte(p) << 28 | byte(p);
	return (int64_t)((uint64_t)byte(p) << 56 | byte(p));
}

static void bind(sqlite3_stmt *stmt, int i, struct program *p)
{
	static const char *const texts[] = { "rank=3",    "RANK=2",
					     "kernel_v2", "",
					     "Hostname",  "7",
					     "a\xff z",   "CAPTURE_ENVIRONMENT_VARIABLE:1" };
	unsigned b = byte(p);

	if (b < 160) {
		(void)sqlite3_bind_int64(stmt, i, number(p));
	} else if (b < 176) {
		(void)sqlite3_bind_null(stmt, i);
	} else if (b < 192) {
		(void)sqlite3_bind_double(stmt, i, (double)number(p) * 0.5);
	} else if (b < 224) {
		(void)sqlite3_bind_text(stmt, i, texts[b % WL_COUNT(texts)], -1, SQLITE_STATIC);
	} else {
		int n = (int)(b % 8);

		n = n < p->end - p->at ? n : (int)(p->end - p->at);
		if (b < 248)
			(void)sqlite3_bind_text(stmt, i, (const char *)p->at, n, SQLITE_TRANSIENT);
		else
			(void)sqlite3_bind_blob(stmt, i, p->at, n, SQLITE_TRANSIENT);
		p->at += n;
	}
}

static void fill(sqlite3 *db, const struct table *t, struct program *p, size_t *rows)
{
	size_t n = byte(p) % 16, repeat = byte(p);
	sqlite3_str *sql = sqlite3_str_new(db);
	sqlite3_stmt *stmt = NULL;
	char *text;

	sqlite3_str_appendf(sql, "INSERT INTO \"%w\" VALUES (", t->name);
	for (size_t i = 0; i < t->n_columns; i++)
		sqlite3_str_appendall(sql, i ? ",?" : "?");
	sqlite3_str_appendall(sql, ")");
	text = sqlite3_str_finish(sql);
	if (text)
		(void)sqlite3_prepare_v2(db, text, -1, &stmt, NULL);
	sqlite3_free(text);
	for (size_t i = 0; stmt && i < n && *rows < MAX_ROWS; i++) {
		for (int c = 1; c <= (int)t->n_columns; c++)
			bind(stmt, c, p);
		/* Now and then more rows than a batch of the reader takes. */
		for (size_t k = 0; k < (repeat == 255 && *rows < 100 ? 600 : 1); k++) {
			(void)sqlite3_step(stmt);
			(void)sqlite3_reset(stmt);
			++*rows;
		}
	}
	(void)sqlite3_finalize(stmt);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const encodings[] = { "UTF-8", "UTF-16le", "UTF-16be", "UTF-8" };
	struct program p = { data, data + size };
	unsigned how = byte(&p), memory = byte(&p), column = byte(&p);
	struct wl_columns first = { { 0 } };
	sqlite3 *db = NULL;
	sqlite3_int64 n = 0;
	unsigned char *bytes = NULL;
	size_t rows = 0;

	if (sqlite3_open(":memory:", &db) == SQLITE_OK) {
		sqlite3_str *sql = sqlite3_str_new(db);

		sqlite3_str_appendf(sql, "PRAGMA encoding = '%s'; PRAGMA page_size = %d; BEGIN",
				    encodings[how % WL_COUNT(encodings)], 512 << (how / 4 % 4));
		run(db, sql);
		for (int i = 0; i < MAX_TABLES && p.at < p.end; i++) {
			struct table t = describe(byte(&p));

			shuffle(&t, &p);
			create(db, &t, &p);
			fill(db, &t, &p, &rows);
		}
		(void)sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
		bytes = sqlite3_serialize(db, "main", &n, 0);
	}
	/* Now and then less memory than it takes, and a column before the others. */
	if (how >= 128)
		wl_columns_add(&first, column % WL_N_COLUMNS);
	if (bytes)
		fuzz_db_check(bytes, (size_t)n,
			      memory < 128 ? FUZZ_DB_MEMORY : (size_t)(memory - 127) << 9, &first);
	sqlite3_free(bytes);
	(void)sqlite3_close(db);
	return 0;
}
