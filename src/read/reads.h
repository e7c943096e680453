/* SPDX-License-Identifier: MIT */
/* reads.h - the tables and columns of a file that the reader uses, for people who want to know. */
#ifndef WL_READ_READS_H
#define WL_READ_READS_H

#include <stdbool.h>

#include "model/trace.h"

struct wl_family_table;

/* Some family or the catalogue is made of this column. */
bool wl_reads_column(const char *table, const char *column);

/* How to record rows of this table, as families.def says; NULL for a table that fills no family. */
const char *wl_reads_capture(const char *table);

/* Whether a file's table is read; its families are filled by these tables, NULL where none is. */
enum wl_table_use wl_reads_table(const char *table, const struct wl_family_table *const *filled_by);

#endif
