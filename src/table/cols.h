/* SPDX-License-Identifier: MIT */
/* cols.h - columns by the names that people write: keys and titles, alone or as "a,b,c". */
#ifndef WL_TABLE_COLS_H
#define WL_TABLE_COLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/err.h"
#include "table/table.h"

/*
 * The n bytes at name are these words: case does not matter, and spaces, underscores and
 * dashes are alike.
 */
bool wl_words_same(const char *words, const char *name, size_t n);

/* One item of a list. */
struct wl_col_ref {
	uint16_t col;
	bool minus; /* written with a leading - */
};

/*
 * The column that a name of n bytes means: that with the same words as its key, else as its
 * title. NULL when there is none or this run hid it.
 */
const struct wl_col *wl_cols_named(const struct wl_table *t, const char *name, size_t n,
				   size_t *ret_index);

/*
 * Step through a comma-separated list of columns, *list being the rest of it.
 * Returns 1 and one item, 0 at the end, or WL_E_USAGE with a message that
 * starts with option, for instance "--sort", and lists the valid columns.
 */
int wl_cols_next(const struct wl_table *t, const char *option, const char **list,
		 struct wl_col_ref *ret_ref, struct wl_err *reterr) WL_MUST_CHECK;

/* Fail with WL_E_USAGE: no such column, and which there are. The name has n bytes. */
int wl_cols_unknown(const struct wl_table *t, const char *where, const char *name, size_t n,
		    struct wl_err *reterr);

#endif
