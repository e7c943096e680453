/* SPDX-License-Identifier: MIT */
#include "read/admit.h"

#include <string.h>
#include <strings.h>

#include "known/exports/schema.h"

static int check_export(const struct wl_probe *probe, struct wl_err *reterr)
{
	const struct wl_build *b = probe->build;
	const uint32_t *name = b->column[WL_TABLES_NAME].data;

	for (size_t i = 0; i < b->family[WL_F_TABLES].n; i++) {
		if (wl_schema_find(wl_string_get(&b->strings, name[i]), NULL))
			return WL_OK;
	}
	return wl_fail(
		reterr, WL_E_FORMAT,
		"%.300s: not an Nsight Systems export: it has no table of one; make one with "
		"\"nsys export --type sqlite REPORT\"",
		b->path);
}

/* The column with the owner of a row; NULL if the table's rows have no owner. */
static const char *owner_column(const struct wl_family_table *t)
{
	for (size_t c = wl_family_infos[t->family].first_column; c < wl_family_end(t->family);
	     c++) {
		if (t->binding[c].make == WL_MAKE_PLACE || t->binding[c].make == WL_MAKE_OP_PLACE ||
		    t->binding[c].make == WL_MAKE_THREAD)
			return t->binding[c].source[0];
	}
	return NULL;
}

static bool lacks_owner(const struct wl_probe *probe, const struct wl_family_table *t)
{
	const char *owner = owner_column(t);

	return owner && !wl_probe_has(probe, t->table, owner);
}

static int check_owner(const struct wl_probe *probe, const struct wl_family_table *t,
		       struct wl_err *reterr)
{
	if (!lacks_owner(probe, t) || wl_owner_fallback(probe, t->table))
		return WL_OK;
	return wl_fail(
		reterr, WL_E_FORMAT,
		"%.300s: not a complete Nsight Systems export: %s has no column %s, so its rows "
		"belong to no process; export the report again",
		probe->build->path, t->table, owner_column(t));
}

/* Whether SQLite stores text in the column, given its declared type. */
static bool is_text(const struct wl_probe *probe, const char *table, const char *column)
{
	const char *type = wl_probe_type(probe, table, column);

	return type &&
	       (strcasestr(type, "char") || strcasestr(type, "clob") || strcasestr(type, "text"));
}

/* Checks that names of kernels and calls are numbers of strings. */
static int check_names(const struct wl_probe *probe, const struct wl_family_table *t,
		       struct wl_err *reterr)
{
	for (size_t c = wl_family_infos[t->family].first_column; c < wl_family_end(t->family);
	     c++) {
		const struct wl_binding *b = &t->binding[c];

		if (b->make != WL_MAKE_KERNEL_NAME && b->make != WL_MAKE_FUNCTION &&
		    b->make != WL_MAKE_STRING)
			continue;
		for (size_t i = 0; i < WL_BIND_SOURCES && b->source[i]; i++) {
			if (is_text(probe, t->table, b->source[i]))
				return wl_fail(reterr, WL_E_FORMAT,
					       "%.300s: not an Nsight Systems export: %s.%s holds "
					       "text, not numbers of StringIds; export the report "
					       "again",
					       probe->build->path, t->table, b->source[i]);
		}
		if (!wl_probe_has(probe, "StringIds", "id") ||
		    !wl_probe_has(probe, "StringIds", "value"))
			return wl_fail(reterr, WL_E_FORMAT,
				       "%.300s: not a complete Nsight Systems export: it has no "
				       "table StringIds with the names of %s; export the report "
				       "again",
				       probe->build->path, wl_family_infos[t->family].help);
	}
	return WL_OK;
}

/* The family's table if it has rows; else NULL. */
static const struct wl_family_table *filled(const struct wl_probe *probe,
					    const struct wl_family_table *const table[],
					    size_t family)
{
	return probe->build->family[family].present ? table[family] : NULL;
}

bool wl_admit_by_pid(const struct wl_probe *probe,
		     const struct wl_family_table *const table[WL_N_FAMILIES])
{
	for (size_t f = 0; f < WL_N_FAMILIES; f++) {
		const struct wl_family_table *t = filled(probe, table, f);

		if (t && lacks_owner(probe, t) && wl_owner_fallback(probe, t->table))
			return true;
	}
	return false;
}

int wl_admit(const struct wl_probe *probe, const struct wl_family_table *const table[WL_N_FAMILIES],
	     struct wl_err *reterr)
{
	int r = check_export(probe, reterr);

	for (size_t f = 0; r == WL_OK && f < WL_N_FAMILIES; f++) {
		const struct wl_family_table *t = filled(probe, table, f);

		if (t)
			r = check_owner(probe, t, reterr);
		if (t && r == WL_OK)
			r = check_names(probe, t, reterr);
	}
	return r;
}
