/* SPDX-License-Identifier: MIT */
/* connection.h - the connection of an open reader, for the other sources in read/sqlite. */
#ifndef WL_READ_SQLITE_CONNECTION_H
#define WL_READ_SQLITE_CONNECTION_H

#include <sqlite3.h>

#include "base/memory/vec.h"
#include "read/reader.h"

struct wl_sqlite_reader; /* begins with struct wl_reader */

/*
 * Prepare a statement from an sqlite3_mprintf format with one name (%q or %w). The file's size
 * bounds the steps it may take.
 */
int wl_sqlite_prepare(struct wl_sqlite_reader *reader, const char *fmt, const char *name,
		      sqlite3_stmt **ret_stmt, struct wl_err *reterr) WL_MUST_CHECK;

/* A column of a table in SQLite's schema. Texts are offsets. */
struct wl_sqlite_column {
	uint32_t table, name, type;
	int64_t root; /* page of the table's tree */
	int hidden;   /* not 0: computed; 2: computed on reading, so records have no field */
	bool has_default, is_key;
};

/* The columns of all ordinary tables, table by table; a single statement reads them. */
struct wl_sqlite_schema {
	struct wl_vec text;    /* char: each text ends in NUL */
	struct wl_vec columns; /* struct wl_sqlite_column */
	size_t next;           /* the column after the table that was looked up last */
	bool is_read;
};

/* Reads the schema on the first call. */
int wl_sqlite_schema_get(struct wl_sqlite_reader *reader, struct wl_sqlite_schema **ret,
			 struct wl_err *reterr) WL_MUST_CHECK;

static inline const char *wl_sqlite_schema_text(const struct wl_sqlite_schema *s, uint32_t at)
{
	return (const char *)s->text.data + at;
}

/* A column of the row as text; "" for NULL. Valid until the next step. */
static inline const char *wl_sqlite_text(sqlite3_stmt *stmt, int column)
{
	const unsigned char *s = sqlite3_column_text(stmt, column);

	return s ? (const char *)s : "";
}

/* Report the failure that a step or another call returned. */
int wl_sqlite_fail(struct wl_sqlite_reader *reader, int code, struct wl_err *reterr);

#endif
