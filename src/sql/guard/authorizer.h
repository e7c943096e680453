/* SPDX-License-Identifier: MIT */
/*
 * authorizer.h - what statements may do: read, make TEMP tables and views, ask a few pragmas.
 *
 * Whatever needs more rights comes before: attached files, shadows, modules, each of which must be
 * connected once, because declaring the columns of a module is itself subject to the authorizer.
 */
#ifndef WL_SQL_AUTHORIZER_H
#define WL_SQL_AUTHORIZER_H

#include "sql/connection.h"

/* From now on everything that is not allowed is refused, with a sentence in sql->refusal. */
int wl_sql_authorize(struct wl_sql *sql, struct wl_err *reterr) WL_MUST_CHECK;

#endif
