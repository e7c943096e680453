/* SPDX-License-Identifier: MIT */
#include "sql/guard/mismatch.h"

#include "base/text/units.h"

bool wl_sql_is_mismatch(const struct wl_col *col, sqlite3_value *value)
{
	return !wl_type_is_text(col->type) && sqlite3_value_numeric_type(value) == SQLITE_TEXT;
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

int wl_sql_refuse_mismatch(const char *table, const struct wl_col *col, sqlite3_value *value,
			   struct wl_err *reterr)
{
	const char *text = (const char *)sqlite3_value_text(value);
	char number[WL_UNITS_BUF];

	if (text && read_unit(col->type, text, number))
		return wl_fail(reterr, WL_E_USAGE, "%s: %s is %s: write %s instead of '%.60s'",
			       table, col->key, what_it_has(col->type), number, text);
	return wl_fail(reterr, WL_E_USAGE, "%s: %s is %s; '%.60s' is not a number", table, col->key,
		       what_it_has(col->type), text ? text : "");
}

bool wl_sql_is_vain(unsigned char op)
{
	switch (op) {
	case SQLITE_INDEX_CONSTRAINT_LIKE:
	case SQLITE_INDEX_CONSTRAINT_GLOB:
	case SQLITE_INDEX_CONSTRAINT_REGEXP:
	case SQLITE_INDEX_CONSTRAINT_NE:
	case SQLITE_INDEX_CONSTRAINT_GT:
	case SQLITE_INDEX_CONSTRAINT_GE:
	case SQLITE_INDEX_CONSTRAINT_LT:
	case SQLITE_INDEX_CONSTRAINT_LE:
		return true;
	default:
		return false;
	}
}

int wl_sql_refuse_vain(sqlite3_vtab *vtab, const char *param)
{
	sqlite3_free(vtab->zErrMsg);
	vtab->zErrMsg = sqlite3_mprintf("\"%s\" is a parameter and takes one value: \"%s\" = '...'",
					param, param);
	return vtab->zErrMsg ? SQLITE_ERROR : SQLITE_NOMEM;
}
