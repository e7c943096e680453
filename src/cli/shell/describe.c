/* SPDX-License-Identifier: MIT */
#include "cli/shell/describe.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "base/text/clean.h"
#include "base/text/nearest.h"
#include "base/text/utf8.h"

enum { LIST_WIDTH = 79, TYPE_WIDTH = 16 };

static const struct {
	enum wl_sql_kind kind;
	const char *title;
} kinds[] = {
	{ WL_SQL_KIND_ROWS, "Events, and functions that give rows" },
	{ WL_SQL_KIND_VERB, "Verbs" },
	{ WL_SQL_KIND_SECTION, "Tables of info, summary and other documents" },
	{ WL_SQL_KIND_TEMP, "Your own" },
	{ WL_SQL_KIND_RAW, "Tables of the file" },
};

static bool is_listed(const struct wl_sql_table *t, enum wl_sql_kind kind, const char *pattern)
{
	return t->kind == kind && (!*pattern || fnmatch(pattern, t->name, FNM_CASEFOLD) == 0);
}

/* Names are those of a file, which may have anything in them. */
static void put_name(const struct wl_sql_table *t)
{
	if (t->schema) {
		wl_put_clean(stdout, t->schema);
		(void)fputc('.', stdout);
	}
	wl_put_clean(stdout, t->name);
}

static void put_padded(const char *text, size_t width)
{
	size_t n = wl_utf8_width(text);

	wl_put_clean(stdout, text);
	(void)printf("%*s", n < width ? (int)(width - n) : 0, "");
}

static void list_kind(const struct wl_shell_names *names, size_t k, const char *pattern)
{
	size_t at = 0;

	for (size_t i = 0; i < names->n_tables; i++) {
		const struct wl_sql_table *t = &names->tables[i];
		size_t n = strlen(t->name) + (t->schema ? strlen(t->schema) + 1 : 0);

		if (!is_listed(t, kinds[k].kind, pattern))
			continue;
		if (at == 0) {
			(void)printf("%s:\n ", kinds[k].title);
			at = 1;
		} else if (at + n + 1 > LIST_WIDTH) {
			(void)fputs("\n ", stdout);
			at = 1;
		}
		(void)fputc(' ', stdout);
		put_name(t);
		at += n + 1;
	}
	if (at)
		(void)fputc('\n', stdout);
}

void wl_shell_list_tables(struct wl_shell *s, const char *pattern)
{
	if (!wl_shell_knows_names(s)) {
		wl_shell_complain(s, "no memory for the list of tables");
		return;
	}
	for (size_t k = 0; k < WL_COUNT(kinds); k++)
		list_kind(&s->names, k, pattern);
}

static void put_column(const struct wl_sql_column *c, size_t width)
{
	(void)fputs("  ", stdout);
	put_padded(c->name, width + 2);
	put_padded(c->type, TYPE_WIDTH);
	wl_put_clean(stdout, c->help);
	(void)fputc('\n', stdout);
}

static void put_columns(const struct wl_sql_table *t, bool parameters)
{
	size_t width = 0;
	bool any = false;

	for (size_t i = 0; i < t->n_columns; i++) {
		size_t n = wl_utf8_width(t->columns[i].name);

		width = n > width ? n : width;
	}
	for (size_t i = 0; i < t->n_columns; i++) {
		if (t->columns[i].is_parameter != parameters)
			continue;
		if (!any && parameters)
			(void)puts("parameters, in the order of arguments:");
		any = true;
		put_column(&t->columns[i], width);
	}
}

/* "did you mean" is for one that is near. */
static void no_table(struct wl_shell *s, const char *name)
{
	struct wl_nearest near;
	const char *best;

	wl_nearest_init(&near, name);
	for (size_t i = 0; i < s->names.n_tables; i++)
		wl_nearest_offer(&near, s->names.tables[i].name);
	best = wl_nearest_get(&near);
	if (best)
		wl_shell_complain(s, "no table is called \"%s\"; did you mean %s?", name, best);
	else
		wl_shell_complain(s, "no table is called \"%s\"; .tables lists them", name);
}

void wl_shell_describe(struct wl_shell *s, const char *table)
{
	const struct wl_sql_table *t = NULL;

	if (wl_shell_knows_names(s))
		t = wl_sql_table_find(s->names.tables, s->names.n_tables, table);
	if (!t) {
		no_table(s, table);
		return;
	}
	put_name(t);
	(void)printf("%s%s\n", *t->help ? ": " : "", t->help);
	put_columns(t, false);
	put_columns(t, true);
}

void wl_shell_describe_all(struct wl_shell *s)
{
	for (size_t i = 0; wl_shell_knows_names(s) && i < s->names.n_tables; i++) {
		const struct wl_sql_table *t = &s->names.tables[i];

		put_name(t);
		(void)fputc('(', stdout);
		for (size_t c = 0, n = 0; c < t->n_columns; c++) {
			if (t->columns[c].is_parameter)
				continue;
			(void)fputs(n++ ? ", " : "", stdout);
			wl_put_clean(stdout, t->columns[c].name);
		}
		(void)puts(")");
	}
}
