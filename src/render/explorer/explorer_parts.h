/* SPDX-License-Identifier: MIT */
/* explorer_parts.h - the parts of the schema explorer's page. Only explorer*.c include it. */
#ifndef WL_RENDER_EXPLORER_PARTS_H
#define WL_RENDER_EXPLORER_PARTS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "known/exports/relations.h"
#include "render/explorer/explorer.h"
#include "table/table.h"

/* A page being written. */
struct wl_explorer {
	FILE *out;
	const struct wl_explorer_reader *reader;
	const struct wl_table *schema;
	size_t table, rows, column, type; /* indexes of its columns */
};

/* The schema rows of one table. */
struct wl_explorer_table {
	const char *name;
	size_t first, n;
	int64_t rows; /* the table's own rows */
};

/* The table whose first row is *at, which advances to the next table, or to the number of rows
 * after the last one. */
struct wl_explorer_table wl_explorer_next(const struct wl_explorer *e, size_t *at);

/* False if the trace lacks the table. Linear in the number of columns of the trace. */
bool wl_explorer_find(const struct wl_explorer *e, const char *table,
		      struct wl_explorer_table *ret);

/* The cell of a text column; "" if not set. */
const char *wl_explorer_text(const struct wl_explorer *e, size_t row, size_t col);

/* Whether the trace has the table and, unless NULL, the column. A wl_has_fn for struct wl_explorer.

 */
bool wl_explorer_has(const void *explorer, const char *table, const char *column);

/* Whether the trace has both sides of the relation. */
bool wl_explorer_relates(const struct wl_explorer *e, const struct wl_relation *r);

/* A link to a table of the trace; only the name if there is no such table. */
void wl_explorer_put_link(const struct wl_explorer *e, const char *table);

/* Writes the class " k-KEY" for each concept that is about the column, into an open attribute. */
void wl_explorer_put_marks(const struct wl_explorer *e, const char *table, const char *column);

/* The sections, in page order. */
void wl_explorer_put_concepts(const struct wl_explorer *e);
void wl_explorer_put_relations(const struct wl_explorer *e);
void wl_explorer_put_tables(const struct wl_explorer *e);
void wl_explorer_put_queries(const struct wl_explorer *e);
void wl_explorer_put_absent(const struct wl_explorer *e);

/* The diagram of the relations: a figure without its table. */
void wl_explorer_put_map(const struct wl_explorer *e);

/* The page's additions to page.h: a style element, and a script with its hash. */
void wl_explorer_put_style(FILE *out);
extern const char wl_explorer_hash[];

#endif
