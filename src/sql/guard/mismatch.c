/* SPDX-License-Identifier: MIT */
#include "sql/guard/mismatch.h"

#include <string.h>

#include "base/text/units.h"

char wl_sql_comparison(unsigned char op)
{
	switch (op) {
	case SQLITE_INDEX_CONSTRAINT_LIKE:
		return '%';
	case SQLITE_INDEX_CONSTRAINT_GLOB:
		return '*';
	default:
		return wl_sql_is_given(op) || wl_sql_is_vain(op) ? '?' : 0;
	}
}

/*
 * LIKE and GLOB compare a number as SQLite writes it: 12, -1.5e-07, Inf. '12%' is in some, 'steady'
 * and 'iter:%' in none. A set of characters is not looked into.
 */
static bool may_match(char comparison, const char *pattern)
{
	return strchr(pattern, '[') ||
	       !pattern[strspn(pattern, comparison == '%' ? "0123456789+-.eEiInNfF%_"
							  : "0123456789+-.eInf*?")];
}

bool wl_sql_is_mismatch(const struct wl_col *col, char comparison, sqlite3_value *value)
{
	const char *text;

	if (wl_type_is_text(col->type) || sqlite3_value_numeric_type(value) != SQLITE_TEXT)
		return false;
	if (comparison != '%' && comparison != '*')
		return true;
	text = (const char *)sqlite3_value_text(value);
	return text && !may_match(comparison, text);
}

/* What a column of the type has, for a sentence. */
static const char *what_it_has(enum wl_type type)
{
	static const char *const what[] = {
		[WL_T_TIME] = "in nanoseconds",      [WL_T_NS] = "in nanoseconds",
		[WL_T_BYTES] = "in bytes",           [WL_T_RATIO] = "a fraction of 1",
		[WL_T_RATE] = "in bytes per second", [WL_T_BOOL] = "0 or 1",
	};

	return (size_t)type < WL_COUNT(what) && what[type] ? what[type] : "a number";
}

/* The number that the text means with its unit; false where it means none. */
static bool read_unit(enum wl_type type, const char *text, char number[WL_UNITS_BUF])
{
	struct wl_err err;
	int64_t i64 = 0;
	double f64 = 0;
	int r = WL_E_USAGE;

	if (type == WL_T_TIME || type == WL_T_NS)
		r = wl_parse_ns(text, &i64, &err);
	else if (type == WL_T_BYTES)
		r = wl_parse_bytes(text, &i64, &err);
	else if (type == WL_T_RATIO)
		r = wl_parse_ratio(text, &f64, &err);
	else if (type == WL_T_RATE)
		r = wl_parse_rate(text, &f64, &err);
	if (r != WL_OK)
		return false;
	(void)(wl_type_is_real(type) ? wl_fmt_f64(number, f64) : wl_fmt_i64(number, i64));
	return true;
}

bool wl_sql_has_unit(const struct wl_col *col, sqlite3_value *value)
{
	const char *text = (const char *)sqlite3_value_text(value);
	char number[WL_UNITS_BUF];

	return text && read_unit(col->type, text, number);
}

int wl_sql_refuse_mismatch(const char *table, const struct wl_col *col, sqlite3_value *value,
			   struct wl_err *reterr)
{
	const char *text = (const char *)sqlite3_value_text(value);
	const char *colon = table ? ": " : "";
	char number[WL_UNITS_BUF];

	table = table ? table : "";
	if (text && read_unit(col->type, text, number))
		return wl_fail(reterr, WL_E_USAGE, "%s%s%s is %s: write %s instead of '%.60s'",
			       table, colon, col->key, what_it_has(col->type), number, text);
	return wl_fail(reterr, WL_E_USAGE, "%s%s%s is %s; '%.60s' is not a number", table, colon,
		       col->key, what_it_has(col->type), text ? text : "");
}

bool wl_sql_is_vain(unsigned char op)
{
	switch (op) {
	case SQLITE_INDEX_CONSTRAINT_LIKE:
	case SQLITE_INDEX_CONSTRAINT_GLOB:
	case SQLITE_INDEX_CONSTRAINT_REGEXP:
	case SQLITE_INDEX_CONSTRAINT_NE:
	case SQLITE_INDEX_CONSTRAINT_ISNOT:
	case SQLITE_INDEX_CONSTRAINT_GT:
	case SQLITE_INDEX_CONSTRAINT_GE:
	case SQLITE_INDEX_CONSTRAINT_LT:
	case SQLITE_INDEX_CONSTRAINT_LE:
		return true;
	default:
		return false;
	}
}

bool wl_sql_is_given(unsigned char op)
{
	return op == SQLITE_INDEX_CONSTRAINT_EQ || op == SQLITE_INDEX_CONSTRAINT_IS;
}

int wl_sql_fail_vain(const char *param, struct wl_err *reterr)
{
	return wl_fail(reterr, WL_E_USAGE,
		       "\"%s\" is a parameter and takes one value: \"%s\" = '...'", param, param);
}

int wl_sql_refuse_vain(sqlite3_vtab *vtab, const char *param)
{
	struct wl_err err;

	(void)wl_sql_fail_vain(param, &err);
	sqlite3_free(vtab->zErrMsg);
	vtab->zErrMsg = sqlite3_mprintf("%s", err.msg);
	return vtab->zErrMsg ? SQLITE_ERROR : SQLITE_NOMEM;
}
