/* SPDX-License-Identifier: MIT */
/*
 * facts.h - the facts of a run: typed tables in memory, of one rank or of all.
 *
 * tables.def lists the tables and their columns. A set is built row by row, read from a file
 * (file.h), or merged from others (merge.h). Columns are arrays: uint32_t for U32, STR, RANK and
 * OP, uint64_t for U64, int64_t for I64. A STR is the number of a text; a RANK or an OP is the
 * number of a row in the table ranks or ops.
 *
 * The contents of files are canonical: ranks, rows and texts have one order, and equal facts are
 * equal bytes. wl_facts_settle() establishes this order.
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

#define WL_FACTS_NONE INT64_MIN /* an unknown I64 */

enum wl_facts_table_id {
#define WL_FACTS_TABLE(TABLE, table, origin, keys, help) WL_FACTS_##TABLE,
#define WL_FACTS_COLUMN(TABLE, COLUMN, column, type, unit, help)
#include "facts/tables.def"
	WL_FACTS_N_TABLES
};

/*
 * WL_FACTS_STEPS_PERIOD, ...: the columns of a table are consecutive, from WL_FACTS_FIRST_STEPS on.
 * BACK undoes the increment of FIRST, so that the first column has the same number as FIRST.
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
	size_t n_keys; /* number of leading columns that identify a row; rows are sorted by them */
	const char *help;
	size_t first; /* its first column in enum wl_facts_column_id */
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

/* One past the last column of a table. */
size_t wl_facts_end(enum wl_facts_table_id table);

/* The size of a column's element, in bytes. */
size_t wl_facts_size(enum wl_facts_column_id column);

struct wl_facts {
	struct wl_vec column[WL_FACTS_N_COLUMNS];
	size_t n[WL_FACTS_N_TABLES]; /* rows */
	struct wl_facts_texts texts;
	struct wl_facts_answers answers; /* empty for several traces */
	struct wl_budget *budget;
	bool is_numbered; /* rank numbers distinguish all rows of ranks; valid once settled */
	bool failed;      /* memory ran out; sticky */
	struct wl_file_readers readers; /* may read the sources, and the file made of them */
};

/* Initialize an empty set. The budget must outlive it. */
void wl_facts_init(struct wl_facts *facts, struct wl_budget *budget);
void wl_facts_release(struct wl_facts *facts); /* accepts a zeroed one */

/* Begin a row whose cells are unknown; the puts fill it. */
void wl_facts_row(struct wl_facts *facts, enum wl_facts_table_id table);
void wl_facts_put(struct wl_facts *facts, enum wl_facts_column_id column, int64_t v);
void wl_facts_put_u64(struct wl_facts *facts, enum wl_facts_column_id column, uint64_t v);
void wl_facts_put_str(struct wl_facts *facts, enum wl_facts_column_id column,
		      const char *text); /* NULL: unknown */
void wl_facts_put_text(struct wl_facts *facts, enum wl_facts_column_id column, const char *text,
		       size_t n);

/* Cells. The row must exist and the type must be the column's; u32 also reads STR, RANK and OP. */
uint32_t wl_facts_u32(const struct wl_facts *facts, enum wl_facts_column_id column, size_t row);
uint64_t wl_facts_u64(const struct wl_facts *facts, enum wl_facts_column_id column, size_t row);
int64_t wl_facts_i64(const struct wl_facts *facts, enum wl_facts_column_id column, size_t row);
const char *wl_facts_str(const struct wl_facts *facts, enum wl_facts_column_id column, size_t row);

/* The array of a column, for loops over all rows. */
const void *wl_facts_column(const struct wl_facts *facts, enum wl_facts_column_id column);

/*
 * What to call a row of ranks: its rank number if numbers distinguish all rows, else the row index.
 */
uint32_t wl_facts_rank_number(const struct wl_facts *facts, uint32_t rank);

/*
 * Bring ranks, rows and texts of the kept tables into canonical order and merge equal rows. Call it
 * before MADE tables are computed. False when memory is exhausted.
 */
bool wl_facts_settle(struct wl_facts *facts) WL_MUST_CHECK;

#endif
