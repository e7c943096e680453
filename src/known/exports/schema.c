/* SPDX-License-Identifier: MIT */
#include "known/exports/schema.h"

#include <string.h>

#include "base/attr.h"

const struct wl_schema_entry wl_schema[] = {
#define WL_SCHEMA_TABLE(table, meaning)   { table, NULL, "", "", meaning, false },
#define WL_SCHEMA_COLUMN(column, meaning) { NULL, column, "", "", meaning, false },
#define WL_SCHEMA_TABLE_OF(table, since, until, meaning)                                           \
	{ table, NULL, since, until, meaning, false },
#define WL_SCHEMA_COLUMN_OF(column, since, until, meaning)                                         \
	{ NULL, column, since, until, meaning, false },
#define WL_SCHEMA_TABLE_DERIVED(table, since, until, meaning)                                      \
	{ table, NULL, since, until, meaning, true },
#include "known/exports/schema.def"
#undef WL_SCHEMA_TABLE
#undef WL_SCHEMA_COLUMN
#undef WL_SCHEMA_TABLE_OF
#undef WL_SCHEMA_TABLE_DERIVED
#undef WL_SCHEMA_COLUMN_OF
};

const size_t wl_n_schema = WL_COUNT(wl_schema);

/* nsys writes all of them alike. */
static const struct wl_schema_entry *find_enum(const char *column)
{
	static const struct wl_schema_entry entries[] = {
		{ "ENUM_*", NULL, "", "", "names of a code", false },
		{ NULL, "id", "", "", "the code", false },
		{ NULL, "name", "", "", "its name in NVIDIA's headers", false },
		{ NULL, "label", "", "", "its name for people", false },
	};

	if (!column)
		return &entries[0];
	for (size_t i = 1; i < WL_COUNT(entries); i++) {
		if (strcmp(entries[i].column, column) == 0)
			return &entries[i];
	}
	return NULL;
}

/* One for each layout, which its columns follow; the rest of its name is process, domain and
 * layout. */
static const char unpacked[] = "DYNAMIC_NVTXPAYLOAD_";
static const struct wl_schema_entry unpacked_payloads = {
	"DYNAMIC_NVTXPAYLOAD_*", NULL, "3.30.1", "", "NVTX payloads of one layout, unpacked", false
};

const struct wl_schema_entry *wl_schema_find(const char *table, const char *column)
{
	size_t i = 0;

	if (strncmp(table, "ENUM_", 5) == 0)
		return find_enum(column);
	if (strncmp(table, unpacked, strlen(unpacked)) == 0)
		return column ? NULL : &unpacked_payloads;
	while (i < wl_n_schema && (!wl_schema[i].table || strcmp(wl_schema[i].table, table) != 0))
		i++;
	if (i == wl_n_schema || !column)
		return i < wl_n_schema ? &wl_schema[i] : NULL;
	for (i++; i < wl_n_schema && !wl_schema[i].table; i++) {
		if (strcmp(wl_schema[i].column, column) == 0)
			return &wl_schema[i];
	}
	return NULL;
}

const char *wl_schema_meaning(const char *table, const char *column)
{
	const struct wl_schema_entry *e = wl_schema_find(table, column);

	return e ? e->meaning : NULL;
}

const char *wl_schema_since(const char *table, const char *column)
{
	const struct wl_schema_entry *e = wl_schema_find(table, column);

	if (e && column && !*e->since)
		e = wl_schema_find(table, NULL);
	return e && *e->since ? e->since : NULL;
}
