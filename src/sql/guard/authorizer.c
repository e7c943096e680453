/* SPDX-License-Identifier: MIT */
#include "sql/guard/authorizer.h"

#include <stdio.h>

#include "sql/failure.h"
#include "sql/guard/private.h"
#include "sql/guard/raw_reads.h"

/* As tables, too: pragma_NAME. */
static const char *const pragmas[] = { "table_info",       "table_xinfo",   "table_list",
				       "index_list",       "index_info",    "index_xinfo",
				       "foreign_key_list", "function_list", NULL };

/* What an action is called, and what to do instead. */
static const struct refusal {
	int action;
	const char *what;
} refusals[] = {
	{ SQLITE_ATTACH,
	  "ATTACH is not allowed; \"warplens sql\" takes several traces, and diff compares two" },
	{ SQLITE_DETACH, "DETACH is not allowed" },
	{ SQLITE_TRANSACTION, "transactions are not allowed; the trace is read-only" },
	{ SQLITE_SAVEPOINT, "savepoints are not allowed; the trace is read-only" },
	{ SQLITE_ANALYZE, "ANALYZE is not allowed; the trace is read-only" },
	{ SQLITE_ALTER_TABLE, "ALTER TABLE is not allowed" },
	{ SQLITE_CREATE_TRIGGER, "triggers are not allowed" },
	{ SQLITE_CREATE_TEMP_TRIGGER, "triggers are not allowed" },
	{ SQLITE_DROP_TRIGGER, "triggers are not allowed" },
	{ SQLITE_DROP_TEMP_TRIGGER, "triggers are not allowed" },
	{ SQLITE_CREATE_VTABLE, "virtual tables cannot be created" },
	{ SQLITE_DROP_VTABLE, "this table is part of the program and cannot be dropped" },
};

static int refuse(struct wl_sql *sql, const char *what)
{
	if (!sql->refusal[0])
		(void)snprintf(sql->refusal, sizeof(sql->refusal), "%s", what);
	return SQLITE_DENY;
}

static int refuse_action(struct wl_sql *sql, int action)
{
	for (size_t i = 0; i < WL_COUNT(refusals); i++) {
		if (refusals[i].action == action)
			return refuse(sql, refusals[i].what);
	}
	return refuse(sql, "the trace is read-only; keep results of your own with CREATE TEMP "
			   "TABLE or CREATE TEMP VIEW");
}

static int judge_pragma(struct wl_sql *sql, const char *name)
{
	char what[160];

	for (const char *const *p = pragmas; *p; p++) {
		if (sqlite3_stricmp(*p, name) == 0)
			return SQLITE_OK;
	}
	(void)snprintf(what, sizeof(what),
		       "PRAGMA %.40s is not allowed; table_info, table_list and index_list are",
		       name);
	return refuse(sql, what);
}

static int judge_function(struct wl_sql *sql, const char *name)
{
	/* json_patch compares each key with each: minutes, in which nothing looks at the clock. */
	static const char *const forbidden[] = { "load_extension", "fts3_tokenizer", "readfile",
						 "writefile",      "edit",           "fsdir",
						 "json_patch" };
	char what[160];

	for (size_t i = 0; i < WL_COUNT(forbidden); i++) {
		if (sqlite3_stricmp(forbidden[i], name) != 0)
			continue;
		(void)snprintf(what, sizeof(what), "function %s is not allowed", forbidden[i]);
		return refuse(sql, what);
	}
	return SQLITE_OK;
}

static bool is_temp(const char *schema)
{
	return schema && sqlite3_stricmp(schema, "temp") == 0;
}

/* Which statement or view asks does not matter: a WITH clause can have any name. */
static int judge_read(struct wl_sql *sql, const char *table, const char *schema)
{
	char what[512];

	/* Samples of indexed values. */
	if (sqlite3_strnicmp(table, "sqlite_stat", 11) == 0)
		return refuse(sql, "statistics of the file are not available");
	wl_sql_raw_saw(sql, table, schema);
	if (!schema || is_temp(schema) || !wl_sql_is_hidden(sql, table))
		return SQLITE_OK;
	wl_sql_hidden_reason(sql, schema, table, what, sizeof(what));
	return refuse(sql, what);
}

static int authorize(void *ctx, int action, const char *a, const char *b, const char *schema,
		     const char *by)
{
	struct wl_sql *sql = ctx;

	(void)by;
	if (sql->is_connecting)
		return SQLITE_OK;
	switch (action) {
	case SQLITE_SELECT:
	case SQLITE_RECURSIVE:
	case SQLITE_CREATE_TEMP_TABLE:
	case SQLITE_CREATE_TEMP_VIEW:
	case SQLITE_CREATE_TEMP_INDEX:
	case SQLITE_DROP_TEMP_TABLE:
	case SQLITE_DROP_TEMP_VIEW:
	case SQLITE_DROP_TEMP_INDEX:
		return SQLITE_OK;
	case SQLITE_READ:
		return judge_read(sql, a ? a : "", schema);
	case SQLITE_FUNCTION:
		return judge_function(sql, b ? b : "");
	case SQLITE_PRAGMA:
		return judge_pragma(sql, a ? a : "");
	case SQLITE_INSERT:
	case SQLITE_UPDATE:
	case SQLITE_DELETE:
	case SQLITE_REINDEX:
		return is_temp(schema) ? SQLITE_OK : refuse_action(sql, action);
	default:
		return refuse_action(sql, action);
	}
}

int wl_sql_authorize(struct wl_sql *sql, struct wl_err *reterr)
{
	int r = wl_sql_exec(sql, "SELECT 1 FROM json_each, json_tree LIMIT 0", reterr);

	for (const char *const *p = pragmas; r == WL_OK && *p; p++) {
		char text[80];

		(void)snprintf(text, sizeof(text), "SELECT 1 FROM temp.pragma_%s LIMIT 0", *p);
		r = wl_sql_exec(sql, text, reterr);
	}
	if (r < 0)
		return r;
	(void)sqlite3_limit(sql->db, SQLITE_LIMIT_ATTACHED, 0);
	(void)sqlite3_set_authorizer(sql->db, authorize, sql);
	return WL_OK;
}
