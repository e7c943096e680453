/* SPDX-License-Identifier: MIT */
#include "table/cols.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Keys have underscores, titles blanks, and people write either, or hyphens. */
static int fold(char c)
{
	return c == '_' || c == '-' ? ' ' : tolower((unsigned char)c);
}

bool wl_words_same(const char *words, const char *name, size_t n)
{
	size_t i = 0;

	while (i < n && words[i] && fold(words[i]) == fold(name[i]))
		i++;
	return i == n && !words[i];
}

const struct wl_col *wl_cols_named(const struct wl_table *t, const char *name, size_t n,
				   size_t *ret_index)
{
	const struct wl_col *by_title = NULL;

	for (size_t i = 0; i < t->n_cols; i++) {
		const struct wl_col *col = &t->cols[i];

		if (t->hidden >> i & 1)
			continue;
		/* A key decides at once: a title counts only where no key is meant. */
		if (wl_words_same(col->key, name, n)) {
			*ret_index = i;
			return col;
		}
		if (!by_title && wl_words_same(col->title, name, n)) {
			*ret_index = i;
			by_title = col;
		}
	}
	return by_title;
}

/* "a, b, c", cut with "..." where it does not fit. */
static void list_keys(const struct wl_table *t, char *buf, size_t size)
{
	size_t fill = 0;

	*buf = '\0';
	for (size_t i = 0; i < t->n_cols; i++) {
		const char *key = t->cols[i].key;
		bool fits = strlen(key) + sizeof(", , ...") <= size - fill;

		if (t->hidden >> i & 1)
			continue;
		(void)snprintf(buf + fill, size - fill, "%s%s", fill ? ", " : "",
			       fits ? key : "...");
		if (!fits)
			return;
		fill += strlen(buf + fill);
	}
}

int wl_cols_unknown(const struct wl_table *t, const char *where, const char *name, size_t n,
		    struct wl_err *reterr)
{
	char keys[320];

	list_keys(t, keys, sizeof(keys));
	return wl_fail(reterr, WL_E_USAGE, "%s: no column '%.*s'; columns: %s", where,
		       (int)(n < 64 ? n : 64), name, keys);
}

int wl_cols_next(const struct wl_table *t, const char *option, const char **list,
		 struct wl_col_ref *ret_ref, struct wl_err *reterr)
{
	const char *name = *list + strspn(*list, " ");
	size_t n = strcspn(name, ",");
	const char *rest = name + n;
	bool minus = *name == '-';
	size_t col;

	if (**list == '\0')
		return 0;
	if (minus) {
		name++;
		n--;
	}
	while (n > 0 && name[n - 1] == ' ')
		n--;
	if (!wl_cols_named(t, name, n, &col))
		return wl_cols_unknown(t, option, name, n, reterr);
	/* A comma promises another name; the empty one after it is refused in the next step. */
	if (*rest == ',' && rest[1] == '\0')
		return wl_cols_unknown(t, option, "", 0, reterr);
	*list = *rest == ',' ? rest + 1 : rest;
	*ret_ref = (struct wl_col_ref){ .col = (uint16_t)col, .minus = minus };
	return 1;
}
