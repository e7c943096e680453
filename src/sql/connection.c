/* SPDX-License-Identifier: MIT */
#include "sql/connection.h"

bool wl_sql_must_stop(const struct wl_sql *sql)
{
	return wl_stop_is_due(&sql->stop);
}

int wl_sql_declare_vtab(struct wl_sql *sql, sqlite3 *db, const char *text)
{
	bool before = sql->is_connecting;
	int code;

	sql->is_connecting = true;
	code = sqlite3_declare_vtab(db, text);
	sql->is_connecting = before;
	return code;
}
