/* SPDX-License-Identifier: MIT */
/* shape.c - implements read/shape.h with SQLite's pragmas, which describe how a table is stored. */
#include "read/shape.h"

#include <string.h>

#include "read/sqlite/connection.h"

/* Implements "Determination Of Column Affinity" from SQLite's documentation. */
static bool is_real(const char *type)
{
	static const char *const real[] = { "%REAL%", "%FLOA%", "%DOUB%" };
	static const char *const other[] = { "%INT%", "%CHAR%", "%CLOB%", "%TEXT%", "%BLOB%" };

	for (size_t i = 0; i < WL_COUNT(other); i++) {
		if (sqlite3_strlike(other[i], type, 0) == 0)
			return false;
	}
	for (size_t i = 0; i < WL_COUNT(real); i++) {
		if (sqlite3_strlike(real[i], type, 0) == 0)
			return true;
	}
	return false;
}

/* The first column of the first row as an integer; -1 if there is no row. */
static int first_int(struct wl_sqlite_reader *reader, const char *fmt, const char *table,
		     int64_t *ret, struct wl_err *reterr)
{
	sqlite3_stmt *stmt = NULL;
	int r = wl_sqlite_prepare(reader, fmt, table, &stmt, reterr);
	int code = r == WL_OK ? sqlite3_step(stmt) : SQLITE_DONE;

	*ret = -1;
	if (code == SQLITE_ROW)
		*ret = sqlite3_column_int64(stmt, 0);
	else if (code != SQLITE_DONE)
		r = wl_sqlite_fail(reader, code, reterr);
	(void)sqlite3_finalize(stmt);
	return r;
}

/* Which columns of the scan a table has: a bit for each. */
struct columns {
	uint64_t there;
	uint64_t keys; /* integers, in the primary key */
	size_t n_keys; /* columns of the key, whether in the scan or not */
};

static bool is_of(const struct wl_sqlite_schema *schema, size_t column, const char *table)
{
	const struct wl_sqlite_column *c = schema->columns.data;

	return strcmp(wl_sqlite_schema_text(schema, c[column].table), table) == 0;
}

/*
 * The index of a table's first column; the number of columns if there is no such table. Callers
 * usually go through the tables in order, so the table after the last one is tried first.
 */
static size_t find_table(const struct wl_sqlite_schema *schema, const char *table)
{
	size_t n = schema->columns.n;

	if (schema->next < n && is_of(schema, schema->next, table))
		return schema->next;
	for (size_t k = 0; k < n; k++) {
		if (is_of(schema, k, table))
			return k;
	}
	return n;
}

/* Columns computed on reading are not stored (hidden is 2). */
static int64_t read_columns(struct wl_sqlite_schema *schema, const struct wl_scan *scan,
			    struct wl_shape *ret, struct columns *found)
{
	const struct wl_sqlite_column *c = schema->columns.data;
	size_t k = find_table(schema, scan->table);
	uint32_t field = 0;
	int64_t root = 0;

	*found = (struct columns){ .n_keys = 0 };
	for (; k < schema->columns.n && is_of(schema, k, scan->table); k++) {
		const char *type = wl_sqlite_schema_text(schema, c[k].type);

		root = c[k].root;
		found->n_keys += c[k].is_key;
		for (size_t i = 0; i < scan->n_columns; i++) {
			if (strcmp(scan->column[i], wl_sqlite_schema_text(schema, c[k].name)) != 0)
				continue;
			ret->column[i] = (struct wl_shape_column){
				.field = field,
				.is_real = is_real(type),
				.has_default = c[k].has_default,
			};
			found->keys |=
				(uint64_t)(c[k].is_key && sqlite3_stricmp(type, "INTEGER") == 0)
				<< i;
			found->there |= (uint64_t)1 << i;
		}
		field += c[k].hidden != 2;
	}
	schema->next = k;
	return root;
}

int wl_sqlite_shape(struct wl_reader *reader, const struct wl_scan *scan, struct wl_shape *ret,
		    struct wl_err *reterr)
{
	struct wl_sqlite_reader *sqlite = (struct wl_sqlite_reader *)reader;
	struct wl_sqlite_schema *schema;
	struct columns found = { .n_keys = 0 };
	int64_t root = 0, index;
	int r = wl_sqlite_schema_get(sqlite, &schema, reterr);

	ret->root = 0;
	if (r == WL_OK)
		root = read_columns(schema, scan, ret, &found);
	if (r < 0 || root <= 0 || root > UINT32_MAX ||
	    found.there != ((uint64_t)1 << scan->n_columns) - 1)
		return r;
	ret->root = (uint32_t)root;
	if (!found.keys || found.n_keys != 1)
		return WL_OK;
	/* INTEGER PRIMARY KEY DESC is not an alias, for historical reasons in SQLite: it has an
	 * index. */
	r = first_int(sqlite, "SELECT 1 FROM temp.pragma_index_list('%q') WHERE origin = 'pk'",
		      scan->table, &index, reterr);
	for (size_t i = 0; r == WL_OK && index < 0 && i < scan->n_columns; i++)
		ret->column[i].is_rowid = (found.keys >> i & 1) != 0;
	return r;
}
