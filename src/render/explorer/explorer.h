/* SPDX-License-Identifier: MIT */
/*
 * explorer.h - the schema of a trace as one page: its tables and columns, how they belong
 * together, what one has to know to read them, and queries to copy.
 *
 * It is made of the answer of the schema verb and of known/; nothing comes from elsewhere.
 */
#ifndef WL_RENDER_EXPLORER_H
#define WL_RENDER_EXPLORER_H

#include <stdbool.h>
#include <stdio.h>

#include "table/document.h"

/* What only the reader knows. */
struct wl_explorer_reader {
	/* It reads this column of this table. */
	bool (*reads)(const char *table, const char *column);
	/* How to record rows of this table: a command; NULL where it is not known. */
	const char *(*capture)(const char *table);
};

/*
 * Write the page. The document is the schema verb's answer for one trace: its first section
 * has, whatever its view shows, the columns table, rows, column and type, with the rows of a
 * table one after the other. Write errors stay in the stream.
 */
void wl_render_explorer(const struct wl_document *doc, const struct wl_explorer_reader *reader,
			FILE *out);

#endif
