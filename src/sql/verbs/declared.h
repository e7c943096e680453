/* SPDX-License-Identifier: MIT */
/*
 * declared.h - types of columns as SQL declares them: "INTEGER NS", "REAL RATIO", "TEXT KERNEL".
 *
 * SQLite passes the declaration of a column through views, subqueries and plain references to the
 * result, which so gets its unit back. The first word is what SQLite goes by.
 */
#ifndef WL_SQL_DECLARED_H
#define WL_SQL_DECLARED_H

#include "table/table.h"

/* What to declare a column as. */
const char *wl_sql_declare(const struct wl_col *col);

/*
 * The type and flags of a column that was declared so; help becomes NULL where the declaration is
 * one of ours. NULL and others leave the type to the values: an integer of a file says which, and
 * not how many.
 */
void wl_sql_undeclare(const char *declared, struct wl_col *ret);

#endif
