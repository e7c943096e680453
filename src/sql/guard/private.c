/* SPDX-License-Identifier: MIT */
#include "sql/guard/private.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/memory/bound.h"
#include "known/secrets/environment.h"
#include "known/secrets/secrets.h"

#define SHOWN(is_private) "CASE WHEN " is_private " THEN '" WL_SQL_MASK "' ELSE value END"

static const struct wl_sql_hidden hidden[] = {
	{ "META_DATA_CAPTURE", "value",
	  "CASE WHEN is_environment(value) THEN '" WL_SQL_MASK "' WHEN name LIKE '%ARGUMENT%' THEN "
	  "mask_argument((SELECT b.value FROM META_DATA_CAPTURE AS b WHERE b.rowid = "
	  "META_DATA_CAPTURE.rowid - 1), value) ELSE value END",
	  "NOT is_environment_row(name)", "environment" },
	{ "TARGET_INFO_SYSTEM_ENV", "value",
	  SHOWN("is_environment_row(name) OR is_environment(value)"), "1", "environment" },
	{ "StringIds", "value", SHOWN("is_environment(value) OR is_output(id)"), "1",
	  "environment and output" },
	{ WL_SQL_OUTPUT_TABLE, NULL, NULL, NULL, "output" },
};

/* NAME=VALUE of one variable that names a secret. */
static bool is_secret_variable(const char *text, size_t n)
{
	char name[64];
	size_t i = 0;

	while (i < n && i < sizeof(name) - 1 &&
	       (isupper((unsigned char)text[i]) || isdigit((unsigned char)text[i]) ||
		text[i] == '_')) {
		name[i] = text[i];
		i++;
	}
	return i > 0 && i + 1 < n && text[i] == '=' &&
	       wl_secret_name_of(name, i, WL_SECRET_MAYBE) != WL_SECRET_NO_NAME;
}

bool wl_sql_is_environment(const char *text, size_t n)
{
	size_t i = 0;

	if (memchr(text, '\0', n))
		return memchr(text, '=', n) != NULL;
	if (is_secret_variable(text, n))
		return true;
	while (i < n && (isalnum((unsigned char)text[i]) || text[i] == '_'))
		i++;
	return i > 0 && i + 1 < n && text[i] == '=' && text[i + 1] == '/';
}

static void is_environment(sqlite3_context *ctx, int n, sqlite3_value **value)
{
	const char *text = (const char *)sqlite3_value_blob(value[0]);

	(void)n;
	sqlite3_result_int(
		ctx, text && wl_sql_is_environment(text, (size_t)sqlite3_value_bytes(value[0])));
}

static void is_environment_row(sqlite3_context *ctx, int n, sqlite3_value **value)
{
	const char *name = (const char *)sqlite3_value_text(value[0]);

	(void)n;
	sqlite3_result_int(ctx, name && wl_environment_is_row(name, strlen(name)));
}

/* (argument before, argument): as info shows it, with *** for a secret. */
static void mask_argument(sqlite3_context *ctx, int n, sqlite3_value **value)
{
	const char *before = (const char *)sqlite3_value_text(value[0]);
	enum wl_secret_name next = wl_secret_open_name(before ? before : "");
	const char *text = (const char *)sqlite3_value_text(value[1]);
	size_t size = WL_MASKED_SIZE(text ? strlen(text) : 0);
	char *masked = size <= INT_MAX ? sqlite3_malloc((int)size) : NULL;

	(void)n;
	if (!masked) {
		sqlite3_result_error_nomem(ctx);
		return;
	}
	(void)wl_secrets_mask(text ? text : "", masked, &next);
	if (strstr(masked, "***"))
		sqlite3_result_text(ctx, masked, -1, sqlite3_free);
	else {
		sqlite3_result_value(ctx, value[1]);
		sqlite3_free(masked);
	}
}

const struct wl_sql_hidden *wl_sql_hidden_find(const char *table)
{
	for (size_t i = 0; i < WL_COUNT(hidden); i++) {
		if (sqlite3_stricmp(hidden[i].name, table) == 0)
			return &hidden[i];
	}
	return NULL;
}

bool wl_sql_is_hidden(const struct wl_sql *sql, const char *table)
{
	return !sql->opts.show_environment && wl_sql_hidden_find(table);
}

void wl_sql_shadow_name(const struct wl_sql *sql, const struct wl_sql_file *file, const char *table,
			char *buf, size_t size)
{
	(void)snprintf(buf, size, "%s%s%s", file == sql->files ? "" : file->schema,
		       file == sql->files ? "" : "_", table);
}

void wl_sql_hidden_reason(const struct wl_sql *sql, const char *schema, const char *table,
			  char *buf, size_t size)
{
	const struct wl_sql_hidden *h = wl_sql_hidden_find(table);
	const struct wl_sql_file *file = sql->files;
	char name[160];

	for (size_t i = 1; i < sql->n_files; i++) {
		if (sqlite3_stricmp(sql->files[i].schema, schema) == 0)
			file = &sql->files[i];
	}
	wl_sql_shadow_name(sql, file, h->name, name, sizeof(name));
	if (h->column)
		(void)snprintf(buf, size,
			       "%s.%s holds the %s of the traced program; read %s, which leaves "
			       "that out; \"warplens sql --show-environment\" shows it",
			       schema, h->name, h->why, name);
	else
		(void)snprintf(buf, size,
			       "%s.%s holds the %s of the traced program, which \"warplens sql "
			       "--show-environment\" shows",
			       schema, h->name, h->why);
}

const struct wl_sql_hidden *wl_sql_hidden_at(size_t i)
{
	return i < WL_COUNT(hidden) ? &hidden[i] : NULL;
}

/* ---- Output ---- */

static void is_output(sqlite3_context *ctx, int n, sqlite3_value **value)
{
	const struct wl_vec *output = sqlite3_user_data(ctx);
	const int64_t *all = output->data, id = sqlite3_value_int64(value[0]);
	size_t at = WL_BELOW(all, output->n, id);

	(void)n;
	sqlite3_result_int(ctx, at < output->n && all[at] == id);
}

/* They are few; asking the table for each string would cost more than reading the string. */
static int read_output(struct wl_sql_file *file)
{
	static const char text[] =
		"SELECT DISTINCT CAST(contentId AS INTEGER) FROM " WL_SQL_OUTPUT_TABLE
		" ORDER BY 1";
	sqlite3_stmt *stmt = NULL;
	int code = sqlite3_prepare_v2(file->hidden, text, -1, &stmt, NULL);

	/* No such table or column, and so no output. */
	if (code != SQLITE_OK)
		return (code & 0xff) == SQLITE_ERROR ? SQLITE_OK : code;
	while ((code = sqlite3_step(stmt)) == SQLITE_ROW)
		wl_vec_push(&file->output, &(int64_t){ sqlite3_column_int64(stmt, 0) });
	(void)sqlite3_finalize(stmt);
	if (file->output.failed)
		return SQLITE_NOMEM;
	return code == SQLITE_DONE ? SQLITE_OK : code;
}

int wl_sql_add_masks(struct wl_sql_file *file)
{
	const struct {
		const char *name;
		int n_args;
		void (*function)(sqlite3_context *ctx, int n, sqlite3_value **value);
	} functions[] = { { "is_environment", 1, is_environment },
			  { "is_environment_row", 1, is_environment_row },
			  { "mask_argument", 2, mask_argument },
			  { "is_output", 1, is_output } };
	int code = read_output(file);

	for (size_t i = 0; code == SQLITE_OK && i < WL_COUNT(functions); i++)
		code = sqlite3_create_function(file->hidden, functions[i].name, functions[i].n_args,
					       SQLITE_UTF8 | SQLITE_DETERMINISTIC, &file->output,
					       functions[i].function, NULL, NULL);
	return code;
}
