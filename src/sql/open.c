/* SPDX-License-Identifier: MIT */
/* open.c - opens and closes a connection to the files of traces. */

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read/guard.h"
#include "read/sqlite/heap.h"
#include "read/sqlite/uri.h"
#include "session/job/job_files.h"
#include "session/open/session.h"
#include "sql/extras.h"
#include "sql/failure.h"
#include "sql/guard/authorizer.h"
#include "sql/guard/limits.h"
#include "sql/guard/shadow.h"
#include "sql/verbs/verb_results.h"
#include "sql/verbs/verb_table.h"

bool wl_sql_is_complete(const char *text)
{
	return sqlite3_complete(text) != 0;
}

static int no_memory(struct wl_err *reterr)
{
	return wl_fail(reterr, WL_E_NOMEM, "no memory for SQL");
}

/* ---- Names ---- */

/* Names of SQLite's own schemas, and what else a name would stand for. */
static bool is_reserved(const char *name)
{
	return sqlite3_stricmp(name, "main") == 0 || sqlite3_stricmp(name, "temp") == 0;
}

/*
 * The file name of a path without its ending, as a word that SQL needs no quotes for and that
 * differs from the n names before it. NULL without memory.
 */
static const char *make_name(struct wl_sql *sql, const char *path, const char *const *before,
			     size_t n)
{
	const char *slash = strrchr(path, '/'), *base = slash && slash[1] ? slash + 1 : path;
	size_t length = strcspn(base, "."), try = 1;
	char word[64], name[80];
	bool is_new = false;

	length = length < sizeof(word) - 2 ? length : sizeof(word) - 2;
	(void)snprintf(word, sizeof(word), "%s%.*s",
		       isdigit((unsigned char)*base) || length == 0 ? "t" : "", (int)length, base);
	for (char *c = word; *c; c++)
		*c = isalnum((unsigned char)*c) ? *c : '_';
	while (!is_new) {
		(void)snprintf(name, sizeof(name), try == 1 ? "%s" : "%s_%zu", word, try);
		try++;
		is_new = !is_reserved(name);
		for (size_t i = 0; i < n && is_new; i++)
			is_new = sqlite3_stricmp(before[i], name) != 0;
	}
	return wl_arena_strdup(&sql->arena, name);
}

/* The name of a trace is its own, or that of what the user gave: a job's is its directory's. */
static bool name_traces(struct wl_sql *sql)
{
	sql->names = WL_NEW(&sql->arena, const char *, sql->opts.n);
	for (size_t i = 0; sql->names && i < sql->opts.n; i++) {
		const struct wl_sql_trace *t = &sql->opts.traces[i];

		sql->names[i] = make_name(sql, t->name ? t->name : wl_sql_label(t), sql->names, i);
		if (!sql->names[i])
			return false;
	}
	return sql->names != NULL;
}

static bool add_file(struct wl_sql *sql, const char *path, const char *name)
{
	const char *schemas[WL_SQL_MAX_FILES];

	if (sql->n_files == WL_SQL_MAX_FILES)
		return true;
	for (size_t i = 0; i < sql->n_files; i++)
		schemas[i] = sql->files[i].schema;
	sql->files[sql->n_files] = (struct wl_sql_file){
		.path = wl_arena_strdup(&sql->arena, path),
		.schema = make_name(sql, name, schemas, sql->n_files),
	};
	return sql->files[sql->n_files].path && sql->files[sql->n_files++].schema;
}

static int add_job_files(struct wl_sql *sql, const char *dir, struct wl_err *reterr)
{
	struct wl_job_files job = { .n = 0 };
	int r = wl_job_files_list(dir, &job, reterr);

	for (size_t i = 0; r == WL_OK && i < job.n; i++) {
		size_t before = sql->n_files;

		if (!add_file(sql, job.file[i].path, job.file[i].path))
			r = no_memory(reterr);
		else if (sql->n_files > before)
			sql->files[before].is_of_job = true;
	}
	sql->n_job_files += job.n;
	wl_job_files_release(&job);
	return r;
}

static int list_files(struct wl_sql *sql, struct wl_err *reterr)
{
	int r = WL_OK;

	sql->files = WL_NEW(&sql->arena, struct wl_sql_file, WL_SQL_MAX_FILES);
	if (!sql->files || !name_traces(sql))
		return no_memory(reterr);
	for (size_t i = 0; r == WL_OK && i < sql->opts.n; i++) {
		const char *path = sql->opts.traces[i].path;

		/* Facts have answers of verbs, and no tables of an export. */
		if (wl_session_is_facts(sql->opts.traces[i].session))
			continue;
		if (wl_is_job(path))
			r = add_job_files(sql, path, reterr);
		else if (!add_file(sql, path, sql->names[i]))
			r = no_memory(reterr);
	}
	return r;
}

/* ---- Opening ---- */

/* Without a file it is an empty database. */
static int open_first(struct wl_sql *sql, struct wl_err *reterr)
{
	char *uri = sql->n_files ? wl_sqlite_uri(sql->files[0].path) : strdup("file::memory:");
	int code;

	if (!uri)
		return no_memory(reterr);
	code = sqlite3_open_v2(uri, &sql->db,
			       SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL);
	free(uri);
	if (code != SQLITE_OK)
		return wl_sql_fail(sql, code, reterr);
	if (sql->n_files > 1)
		(void)sqlite3_db_config(sql->db, SQLITE_DBCONFIG_MAINDBNAME, sql->files[0].schema);
	if (wl_sql_limit(sql->db, sql, reterr) < 0)
		return reterr->code;
	return wl_sql_exec(sql, "PRAGMA temp_store=MEMORY; PRAGMA cell_size_check=ON", reterr);
}

static int attach(struct wl_sql *sql, const struct wl_sql_file *file, struct wl_err *reterr)
{
	char *uri = wl_sqlite_uri(file->path);
	char *text = uri ? sqlite3_mprintf("ATTACH %Q AS \"%w\"", uri, file->schema) : NULL;
	int r = text ? wl_sql_exec(sql, text, reterr) : no_memory(reterr);

	sqlite3_free(text);
	free(uri);
	return r;
}

static int open_files(struct wl_sql *sql, struct wl_err *reterr)
{
	struct wl_guard guard;
	int r = WL_OK;

	/* They are opened without locks, which is right only if no process writes them. */
	for (size_t i = 0; r == WL_OK && i < sql->n_files; i++)
		r = wl_guard_take(sql->files[i].path, &guard, reterr);
	if (r == WL_OK)
		r = open_first(sql, reterr);
	for (size_t i = 1; r == WL_OK && i < sql->n_files; i++)
		r = attach(sql, &sql->files[i], reterr);
	return r;
}

/* Everything that needs rights comes before the authorizer. */
static int furnish(struct wl_sql *sql, struct wl_err *reterr)
{
	int r = wl_sql_add_shadows(sql, reterr);

	if (r == WL_OK)
		r = wl_sql_add_verbs(sql, reterr);
	if (r == WL_OK)
		r = wl_sql_add_extras(sql, reterr);
	return r < 0 ? r : wl_sql_authorize(sql, reterr);
}

int wl_sql_open(const struct wl_sql_opts *opts, struct wl_sql **ret_sql, struct wl_err *reterr)
{
	struct wl_sql *sql = calloc(1, sizeof(*sql));
	int r;

	if (!sql)
		return no_memory(reterr);
	sql->opts = *opts;
	sql->budget = (struct wl_budget){ .of = opts->budget, .stop = &sql->stop };
	sql->opts.budget = &sql->budget;
	wl_arena_init_on(&sql->arena, sql->opts.budget);
	r = list_files(sql, reterr);
	wl_sqlite_heap_enter(opts->heap ? opts->heap : WL_SQL_HEAP);
	if (r == WL_OK)
		r = open_files(sql, reterr);
	if (r == WL_OK)
		r = furnish(sql, reterr);
	if (r < 0) {
		wl_sql_close(sql);
		return r;
	}
	*ret_sql = sql;
	return WL_OK;
}

void wl_sql_close(struct wl_sql *sql)
{
	if (!sql)
		return;
	(void)sqlite3_close(sql->db);
	wl_sql_results_free(sql);
	wl_sql_release_extras(sql);
	wl_sql_close_shadows(sql);
	wl_sqlite_heap_leave();
	wl_arena_release(&sql->arena);
	free(sql);
}
