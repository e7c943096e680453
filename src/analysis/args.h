/* SPDX-License-Identifier: MIT */
/* args.h - arguments of an analysis, from what a user or a program wrote. */
#ifndef WL_ANALYSIS_ARGS_H
#define WL_ANALYSIS_ARGS_H

#include "analysis/analysis.h"

struct wl_args {
	union wl_arg value[WL_MAX_PARAMS];
	struct wl_regex *regex[WL_MAX_PARAMS]; /* owned; NULL for other types */
};

/*
 * Parse one text per parameter; NULL takes the default. A DOC has no text but a
 * document in docs, by parameter. A value that does not fit is WL_E_USAGE and names
 * the parameter and what it takes. Texts and documents are borrowed; either array
 * may be NULL. Release also after a failure.
 */
int wl_args_init(struct wl_args *args, const struct wl_analysis *a, const char *const *text,
		 struct wl_json *const *docs, struct wl_err *reterr) WL_MUST_CHECK;

/* Parameters, and the name of what they are of. */
struct wl_param_list {
	const char *name;
	const struct wl_param *params;
	size_t n;
	/* Of the table: a choice that is a column has the column's other name, too. NULL: none. */
	const struct wl_col *cols;
	size_t n_cols;
};

/* The same for parameters that are not an analysis's. */
int wl_args_parse(struct wl_args *args, const struct wl_param_list *list, const char *const *text,
		  struct wl_json *const *docs, struct wl_err *reterr) WL_MUST_CHECK;
void wl_args_release(struct wl_args *args);

/*
 * A text or a number that changes nothing but the answer, whatever the verb is called: SQL and
 * tools take it. Others name files and pages, or belong to the command line.
 */
bool wl_param_is_value(const struct wl_param *p);

/* A name of n bytes is the key, whose words may be joined by -, _ or nothing; key NULL: it is not.
 */
bool wl_key_is(const char *key, const char *name, size_t n);

/* The parameter of this key or other spelling that is such a value; n where there is none. */
size_t wl_param_named(const struct wl_param *params, size_t n, const char *name);

#endif
