/* SPDX-License-Identifier: MIT */
/*
 * columns_sql.c - the statements that read the very columns which a verb reads.
 *
 * usage: columns_sql TRACE VERB|all
 *
 * The trace is loaded as the verb, with its default options, would load it; what is
 * loaded then tells which columns of which tables were read. So the comparison with
 * SQLite follows the program by itself. Prints one statement per line.
 */
#include <stdio.h>
#include <string.h>

#include "analysis/analysis.h"
#include "read/bind.h"
#include "session/open/session.h"

enum { MAX_SOURCES = 64 };

static bool has_column(const struct wl_trace *t, const char *table, const char *column)
{
	const uint32_t *tables = wl_tables_name(t);

	for (size_t i = 0; i < t->n_source_columns; i++) {
		const struct wl_source_column *c = &t->source_columns[i];

		if (strcmp(wl_str(t, tables[c->table]), table) == 0 &&
		    (!column || strcmp(wl_str(t, c->name), column) == 0))
			return true;
	}
	return false;
}

/* The table that fills the family, by the rule of bindings.def; NULL if none does. */
static const struct wl_family_table *find_table(const struct wl_trace *t, enum wl_family_id family)
{
	for (size_t i = 0; i < wl_n_family_tables; i++) {
		const struct wl_family_table *f = &wl_family_tables[i];
		bool fits = f->family == family;

		for (size_t c = 0; fits && c < WL_TABLE_REQUIRED && f->required[c]; c++)
			fits = has_column(t, f->table, f->required[c]);
		if (fits)
			return f;
	}
	return NULL;
}

struct sources {
	const char *name[MAX_SOURCES];
	size_t n;
};

static void add_source(struct sources *s, const char *name)
{
	for (size_t i = 0; i < s->n; i++) {
		if (strcmp(s->name[i], name) == 0)
			return;
	}
	if (s->n < MAX_SOURCES)
		s->name[s->n++] = name;
}

static void print_family(const struct wl_trace *t, const struct wl_columns *set,
			 enum wl_family_id family)
{
	const struct wl_family_table *table = find_table(t, family);
	struct sources s = { .n = 0 };

	for (size_t c = wl_family_infos[family].first_column; table && c < wl_family_end(family);
	     c++) {
		const struct wl_binding *b = &table->binding[c];

		for (size_t i = 0; i < WL_BIND_SOURCES && b->source[i]; i++) {
			if (wl_columns_has(set, (enum wl_column_id)c) &&
			    has_column(t, table->table, b->source[i]))
				add_source(&s, b->source[i]);
		}
	}
	for (size_t i = 0; i < s.n; i++)
		(void)printf("%s\"%s\"", i ? ", " : "SELECT ", s.name[i]);
	if (s.n)
		(void)printf(" FROM \"%s\"\n", table->table);
}

static int load_verb(struct wl_session *session, const char *verb, struct wl_columns *ret,
		     struct wl_err *reterr)
{
	struct wl_request request = { .analysis = wl_analysis_find(verb) };
	int r;

	if (!request.analysis)
		return wl_fail(reterr, WL_E_USAGE, "%s is no analysis", verb);
	r = wl_session_load(session, &request, reterr);
	*ret = wl_session_trace(session)->loaded;
	return r;
}

static int print_sql(const char *path, const char *verb, struct wl_err *reterr)
{
	const struct wl_input_opts opts = { .pool = NULL };
	struct wl_columns set = { { 0 } };
	struct wl_session *session;
	int r = wl_session_open(path, &opts, &session, reterr);

	if (r < 0)
		return r;
	if (strcmp(verb, "all") != 0)
		r = load_verb(session, verb, &set, reterr);
	for (size_t c = 0; strcmp(verb, "all") == 0 && c < WL_N_COLUMNS; c++)
		wl_columns_add(&set, (enum wl_column_id)c);
	for (size_t f = 0; r == WL_OK && f < WL_N_FAMILIES; f++)
		print_family(wl_session_trace(session), &set, (enum wl_family_id)f);
	if (r == WL_OK && has_column(wl_session_trace(session), "StringIds", "value"))
		(void)puts("SELECT id, value FROM StringIds");
	wl_session_close(session);
	return r;
}

int main(int argc, char **argv)
{
	struct wl_err err;

	if (argc != 3) {
		(void)fprintf(stderr, "usage: columns_sql TRACE VERB|all\n");
		return 2;
	}
	if (print_sql(argv[1], argv[2], &err) < 0) {
		(void)fprintf(stderr, "columns_sql: %s\n", err.msg);
		return 1;
	}
	return 0;
}
