/* SPDX-License-Identifier: MIT */
#include "cli/shell/names.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text/utf8.h"

/* Words of SQL that people type; those that are names of columns, too, are quoted there. */
static const char *const keywords[] = {
	"SELECT", "FROM",      "WHERE",        "GROUP", "ORDER",     "BY",     "HAVING",
	"LIMIT",  "OFFSET",    "JOIN",         "LEFT",  "INNER",     "CROSS",  "ON",
	"USING",  "AS",        "AND",          "OR",    "NOT",       "IN",     "BETWEEN",
	"LIKE",   "GLOB",      "IS",           "NULL",  "DISTINCT",  "UNION",  "ALL",
	"EXCEPT", "INTERSECT", "CASE",         "WHEN",  "THEN",      "ELSE",   "END",
	"WITH",   "RECURSIVE", "MATERIALIZED", "OVER",  "PARTITION", "FILTER", "CREATE",
	"TEMP",   "TABLE",     "VIEW",         "DROP",  "EXISTS",    "VALUES", "ASC",
	"DESC",   "CAST",      "EXPLAIN",      "QUERY", "PLAN",      "WINDOW", NULL,
};

/* ---- Loading ---- */

static int load_functions(struct wl_shell_names *names, struct wl_sql *sql, struct wl_err *reterr)
{
	static const struct wl_sql_limits none = { .rows = 0 };
	/*
	 * In the schema temp, because a table of the trace could be called pragma_function_list,
	 * and a file has no temporary tables. The pattern leaves out operators, which SQLite lists
	 * as functions.
	 */
	static const char text[] = "SELECT DISTINCT name || '(' FROM temp.pragma_function_list "
				   "WHERE name GLOB '[a-z]*'";
	const struct wl_table *t;
	struct wl_document doc;
	int r = wl_sql_run(sql, text, &none, &names->arena, &doc, reterr);

	if (r < 0)
		return r;
	t = doc.sections[0].view.table;
	names->functions = WL_NEW(&names->arena, const char *, t->n_rows + 1);
	if (!names->functions)
		return wl_fail(reterr, WL_E_NOMEM, "no memory for the names of functions");
	for (size_t i = 0; i < t->n_rows; i++)
		names->functions[i] = wl_table_at(t, i, 0).str;
	names->n_functions = t->n_rows;
	return WL_OK;
}

int wl_shell_names_load(struct wl_shell_names *names, struct wl_sql *sql, struct wl_err *reterr)
{
	int r;

	wl_shell_names_release(names);
	wl_arena_init_on(&names->arena, NULL);
	wl_arena_init_on(&names->found_arena, NULL);
	wl_vec_init(&names->found, sizeof(const char *), wl_arena_budget(&names->arena));
	r = wl_sql_tables(sql, &names->arena, &names->tables, &names->n_tables, reterr);
	return r < 0 ? r : load_functions(names, sql, reterr);
}

void wl_shell_names_release(struct wl_shell_names *names)
{
	if (names->found.budget)
		wl_vec_release(&names->found);
	wl_arena_release(&names->found_arena);
	wl_arena_release(&names->arena);
	*names = (struct wl_shell_names){ .n_tables = 0 };
}

/* ---- Words ---- */

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

static bool is_keyword(const char *name)
{
	for (const char *const *k = keywords; *k; k++) {
		if (strcasecmp(*k, name) == 0)
			return true;
	}
	return false;
}

/* The last word before byte end of the line, as [*ret_begin, *ret_end); false where there is none.
 */
static bool word_before(const char *line, size_t end, size_t *ret_begin, size_t *ret_end)
{
	while (end > 0 && (line[end - 1] == ' ' || line[end - 1] == '\t'))
		end--;
	*ret_end = end;
	while (end > 0 && is_word(line[end - 1]))
		end--;
	*ret_begin = end;
	return *ret_begin < *ret_end;
}

static bool is_same(const char *text, size_t n, const char *word)
{
	return strlen(word) == n && strncasecmp(text, word, n) == 0;
}

/* Whether the text has the name as a word. */
static bool has_word(const char *text, const char *name)
{
	size_t n = strlen(name);

	for (const char *at = strcasestr(text, name); at; at = strcasestr(at + 1, name)) {
		if ((at == text || !is_word(at[-1])) && !is_word(at[n]))
			return true;
	}
	return false;
}

/* ---- Collecting ---- */

struct asking {
	struct wl_shell_names *names;
	const char *prefix;
	size_t n; /* bytes of the prefix */
};

static void offer(struct asking *a, const char *text)
{
	if (strncasecmp(text, a->prefix, a->n) == 0)
		wl_vec_push(&a->names->found, &text);
}

/* A word of SQL is written as the word was begun: in capitals or not. */
static void offer_keyword(struct asking *a, const char *keyword)
{
	char *lower;

	if (strncasecmp(keyword, a->prefix, a->n) != 0)
		return;
	if (a->n == 0 || isupper((unsigned char)a->prefix[0])) {
		offer(a, keyword);
		return;
	}
	lower = wl_arena_strdup(&a->names->found_arena, keyword);
	for (char *c = lower; c && *c; c++)
		*c = (char)tolower((unsigned char)*c);
	if (lower)
		offer(a, lower);
}

/* SQL takes it for a name as it is. */
static bool is_plain(const char *name)
{
	const char *c = name;

	while (isalnum((unsigned char)*c) || *c == '_')
		c++;
	return *name && *c == '\0' && !isdigit((unsigned char)*name) && !is_keyword(name);
}

/* No name of a file may steer the terminal, or end its own quotes. */
static bool is_safe(const char *name)
{
	uint32_t cp;

	while ((cp = wl_utf8_next(&name)) != 0) {
		if (cp == '"' || wl_utf8_is_control(cp) || wl_utf8_is_bidi(cp))
			return false;
	}
	return true;
}

/* In quotes, if it must be: matched without, or with the quote that was typed. */
static void offer_name(struct asking *a, const char *name)
{
	size_t skip = a->n && a->prefix[0] == '"', n = strlen(name);
	char *quoted;

	if (!is_safe(name))
		return;
	if (!skip && is_plain(name)) {
		offer(a, name);
		return;
	}
	if (strncasecmp(name, a->prefix + skip, a->n - skip) != 0)
		return;
	quoted = WL_NEW(&a->names->found_arena, char, n + 3);
	if (!quoted)
		return;
	(void)snprintf(quoted, n + 3, "\"%s\"", name);
	wl_vec_push(&a->names->found, &(const char *){ quoted });
}

static void offer_columns(struct asking *a, const struct wl_sql_table *t)
{
	for (size_t i = 0; i < t->n_columns; i++)
		offer_name(a, t->columns[i].name);
}

static void offer_tables(struct asking *a)
{
	for (size_t i = 0; i < a->names->n_tables; i++)
		offer_name(a, a->names->tables[i].name);
}

/* Columns of the tables that the statement names; of all where it names none. */
static void offer_named_columns(struct asking *a, const struct wl_typed *typed)
{
	const struct wl_shell_names *names = a->names;
	bool any = false;

	for (size_t i = 0; i < names->n_tables; i++) {
		if (!has_word(typed->line, names->tables[i].name) &&
		    !has_word(typed->before, names->tables[i].name))
			continue;
		offer_columns(a, &names->tables[i]);
		any = true;
	}
	/*
	 * Without a letter typed, all columns of all verbs would be offered. Columns of the export
	 * come only with their table: there are hundreds.
	 */
	for (size_t i = 0; !any && a->n && i < names->n_tables; i++) {
		if (names->tables[i].kind != WL_SQL_KIND_RAW)
			offer_columns(a, &names->tables[i]);
	}
}

static void offer_all(struct asking *a, const struct wl_typed *typed)
{
	offer_named_columns(a, typed);
	if (a->n == 0)
		return;
	offer_tables(a);
	for (size_t i = 0; i < a->names->n_functions; i++)
		offer(a, a->names->functions[i]);
	for (const char *const *k = keywords; *k; k++)
		offer_keyword(a, *k);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static struct wl_continuations finish(struct wl_shell_names *names, size_t word)
{
	const char **at = names->found.data;
	size_t n = 0;

	if (names->found.failed || names->found.n == 0)
		return (struct wl_continuations){ .n = 0 };
	/* Several tables have a column of one name. */
	qsort(at, names->found.n, sizeof(*at), by_text);
	for (size_t i = 0; i < names->found.n; i++) {
		if (n == 0 || strcmp(at[n - 1], at[i]) != 0)
			at[n++] = at[i];
	}
	return (struct wl_continuations){ .text = at, .n = n, .word = word };
}

static void begin(struct wl_shell_names *names)
{
	names->found.n = 0;
	wl_arena_release(&names->found_arena);
}

/* Tables belong behind these. */
static bool wants_table(const char *line, size_t begin)
{
	static const char *const before[] = { "FROM", "JOIN", "TABLE", "VIEW", "DESCRIBE" };
	size_t from, to;

	if (!word_before(line, begin, &from, &to))
		return false;
	for (size_t i = 0; i < WL_COUNT(before); i++) {
		if (is_same(line + from, to - from, before[i]))
			return true;
	}
	return false;
}

/* The table before a dot that ends at byte dot, or NULL. */
static const struct wl_sql_table *table_before(const struct wl_shell_names *names, const char *line,
					       size_t dot)
{
	size_t from, to;

	if (!word_before(line, dot, &from, &to))
		return NULL;
	for (size_t i = 0; i < names->n_tables; i++) {
		if (is_same(line + from, to - from, names->tables[i].name))
			return &names->tables[i];
	}
	return NULL;
}

/* Begin a question about the word before the cursor; returns where that begins. */
static size_t begin_word(struct wl_shell_names *names, const struct wl_typed *typed,
			 struct asking *ret)
{
	size_t at = typed->cursor;

	begin(names);
	while (at > 0 && is_word(typed->line[at - 1]))
		at--;
	if (at > 0 && typed->line[at - 1] == '"')
		at--;
	*ret = (struct asking){ names, typed->line + at, typed->cursor - at };
	return at;
}

struct wl_continuations wl_shell_names_complete(struct wl_shell_names *names,
						const struct wl_typed *typed)
{
	struct asking a;
	size_t at = begin_word(names, typed, &a);

	if (at > 0 && typed->line[at - 1] == '.') {
		const struct wl_sql_table *t = table_before(names, typed->line, at - 1);

		if (t)
			offer_columns(&a, t);
	} else if (wants_table(typed->line, at)) {
		offer_tables(&a);
	} else {
		offer_all(&a, typed);
	}
	return finish(names, a.n);
}

struct wl_continuations wl_shell_names_complete_table(struct wl_shell_names *names,
						      const struct wl_typed *typed)
{
	struct asking a;

	(void)begin_word(names, typed, &a);
	offer_tables(&a);
	return finish(names, a.n);
}

struct wl_continuations wl_shell_names_among(struct wl_shell_names *names, const char *const *list,
					     const char *word, size_t n)
{
	struct asking a = { .names = names, .prefix = word, .n = n };

	begin(names);
	for (; *list; list++)
		offer(&a, *list);
	return finish(names, n);
}
