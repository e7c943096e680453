/* SPDX-License-Identifier: MIT */
/* verb_given.h - the values that a statement gives for columns of a verb's table. */
#ifndef WL_SQL_VERB_GIVEN_H
#define WL_SQL_VERB_GIVEN_H

#include "sql/verbs/verb_results.h"

enum { WL_SQL_MAX_GIVEN = WL_SQL_MAX_PARAMS + 16, WL_SQL_GIVEN_TEXT = 400 };

struct wl_sql_given {
	int column;
	sqlite3_value *value;         /* a copy */
	char text[WL_SQL_GIVEN_TEXT]; /* as on the command line */
	bool is_selection;            /* of a column that the run does not fill */
	bool is_compared;             /* with the cells of a column, by us and not by SQLite */
};

struct wl_sql_givens {
	struct wl_sql_given at[WL_SQL_MAX_GIVEN];
	int n;
	bool is_contradiction; /* two values of one parameter, which no row has */
};

/* The parameter that is the column; NULL for another column. */
const struct wl_sql_param *wl_sql_param_of(const struct wl_sql_shape *shape, int column);

/*
 * The parameter that has the name of a column, and so is called NAME_option; NULL for none. The
 * column stands for it where the run does not fill it (a process, rank, stream or device), and
 * where it has numbers and the value is a text: WHERE "window" = 'steady'.
 */
const struct wl_sql_param *wl_sql_twin_of(const struct wl_sql_shape *shape, int column);

/* It chooses devices, ranks, processes or streams. */
bool wl_sql_is_selector(const struct wl_sql_param *param);

/*
 * Take the values of columns, which are "3=17?" in the order of argv: behind = the value is given,
 * and behind ! unless it is a text for a column of numbers; behind a letter of wl_sql_comparison()
 * it only has to be one that the column can be compared with. NULL is not given. Forget also after
 * a failure.
 */
int wl_sql_givens_take(struct wl_sql_givens *givens, const struct wl_sql_shape *shape,
		       const char *columns, int argc, sqlite3_value **argv,
		       struct wl_err *reterr) WL_MUST_CHECK;
void wl_sql_givens_forget(struct wl_sql_givens *givens);

/* The row of a result has the value in its column, which has numbers. */
bool wl_sql_given_is(const struct wl_sql_given *given, const struct wl_sql_shape *shape,
		     const struct wl_sql_result *result, size_t row);

/* What is asked so; texts are borrowed. Returns the name of the trace, NULL for all. */
const char *wl_sql_givens_call(struct wl_sql_givens *givens, const struct wl_sql_shape *shape,
			       struct wl_sql_call *call);

/*
 * Ask the first trace with the parameter that has the name of the given column, to hear what it
 * says of the value. WL_OK also where no parameter has.
 */
int wl_sql_givens_try(struct wl_sql *sql, struct wl_sql_givens *givens,
		      const struct wl_sql_shape *shape, const struct wl_sql_given *given,
		      struct wl_err *reterr) WL_MUST_CHECK;

#endif
