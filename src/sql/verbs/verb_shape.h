/* SPDX-License-Identifier: MIT */
/*
 * verb_shape.h - verbs as tables of SQL: their names, columns and parameters, from the registry.
 *
 * A table has the columns of the verb, then its parameters as hidden columns in the order that a
 * call takes them: operands, window, gpu, rank, pid, stream, the verb's options, trace. A parameter
 * that has the name of a column is called NAME_option.
 */
#ifndef WL_SQL_VERB_SHAPE_H
#define WL_SQL_VERB_SHAPE_H

#include "session/document/document_info.h"

enum wl_sql_param_kind {
	WL_SQL_PARAM_OPTION, /* of the analysis, operands included */
	WL_SQL_PARAM_WINDOW,
	WL_SQL_PARAM_SELECTOR, /* chooses devices, ranks, processes or streams */
	WL_SQL_PARAM_TRACE,
};

enum { WL_SQL_NAME = 48, WL_SQL_MAX_PARAMS = WL_MAX_PARAMS + 6 };

struct wl_sql_param {
	enum wl_sql_param_kind kind;
	size_t option;   /* of an OPTION: which of the analysis */
	const char *key; /* of the option on the command line; NULL: there is none */
	char name[WL_SQL_NAME];
	const char *def;  /* what holds unless it is given; NULL for nothing */
	const char *help; /* one sentence */
};

struct wl_sql_shape {
	char name[WL_SQL_NAME];
	const struct wl_analysis *analysis;
	const struct wl_alias *alias; /* by which the verb is called; NULL: by its own name */
	const struct wl_document_info *document; /* of which it is a section; NULL: it is a verb */
	size_t n_cols; /* without parameters; of a tree with those of wl_tree_cols, which come first
			*/
	struct wl_sql_param params[WL_SQL_MAX_PARAMS];
	size_t n_params;
};

/* The i-th table: verbs, then sections of documents; false past the end. */
bool wl_sql_shape_at(size_t i, struct wl_sql_shape *ret);

/*
 * By name, or by a name that another tool has for a verb, as far as what it implies are parameters:
 * these are then defaults.
 */
bool wl_sql_shape_find(const char *name, struct wl_sql_shape *ret);

/* The i-th of n_cols columns. */
const struct wl_col *wl_sql_shape_col(const struct wl_sql_shape *shape, size_t i);

#endif
