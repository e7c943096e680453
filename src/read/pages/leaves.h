/* SPDX-License-Identifier: MIT */
/* leaves.h - the pages that hold a table's rows, in row order. */
#ifndef WL_READ_PAGES_LEAVES_H
#define WL_READ_PAGES_LEAVES_H

#include <stdatomic.h>

#include "base/memory/vec.h"
#include "read/pages/db_file.h"

struct wl_leaves {
	struct wl_vec page;  /* uint32_t: page numbers */
	struct wl_vec cells; /* uint16_t: the number of rows in each */
	int64_t rows;
};

/*
 * Walk the tree. Visits each page of the table once and reads only the header of a leaf. *ret_why
 * is NULL, or what is wrong with the tree: then SQLite must read the table. The leaves must be
 * released in any case.
 */
int wl_leaves_find(const struct wl_db_file *db, uint32_t root, const atomic_int *cancel,
		   struct wl_budget *budget, struct wl_leaves *ret, const char **ret_why,
		   struct wl_err *reterr) WL_MUST_CHECK;
void wl_leaves_release(struct wl_leaves *leaves);

#endif
