#include "facts/schema.h"

#include <string.h>

#include "base/attr.h"

const struct wl_schema_entry wl_schema[] = {
#define WL_SCHEMA_TABLE(table, meaning)   { table, NULL, meaning },
#define WL_SCHEMA_COLUMN(column, meaning) { NULL, column, meaning },
#include "facts/schema.def"
#undef WL_SCHEMA_TABLE
#undef WL_SCHEMA_COLUMN
};

const size_t wl_n_schema = WL_COUNT(wl_schema);

/* nsys writes all of them alike. */
static const char *enum_meaning(const char *column)
{
	static const struct wl_schema_entry entries[] = {
		{ NULL, NULL, "names of a code" },
		{ NULL, "id", "the code" },
		{ NULL, "name", "its name in NVIDIA's headers" },
		{ NULL, "label", "its name for people" },
	};

	if (!column)
		return entries[0].meaning;
	for (size_t i = 1; i < WL_COUNT(entries); i++) {
		if (strcmp(entries[i].column, column) == 0)
			return entries[i].meaning;
	}
	return NULL;
}

const char *wl_schema_meaning(const char *table, const char *column)
{
	size_t i = 0;

	if (strncmp(table, "ENUM_", 5) == 0)
		return enum_meaning(column);
	while (i < wl_n_schema && (!wl_schema[i].table || strcmp(wl_schema[i].table, table) != 0))
		i++;
	if (i == wl_n_schema || !column)
		return i < wl_n_schema ? wl_schema[i].meaning : NULL;
	for (i++; i < wl_n_schema && !wl_schema[i].table; i++) {
		if (strcmp(wl_schema[i].column, column) == 0)
			return wl_schema[i].meaning;
	}
	return NULL;
}
