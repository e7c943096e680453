/* SPDX-License-Identifier: MIT */
/* connection.h - an open connection, for the sources of sql. */
#ifndef WL_SQL_CONNECTION_H
#define WL_SQL_CONNECTION_H

#include <sqlite3.h>

#include "base/memory/vec.h"
#include "sql/sql.h"

struct wl_sql_extras;
struct wl_sql_results;

/* A database file: of a trace, or of a job one of several. */
struct wl_sql_file {
	const char *path;
	const char *schema;   /* plain identifier; the first is main, too */
	sqlite3 *hidden;      /* what the shadows of its tables read by; NULL: nothing is hidden */
	struct wl_vec output; /* int64_t, ascending: strings that are the program's output */
	bool is_of_job;       /* one of several files of a trace */
};

enum { WL_SQL_RAW_NAME = 80 };

/* Raw tables of jobs that the run has read; raw_reads.h. */
struct wl_sql_raw {
	uint32_t files; /* bit of each */
	char table[WL_SQL_RAW_NAME];
	char unplaced[8][WL_SQL_RAW_NAME]; /* read by a name without its schema */
	size_t n_unplaced;
};

struct wl_sql {
	struct wl_sql_opts opts;
	const char **names; /* of traces, as the column trace has them: plain identifiers */
	struct wl_sql_file *files;
	size_t n_files;
	size_t n_job_files; /* of all jobs, also those that are not attached */
	sqlite3 *db;
	struct wl_arena arena;   /* names and paths */
	struct wl_budget budget; /* of the options, until the stop of the run; opts.budget is it */
	struct wl_sql_results *results; /* tables of verbs that were found; verb_results.h */
	struct wl_sql_extras *extras;   /* functions and row sources; extras.h */
	/* Of the run. */
	struct wl_stop stop;
	int64_t time_ns;      /* the limit; 0: none */
	const char *to_raise; /* as in the limits */
	struct wl_sql_raw raw;
	const char *text; /* the statement that is prepared or runs, and what follows it; or NULL */
	char refusal[512];   /* what the authorizer said; "" for nothing */
	char unmatched[256]; /* what a verb says of a value that no row has; "" for nothing */
	/* What a virtual table failed with: SQLite carries its text, not its status. */
	struct wl_err failure;
	bool is_connecting; /* a table of ours is made, or declares its columns */
};

/* How people call the trace. */
static inline const char *wl_sql_label(const struct wl_sql_trace *trace)
{
	return trace->label ? trace->label : trace->path;
}

/* The run is over its time, or the user wants it stopped. */
bool wl_sql_must_stop(const struct wl_sql *sql);

/*
 * sqlite3_declare_vtab() past the authorizer: SQLite connects a table again whenever it reads the
 * schema again. The text must be our own.
 */
int wl_sql_declare_vtab(struct wl_sql *sql, sqlite3 *db, const char *text);

#endif
