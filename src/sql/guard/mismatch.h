/* SPDX-License-Identifier: MIT */
/* mismatch.h - comparisons of a column of numbers with a text, which no row can satisfy. */
#ifndef WL_SQL_MISMATCH_H
#define WL_SQL_MISMATCH_H

#include <sqlite3.h>

#include "base/attr.h"
#include "base/err.h"
#include "table/table.h"

/*
 * How a constraint compares its value, as a letter of a plan: % is LIKE, * is GLOB, and ? is all
 * others; 0 where a text may well be right: a function of another name, and NULL.
 */
char wl_sql_comparison(unsigned char op);

/*
 * The column has numbers, and the value is a text that SQLite does not take for one; of % and * a
 * pattern with something that stands in no number.
 */
bool wl_sql_is_mismatch(const struct wl_col *col, char comparison, sqlite3_value *value);

/* The text is a number with a unit of the column, such as '1ms'. */
bool wl_sql_has_unit(const struct wl_col *col, sqlite3_value *value);

/* WL_E_USAGE for a mismatch: what the column has, and what to write. table may be NULL. */
int wl_sql_refuse_mismatch(const char *table, const struct wl_col *col, sqlite3_value *value,
			   struct wl_err *reterr) WL_MUST_CHECK;

/*
 * A comparison of a parameter that does not say its value: no row, or each, satisfies it, because
 * a parameter that is not given is NULL.
 */
bool wl_sql_is_vain(unsigned char op);

/* The comparison says the value of a parameter. */
bool wl_sql_is_given(unsigned char op);

/* Refuse a vain one: WL_E_USAGE. */
int wl_sql_fail_vain(const char *param, struct wl_err *reterr);

/* The same as the error of a module. SQLITE_ERROR. */
int wl_sql_refuse_vain(sqlite3_vtab *vtab, const char *param);

#endif
