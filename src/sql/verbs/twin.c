/* SPDX-License-Identifier: MIT */
/* twin.c - how a verb is asked in SQL. Knows no registry, so that help can be tested with another.
 */
#include <stdio.h>
#include <string.h>

#include "sql/sql.h"

void wl_sql_twin(const struct wl_analysis *analysis, char *buf, size_t size)
{
	size_t used = (size_t)snprintf(buf, size, "SELECT * FROM %s", analysis->name);
	const char *before = "(", *after = "";

	for (char *c = strchr(buf, '-'); c; c = strchr(c, '-'))
		*c = '_';
	for (size_t i = 0; i < analysis->n_params && used < size; i++) {
		if (!analysis->params[i].operand)
			continue;
		used += (size_t)snprintf(buf + used, size - used, "%s'%s'", before,
					 analysis->params[i].key);
		before = ", ";
		after = ")";
	}
	if (used < size)
		(void)snprintf(buf + used, size - used, "%s", after);
}
