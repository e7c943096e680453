/* SPDX-License-Identifier: MIT */
#include "known/exports/queries.h"

#include <assert.h>
#include <string.h>

#include "base/attr.h"

const struct wl_query_fact wl_query_facts[] = {
#define WL_QUERY(title, answers, verb, needs, sql) { title, answers, verb, needs, sql },
#include "known/exports/queries.def"
#undef WL_QUERY
};

const size_t wl_n_query_facts = WL_COUNT(wl_query_facts);

enum { NAME_CAP = 64 };

/* The file has the word, "TABLE" or "TABLE.column", of n characters. */
static bool has_word(const char *word, size_t n, wl_has_fn *has, const void *ctx)
{
	char name[NAME_CAP];
	char *dot;

	assert(n < NAME_CAP);
	memcpy(name, word, n);
	name[n] = '\0';
	dot = strchr(name, '.');
	if (dot)
		*dot = '\0';
	return has(ctx, name, dot ? dot + 1 : NULL);
}

/* One of the words, bars between, of n characters. */
static bool has_either(const char *words, size_t n, wl_has_fn *has, const void *ctx)
{
	const char *end = words + n;

	for (const char *word = words; word < end;) {
		size_t length = strcspn(word, "| ");

		if (has_word(word, length, has, ctx))
			return true;
		word += length + 1;
	}
	return false;
}

const char *wl_query_lacks(const struct wl_query_fact *query, wl_has_fn *has, const void *ctx)
{
	const char *need = query->needs;

	while (*need) {
		size_t n = strcspn(need, " ");

		if (!has_either(need, n, has, ctx))
			return need;
		need += n;
		need += strspn(need, " ");
	}
	return NULL;
}

const char *wl_sql_line(const char **sql, wl_has_fn *has, const void *ctx, size_t *ret_n)
{
	while (**sql) {
		const char *line = *sql;
		bool shown = true;

		*sql = strchr(line, '\n') + 1;
		if (*line == '{') {
			size_t n = strcspn(line, "}");

			shown = has_word(line + 1, n - 1, has, ctx);
			line += n + 1;
		}
		if (shown) {
			*ret_n = (size_t)(*sql - line);
			return line;
		}
	}
	return NULL;
}
