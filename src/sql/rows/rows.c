/* SPDX-License-Identifier: MIT */
#include "sql/rows/rows.h"

#include "sql/rows/row_source.h"

static const struct wl_row_source *const sources[WL_SQL_N_ROWS] = {
	&wl_row_source_ops,     &wl_row_source_launches, &wl_row_source_nvtx_ranges,
	&wl_row_source_matches, &wl_row_source_strings,
};

const struct wl_sql_rows *const wl_sql_rows[WL_SQL_N_ROWS] = {
	&wl_row_source_ops.rows,     &wl_row_source_launches.rows, &wl_row_source_nvtx_ranges.rows,
	&wl_row_source_matches.rows, &wl_row_source_strings.rows,
};

static int add(sqlite3 *db, const struct wl_row_source *source, struct wl_sql_context *ctx)
{
	struct wl_row_module_data *data = sqlite3_malloc64(sizeof(*data));

	if (!data)
		return SQLITE_NOMEM;
	*data = (struct wl_row_module_data){ source, ctx };
	/* Also where it fails, SQLite frees the data. */
	return sqlite3_create_module_v2(db, source->rows.name, &wl_row_module, data, sqlite3_free);
}

int wl_sql_add_rows(sqlite3 *db, struct wl_sql_context *ctx, struct wl_err *reterr)
{
	for (size_t i = 0; i < WL_SQL_N_ROWS; i++) {
		if (add(db, sources[i], ctx) != SQLITE_OK)
			return wl_fail(reterr, WL_E_NOMEM, "sql: cannot add the table %s: %.200s",
				       sources[i]->rows.name, sqlite3_errmsg(db));
	}
	return WL_OK;
}
