/* SPDX-License-Identifier: MIT */
/*
 * row_index.h - the rows of a row source by the values of some of their columns.
 *
 * An index has the rows of one walk. It is made when the same columns are asked for a second time:
 * a statement that compares once costs no more than a walk, a join one walk and 8 bytes per row,
 * 20 while it is made. Rows are found by a hash of their values, so that a few others may come with
 * them; SQLite compares once more. Rows of one value come in the order of the walk.
 */
#ifndef WL_SQL_ROW_INDEX_H
#define WL_SQL_ROW_INDEX_H

#include "sql/rows/row_source.h"

/* The columns that are looked up, and the value of each. */
struct wl_row_sought {
	uint64_t columns; /* bits */
	int64_t value[WL_MAX_COLS];
	bool is_none; /* no row can have these values */
};

/* What an index is of. */
struct wl_row_index_of {
	size_t trace;
	uint64_t generation; /* of its session */
	uint64_t columns;
	const char *window, *gpu; /* or NULL */
};

struct wl_row_index;

/* The indexes of a table. Zeroed before the first use. */
struct wl_row_indexes {
	struct wl_row_index *first; /* used last */
	size_t n;
	uint64_t asked; /* hash of what was asked for last and has no index */
};

/*
 * Find the index, or make it by the walk, which is left anywhere. NULL in ret at the first
 * question: walk instead. The caller holds it until put. False without memory.
 */
bool wl_row_index_get(struct wl_row_indexes *all, const struct wl_row_source *source,
		      const struct wl_row_index_of *of, struct wl_row_walk *walk,
		      struct wl_row_index **ret) WL_MUST_CHECK;
void wl_row_index_put(struct wl_row_index *index); /* accepts NULL */
void wl_row_indexes_release(struct wl_row_indexes *all);

/* The rows that may have the values are [*ret_lo, *ret_hi) of wl_row_index_at(). */
void wl_row_index_find(const struct wl_row_index *index, const struct wl_row_sought *sought,
		       size_t *ret_lo, size_t *ret_hi);

/* What seek() of the source takes. */
uint32_t wl_row_index_at(const struct wl_row_index *index, size_t i);

uint64_t wl_row_index_columns(const struct wl_row_index *index);

#endif
