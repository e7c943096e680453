/* SPDX-License-Identifier: MIT */
#include "sql/funcs/funcs.h"

#include "sql/funcs/funcs_parts.h"

const struct wl_sql_function wl_sql_functions[] = {
#define WL_SCALAR(name, least, most, flags, call, help)    { #name, WL_SQL_SCALAR, call, help },
#define WL_AGGREGATE(name, least, most, flags, call, help) { #name, WL_SQL_AGGREGATE, call, help },
#define WL_TABLE(name, call, help)                         { #name, WL_SQL_TABLE, call, help },
#include "sql/funcs/functions.def"
#undef WL_SCALAR
#undef WL_AGGREGATE
#undef WL_TABLE
};

const size_t wl_sql_n_functions = WL_COUNT(wl_sql_functions);

typedef void value_fn(sqlite3_context *, int, sqlite3_value **);

/* How SQLite calls a function; module is set for tables alone. */
struct entry {
	const char *name;
	int least, most, flags;
	value_fn *scalar, *step;
	void (*final)(sqlite3_context *);
	const sqlite3_module *module;
};

static const struct entry entries[] = {
#define WL_SCALAR(name, least, most, flags, call, help)                                            \
	{ #name, least, most, flags, wl_sqlf_##name, NULL, NULL, NULL },
#define WL_AGGREGATE(name, least, most, flags, call, help)                                         \
	{ #name, least, most, flags, NULL, wl_sqlf_##name##_step, wl_sqlf_##name##_final, NULL },
#define WL_TABLE(name, call, help) { #name, 0, 0, 0, NULL, NULL, NULL, &wl_sqlm_##name },
#include "sql/funcs/functions.def"
#undef WL_SCALAR
#undef WL_AGGREGATE
#undef WL_TABLE
};

static int add(sqlite3 *db, const struct entry *e, struct wl_sql_context *ctx)
{
	int r = SQLITE_OK;

	if (e->module)
		return sqlite3_create_module_v2(db, e->name, e->module, ctx, NULL);
	/*
	 * Neither INNOCUOUS nor DIRECTONLY: a view of a hostile file may not call them, a
	 * temporary view of the user may.
	 */
	for (int n = e->least; r == SQLITE_OK && n <= e->most; n++)
		r = sqlite3_create_function_v2(db, e->name, n, SQLITE_UTF8 | e->flags, ctx,
					       e->scalar, e->step, e->final, NULL);
	return r;
}

int wl_sql_add_functions(sqlite3 *db, struct wl_sql_context *ctx, struct wl_err *reterr)
{
	for (size_t i = 0; i < WL_COUNT(entries); i++) {
		if (add(db, &entries[i], ctx) != SQLITE_OK)
			return wl_fail(reterr, WL_E_NOMEM, "sql: cannot add %s: %.200s",
				       entries[i].name, sqlite3_errmsg(db));
	}
	return WL_OK;
}
