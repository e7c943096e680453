/* SPDX-License-Identifier: MIT */
/*
 * verb_results.h - the tables of verbs that a connection has found, so that a join asks a verb once
 * per arguments and not once per row.
 *
 * A result is a copy and not the session's, which moves what it has when it loads more.
 * Results live at least until the run ends in which they were asked for.
 */
#ifndef WL_SQL_VERB_RESULTS_H
#define WL_SQL_VERB_RESULTS_H

#include "session/document/verb_call.h"
#include "sql/connection.h"
#include "sql/verbs/verb_shape.h"

/* What a verb is asked. Texts as on the command line; NULL for what is not given. */
struct wl_sql_call {
	const struct wl_sql_shape *shape;
	size_t trace;
	struct wl_verb_call ask;
};

struct wl_sql_result {
	const struct wl_table *table;
	const uint32_t *rows; /* of the table, in the order of the verb: a tree depth first */
	size_t n_rows;
	/* By column of the shape past those of a tree: where it is in the table; -1: the run does
	 * not fill it. */
	int16_t at[WL_MAX_COLS];
};

/* Ask the verb, or find what it answered. */
int wl_sql_result_get(struct wl_sql *sql, const struct wl_sql_call *call,
		      const struct wl_sql_result **ret, struct wl_err *reterr) WL_MUST_CHECK;

/* A cell by row of the result and column of the shape, with its type; not set where none is. */
struct wl_cell wl_sql_result_cell(const struct wl_sql_result *result,
				  const struct wl_sql_shape *shape, size_t row, size_t column,
				  enum wl_type *ret_type);

/* Bits of the columns of the analysis that a run with these arguments does not fill. */
uint64_t wl_sql_call_unfilled(const struct wl_sql_call *call);

/* A run begins: forget results if they have become many. */
void wl_sql_results_begin(struct wl_sql *sql);

/* Add what results of the run say, with the names of their verbs, but for minor notes. */
void wl_sql_results_note(const struct wl_sql *sql, struct wl_table *table);

void wl_sql_results_free(struct wl_sql *sql);

#endif
