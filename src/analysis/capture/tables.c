/* SPDX-License-Identifier: MIT */
/* tables.c - the tables that have rows. */
#include "analysis/analysis.h"
#include "base/memory/sort.h"
#include "known/exports/schema.h"

WL_DECLARE_ANALYSIS(tables);

enum { TABLE, ROWS, MEANING };

static const struct wl_col cols[] = {
	[TABLE] = { "table", "Table", WL_T_STR, WL_KEY, "Table of the file." },
	[ROWS] = { "rows", "Rows", WL_T_COUNT, WL_PLAIN, "Rows in the table." },
	[MEANING] = { "meaning", "Meaning", WL_T_STR, WL_PROSE, "What the table holds." },
};

static const enum wl_column_id needs[] = { WL_TABLES_NAME, WL_TABLES_ROWS, WL_N_COLUMNS };

struct counts {
	const int64_t *rows;
};

static bool more_rows(const void *ctx, uint32_t a, uint32_t b)
{
	const struct counts *c = ctx;

	return c->rows[a] > c->rows[b];
}

static int run(const struct wl_run *r, struct wl_table *out, struct wl_err *reterr)
{
	const struct wl_trace *t = r->trace;
	size_t n = t->family[WL_F_TABLES].n, n_empty = 0;
	uint32_t *order = WL_NEW(r->arena, uint32_t, 2 * n);

	if (!order)
		return wl_no_memory(&wl_analysis_tables, reterr);
	wl_sort_all(order, n, more_rows, &(struct counts){ wl_tables_rows(t) });
	for (size_t i = 0; i < n; i++) {
		const char *table = wl_str(t, wl_tables_name(t)[order[i]]);

		if (wl_tables_rows(t)[order[i]] == 0) {
			n_empty++;
			continue;
		}
		wl_table_row(out);
		wl_put_str(out, TABLE, table);
		wl_put_i64(out, ROWS, wl_tables_rows(t)[order[i]]);
		wl_put_str(out, MEANING, wl_schema_meaning(table, NULL));
	}
	if (n_empty)
		wl_table_note(out, "empty tables: %zu", n_empty);
	return WL_OK;
}

const struct wl_analysis wl_analysis_tables = {
	.name = "tables",
	.help = "List the tables that have rows",
	.on_host = true,
	.of_file = true,
	.needs = needs,
	.cols = cols,
	.n_cols = WL_COUNT(cols),
	.run = run,
};
