/* SPDX-License-Identifier: MIT */
/*
 * facts.h - the facts of a run: typed tables in memory, of one rank or of all.
 *
 * tables.def lists the tables and their columns. A set is built row by row, or read from a file
 * (file.h), or made of others (merge.h). Columns are arrays: uint32_t of U32, STR, RANK
 * and OP, uint64_t of U64, int64_t of I64. A STR is the number of a text, a RANK and an OP that of
 * a row of the table ranks and of ops.
 *
 * What files hold is canonical: ranks, rows and texts have one order, so equal facts are equal
 * bytes. wl_facts_settle() makes it so.
 */
#ifndef WL_FACTS_FACTS_H
#define WL_FACTS_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/err.h"
#include "base/file/file.h"
#include "base/memory/budget.h"
#include "base/memory/intern.h"
#include "base/memory/vec.h"
#include "facts/answers.h"
#include "facts/texts.h"

#define WL_FACTS_NONE INT64_MIN /* an I64 that is not known */

enum wl_facts_table_id {
#define WL_FACTS_TABLE(TABLE, table, origin, keys, help) WL_FACTS_##TABLE,
#define WL_FACTS_COLUMN(TABLE, COLUMN, column, type, unit, help)
#include "facts/tables.def"
	WL_FACTS_N_TABLES
};

/*
 * WL_FACTS_STEPS_PERIOD, ...: columns of a table follow each other, from WL_FACTS_FIRST_STEPS on.
 * BACK undoes the step of FIRST, so that the column after it has the same number.
 */
enum wl_facts_column_id {
#define WL_FACTS_TABLE(TABLE, table, origin, keys, help)                                           \
	WL_FACTS_FIRST_##TABLE, WL_FACTS_BACK_##TABLE = WL_FACTS_FIRST_##TABLE - 1,
#define WL_FACTS_COLUMN(TABLE, COLUMN, column, type, unit, help) WL_FACTS_##TABLE##_##COLUMN,
#include "facts/tables.def"
	WL_FACTS_N_COLUMNS
};

enum wl_facts_origin { WL_FACTS_KEPT, WL_FACTS_MADE };

enum wl_facts_type {
	WL_FACTS_U32,
	WL_FACTS_U64,
	WL_FACTS_I64,
	WL_FACTS_STR,
	WL_FACTS_RANK,
	WL_FACTS_OP,
};

enum wl_facts_unit {
	WL_FACTS_NUMBER, /* says which */
	WL_FACTS_COUNT,
	WL_FACTS_NS,
	WL_FACTS_TIME,
	WL_FACTS_UTC, /* nanoseconds since 1970 */
	WL_FACTS_BYTES,
	WL_FACTS_PPB,
};

struct wl_facts_table_info {
	const char *name;
	enum wl_facts_origin origin;
	size_t n_keys; /* of its first columns: they identify a row, and rows are sorted by them */
	const char *help;
	size_t first; /* of its columns, in enum wl_facts_column_id */
};

struct wl_facts_column_info {
	const char *name;
	enum wl_facts_table_id table;
	enum wl_facts_type type;
	enum wl_facts_unit unit;
	const char *help;
};

extern const struct wl_facts_table_info wl_facts_tables[WL_FACTS_N_TABLES];
extern const struct wl_facts_column_info wl_facts_columns[WL_FACTS_N_COLUMNS];

/* The column after the last of a table. */
size_t wl_facts_end(enum wl_facts_table_id table);

/* Bytes of an element of a column. */
size_t wl_facts_size(enum wl_facts_column_id column);

struct wl_facts {
	struct wl_vec column[WL_FACTS_N_COLUMNS];
	size_t n[WL_FACTS_N_TABLES]; /* rows */
	struct wl_facts_texts texts;
	struct wl_facts_answers answers; /* none of several traces */
	struct wl_budget *budget;
	bool is_numbered; /* numbers of ranks tell all rows of ranks apart; once it is settled */
	bool failed;      /* memory ran out; sticky */
	struct wl_file_readers readers; /* of what it is made of: of the file that it becomes */
};

/* An empty set. The budget must outlive it. */
void wl_facts_init(struct wl_facts *facts, struct wl_budget *budget);
void wl_facts_release(struct wl_facts *facts); /* accepts a zeroed one */

/* Begin a row, whose cells are not known; the puts fill it. */
void wl_facts_row(struct wl_facts *facts, enum wl_facts_table_id table);
void wl_facts_put(struct wl_facts *facts, enum wl_facts_column_id column, int64_t v);
void wl_facts_put_u64(struct wl_facts *facts, enum wl_facts_column_id column, uint64_t v);
void wl_facts_put_str(struct wl_facts *facts, enum wl_facts_column_id column,
		      const char *text); /* NULL is not known */
void wl_facts_put_text(struct wl_facts *facts, enum wl_facts_column_id column, const char *text,
		       size_t n);

/* Cells. The row must be there, and the type the column's; u32 also of STR, RANK and OP. */
uint32_t wl_facts_u32(const struct wl_facts *facts, enum wl_facts_column_id column, size_t row);
uint64_t wl_facts_u64(const struct wl_facts *facts, enum wl_facts_column_id column, size_t row);
int64_t wl_facts_i64(const struct wl_facts *facts, enum wl_facts_column_id column, size_t row);
const char *wl_facts_str(const struct wl_facts *facts, enum wl_facts_column_id column, size_t row);

/* A column as its array, for loops over all rows. */
const void *wl_facts_column(const struct wl_facts *facts, enum wl_facts_column_id column);

/*
 * What people call a row of ranks: its number, where numbers tell all rows apart, else the row.
 */
uint32_t wl_facts_rank_number(const struct wl_facts *facts, uint32_t rank);

/*
 * Bring ranks, rows and texts of the tables that are kept into their one order; equal rows become
 * one. Before tables are made of them. False when memory is exhausted.
 */
bool wl_facts_settle(struct wl_facts *facts) WL_MUST_CHECK;

#endif
