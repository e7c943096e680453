/* SPDX-License-Identifier: MIT */
/* cols.h - columns by name, as people list them: "a,b,c". */
#ifndef WL_TABLE_COLS_H
#define WL_TABLE_COLS_H

#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/err.h"
#include "table/table.h"

/* One item of a list. */
struct wl_col_ref {
	uint16_t col;
	bool minus; /* written with a leading - */
};

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
