/* SPDX-License-Identifier: MIT */
/* reads.h - lists the tables and columns of a file that the reader uses, for display to users. */
#ifndef WL_READ_READS_H
#define WL_READ_READS_H

#include <stdbool.h>

#include "model/trace.h"

struct wl_family_table;

/* Whether some family or the catalogue uses this column. */
bool wl_reads_column(const char *table, const char *column);

/* How to record rows of this table, from families.def; NULL if the table fills no family. */
const char *wl_reads_capture(const char *table);

/* Whether a file's table is read. filled_by holds the table that fills each family, NULL if none
 * does. */
enum wl_table_use wl_reads_table(const char *table, const struct wl_family_table *const *filled_by);

#endif
