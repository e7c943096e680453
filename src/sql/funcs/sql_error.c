/* SPDX-License-Identifier: MIT */
/* sql_error.c - how a function fails. */
#include <stdarg.h>
#include <stdio.h>

#include "sql/funcs/funcs_parts.h"

void wl_sql_error(sqlite3_context *to, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	sqlite3_result_error(to, text, -1);
}
