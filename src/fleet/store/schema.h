/* SPDX-License-Identifier: MIT */
/*
 * schema.h - the tables of history in the database.
 *
 * Each table of facts is a table NAME_rows, with the columns that identify its run. In a cluster
 * NAME_spread distributes it over the shards by run. The view NAME has the rows of runs that are
 * complete: those of the version that the table runs, which is written last, names. Pushing a
 * run again replaces its rows, and readers see each once.
 *
 *   run_id, version   of the run, as in facts
 *   t                 its begin, in milliseconds since 1970
 *   ingested          when it was pushed, in the same unit
 *   rank              of ranks: what the column rank of other tables refers to
 *
 * Columns that may be unknown are Nullable, except for keys.
 */
#ifndef WL_FLEET_SCHEMA_H
#define WL_FLEET_SCHEMA_H

#include "facts/facts.h"
#include "fleet/store/server.h"

/* 1: facts; 2: also verdicts, step_waits, waits.transfer, and what steps are; 3: also acks. */
enum { WL_STORE_SCHEMA = 3, WL_STORE_COLUMNS = 48 };

enum wl_store_kind {
	WL_STORE_RUN_ID,
	WL_STORE_VERSION,
	WL_STORE_T,
	WL_STORE_INGESTED,
	WL_STORE_RANK, /* of ranks: its own name */
	WL_STORE_FACT, /* a column of facts */
};

struct wl_store_column {
	const char *name;
	enum wl_store_kind kind;
	enum wl_facts_column_id fact;
	bool is_key;
};

/* A table that is stored, in the order in which tables are written: runs is the last. */
struct wl_store_table {
	enum wl_facts_table_id facts;
	unsigned days;     /* after which rows are removed, by servers that can */
	const char *order; /* columns that rows are sorted by; NULL: run_id, version and keys */
};

extern const struct wl_store_table wl_store_tables[];
extern const size_t wl_store_n_tables;

/* The columns of a table in the order of its rows; returns how many. */
size_t wl_store_columns(enum wl_facts_table_id table, struct wl_store_column ret[WL_STORE_COLUMNS]);

/* After how many days rows of a table are removed. */
unsigned wl_store_days(enum wl_facts_table_id table);

/* The table that rows are inserted into: "history.steps_rows" */
void wl_store_put_target(const struct wl_store *store, enum wl_facts_table_id table,
			 struct wl_text *to);

/*
 * Create what is missing, on all servers: the database, tables, columns that this program has and
 * the database has not, views. Nothing is removed. WL_E_USAGE where the database belongs to a
 * newer program. ret_changes counts tables and columns that were added.
 */
int wl_store_init(const struct wl_store *store, size_t *ret_changes,
		  struct wl_err *reterr) WL_MUST_CHECK;

/* WL_OK if the database has the tables of this program; otherwise what to do. */
int wl_store_check(const struct wl_store *store, struct wl_err *reterr) WL_MUST_CHECK;

/* All statements that make the database on a server of that version, one per line. For tests. */
bool wl_store_put_schema(const struct wl_store *store, struct wl_text *to) WL_MUST_CHECK;

#endif
