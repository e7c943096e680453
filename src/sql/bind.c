/* SPDX-License-Identifier: MIT */
#include "sql/bind.h"

#include <string.h>

#include "base/text/nearest.h"
#include "sql/failure.h"

static struct wl_sql_value *find(struct wl_sql_value *values, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++) {
		if (strcmp(values[i].name, name) == 0)
			return &values[i];
	}
	return NULL;
}

static int refuse(const char *name, const struct wl_sql_value *values, size_t n,
		  struct wl_err *reterr)
{
	struct wl_nearest nearest;
	const char *meant;

	wl_nearest_init(&nearest, name);
	for (size_t i = 0; i < n; i++)
		wl_nearest_offer(&nearest, values[i].name);
	meant = wl_nearest_get(&nearest);
	return wl_fail(reterr, WL_E_USAGE, "sql: there is no parameter :%.60s%s%s%s", name,
		       meant ? "; did you mean :" : "", meant ? meant : "", meant ? "?" : "");
}

static int bind(sqlite3_stmt *stmt, int at, struct wl_sql_value *v)
{
	v->is_used = true;
	switch (v->type) {
	case WL_SQL_NULL:
		break;
	case WL_SQL_INTEGER:
		return sqlite3_bind_int64(stmt, at, v->i64);
	case WL_SQL_REAL:
		return sqlite3_bind_double(stmt, at, v->f64);
	case WL_SQL_TEXT:
		return sqlite3_bind_text(stmt, at, v->text, -1, SQLITE_STATIC);
	}
	return sqlite3_bind_null(stmt, at);
}

int wl_sql_bind(struct wl_sql *sql, sqlite3_stmt *stmt, const struct wl_sql_bound *bound,
		struct wl_err *reterr)
{
	int last = sqlite3_bind_parameter_count(stmt);

	for (int at = 1; at <= last; at++) {
		const char *name = sqlite3_bind_parameter_name(stmt, at);
		struct wl_sql_value *v;
		int code;

		if (!name || *name != ':')
			return wl_fail(reterr, WL_E_USAGE,
				       "sql: write parameters as :name, not as %.60s",
				       name ? name : "?");
		v = find(bound->values, bound->n, name + 1);
		if (!v)
			return refuse(name + 1, bound->values, bound->n, reterr);
		code = bind(stmt, at, v);
		if (code != SQLITE_OK)
			return wl_sql_fail(sql, code, reterr);
	}
	return WL_OK;
}
