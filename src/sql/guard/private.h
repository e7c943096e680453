/* SPDX-License-Identifier: MIT */
/*
 * private.h - which tables of an export hold private text, and what stands for it.
 *
 * The environment of the traced program is in rows of META_DATA_CAPTURE, in one row of
 * TARGET_INFO_SYSTEM_ENV and in strings of StringIds, which also holds the output that
 * ProcessStreams names.
 */
#ifndef WL_SQL_PRIVATE_H
#define WL_SQL_PRIVATE_H

#include "sql/connection.h"

/* The text that stands for a private one. */
#define WL_SQL_MASK "(hidden)"

/* The table that names output; contentId is a string. */
#define WL_SQL_OUTPUT_TABLE "ProcessStreams"

/*
 * A table with private text. Expressions are of a connection with wl_sql_add_masks(). Arguments of
 * a command line stand one after the other, and a secret may be the value of the one before.
 */
struct wl_sql_hidden {
	const char *name;
	const char *column; /* with the text; NULL: no row of the table is shown */
	const char *shown;  /* what stands for the column, an expression */
	const char *keep;   /* which rows are shown, an expression */
	const char *why;    /* what is private */
};

/* The i-th of them; NULL past the end. */
const struct wl_sql_hidden *wl_sql_hidden_at(size_t i);

/* By name, whatever its case; NULL: it has no private text. */
const struct wl_sql_hidden *wl_sql_hidden_find(const char *table);

/*
 * Read which strings are output, and add the functions of the expressions above to the hidden
 * connection of a file. Returns a code of SQLite.
 */
int wl_sql_add_masks(struct wl_sql_file *file);

/*
 * The text of n bytes is an environment: variables with NUL between them, as the kernel has them,
 * or one whose value is a path.
 */
bool wl_sql_is_environment(const char *text, size_t n);

/* Statements may not read the table of a file. */
bool wl_sql_is_hidden(const struct wl_sql *sql, const char *table);

/* Why not, and what to read instead. */
void wl_sql_hidden_reason(const struct wl_sql *sql, const char *schema, const char *table,
			  char *buf, size_t size);

/* The view in place of a table: its name in the first file, with a prefix in others. */
void wl_sql_shadow_name(const struct wl_sql *sql, const struct wl_sql_file *file, const char *table,
			char *buf, size_t size);

#endif
