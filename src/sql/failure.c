/* SPDX-License-Identifier: MIT */
#include "sql/failure.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "analysis/analysis.h"
#include "base/text/nearest.h"
#include "base/text/units.h"
#include "known/exports/schema.h"

/* Names that a message can offer: the one that is nearest, and the first of all. */
struct offers {
	struct wl_nearest nearest;
	char list[240];
	size_t n_listed, n_left; /* left out of the list */
};

static void offer(struct offers *o, const char *name, bool is_listed)
{
	size_t used = strlen(o->list), n = strlen(name);

	wl_nearest_offer(&o->nearest, name);
	if (!is_listed)
		return;
	if (used + n + 3 > sizeof(o->list)) {
		o->n_left++;
		return;
	}
	(void)snprintf(o->list + used, sizeof(o->list) - used, "%s%s", used ? ", " : "", name);
	o->n_listed++;
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* The text has the name as a whole word. */
static bool has_word(const char *text, const char *name)
{
	size_t n = strlen(name);

	for (const char *at = strcasestr(text, name); at && n; at = strcasestr(at + 1, name)) {
		if ((at == text || !is_word(at[-1])) && !is_word(at[n]))
			return true;
	}
	return false;
}

/* The statement calls the table so: "launches AS l" and "ops('steady') l" are. */
static bool is_called(const char *text, const char *table, const char *alias, size_t n_alias)
{
	size_t n = strlen(table);

	if (n == n_alias && strncasecmp(table, alias, n) == 0)
		return has_word(text, table);
	for (const char *at = strcasestr(text, table); at && n; at = strcasestr(at + 1, table)) {
		const char *next = at + n;

		if (at > text && is_word(at[-1]))
			continue;
		next += strspn(next, " \t\n");
		if (*next == '(' && strchr(next, ')'))
			next = strchr(next, ')') + 1;
		next += strspn(next, " \t\n");
		if (strncasecmp(next, "as", 2) == 0 && !is_word(next[2]))
			next += 2 + strspn(next + 2, " \t\n");
		if (strncasecmp(next, alias, n_alias) == 0 && !is_word(next[n_alias]))
			return true;
	}
	return false;
}

/* Whether the table can have the name: it is in the statement, by the alias before a dot. */
static bool is_asked(const char *text, const char *table, const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot ? is_called(text, table, name, (size_t)(dot - name)) : has_word(text, table);
}

/*
 * Names by a query of our own: the name, the table that must be in the statement or NULL, and
 * whether it is hidden. Texts are the arena's.
 */
static void gather(struct wl_sql *sql, const char *query, const char *asked, struct offers *o,
		   struct wl_arena *arena)
{
	sqlite3_stmt *stmt = NULL;
	int64_t deadline = sql->stop.deadline;

	sql->stop.deadline = 0; /* the time of the query may be over */
	if (sqlite3_prepare_v2(sql->db, query, -1, &stmt, NULL) == SQLITE_OK) {
		while (sqlite3_step(stmt) == SQLITE_ROW) {
			const char *name = (const char *)sqlite3_column_text(stmt, 0);
			const char *table = (const char *)sqlite3_column_text(stmt, 1);
			const char *copy = name ? wl_arena_strdup(arena, name) : NULL;

			if (copy && (!table || is_asked(sql->text ? sql->text : "", table, asked)))
				offer(o, copy, table && !sqlite3_column_int(stmt, 2));
		}
	}
	(void)sqlite3_finalize(stmt);
	sql->stop.deadline = deadline;
}

static const char *after(const char *message, const char *start)
{
	size_t n = strlen(start);

	return strncmp(message, start, n) == 0 ? message + n : NULL;
}

/* "a.b" names b. */
static const char *last_part(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot && dot[1] ? dot + 1 : name;
}

static const char tables[] =
	"SELECT name, NULL, 0 FROM temp.pragma_table_list WHERE name NOT LIKE 'sqlite%'";
/* Of tables that the statement names: a column of another table is no help. */
static const char columns[] =
	"SELECT DISTINCT c.name, t.name, c.hidden FROM temp.pragma_table_list AS t, "
	"temp.pragma_table_xinfo(t.name) AS c "
	"WHERE t.schema = 'temp' OR t.type IN ('table', 'virtual', 'view')";
static const char functions[] = "SELECT DISTINCT name, NULL, 0 FROM temp.pragma_function_list";

static int suggest(struct wl_sql *sql, const char *what, const char *name, const char *query,
		   struct wl_err *reterr)
{
	struct offers o = { .n_listed = 0 };
	struct wl_arena arena = { .head = NULL };
	const char *best;
	char more[32] = "";
	int r;

	wl_arena_init(&arena, 4 << 20);
	wl_nearest_init(&o.nearest, last_part(name));
	gather(sql, query, name, &o, &arena);
	best = wl_nearest_get(&o.nearest);
	if (o.n_left)
		(void)snprintf(more, sizeof(more), " and %zu more", o.n_left);
	if (best && sqlite3_stricmp(best, last_part(name)) != 0)
		r = wl_fail(reterr, WL_E_USAGE, "sql: no such %s: %.100s; did you mean %.100s?",
			    what, name, best);
	else if (o.n_listed)
		r = wl_fail(reterr, WL_E_USAGE, "sql: no such %s: %.100s; there are %s%s", what,
			    name, o.list, more);
	else
		r = wl_fail(reterr, WL_E_USAGE, "sql: no such %s: %.200s", what, name);
	wl_arena_release(&arena);
	return r;
}

static int explain(struct wl_sql *sql, const char *message, struct wl_err *reterr)
{
	const struct wl_analysis *verb;
	char copy[300];
	const char *name;
	size_t n = strlen(message);

	/* The message is the connection's, which the query for names overwrites. */
	n = n < sizeof(copy) - 1 ? n : sizeof(copy) - 1;
	memcpy(copy, message, n);
	copy[n] = '\0';
	if ((name = after(copy, "no such table: ")) && (verb = wl_analysis_find(name)))
		return wl_fail(reterr, WL_E_USAGE, "sql: no such table: %.100s; it is %s in SQL",
			       name, verb->name);
	if (name && sql->n_files == 0 && wl_schema_find(name, NULL))
		return wl_fail(reterr, WL_E_USAGE,
			       "sql: no such table: %.100s; facts have no tables of an export",
			       name);
	if (name)
		return suggest(sql, "table", name, tables, reterr);
	if ((name = after(copy, "no such column: ")))
		return suggest(sql, "column", name, columns, reterr);
	if ((name = after(copy, "no such function: ")))
		return suggest(sql, "function", name, functions, reterr);
	if ((name = after(copy, "vtable constructor failed: ")))
		return wl_fail(reterr, WL_E_USAGE, "sql: table %s is not available", name);
	return wl_fail(reterr, WL_E_USAGE, "sql: %s", copy);
}

int wl_sql_vtab_fail(struct wl_sql *sql, sqlite3_vtab *vtab, const struct wl_err *err)
{
	sql->failure = *err;
	sqlite3_free(vtab->zErrMsg);
	vtab->zErrMsg = sqlite3_mprintf("%s", err->msg);
	return SQLITE_ERROR;
}

int wl_sql_stopped(const struct wl_sql *sql, struct wl_err *reterr)
{
	char limit[WL_UNITS_BUF];

	if (sql->stop.flag && *sql->stop.flag)
		return wl_fail(reterr, WL_E_CANCELED, "sql: stopped");
	return wl_fail(reterr, WL_E_TIMEOUT,
		       "sql: stopped after %s, its time limit; select less%s%s",
		       wl_fmt_ns(limit, sql->time_ns, WL_UNIT_S), sql->to_raise ? ", or " : "",
		       sql->to_raise ? sql->to_raise : "");
}

int wl_sql_fail(struct wl_sql *sql, int code, struct wl_err *reterr)
{
	const char *why = sql->db ? sqlite3_errmsg(sql->db) : sqlite3_errstr(code);

	if (sql->failure.code == WL_E_CANCELED || sql->failure.code == WL_E_TIMEOUT)
		return wl_sql_stopped(sql, reterr);
	if (sql->failure.code != WL_OK)
		return wl_fail(reterr, sql->failure.code, "%s", sql->failure.msg);
	/* A module that was not connected is refused what connecting takes. */
	if (sql->refusal[0] && strncmp(why, "vtable constructor", 18) != 0)
		return wl_fail(reterr, WL_E_USAGE, "sql: %s", sql->refusal);
	switch (code & 0xff) {
	case SQLITE_INTERRUPT:
		return wl_sql_stopped(sql, reterr);
	case SQLITE_NOMEM:
		return wl_fail(reterr, WL_E_NOMEM,
			       "sql: the query takes more memory than it may; select less");
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
	case SQLITE_FORMAT:
		return wl_fail(reterr, WL_E_FORMAT,
			       "%s: damaged (%s); copy it again, or export the report again",
			       sql->opts.traces[0].path, why);
	case SQLITE_IOERR:
	case SQLITE_CANTOPEN:
		return wl_fail(reterr, WL_E_IO, "%s: %s", sql->opts.traces[0].path, why);
	default:
		return explain(sql, why, reterr);
	}
}

int wl_sql_exec(struct wl_sql *sql, const char *text, struct wl_err *reterr)
{
	int code = sqlite3_exec(sql->db, text, NULL, NULL, NULL);

	return code == SQLITE_OK ? WL_OK : wl_sql_fail(sql, code, reterr);
}
