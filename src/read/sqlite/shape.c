/* SPDX-License-Identifier: MIT */
/* shape.c - read/shape.h by SQLite: its pragmas say how a table is stored. */
#include "read/shape.h"

#include <string.h>

#include "read/sqlite/connection.h"

/* The rules of "Determination Of Column Affinity" in SQLite's documentation. */
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

/* The first column of the first row as an integer; -1 where there is no row. */
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
	size_t n_keys; /* columns of the key, in the scan or not */
};

/* Columns that are computed on reading are not stored (hidden is 2). */
static int read_columns(struct wl_sqlite_reader *reader, const struct wl_scan *scan,
			struct wl_shape *ret, struct columns *found, struct wl_err *reterr)
{
	sqlite3_stmt *stmt = NULL;
	int r = wl_sqlite_prepare(reader,
				  "SELECT name, type, hidden, dflt_value IS NOT NULL, pk "
				  "FROM pragma_table_xinfo('%q')",
				  scan->table, &stmt, reterr);
	uint32_t field = 0;
	int code = SQLITE_DONE;

	*found = (struct columns){ .n_keys = 0 };
	while (r == WL_OK && (code = sqlite3_step(stmt)) == SQLITE_ROW) {
		bool is_key = sqlite3_column_int(stmt, 4) > 0;
		bool is_integer = sqlite3_stricmp(wl_sqlite_text(stmt, 1), "INTEGER") == 0;

		found->n_keys += is_key;
		for (size_t i = 0; i < scan->n_columns; i++) {
			if (strcmp(scan->column[i], wl_sqlite_text(stmt, 0)) != 0)
				continue;
			ret->column[i] = (struct wl_shape_column){
				.field = field,
				.is_real = is_real(wl_sqlite_text(stmt, 1)),
				.has_default = sqlite3_column_int(stmt, 3) != 0,
			};
			found->keys |= (uint64_t)(is_key && is_integer) << i;
			found->there |= (uint64_t)1 << i;
		}
		field += sqlite3_column_int(stmt, 2) != 2;
	}
	if (r == WL_OK && code != SQLITE_DONE)
		r = wl_sqlite_fail(reader, code, reterr);
	(void)sqlite3_finalize(stmt);
	return r;
}

int wl_sqlite_shape(struct wl_reader *reader, const struct wl_scan *scan, struct wl_shape *ret,
		    struct wl_err *reterr)
{
	struct wl_sqlite_reader *sqlite = (struct wl_sqlite_reader *)reader;
	struct columns found = { .n_keys = 0 };
	int64_t root, index;
	int r = first_int(sqlite,
			  "SELECT rootpage FROM sqlite_schema WHERE type = 'table' AND name = '%q'",
			  scan->table, &root, reterr);

	ret->root = 0;
	if (r == WL_OK)
		r = read_columns(sqlite, scan, ret, &found, reterr);
	if (r < 0 || root <= 0 || root > UINT32_MAX ||
	    found.there != ((uint64_t)1 << scan->n_columns) - 1)
		return r;
	ret->root = (uint32_t)root;
	if (!found.keys || found.n_keys != 1)
		return WL_OK;
	/* INTEGER PRIMARY KEY DESC is no alias, for reasons of SQLite's history: it has an index.
	 */
	r = first_int(sqlite, "SELECT 1 FROM pragma_index_list('%q') WHERE origin = 'pk'",
		      scan->table, &index, reterr);
	for (size_t i = 0; r == WL_OK && index < 0 && i < scan->n_columns; i++)
		ret->column[i].is_rowid = (found.keys >> i & 1) != 0;
	return r;
}
