/* SPDX-License-Identifier: MIT */
/* reads.h - the tables and columns of a file that the reader uses, for people who want to know. */
#ifndef WL_READ_READS_H
#define WL_READ_READS_H

#include <stdbool.h>

/* Some family or the catalogue is made of this column. */
bool wl_reads_column(const char *table, const char *column);

/* How to record rows of this table, as families.def says; NULL for a table that fills no family. */
const char *wl_reads_capture(const char *table);

#endif
