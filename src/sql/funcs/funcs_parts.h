/* SPDX-License-Identifier: MIT */
/* funcs_parts.h - declarations that the sources of funcs.h share. */
#ifndef WL_SQL_FUNCS_PARTS_H
#define WL_SQL_FUNCS_PARTS_H

#include "sql/funcs/funcs.h"

#define WL_SCALAR(name, least, most, flags, call, help)                                            \
	void wl_sqlf_##name(sqlite3_context *to, int n, sqlite3_value **arg);
#define WL_AGGREGATE(name, least, most, flags, call, help)                                         \
	void wl_sqlf_##name##_step(sqlite3_context *to, int n, sqlite3_value **arg);               \
	void wl_sqlf_##name##_final(sqlite3_context *to);
#define WL_TABLE(name, call, help) extern const sqlite3_module wl_sqlm_##name;
#include "sql/funcs/functions.def"
#undef WL_SCALAR
#undef WL_AGGREGATE
#undef WL_TABLE

/* The call fails with this message. */
void wl_sql_error(sqlite3_context *to, const char *fmt, ...) WL_PRINTF(2, 3);

#endif
