/* SPDX-License-Identifier: MIT */
#include "read/sqlite/harden.h"

#include <assert.h>
#include <sqlite3.h>
#include <stddef.h>

/* The newest feature used here is pragma_table_list; CMakeLists.txt requires the same version. */
enum { OLDEST = 3037000 };

static_assert(SQLITE_VERSION_NUMBER >= OLDEST, "SQLite 3.37 is needed");

int wl_sqlite_harden(struct sqlite3 *db, struct wl_err *reterr)
{
	static const struct {
		int what, value;
	} wanted[] = {
		{ SQLITE_DBCONFIG_DEFENSIVE, 1 },
		{ SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0 },
		{ SQLITE_DBCONFIG_ENABLE_TRIGGER, 0 },
	};

	if (sqlite3_libversion_number() < OLDEST)
		return wl_fail(reterr, WL_E_IO, "SQLite %s is too old: 3.37 or newer is needed",
			       sqlite3_libversion());
	for (size_t i = 0; i < WL_COUNT(wanted); i++) {
		int is = -1;

		if (sqlite3_db_config(db, wanted[i].what, wanted[i].value, &is) != SQLITE_OK ||
		    is != wanted[i].value)
			return wl_fail(reterr, WL_E_IO,
				       "SQLite %s cannot be made safe for files of others",
				       sqlite3_libversion());
	}
	return WL_OK;
}
