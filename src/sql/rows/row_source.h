/* SPDX-License-Identifier: MIT */
/* row_source.h - what a table of rows is made of: how to walk a trace, and the cells of a row. */
#ifndef WL_SQL_ROW_SOURCE_H
#define WL_SQL_ROW_SOURCE_H

#include "derive/nvtx/ranks.h"
#include "sql/context.h"
#include "sql/path_memo.h"
#include "sql/rows/row_info.h"

/*
 * A walk over one trace. Columns and what is derived may move between two calls of the source; then
 * the table makes a new walk, and goes on where the old one was.
 */
struct wl_row_walk {
	struct wl_sql_context *ctx;
	struct wl_scope scope;
	struct wl_derived derived;
	const struct wl_trace *trace;
	struct wl_arena arena;
	wl_ns from, to; /* of sources by start: no row outside has to be made */
	bool is_costly; /* what the costly columns need is there */
	void *state;    /* of the source, zeroed, of state_size bytes */
};

/* Put a cell of the row; without a call to SQLite it is NULL. */
typedef void wl_row_cell(struct wl_row_walk *walk, sqlite3_context *to);

/* An integer cell; false where the row has none. */
typedef bool wl_row_int(struct wl_row_walk *walk, int64_t *ret);

/* A column by which rows can be looked up, and about how many rows have the same value. */
struct wl_row_lookup {
	wl_row_int *get; /* NULL: not by this one; else it makes the cell, too */
	uint32_t n_alike;
};

struct wl_row_source {
	struct wl_sql_rows rows;
	enum wl_sql_need need;
	/* Columns that take more to make, as bits, and what a walk needs where they are asked for.
	 */
	uint64_t costly_cols;
	enum wl_sql_need costly_need;
	size_t state_size;
	int start_col; /* rows can be bounded by this column; -1 for none */
	bool is_whole; /* of the whole trace: a window or a gpu is refused */
	/* Make what all rows share, in the arena. NULL: nothing. False without memory. */
	bool (*prepare)(struct wl_row_walk *walk);
	/* Let go of what is not in the arena, also after a failed prepare. NULL: nothing. */
	void (*release)(struct wl_row_walk *walk);
	void (*rewind)(struct wl_row_walk *walk); /* before the first row */
	bool (*next)(struct wl_row_walk *walk);   /* the next row; false past the last */
	wl_row_cell *const *cells;                /* by column; NULL where lookup has it */
	/* To look rows up: by column; the number of the row that the walk stands on, and back. All
	 * or none. */
	const struct wl_row_lookup *lookup;
	int64_t (*where)(struct wl_row_walk *walk);
	void (*seek)(struct wl_row_walk *walk, uint32_t at);
};

extern const struct wl_row_source wl_row_source_ops, wl_row_source_launches,
	wl_row_source_nvtx_ranges, wl_row_source_matches, wl_row_source_strings;

/* A module for the source; its client data is made by wl_sql_add_rows(). */
extern const sqlite3_module wl_row_module;

struct wl_row_module_data {
	const struct wl_row_source *source;
	struct wl_sql_context *ctx;
};

/* Cells; NULL and WL_NONE are no cell. */
static inline void wl_row_text(sqlite3_context *to, const char *text)
{
	if (text)
		sqlite3_result_text(to, text, -1, SQLITE_TRANSIENT);
}

static inline void wl_row_u32(sqlite3_context *to, uint32_t v)
{
	if (v != WL_NONE)
		sqlite3_result_int64(to, v);
}

/* A cell that is one expression, in which w is the walk: a number, a text, or a number of a lookup.
 */
#define WL_ROW_NUMBER(put, number)                                                                 \
	static void put(struct wl_row_walk *w, sqlite3_context *to)                                \
	{                                                                                          \
		sqlite3_result_int64(to, (sqlite3_int64)(number));                                 \
	}
#define WL_ROW_TEXT(put, text)                                                                     \
	static void put(struct wl_row_walk *w, sqlite3_context *to)                                \
	{                                                                                          \
		wl_row_text(to, text);                                                             \
	}
#define WL_ROW_INT(get, number)                                                                    \
	static bool get(struct wl_row_walk *w, int64_t *ret)                                       \
	{                                                                                          \
		*ret = number;                                                                     \
		return true;                                                                       \
	}

/* The same as integers. */
static inline bool wl_row_int_u32(uint32_t v, int64_t *ret)
{
	*ret = v;
	return v != WL_NONE;
}

static inline bool wl_row_rank(const struct wl_row_walk *w, uint32_t process, int64_t *ret)
{
	*ret = w->derived.ranks->of[process];
	return *ret >= 0;
}

/* The path of a fold. */
static inline void wl_row_path(sqlite3_context *to, struct wl_path_memo *paths, uint32_t fold)
{
	const char *path = wl_path_memo_get(paths, fold);

	if (path)
		wl_row_text(to, path);
	else
		sqlite3_result_error_nomem(to);
}

#endif
