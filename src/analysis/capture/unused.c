/* SPDX-License-Identifier: MIT */
/* unused.c - tables that have rows but that no analysis reads. */
#include <string.h>

#include "analysis/analysis.h"
#include "base/memory/sort.h"
#include "known/exports/schema.h"

WL_DECLARE_ANALYSIS(unused);

enum { TABLE, ROWS, WHY, MEANING };

static const struct wl_col cols[] = {
	[TABLE] = { "table", "Table", WL_T_STR, WL_KEY, "Table of the file." },
	[ROWS] = { "rows", "Rows", WL_T_COUNT, WL_PLAIN, "Rows in the table." },
	[WHY] = { "why", "Why", WL_T_ENUM, WL_PLAIN,
		  "Why it is not used: `events` and `facts` (rows with times and without) that no "
		  "analysis reads; `same` rows as another table; `columns` are missing; `derived` "
		  "from other tables; `unknown`." },
	[MEANING] = { "meaning", "Meaning", WL_T_STR, WL_PROSE,
		      "What the table holds; empty if warplens does not list it." },
};

static const enum wl_column_id needs[] = { WL_TABLES_NAME, WL_TABLES_ROWS, WL_TABLES_USE,
					   WL_N_COLUMNS };

struct unused {
	uint32_t table;
	int64_t rows;
	bool timed;
};

static bool comes_first(const void *ctx, uint32_t a, uint32_t b)
{
	const struct unused *u = ctx;

	return u[a].timed != u[b].timed ? u[a].timed : u[a].rows > u[b].rows;
}

/* Set timed for tables that have a column of times. */
static void find_times(const struct wl_trace *t, struct unused *by_table)
{
	static const char *const times[] = { "start", "timestamp", "rawTimestamp", "startedAt" };

	for (size_t i = 0; i < t->n_source_columns; i++) {
		const char *column = wl_str(t, t->source_columns[i].name);

		for (size_t k = 0; k < WL_COUNT(times); k++) {
			if (strcmp(column, times[k]) == 0)
				by_table[t->source_columns[i].table].timed = true;
		}
	}
}

static int64_t rows_of(const struct wl_trace *t, const char *table)
{
	for (uint32_t i = 0; i < t->family[WL_F_TABLES].n; i++) {
		if (strcmp(wl_str(t, wl_tables_name(t)[i]), table) == 0)
			return wl_tables_rows(t)[i];
	}
	return 0;
}

/*
 * Exports up to 2023 repeat GPU metric samples as events, one for all metrics of a GPU at a time.
 * If the counts agree, all events are such copies.
 */
static bool repeats_metrics(const struct wl_trace *t, const char *table, int64_t rows)
{
	const int64_t samples = rows_of(t, "GPU_METRICS");

	/*
	 * One event repeats as many samples as there are metrics per type. Multiplying out avoids
	 * rounding.
	 */
	return strcmp(table, "GENERIC_EVENTS") == 0 && samples > 0 &&
	       (double)rows * (double)rows_of(t, "TARGET_INFO_GPU_METRICS") ==
		       (double)samples * (double)rows_of(t, "GENERIC_EVENT_TYPES");
}

static const char *why(const struct unused *u, uint8_t use, const struct wl_schema_entry *known)
{
	if (use == WL_USE_INSTEAD)
		return "same";
	if (use == WL_USE_SHAPE)
		return "columns";
	if (!known)
		return "unknown";
	if (known->is_derived)
		return "derived";
	return u->timed ? "events" : "facts";
}

static void add_row(const struct wl_trace *t, const struct unused *u, struct wl_table *out)
{
	const char *table = wl_str(t, wl_tables_name(t)[u->table]);
	const struct wl_schema_entry *known = wl_schema_find(table, NULL);
	const uint8_t use =
		repeats_metrics(t, table, u->rows) ? WL_USE_INSTEAD : wl_tables_use(t)[u->table];

	wl_table_row(out);
	wl_put_str(out, TABLE, table);
	wl_put_i64(out, ROWS, u->rows);
	wl_put_str(out, WHY, why(u, use, known));
	wl_put_str(out, MEANING, known ? known->meaning : NULL);
}

static int run(const struct wl_run *r, struct wl_table *out, struct wl_err *reterr)
{
	const struct wl_trace *t = r->trace;
	const size_t n = t->family[WL_F_TABLES].n;
	struct unused *by_table = WL_NEW(r->arena, struct unused, n);
	uint32_t *order = WL_NEW(r->arena, uint32_t, 2 * n);
	size_t n_unused = 0;

	if (!by_table || !order)
		return wl_no_memory(&wl_analysis_unused, reterr);
	find_times(t, by_table);
	for (uint32_t i = 0; i < n; i++) {
		by_table[i].table = i;
		by_table[i].rows = wl_tables_rows(t)[i];
		/* These tables hold names of codes, which are known without the file. */
		if (wl_tables_use(t)[i] != WL_USE_READ && by_table[i].rows > 0 &&
		    strncmp(wl_str(t, wl_tables_name(t)[i]), "ENUM_", 5) != 0)
			order[n_unused++] = i;
	}
	wl_sort_index(order, n_unused, order + n, comes_first, by_table);
	for (size_t i = 0; i < n_unused; i++)
		add_row(t, &by_table[order[i]], out);
	if (n_unused == 0)
		wl_table_remark(out, "every table with rows is used");
	return WL_OK;
}

const struct wl_analysis wl_analysis_unused = {
	.name = "unused",
	.help = "List what was recorded and is not used",
	.on_host = true,
	.of_file = true,
	.needs = needs,
	.cols = cols,
	.n_cols = WL_COUNT(cols),
	.run = run,
};
