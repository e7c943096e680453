/* SPDX-License-Identifier: MIT */
/* args.h - parses the arguments of an analysis that a user or a program gave. */
#ifndef WL_ANALYSIS_ARGS_H
#define WL_ANALYSIS_ARGS_H

#include "analysis/analysis.h"

struct wl_args {
	union wl_arg value[WL_MAX_PARAMS];
	struct wl_regex *regex[WL_MAX_PARAMS]; /* owned; NULL for other types */
};

/*
 * Parse one string per parameter; NULL takes the default. A DOC has a document in docs, by
 * parameter, instead of a string. A bad value is WL_E_USAGE, with a message that names the
 * parameter and what it takes. Strings and documents are borrowed; either array may be NULL.
 * Release args even after a failure.
 */
int wl_args_init(struct wl_args *args, const struct wl_analysis *a, const char *const *text,
		 struct wl_json *const *docs, struct wl_err *reterr) WL_MUST_CHECK;

/* Parameters, and the name of what takes them. */
struct wl_param_list {
	const char *name;
	const struct wl_param *params;
	size_t n;
	/* The columns of the table: a choice that names a column also accepts the column's other
	 * name. NULL: none. */
	const struct wl_col *cols;
	size_t n_cols;
};

/* The same for parameters that do not belong to an analysis. */
int wl_args_parse(struct wl_args *args, const struct wl_param_list *list, const char *const *text,
		  struct wl_json *const *docs, struct wl_err *reterr) WL_MUST_CHECK;
void wl_args_release(struct wl_args *args);

/*
 * Whether the parameter is a string or number that affects only the answer, under every name of the
 * verb: SQL and tools accept it. Others name files and pages, or belong to the command line.
 */
bool wl_param_is_value(const struct wl_param *p);

/* Whether a name of n bytes is the key, whose words may be joined by -, _ or nothing; false if key
 * is NULL. */
bool wl_key_is(const char *key, const char *name, size_t n);

/* The index of the value parameter with this key or alias; n if there is none. */
size_t wl_param_named(const struct wl_param *params, size_t n, const char *name);

#endif
