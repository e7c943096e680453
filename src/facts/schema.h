/*
 * schema.h - what the tables and columns of an Nsight Systems export mean to us.
 *
 * A catalogue for people (the schema verb, the schema explorer); the reader binds
 * columns by read/bindings.def, and a test holds the two together.
 */
#ifndef WL_FACTS_SCHEMA_H
#define WL_FACTS_SCHEMA_H

#include <stddef.h>

/* A line of schema.def: a table, or a column of the table above it. */
struct wl_schema_entry {
	const char *table;   /* NULL for a column */
	const char *column;  /* NULL for a table */
	const char *meaning; /* a fragment: lower case, no full stop */
};

extern const struct wl_schema_entry wl_schema[];
extern const size_t wl_n_schema;

/*
 * The meaning of a column, or of the table where column is NULL. NULL when we do
 * not know it. Tables named ENUM_* all mean the same.
 */
const char *wl_schema_meaning(const char *table, const char *column);

#endif
