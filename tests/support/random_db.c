/* SPDX-License-Identifier: MIT */
#include "support/random_db.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/attr.h"
#include "support/random.h"

enum { MAX_TABLES = 5, MAX_COLUMNS = 520, NAME = 48 };

struct column {
	char name[NAME];
	unsigned kind;  /* of values */
	bool generated; /* nobody inserts into it */
};

struct table {
	char name[NAME];
	struct column *column; /* MAX_COLUMNS of them */
	size_t n_columns;
	bool rowid, strict;
};

struct making {
	sqlite3 *db;
	uint64_t random;
	struct table table[MAX_TABLES];
	size_t n_tables, n_names;
	uint32_t row_scale; /* 0: nearly no rows */
	struct random_db_count *count;
};

static uint32_t dice(struct making *m, uint32_t n)
{
	return random_below(&m->random, n);
}

static bool chance(struct making *m, uint32_t n)
{
	return dice(m, n) == 0;
}

#define PICK(m, array) ((array)[dice((m), (uint32_t)WL_COUNT(array))])

static bool run(struct making *m, char *sql)
{
	bool done;

	if (!sql)
		abort();
	done = sqlite3_exec(m->db, sql, NULL, NULL, NULL) == SQLITE_OK;
	sqlite3_free(sql);
	m->count->done += done;
	m->count->refused += !done;
	return done;
}

/* --- names and types ------------------------------------------------------------------------ */

/* Names differ in their number, so that most statements succeed. */
static void name_thing(struct making *m, char ret[NAME], const char *const *words, size_t n)
{
	const char *word = words[dice(m, (uint32_t)n)];

	if (m->n_names++ == 0)
		(void)snprintf(ret, NAME, "%s", word);
	else
		(void)snprintf(ret, NAME, "%s%zu", word, m->n_names);
}

static void name_column(struct making *m, char ret[NAME])
{
	static const char *const words[] = { "c",      "Start",  "END",     "a b",        "quo\"te",
					     "it's",   "[x]",    "`tick`",  "Ünïcode",    "(paren",
					     "com,ma", "--dash", "/*star",  "select",     "primary",
					     "rowid",  "x\ny",   "INTEGER", "constraint", "check" };
	static const char *const rare[] = { "rowid", "oid", "_rowid_", "RowId" };

	if (chance(m, 60))
		(void)snprintf(ret, NAME, "%s", PICK(m, rare));
	else
		name_thing(m, ret, words, chance(m, 3) ? WL_COUNT(words) : 3);
}

static void name_table(struct making *m, char ret[NAME])
{
	static const char *const words[] = { "t",      "Events", "CUPTI_ACTIVITY_KIND",
					     "a b",    "q\"q",   "it's",
					     "tab(le", "Tä",     "--x",
					     "/*y",    "create", "sql" };

	name_thing(m, ret, words, chance(m, 3) ? WL_COUNT(words) : 3);
}

/* An identifier in one of its four disguises. */
static void put_name(struct making *m, sqlite3_str *sql, const char *name)
{
	bool plain = name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
				       "0123456789")] == 0;
	bool keyword = !strcmp(name, "select") || !strcmp(name, "primary") ||
		       !strcmp(name, "create") || !strcmp(name, "END") ||
		       !strcmp(name, "constraint") || !strcmp(name, "check");

	if (plain && !keyword && dice(m, 4))
		sqlite3_str_appendall(sql, name);
	else if (!strchr(name, ']') && chance(m, 4))
		sqlite3_str_appendf(sql, "[%s]", name);
	else if (!strchr(name, '`') && chance(m, 4))
		sqlite3_str_appendf(sql, "`%s`", name);
	else
		sqlite3_str_appendf(sql, "\"%w\"", name);
}

static const char *gap(struct making *m)
{
	static const char *const gaps[] = {
		" ", "\n", "\t ", "  ", " /* , ) ( ' \" */ ", " -- not ) the, end\n", "\r\n", "/**/"
	};

	return chance(m, 6) ? PICK(m, gaps) : " ";
}

static const char *any_type(struct making *m, const struct table *t)
{
	static const char *const types[] = { "INTEGER",        "INT",
					     "TEXT",           "REAL",
					     "BLOB",           "",
					     "NUMERIC",        "integer",
					     "BIGINT",         "BIGINT UNSIGNED",
					     "FLOATING POINT", "CHARINT",
					     "DATETIME",       "STRING",
					     "VARCHAR(20)",    "DECIMAL(10, 5)",
					     "DOUBLE",         "BOOLEAN",
					     "CLOB",           "\"INTEGER\"",
					     "'text'",         "[REAL]",
					     "Integer",        "UNSIGNED BIG INT",
					     "POINT(-1,+2)",   "ANY",
					     "BLOBTEXT",       "INTREAL",
					     "big int",        "xyz abc" };
	static const char *const strict[] = { "INT", "INTEGER", "REAL", "TEXT", "BLOB", "ANY" };

	if (t->strict)
		return PICK(m, strict);
	return types[dice(m, dice(m, 3) ? 5 : (uint32_t)WL_COUNT(types))];
}

/* --- CREATE TABLE --------------------------------------------------------------------------- */

static void put_constraint(struct making *m, sqlite3_str *sql, const char *name)
{
	static const char *const simple[] = {
		"NOT NULL",
		"NULL",
		"DEFAULT 0",
		"DEFAULT -17",
		"DEFAULT +2.5",
		"DEFAULT 'a,b) --'",
		"DEFAULT NULL",
		"DEFAULT (1 + 2)",
		"DEFAULT x'00ff'",
		"DEFAULT CURRENT_DATE",
		"DEFAULT true",
		"DEFAULT 9223372036854775807",
		"COLLATE NOCASE",
		"COLLATE binary",
		"UNIQUE",
		"UNIQUE ON CONFLICT REPLACE",
		"REFERENCES x (y)",
		"REFERENCES x ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED",
		"CONSTRAINT n1 NOT NULL ON CONFLICT IGNORE",
		"CHECK (1 OR ('(' || ',') IS NULL)"
	};

	if (chance(m, 12)) {
		sqlite3_str_appendf(sql, "%sCHECK (\"%w\" IS NOT 77 OR ')' = '(')", gap(m), name);
		return;
	}
	sqlite3_str_appendf(sql, "%s%s", gap(m), PICK(m, simple));
}

static void put_column(struct making *m, sqlite3_str *sql, struct table *t, struct column *c)
{
	put_name(m, sql, c->name);
	sqlite3_str_appendf(sql, "%s%s", gap(m), any_type(m, t));
	if (chance(m, 25) && t->n_columns > 0) {
		static const char *const modes[] = { "", " STORED", " VIRTUAL" };

		c->generated = true;
		sqlite3_str_appendf(sql, "%s%sAS (coalesce(\"%w\", '), (', 3))%s", gap(m),
				    chance(m, 2) ? "GENERATED ALWAYS " : "", t->column[0].name,
				    PICK(m, modes));
		return;
	}
	while (chance(m, 5))
		put_constraint(m, sql, c->name);
}

/* The key as part of a column's definition. */
static void put_key_column(struct making *m, sqlite3_str *sql, struct column *c)
{
	static const char *const keys[] = { "INTEGER PRIMARY KEY",
					    "INTEGER PRIMARY KEY",
					    "integer primary key",
					    "INTEGER PRIMARY KEY ASC",
					    "INTEGER PRIMARY KEY DESC",
					    "INTEGER PRIMARY KEY AUTOINCREMENT",
					    "INT PRIMARY KEY",
					    "TEXT PRIMARY KEY",
					    "PRIMARY KEY",
					    "BIGINT PRIMARY KEY",
					    "\"INTEGER\" PRIMARY KEY",
					    "[integer] Primary /* , */ Key",
					    "INTEGER NOT NULL PRIMARY KEY",
					    "INTEGER CHECK (1) DEFAULT 5 PRIMARY KEY",
					    "INTEGER CONSTRAINT pk PRIMARY KEY ON CONFLICT REPLACE",
					    "INTEGER(8) PRIMARY KEY",
					    "INTEGER DEFAULT (2) UNIQUE PRIMARY KEY NOT NULL" };

	put_name(m, sql, c->name);
	sqlite3_str_appendf(sql, "%s%s", gap(m), PICK(m, keys));
}

/* The key, or something else, behind the columns. */
static void put_table_constraint(struct making *m, sqlite3_str *sql, const struct table *t,
				 const struct column *key)
{
	static const char *const orders[] = { "", "", " ASC", " DESC", " COLLATE NOCASE" };

	if (key && chance(m, 4) && t->n_columns > 1)
		sqlite3_str_appendf(sql, ",%sPRIMARY KEY (\"%w\"%s, \"%w\")", gap(m), key->name,
				    PICK(m, orders), t->column[0].name);
	else if (key)
		sqlite3_str_appendf(sql, ",%s%sPRIMARY KEY (\"%w\"%s)", gap(m),
				    chance(m, 3) ? "CONSTRAINT \"a,b\" " : "", key->name,
				    PICK(m, orders));
	if (chance(m, 12))
		sqlite3_str_appendf(sql, ", CHECK (\"%w\" IS NOT 'x(,')", t->column[0].name);
	if (chance(m, 20))
		sqlite3_str_appendf(sql, ", FOREIGN KEY (\"%w\") REFERENCES x (y)",
				    t->column[0].name);
	if (chance(m, 40))
		sqlite3_str_appendf(sql, ", UNIQUE (\"%w\")", t->column[0].name);
}

static size_t choose_width(struct making *m)
{
	if (chance(m, 60))
		return 1 + dice(m, 500);
	if (chance(m, 10))
		return 1 + dice(m, 70);
	return 1 + dice(m, 9);
}

static void add_column(struct making *m, struct table *t)
{
	struct column *c = &t->column[t->n_columns];

	name_column(m, c->name);
	c->kind = dice(m, 10);
	c->generated = false;
}

enum key { NO_KEY, INLINE_KEY, TABLE_KEY };

/* The columns; *ret_key is the one of the key. */
static void put_columns(struct making *m, sqlite3_str *sql, struct table *t, enum key key,
			const struct column **ret_key)
{
	size_t width = choose_width(m), key_at = dice(m, (uint32_t)width);

	for (size_t i = 0; i < width; i++) {
		sqlite3_str_appendall(sql, i ? "," : "");
		add_column(m, t);
		if (i == key_at && key == INLINE_KEY)
			put_key_column(m, sql, &t->column[i]);
		else if (i == key_at && key == TABLE_KEY) {
			put_name(m, sql, t->column[i].name);
			sqlite3_str_appendall(sql, chance(m, 3) ? " INT" : " INTEGER");
			*ret_key = &t->column[i];
		} else {
			put_column(m, sql, t, &t->column[i]);
		}
		if (key != NO_KEY && i == key_at && dice(m, 3))
			t->column[i].kind = 2 + 6 * dice(m, 2);
		t->n_columns++;
	}
}

static void create_table(struct making *m)
{
	struct table *t = &m->table[m->n_tables];
	sqlite3_str *sql = sqlite3_str_new(m->db);
	const struct column *key_column = NULL;
	enum key key = dice(m, 5) < 2 ? NO_KEY : chance(m, 3) ? TABLE_KEY : INLINE_KEY;
	bool without = key != NO_KEY && chance(m, 8);

	t->n_columns = 0;
	t->rowid = !without;
	t->strict = chance(m, 12);
	name_table(m, t->name);
	sqlite3_str_appendf(sql, "CREATE TABLE%s%s", gap(m), chance(m, 9) ? "IF NOT EXISTS " : "");
	put_name(m, sql, t->name);
	sqlite3_str_appendf(sql, "%s(", gap(m));
	put_columns(m, sql, t, key, &key_column);
	put_table_constraint(m, sql, t, key_column);
	sqlite3_str_appendf(sql, ")%s%s%s", without ? " WITHOUT ROWID" : "",
			    without && t->strict ? "," : "", t->strict ? " STRICT" : "");
	if (run(m, sqlite3_str_finish(sql)))
		m->n_tables++;
}

/* --- rows ----------------------------------------------------------------------------------- */

static bool shadows_rowid(const struct table *t)
{
	for (size_t i = 0; i < t->n_columns; i++) {
		if (!sqlite3_stricmp(t->column[i].name, "rowid"))
			return true;
	}
	return false;
}

/* An INSERT of some columns, perhaps with the rowid in front; which ones are in used. */
static sqlite3_stmt *prepare_insert(struct making *m, const struct table *t, bool rowid,
				    unsigned char used[MAX_COLUMNS])
{
	static const char *const ways[] = { "", "OR IGNORE ", "OR REPLACE " };
	sqlite3_str *sql = sqlite3_str_new(m->db);
	bool all = dice(m, 4);
	sqlite3_stmt *stmt = NULL;
	size_t n = 0;
	char *text;

	sqlite3_str_appendf(sql, "INSERT %sINTO \"%w\" (", PICK(m, ways), t->name);
	if (rowid)
		sqlite3_str_appendall(sql, "rowid");
	for (size_t i = 0; i < t->n_columns; i++) {
		used[i] = !t->column[i].generated && (all || dice(m, 4));
		if (used[i])
			sqlite3_str_appendf(sql, "%s\"%w\"", n++ || rowid ? "," : "",
					    t->column[i].name);
	}
	sqlite3_str_appendall(sql, ") VALUES (?");
	for (size_t i = 1; i < n + rowid; i++)
		sqlite3_str_appendall(sql, ",?");
	sqlite3_str_appendall(sql, ")");
	text = sqlite3_str_finish(sql);
	(void)sqlite3_prepare_v2(m->db, text, -1, &stmt, NULL);
	sqlite3_free(text);
	return stmt;
}

static void insert_rows(struct making *m, const struct table *t, uint32_t n)
{
	static unsigned char used[MAX_COLUMNS];
	bool rowid = t->rowid && !shadows_rowid(t) && chance(m, 4);
	sqlite3_stmt *stmt = prepare_insert(m, t, rowid, used);

	for (uint32_t row = 0; stmt && row < n; row++) {
		int at = 1;
		bool done;

		if (rowid)
			random_value_bind(stmt, at++, &m->random, 2);
		for (size_t i = 0; i < t->n_columns; i++) {
			if (used[i])
				random_value_bind(stmt, at++, &m->random, t->column[i].kind);
		}
		done = sqlite3_step(stmt) == SQLITE_DONE;
		m->count->done += done;
		m->count->refused += !done;
		(void)sqlite3_reset(stmt);
	}
	m->count->refused += !stmt;
	(void)sqlite3_finalize(stmt);
}

static uint32_t choose_rows(struct making *m, const struct table *t)
{
	uint32_t n = chance(m, 6) ? 0 : 1 + dice(m, 12);

	if (chance(m, 6))
		n += dice(m, 100);
	if (m->row_scale > 1)
		n += dice(m, m->row_scale);
	return t->n_columns > 40 ? n / 8 : n;
}

/* --- changes -------------------------------------------------------------------------------- */

static void update_rows(struct making *m, const struct table *t)
{
	static const char *const values[] = { "NULL",
					      "0",
					      "1",
					      "'grown ' || hex(zeroblob(200))",
					      "zeroblob(900)",
					      "1.0",
					      "1e19",
					      "-9223372036854775808",
					      "x'00'",
					      "hex(randomblob(0))",
					      "abs(3)",
					      "CAST(x'ff' AS TEXT)" };
	const struct column *c = &t->column[dice(m, (uint32_t)t->n_columns)];

	(void)run(m, sqlite3_mprintf("UPDATE OR IGNORE \"%w\" SET \"%w\" = %s WHERE %s %% %d = 0",
				     t->name, c->name, PICK(m, values),
				     t->rowid && !shadows_rowid(t) ? "rowid" : "1",
				     1 + (int)dice(m, 5)));
}

static void delete_rows(struct making *m, const struct table *t)
{
	if (chance(m, 6))
		(void)run(m, sqlite3_mprintf("DELETE FROM \"%w\"", t->name));
	else if (t->rowid && !shadows_rowid(t))
		(void)run(m, sqlite3_mprintf("DELETE FROM \"%w\" WHERE rowid %% %d = 0", t->name,
					     2 + (int)dice(m, 6)));
}

static void widen_table(struct making *m, struct table *t)
{
	static const char *const ends[] = { "",
					    "",
					    " INTEGER",
					    " TEXT",
					    " REAL DEFAULT 5",
					    " DEFAULT 7",
					    " INT DEFAULT '12'",
					    " TEXT DEFAULT 5",
					    " DEFAULT 'text'",
					    " DEFAULT x'4142'",
					    " DEFAULT NULL",
					    " INTEGER NOT NULL DEFAULT 3",
					    " DEFAULT 1.0",
					    " INT AS (5)",
					    " CHECK (1)",
					    " COLLATE NOCASE DEFAULT -1" };
	const char *end = PICK(m, ends);
	struct column *c = &t->column[t->n_columns];

	if (t->n_columns + 1 >= MAX_COLUMNS)
		return;
	add_column(m, t);
	c->generated = !!strstr(end, " AS ");
	if (run(m, sqlite3_mprintf("ALTER TABLE \"%w\" ADD COLUMN%s\"%w\"%s", t->name, gap(m),
				   c->name, end)))
		t->n_columns++;
}

static void narrow_table(struct making *m, struct table *t)
{
	size_t at = dice(m, (uint32_t)t->n_columns);

	if (!run(m, sqlite3_mprintf("ALTER TABLE \"%w\" DROP COLUMN \"%w\"", t->name,
				    t->column[at].name)))
		return;
	t->n_columns--;
	memmove(&t->column[at], &t->column[at + 1], (t->n_columns - at) * sizeof(*t->column));
}

static void rename_thing(struct making *m, struct table *t)
{
	char name[NAME];

	if (chance(m, 2)) {
		name_table(m, name);
		if (run(m, sqlite3_mprintf("ALTER TABLE \"%w\" RENAME TO \"%w\"", t->name, name)))
			memcpy(t->name, name, NAME);
	} else {
		struct column *c = &t->column[dice(m, (uint32_t)t->n_columns)];

		name_column(m, name);
		if (run(m, sqlite3_mprintf("ALTER TABLE \"%w\" RENAME COLUMN \"%w\" TO \"%w\"",
					   t->name, c->name, name)))
			memcpy(c->name, name, NAME);
	}
}

static void add_object(struct making *m, const struct table *t)
{
	const char *column = t->column[dice(m, (uint32_t)t->n_columns)].name;
	int n = (int)m->n_names++;

	switch (dice(m, 5)) {
	case 0:
		(void)run(m,
			  sqlite3_mprintf("CREATE VIEW v%d AS SELECT * FROM \"%w\"", n, t->name));
		break;
	case 1:
		(void)run(m, sqlite3_mprintf("CREATE TRIGGER g%d AFTER DELETE ON \"%w\" BEGIN"
					     " SELECT 1; END",
					     n, t->name));
		break;
	case 2:
		(void)run(m, sqlite3_mprintf("ANALYZE"));
		break;
	default:
		(void)run(m, sqlite3_mprintf("CREATE INDEX i%d ON \"%w\" (\"%w\" DESC)", n, t->name,
					     column));
		break;
	}
}

/* CREATE TABLE ... AS, whose text SQLite writes. */
static void copy_table(struct making *m, const struct table *t)
{
	struct table *copy = &m->table[m->n_tables];
	char name[NAME];

	if (m->n_tables == MAX_TABLES)
		return;
	name_table(m, name);
	if (!run(m, sqlite3_mprintf("CREATE TABLE \"%w\" AS SELECT * FROM \"%w\"", name, t->name)))
		return;
	memcpy(copy->name, name, NAME);
	memcpy(copy->column, t->column, t->n_columns * sizeof(*t->column));
	for (size_t i = 0; i < t->n_columns; i++)
		copy->column[i].generated = false;
	copy->n_columns = t->n_columns;
	copy->rowid = true;
	copy->strict = false;
	m->n_tables++;
}

static void drop_table(struct making *m, size_t i)
{
	struct table last;

	if (!run(m, sqlite3_mprintf("DROP TABLE \"%w\"", m->table[i].name)))
		return;
	last = m->table[i];
	m->table[i] = m->table[--m->n_tables];
	m->table[m->n_tables] = last; /* keeps its memory */
}

static void end_and_begin(struct making *m, const char *between)
{
	(void)run(m, sqlite3_mprintf("COMMIT"));
	(void)run(m, sqlite3_mprintf("%s", between));
	(void)run(m, sqlite3_mprintf("BEGIN"));
}

static void change(struct making *m)
{
	size_t at = dice(m, (uint32_t)m->n_tables);
	struct table *t = &m->table[at];

	switch (dice(m, 16)) {
	case 0:
	case 1:
	case 2:
		widen_table(m, t);
		break;
	case 3:
	case 4:
		update_rows(m, t);
		break;
	case 5:
	case 6:
		delete_rows(m, t);
		break;
	case 7:
		narrow_table(m, t);
		break;
	case 8:
		rename_thing(m, t);
		break;
	case 9:
	case 10:
		add_object(m, t);
		break;
	case 11:
		if (chance(m, 2))
			copy_table(m, t);
		else
			drop_table(m, at);
		break;
	case 12:
		if (chance(m, 3))
			end_and_begin(m, "VACUUM");
		else
			(void)run(m, sqlite3_mprintf("PRAGMA incremental_vacuum(%d)",
						     (int)dice(m, 9)));
		break;
	default:
		insert_rows(m, t, choose_rows(m, t));
		break;
	}
}

/* --- the file ------------------------------------------------------------------------------- */

static void choose_format(struct making *m)
{
	static const char *const encodings[] = { "UTF-16le", "UTF-16be" };
	int page = 512 << (chance(m, 2) ? 0 : dice(m, 8));
	int reserved = (int)dice(m, page == 512 ? 33 : 256);

	(void)run(m, sqlite3_mprintf("PRAGMA page_size = %d; PRAGMA auto_vacuum = %d;"
				     "PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY;"
				     "PRAGMA locking_mode = EXCLUSIVE",
				     page, chance(m, 4) ? (int)dice(m, 3) : 0));
	if (chance(m, 16))
		(void)run(m, sqlite3_mprintf("PRAGMA encoding = '%s'", PICK(m, encodings)));
	if (chance(m, 8))
		(void)sqlite3_db_config(m->db, SQLITE_DBCONFIG_LEGACY_FILE_FORMAT, 1, (int *)NULL);
	if (chance(m, 5))
		(void)sqlite3_file_control(m->db, "main", SQLITE_FCNTL_RESERVE_BYTES, &reserved);
	m->row_scale = chance(m, 100) ? 6000 : chance(m, 20) ? 1500 : chance(m, 6) ? 300 : 0;
}

static void fill(struct making *m)
{
	uint32_t n_tables = 1 + dice(m, chance(m, 3) ? 4 : 2);
	uint32_t n_changes = chance(m, 3) ? 0 : dice(m, 8);

	(void)run(m, sqlite3_mprintf("BEGIN"));
	for (uint32_t i = 0; i < n_tables; i++) {
		create_table(m);
		if (m->n_tables > 0)
			insert_rows(m, &m->table[m->n_tables - 1],
				    choose_rows(m, &m->table[m->n_tables - 1]));
	}
	for (uint32_t i = 0; i < n_changes && m->n_tables > 0; i++)
		change(m);
	(void)run(m, sqlite3_mprintf("COMMIT"));
	if (chance(m, 16)) /* the header says so, but no file stays beside it */
		(void)run(m, sqlite3_mprintf("PRAGMA locking_mode = NORMAL;"
					     "PRAGMA journal_mode = WAL; CREATE TABLE wal (x);"
					     "INSERT INTO wal VALUES (1)"));
}

static int print_statement(unsigned type, void *ctx, void *stmt, void *text)
{
	char *sql = sqlite3_expanded_sql(stmt);

	(void)type;
	(void)ctx;
	(void)text;
	(void)fprintf(stderr, "%s;\n", sql ? sql : "?");
	sqlite3_free(sql);
	return 0;
}

void random_db_make(const char *path, uint64_t seed, int trace, struct random_db_count *count)
{
	struct making m = { .random = seed * 2654435761U + 1, .count = count };
	struct column *columns = calloc((size_t)MAX_TABLES * MAX_COLUMNS, sizeof(*columns));

	for (size_t i = 0; columns && i < MAX_TABLES; i++)
		m.table[i].column = columns + i * MAX_COLUMNS;
	(void)unlink(path);
	if (!columns ||
	    sqlite3_open_v2(path, &m.db,
			    SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
			    NULL) != SQLITE_OK)
		abort();
	if (trace)
		(void)sqlite3_trace_v2(m.db, SQLITE_TRACE_STMT, print_statement, NULL);
	choose_format(&m);
	fill(&m);
	if (sqlite3_close(m.db) != SQLITE_OK)
		abort();
	free(columns);
}
