/* SPDX-License-Identifier: MIT */
#include "sql/guard/raw_reads.h"

#include <stdio.h>

void wl_sql_raw_begin(struct wl_sql *sql)
{
	sql->raw = (struct wl_sql_raw){ .n_unplaced = 0 };
}

static void mark(struct wl_sql_raw *raw, size_t file, const char *table)
{
	if (!raw->table[0])
		(void)snprintf(raw->table, sizeof(raw->table), "%s", table);
	raw->files |= UINT32_C(1) << file;
}

void wl_sql_raw_saw(struct wl_sql *sql, const char *table, const char *schema)
{
	struct wl_sql_raw *raw = &sql->raw;

	if (sql->n_job_files < 2 || sqlite3_strnicmp(table, "sqlite_", 7) == 0)
		return;
	/* Of count(*) SQLite says the table alone; it must not be asked for more while it parses.
	 */
	if (!schema && raw->n_unplaced < WL_COUNT(raw->unplaced))
		(void)snprintf(raw->unplaced[raw->n_unplaced++], WL_SQL_RAW_NAME, "%s", table);
	for (size_t i = 0; schema && i < sql->n_files; i++) {
		if (sql->files[i].is_of_job && sqlite3_stricmp(sql->files[i].schema, schema) == 0)
			mark(raw, i, table);
	}
}

static bool has_table(struct wl_sql *sql, const char *schema, const char *table)
{
	return sqlite3_table_column_metadata(sql->db, schema, table, NULL, NULL, NULL, NULL, NULL,
					     NULL) == SQLITE_OK;
}

/* A name without a schema is of TEMP, or else of the first file that has it. */
static void place(struct wl_sql *sql, const char *table)
{
	size_t i = 0;

	if (has_table(sql, "temp", table))
		return;
	while (i < sql->n_files && !has_table(sql, sql->files[i].schema, table))
		i++;
	if (i < sql->n_files && sql->files[i].is_of_job)
		mark(&sql->raw, i, table);
}

void wl_sql_raw_note(struct wl_sql *sql, struct wl_table *table)
{
	struct wl_sql_raw *raw = &sql->raw;
	const struct wl_sql_file *read = NULL, *other = NULL;
	size_t n_read = 0;

	for (size_t i = 0; i < raw->n_unplaced; i++)
		place(sql, raw->unplaced[i]);
	raw->n_unplaced = 0;
	for (size_t i = 0; i < sql->n_files; i++) {
		const struct wl_sql_file *file = &sql->files[i];
		bool is_read = raw->files >> i & 1;

		n_read += is_read;
		if (is_read && !read)
			read = file;
		if (!is_read && file->is_of_job && !other)
			other = file;
	}
	if (n_read == 0 || n_read >= sql->n_job_files)
		return;
	if (n_read == 1)
		wl_table_note(table, "%s comes from %s only, one of %zu files of this job",
			      raw->table, read->schema, sql->n_job_files);
	else
		wl_table_note(table, "raw tables cover %zu of the %zu files of this job", n_read,
			      sql->n_job_files);
	if (other)
		wl_table_note(table,
			      "raw tables of another file: %s.%s; the tables ops, launches and "
			      "nvtx_ranges and all verbs have every rank",
			      other->schema, raw->table);
}
