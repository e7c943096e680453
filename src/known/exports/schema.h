/* SPDX-License-Identifier: MIT */
/*
 * schema.h - the meaning of the tables and columns of an Nsight Systems export.
 *
 * A catalogue for people (the schema verb, the schema explorer); the reader binds
 * columns by read/bindings.def, and a test holds the two together.
 */
#ifndef WL_KNOWN_SCHEMA_H
#define WL_KNOWN_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>

/*
 * A line of schema.def: a table, or a column of the table above it. The versions are those
 * of the exports that we have seen: no older one has it than since, no later one than until.
 * "" is no bound; "2021" stands for the exports of 2020 and 2021, which do not say a version.
 */
struct wl_schema_entry {
	const char *table;         /* NULL for a column */
	const char *column;        /* NULL for a table */
	const char *since, *until; /* of a column: beyond the bounds of its table */
	const char *meaning;       /* a fragment: lower case, no full stop */
	bool is_derived;           /* of a table: its rows come from other tables */
};

extern const struct wl_schema_entry wl_schema[];
extern const size_t wl_n_schema;

/*
 * The entry of a column, or of the table where column is NULL. NULL when we do not know
 * it. Tables named ENUM_*, and DYNAMIC_NVTXPAYLOAD_*, are all alike. Linear in the catalogue.
 */
const struct wl_schema_entry *wl_schema_find(const char *table, const char *column);

/* What it means, in the same cases. */
const char *wl_schema_meaning(const char *table, const char *column);

/* Since when there is this column, or this table where column is NULL; NULL if not known. */
const char *wl_schema_since(const char *table, const char *column);

#endif
