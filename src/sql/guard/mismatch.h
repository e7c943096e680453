/* SPDX-License-Identifier: MIT */
/* mismatch.h - comparisons of a column of numbers with a text, which no row can satisfy. */
#ifndef WL_SQL_MISMATCH_H
#define WL_SQL_MISMATCH_H

#include <sqlite3.h>

#include "base/attr.h"
#include "base/err.h"
#include "table/table.h"

/* The column has numbers, and the value is a text that SQLite does not take for one. */
bool wl_sql_is_mismatch(const struct wl_col *col, sqlite3_value *value);

/* WL_E_USAGE for a mismatch: what the column has, and what to write. */
int wl_sql_refuse_mismatch(const char *table, const struct wl_col *col, sqlite3_value *value,
			   struct wl_err *reterr) WL_MUST_CHECK;

/*
 * A comparison of a parameter that is no "=": no row can satisfy it, because a parameter that is
 * not given is NULL.
 */
bool wl_sql_is_vain(unsigned char op);

/* Refuse it: the error of a module. SQLITE_ERROR. */
int wl_sql_refuse_vain(sqlite3_vtab *vtab, const char *param);

#endif
