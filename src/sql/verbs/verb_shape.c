/* SPDX-License-Identifier: MIT */
#include "sql/verbs/verb_shape.h"

#include <stdio.h>
#include <string.h>

#include "analysis/args.h"

/* Names of SQL have _ where options have -. */
static void copy_name(char to[WL_SQL_NAME], const char *prefix, const char *name)
{
	(void)snprintf(to, WL_SQL_NAME, "%s%s%s", prefix, *prefix ? "_" : "", name);
	for (char *c = strchr(to, '-'); c; c = strchr(c, '-'))
		*c = '_';
}

static bool has_col(const struct wl_sql_shape *s, const char *name)
{
	for (size_t i = 0; i < s->n_cols; i++) {
		if (strcmp(wl_sql_shape_col(s, i)->key, name) == 0)
			return true;
	}
	return false;
}

static void add_param(struct wl_sql_shape *s, struct wl_sql_param param, const char *name)
{
	char plain[WL_SQL_NAME];

	copy_name(plain, "", name);
	(void)snprintf(param.name, sizeof(param.name), "%.38s%s", plain,
		       has_col(s, plain) ? "_option" : "");
	s->params[s->n_params++] = param;
}

static void add_options(struct wl_sql_shape *s, bool operands)
{
	const struct wl_analysis *a = s->analysis;

	/* The arguments of a section are the document's. */
	for (size_t i = 0; !s->document && i < a->n_params; i++) {
		const struct wl_param *p = &a->params[i];

		if (p->operand == operands && wl_param_is_value(p))
			add_param(s,
				  (struct wl_sql_param){ .kind = WL_SQL_PARAM_OPTION,
							 .option = i,
							 .key = p->key,
							 .def = p->type == WL_P_BOOL ? "false"
										     : p->def,
							 .help = p->help },
				  p->key);
	}
}

static void add_params(struct wl_sql_shape *s)
{
	static const struct {
		enum wl_sql_param_kind kind;
		const char *name, *def, *help;
	} common[] = {
		{ WL_SQL_PARAM_WINDOW, "window", "all",
		  "Part of the trace: '39s..42s', 'iter:3', 'steady', 'nvtx:NAME#k'." },
		{ WL_SQL_PARAM_SELECTOR, "gpu", NULL,
		  "Devices: 2, '0,2..3', 'PID:ORDINAL', a UUID." },
		{ WL_SQL_PARAM_SELECTOR, "rank", NULL, "Ranks: 3, '0,4..7'." },
		{ WL_SQL_PARAM_SELECTOR, "pid", NULL, "Processes: 4711, '4711,4712'." },
		{ WL_SQL_PARAM_SELECTOR, "stream", NULL, "CUDA streams: 7, '7,13'." },
	};

	add_options(s, true);
	for (size_t i = 0; i < WL_COUNT(common); i++)
		add_param(s,
			  (struct wl_sql_param){ .kind = common[i].kind,
						 .key = common[i].name,
						 .def = common[i].def,
						 .help = common[i].help },
			  common[i].name);
	add_options(s, false);
	add_param(s,
		  (struct wl_sql_param){ .kind = WL_SQL_PARAM_TRACE,
					 .help = "The trace that the row is of, by its name." },
		  "trace");
}

static void make(struct wl_sql_shape *s, const struct wl_analysis *a,
		 const struct wl_document_info *document)
{
	*s = (struct wl_sql_shape){ .analysis = a, .document = document };
	copy_name(s->name, document ? document->name : "", a->name);
	s->n_cols = a->n_cols + (a->is_tree ? WL_N_TREE_COLS : 0);
	add_params(s);
}

/* A section that is a verb is a table by that name. */
static bool is_section(const struct wl_section_info *s)
{
	const struct wl_analysis *verb = wl_analysis_find(s->analysis);

	return !verb || strcmp(verb->name, s->analysis) != 0;
}

/* A row source has its name, with all rows and not only those that the verb picks. */
static bool is_replaced(const struct wl_analysis *a)
{
	return a->picks_rows;
}

bool wl_sql_shape_at(size_t i, struct wl_sql_shape *ret)
{
	for (size_t k = 0; k < wl_n_analyses; k++) {
		if (is_replaced(wl_analyses[k]) || i-- > 0)
			continue;
		make(ret, wl_analyses[k], NULL);
		return true;
	}
	for (size_t d = 0; d < wl_n_documents; d++) {
		for (size_t k = 0; k < wl_documents[d]->n_sections; k++) {
			const struct wl_section_info *s = &wl_documents[d]->sections[k];

			if (!is_section(s) || i-- > 0)
				continue;
			make(ret, wl_analysis_get(s->analysis), wl_documents[d]);
			return true;
		}
	}
	return false;
}

/* ---- Names of other tools ---- */

/* The value that the name of another tool implies for a parameter; NULL for none. */
static const char *implied_by(const struct wl_alias *alias, const struct wl_sql_param *p)
{
	for (size_t i = 0; p->key && i < WL_MAX_IMPLIED && alias->implies[i].key; i++) {
		if (strcmp(alias->implies[i].key, p->key) == 0)
			return alias->implies[i].value;
	}
	return NULL;
}

/* All that it implies can be said in SQL; columns change only what people see. */
static bool take_alias(struct wl_sql_shape *s, const struct wl_alias *alias)
{
	size_t n_implied = 0, n_taken = 0;

	s->alias = alias;
	copy_name(s->name, "", alias->name);
	for (size_t i = 0; i < WL_MAX_IMPLIED && alias->implies[i].key; i++)
		n_implied += strcmp(alias->implies[i].key, "columns") != 0;
	for (size_t i = 0; i < s->n_params; i++) {
		const char *implied = implied_by(alias, &s->params[i]);

		if (implied)
			s->params[i].def = implied;
		n_taken += implied != NULL;
	}
	return n_taken == n_implied;
}

static bool find_alias(const char *name, struct wl_sql_shape *ret)
{
	for (size_t i = 0; i < wl_n_analyses; i++) {
		const struct wl_alias *alias = wl_analyses[i]->aliases;

		for (; alias && alias->name; alias++) {
			if (strcmp(alias->name, name) != 0)
				continue;
			make(ret, wl_analyses[i], NULL);
			return take_alias(ret, alias);
		}
	}
	return false;
}

bool wl_sql_shape_find(const char *name, struct wl_sql_shape *ret)
{
	for (size_t i = 0; wl_sql_shape_at(i, ret); i++) {
		if (strcmp(ret->name, name) == 0)
			return true;
	}
	return find_alias(name, ret);
}

const struct wl_col *wl_sql_shape_col(const struct wl_sql_shape *shape, size_t i)
{
	size_t n_tree = shape->n_cols - shape->analysis->n_cols;

	return i < n_tree ? &wl_tree_cols[i] : &shape->analysis->cols[i - n_tree];
}
