/* SPDX-License-Identifier: MIT */
/*
 * explorer.h - the schema of a trace as one HTML page: its tables and columns, how they are
 * related, what is needed to understand them, and queries to copy.
 *
 * It is built only from the schema verb's answer and known/.
 */
#ifndef WL_RENDER_EXPLORER_H
#define WL_RENDER_EXPLORER_H

#include <stdbool.h>
#include <stdio.h>

#include "table/document.h"

/* Facts that only the reader knows. */
struct wl_explorer_reader {
	/* Whether it reads this column of this table. */
	bool (*reads)(const char *table, const char *column);
	/* The command that records rows of this table; NULL if unknown. */
	const char *(*capture)(const char *table);
};

/*
 * Write the page. The document is the schema verb's answer for one trace: its first section has the
 * columns table, rows, column and type, whatever its view shows, and the rows of each table are
 * contiguous. Write errors stay in the stream.
 */
void wl_render_explorer(const struct wl_document *doc, const struct wl_explorer_reader *reader,
			FILE *out);

#endif
