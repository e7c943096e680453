/* SPDX-License-Identifier: MIT */
/*
 * raw_reads.h - which files of a job the raw tables of a statement are of.
 *
 * Verbs and events cover every rank of a job, raw tables one file each: a statement that reads one
 * file has an answer that looks like the job's.
 */
#ifndef WL_SQL_RAW_READS_H
#define WL_SQL_RAW_READS_H

#include "sql/connection.h"
#include "table/table.h"

/* A run begins: forget the reads of the last one. */
void wl_sql_raw_begin(struct wl_sql *sql);

/* The authorizer sees a read; schema is NULL where SQLite does not say it. */
void wl_sql_raw_saw(struct wl_sql *sql, const char *table, const char *schema);

/* Say in a note which files were not read, where some of a job were and others were not. */
void wl_sql_raw_note(struct wl_sql *sql, struct wl_table *table);

#endif
