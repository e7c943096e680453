/* SPDX-License-Identifier: MIT */
/*
 * filter.h - the expression of --where: which rows of a table to keep.
 *
 *	expression = term { "or" term }
 *	term       = factor { "and" factor }
 *	factor     = "not" factor | "(" expression ")" | column operator value
 *	operator   = "=" | "!=" | "<" | "<=" | ">" | ">=" | "~" | "!~"
 *
 * ==, =~, &&, || and ! mean =, ~, and, or and not. A column is named as in cols.h, with or
 * without quotes. Values have the units of the column's type (10us, 10 us, 64MiB, 5%, yes)
 * and may stand in single or double quotes. ~ searches a regular expression in a text
 * column; it ignores case unless it has a capital. "= none" keeps unset cells and "!= none"
 * the others; every other comparison with an unset cell is false. Case matters in text that
 * is compared, and nowhere else.
 */
#ifndef WL_TABLE_FILTER_H
#define WL_TABLE_FILTER_H

#include <stddef.h>

#include "base/attr.h"
#include "base/err.h"
#include "table/table.h"

enum { WL_FILTER_DEPTH = 100 }; /* of parentheses and nots */

struct wl_filter_node;

struct wl_filter {
	const struct wl_table *table;
	const struct wl_filter_node *root;
	struct wl_filter_node *patterns; /* nodes that hold a compiled expression */
};

/* Parse. WL_E_USAGE says what is wrong and where. Release also what failed to init. */
int wl_filter_init(struct wl_filter *f, const struct wl_table *t, const char *expr,
		   struct wl_arena *arena, struct wl_err *reterr) WL_MUST_CHECK;

/* The same for a condition that is no option: messages do not name --where. */
int wl_filter_init_bare(struct wl_filter *f, const struct wl_table *t, const char *expr,
			struct wl_arena *arena, struct wl_err *reterr) WL_MUST_CHECK;

/* Make all patterns ignore case; 1 when one of them did not before, else 0. */
int wl_filter_ignore_case(struct wl_filter *f, struct wl_err *reterr) WL_MUST_CHECK;

/*
 * The first column whose value the expression asks for and that no row of the table has; n_cols of
 * the table where there is none. Linear in the rows for each comparison.
 */
size_t wl_filter_unset(const struct wl_filter *f);

/* Accepts a zeroed filter. */
void wl_filter_release(struct wl_filter *f);

/* 1 keep, 0 drop. A pattern that takes too many steps on a name is WL_E_TIMEOUT, not a guess. */
int wl_filter_match(const struct wl_filter *f, size_t row, struct wl_err *reterr) WL_MUST_CHECK;

#endif
