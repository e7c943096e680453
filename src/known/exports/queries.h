/* SPDX-License-Identifier: MIT */
/* queries.h - example queries to an export for sqlite3; the tests run them. */
#ifndef WL_KNOWN_QUERIES_H
#define WL_KNOWN_QUERIES_H

#include <stdbool.h>
#include <stddef.h>

/* A line of queries.def, where the syntax of needs and sql is. */
struct wl_query_fact {
	const char *title;
	const char *answers; /* a sentence or two */
	const char *verb;    /* what of warplens answers the same; "" for nothing */
	const char *needs;
	const char *sql; /* for wl_sql_line() */
};

extern const struct wl_query_fact wl_query_facts[];
extern const size_t wl_n_query_facts;

/* What the file has: the table where column is NULL, or the column of the table. */
typedef bool wl_has_fn(const void *ctx, const char *table, const char *column);

/*
 * The first of the query's needs that the file does not meet, up to the next blank or the
 * end of the text; NULL when it has all.
 */
const char *wl_query_lacks(const struct wl_query_fact *query, wl_has_fn *has, const void *ctx);

/*
 * The next line of an SQL text for this file, its length with the line feed in *ret_n, and
 * *sql behind it. NULL at the end. A line that the file has no table for is passed over.
 */
const char *wl_sql_line(const char **sql, wl_has_fn *has, const void *ctx, size_t *ret_n);

#endif
