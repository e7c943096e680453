/* SPDX-License-Identifier: MIT */
#include "read/reads.h"

#include <string.h>

#include "read/bind.h"
#include "read/catalogue.h"
#include "read/chains.h"

static bool binds(const struct wl_family_table *t, const char *column)
{
	for (size_t c = wl_family_infos[t->family].first_column; c < wl_family_end(t->family);
	     c++) {
		const struct wl_binding *b = &t->binding[c];

		for (size_t i = 0; i < WL_BIND_SOURCES && b->source[i]; i++) {
			if (strcmp(b->source[i], column) == 0)
				return true;
		}
	}
	return false;
}

/* A family can have several tables with similar names and contents. */
bool wl_reads_column(const char *table, const char *column)
{
	if (strcmp(table, "StringIds") == 0)
		return strcmp(column, "id") == 0 || strcmp(column, "value") == 0;
	for (size_t t = 0; t < wl_n_family_tables; t++) {
		if (strcmp(wl_family_tables[t].table, table) == 0 &&
		    binds(&wl_family_tables[t], column))
			return true;
	}
	return wl_catalogue_asks(table, column);
}

const char *wl_reads_capture(const char *table)
{
	for (size_t t = 0; t < wl_n_family_tables; t++) {
		if (strcmp(wl_family_tables[t].table, table) == 0)
			return wl_family_infos[wl_family_tables[t].family].capture;
	}
	return NULL;
}

enum wl_table_use wl_reads_table(const char *table, const struct wl_family_table *const *filled_by)
{
	enum wl_table_use use = WL_USE_NONE;

	if (strcmp(table, "StringIds") == 0 || wl_chains_reads(table) ||
	    wl_catalogue_asks(table, NULL))
		return WL_USE_READ;
	/* A table can fill several families. */
	for (size_t i = 0; i < wl_n_family_tables; i++) {
		const struct wl_family_table *t = &wl_family_tables[i];
		enum wl_table_use one = WL_USE_SHAPE;

		if (strcmp(t->table, table) != 0)
			continue;
		if (filled_by[t->family])
			one = filled_by[t->family] == t ? WL_USE_READ : WL_USE_INSTEAD;
		use = one > use ? one : use;
	}
	return use;
}
