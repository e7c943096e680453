/* SPDX-License-Identifier: MIT */
/* schema.c - the tables and columns of the file, and what each means to warplens. */
#include "known/exports/schema.h"

#include "analysis/analysis.h"
#include "analysis/capture/unknown_tables.h"

WL_DECLARE_ANALYSIS(schema);

enum { TABLE, ROWS, COLUMN, TYPE, SINCE, MEANING };

static const struct wl_col cols[] = {
	[TABLE] = { "table", "Table", WL_T_STR, WL_KEY, "Table of the file." },
	[ROWS] = { "rows", "Rows", WL_T_COUNT, WL_PLAIN, "Rows in the table." },
	[COLUMN] = { "column", "Column", WL_T_STR, WL_KEY, "Column of the table." },
	[TYPE] = { "type", "Type", WL_T_ENUM, WL_MINOR, "Declared type of the column." },
	[SINCE] = { "since", "Since", WL_T_ENUM, WL_MINOR,
		    "First schema version that has it, of those seen; empty if all do." },
	[MEANING] = { "meaning", "Meaning", WL_T_STR, WL_PROSE,
		      "Meaning of the column; empty if warplens does not list it." },
};

static const struct wl_param params[] = {
	{ .key = "html",
	  .type = WL_P_PAGE,
	  .help = "Write the schema explorer to FILE instead: one page with tables, relations, "
		  "concepts and queries." },
};

static const enum wl_column_id needs[] = { WL_TABLES_NAME, WL_TABLES_ROWS, WL_N_COLUMNS };

static const struct wl_alias aliases[] = {
	{ .name = "schema_inspect" },
	{ .name = NULL },
};

static const struct wl_example examples[] = {
	{ "warplens schema run.sqlite --where 'table ~ KERNEL' -n 0", "One table, all columns." },
	{ "warplens schema run.sqlite --where 'meaning = none' -n 0", "What warplens ignores." },
	{ "warplens schema run.sqlite --html schema.html",
	  "A page about tables, relations and queries." },
	{ NULL, NULL },
};

static const char *why_empty(const struct wl_trace *t)
{
	(void)t;
	return "the file has no tables";
}

static int run(const struct wl_run *r, struct wl_table *out, struct wl_err *reterr)
{
	const struct wl_trace *t = r->trace;

	for (size_t i = 0; i < t->n_source_columns; i++) {
		const struct wl_source_column *c = &t->source_columns[i];
		const char *table = wl_str(t, wl_tables_name(t)[c->table]);
		const char *column = wl_str(t, c->name);

		wl_table_row(out);
		wl_put_str(out, TABLE, table);
		wl_put_i64(out, ROWS, wl_tables_rows(t)[c->table]);
		wl_put_str(out, COLUMN, column);
		wl_put_str(out, TYPE, wl_str(t, c->type));
		wl_put_str(out, SINCE, wl_schema_since(table, column));
		wl_put_str(out, MEANING, wl_schema_meaning(table, column));
	}
	return wl_note_unknown_tables(r, out) ? WL_OK : wl_no_memory(&wl_analysis_schema, reterr);
}

static const struct wl_form forms[] = { { WL_FORM("info", "schema") }, { .verb = NULL } };

const struct wl_analysis wl_analysis_schema = {
	.name = "schema",
	.topic = WL_TOPIC_LOOK,
	.forms = forms,
	.help = "List the file's tables and columns, and what each means",
	.about = "Lists every table and column of the file, with row counts and meanings. Columns "
		 "without a meaning are ignored when a trace is read. Columns are "
		 "found by name, never by position or version. A note names tables with rows that "
		 "this version does not know.",
	.on_host = true,
	.of_file = true,
	.needs = needs,
	.why_empty = why_empty,
	.params = params,
	.n_params = WL_COUNT(params),
	.cols = cols,
	.n_cols = WL_COUNT(cols),
	.aliases = aliases,
	.examples = examples,
	.run = run,
};
