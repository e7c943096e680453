/* SPDX-License-Identifier: MIT */
/*
 * sql.h - SQL over open traces: the raw tables, every verb as a table, and functions.
 *
 * Order of calls: open; run, as often as wanted; close. The traces stay read-only whatever the
 * text says: statements may read, and create TEMP tables and views, and nothing else. The text and
 * the files are both untrusted. The environment and the output of the traced program are hidden
 * unless asked for.
 *
 * One thread at a time uses a connection and the sessions of its traces. TEMP objects live until
 * close.
 */
#ifndef WL_SQL_SQL_H
#define WL_SQL_SQL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/err.h"
#include "base/memory/arena.h"
#include "session/document/request.h"
#include "table/document.h"

struct wl_pool;
struct wl_session;
struct wl_wanted;
struct wl_sql;

struct wl_sql_trace {
	struct wl_session *session;
	const char *path;  /* the database; of a job the directory of its databases */
	const char *label; /* how people call the trace; NULL: the path */
	const char *name;  /* of the column trace; NULL: that of the label */
};

/* Raw tables are of this many files at most, which is what SQLite attaches; verbs are of all. */
enum { WL_SQL_MAX_FILES = 11 };

/* Bytes that SQLite may take unless the options say otherwise. */
#define WL_SQL_HEAP ((size_t)1 << 30)

/* Borrowed until close. */
struct wl_sql_opts {
	const struct wl_sql_trace *traces;
	size_t n; /* at least 1 */
	bool show_environment;
	size_t heap;              /* bytes for SQLite, of all connections; 0: WL_SQL_HEAP */
	struct wl_budget *budget; /* of the tables of verbs; NULL: without limit */
	struct wl_pool *pool;     /* NULL: one thread */
	/* As in struct wl_request, for every verb. */
	const char *marker;
	struct wl_named_doc conventions;
};

/*
 * What statements may need of a trace besides what the verbs want: for a session that is held, and
 * loads nothing later.
 */
void wl_sql_want(struct wl_wanted *wanted);

/* WL_E_FORMAT or WL_E_IO when a file cannot be opened as a database. */
int wl_sql_open(const struct wl_sql_opts *opts, struct wl_sql **ret_sql,
		struct wl_err *reterr) WL_MUST_CHECK;
void wl_sql_close(struct wl_sql *sql); /* accepts NULL */

/* A part of the rows: what a run leaves out before them, and whether it left out some behind. */
struct wl_sql_page {
	size_t skip;
	size_t n_skipped; /* set by the run: less than skip where there are no more rows */
	bool has_more;    /* the same: a limit ended the table */
};

/* Of one run. A zeroed struct has none. */
struct wl_sql_limits {
	int64_t time_ns;          /* 0: none; it also ends the reading and the work of a verb */
	const char *to_raise;     /* what to do for more time, in the message; NULL: nothing */
	size_t rows;              /* 0: all */
	size_t bytes;             /* of texts in the result; 0: all */
	const atomic_int *cancel; /* not 0: stop; or NULL */
	/* NULL: from the first row on, and a note says where there are more. */
	struct wl_sql_page *page;
};

/*
 * Run one or more statements, of which one returns rows; where none does, the table has no columns.
 * The result is a document of one table, which has what the arena and the connection own. Columns
 * that are columns of a verb keep their type and its unit; others are text, counts or reals by
 * their values. At the limits of rows and bytes the table ends, and a note or the page says that
 * there are more.
 *
 * WL_E_USAGE for what SQL or a verb refuses, WL_E_TIMEOUT and WL_E_NOMEM at the other limits,
 * WL_E_CANCELED; what a verb failed with otherwise.
 */
int wl_sql_run(struct wl_sql *sql, const char *text, const struct wl_sql_limits *limits,
	       struct wl_arena *arena, struct wl_document *ret_document,
	       struct wl_err *reterr) WL_MUST_CHECK;

/* A value of a parameter that statements have as :name. */
struct wl_sql_value {
	const char *name; /* without the colon */
	enum { WL_SQL_NULL, WL_SQL_INTEGER, WL_SQL_REAL, WL_SQL_TEXT } type;
	union {
		int64_t i64;
		double f64;
		const char *text;
	};
	bool is_used; /* set by a run: a statement has it */
};

/* Statements with the values of their parameters. */
struct wl_sql_bound {
	const char *text;
	struct wl_sql_value *values; /* n; NULL: none are given, and parameters are NULL in SQL */
	size_t n;
};

/*
 * The same with parameters, which are values whatever they hold and never a part of the text.
 * WL_E_USAGE also for a parameter of the text that is not among the values.
 */
int wl_sql_run_bound(struct wl_sql *sql, const struct wl_sql_bound *bound,
		     const struct wl_sql_limits *limits, struct wl_arena *arena,
		     struct wl_document *ret_document, struct wl_err *reterr) WL_MUST_CHECK;

/* Whether the text ends in a whole statement, with its semicolon. */
bool wl_sql_is_complete(const char *text);

enum wl_sql_kind {
	WL_SQL_KIND_VERB,    /* a verb, by its name with _ for - */
	WL_SQL_KIND_SECTION, /* a table of a document: info_gpus */
	WL_SQL_KIND_ROWS,    /* events of a trace, and functions that give rows */
	WL_SQL_KIND_RAW,     /* a table or view of the file */
	WL_SQL_KIND_TEMP,    /* what the user made */
};

struct wl_sql_column {
	const char *name;
	const char *type;  /* as declared: "INTEGER NS", "TEXT" */
	const char *help;  /* a sentence or a fragment; "" where nothing is known */
	bool is_parameter; /* hidden: WHERE name = value, or an argument of the table in this order
			    */
};

struct wl_sql_table {
	const char *name;
	const char *schema; /* of a raw table of the second file and later; else NULL */
	enum wl_sql_kind kind;
	const char *help; /* as of a column */
	const struct wl_sql_column *columns;
	size_t n_columns;
};

/* All tables, by kind and name; owned by the arena. */
int wl_sql_tables(struct wl_sql *sql, struct wl_arena *arena, const struct wl_sql_table **ret,
		  size_t *ret_n, struct wl_err *reterr) WL_MUST_CHECK;

/* One of them by name, whatever its case; NULL when there is none. */
const struct wl_sql_table *wl_sql_table_find(const struct wl_sql_table *tables, size_t n,
					     const char *name);

/*
 * How the verb is asked in SQL, for help: "SELECT * FROM kernels"; with an operand
 * "SELECT * FROM search('pattern')".
 */
void wl_sql_twin(const struct wl_analysis *analysis, char *buf, size_t size);

#endif
