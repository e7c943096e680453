/* SPDX-License-Identifier: MIT */
#include "agent/route/reading.h"

#include <stdio.h>
#include <string.h>

#include "analysis/analysis.h"

const char *wl_reading_keep(struct wl_route_result *ret, const char *s)
{
	size_t n = strlen(s) + 1;
	char *at = ret->text + ret->used;

	if (n > sizeof(ret->text) - ret->used)
		return NULL;
	memcpy(at, s, n);
	ret->used += n;
	return at;
}

void wl_reading_add(struct wl_route_result *ret, const char *option, const char *value)
{
	const char *copy = value ? wl_reading_keep(ret, value) : NULL;

	if ((value && !copy) || ret->n_args + 2 > WL_ROUTE_ARGS)
		return;
	ret->arg[ret->n_args++] = option;
	if (copy)
		ret->arg[ret->n_args++] = copy;
}

bool wl_reading_is(const struct wl_reading *r, size_t i, const char *word)
{
	return i < r->q->n && strcmp(r->q->word[i].key, word) == 0;
}

bool wl_reading_is_any(const struct wl_reading *r, size_t i, const char *const *words)
{
	for (; *words; words++) {
		if (wl_reading_is(r, i, *words))
			return true;
	}
	return false;
}

bool wl_reading_is_number(const struct wl_reading *r, size_t i)
{
	return i < r->q->n && r->q->word[i].kind == WL_WORD_NUMBER;
}

bool wl_reading_is_count(const struct wl_reading *r, size_t i)
{
	return wl_reading_is_number(r, i) &&
	       strspn(r->q->word[i].text, "0123456789") == strlen(r->q->word[i].text) &&
	       strlen(r->q->word[i].text) < 8;
}

bool wl_reading_has_column(const struct wl_reading *r, const char *key)
{
	for (size_t i = 0; r->of && i < r->of->n_cols; i++) {
		if (strcmp(r->of->cols[i].key, key) == 0)
			return true;
	}
	return false;
}

bool wl_reading_has_param(const struct wl_reading *r, const char *key)
{
	for (size_t i = 0; r->of && i < r->of->n_params; i++) {
		if (strcmp(r->of->params[i].key, key) == 0)
			return true;
	}
	return false;
}

void wl_reading_where(struct wl_reading *r, const char *condition)
{
	size_t n = strlen(r->where);

	if (n + strlen(condition) + 6 > sizeof(r->where))
		return;
	(void)snprintf(r->where + n, sizeof(r->where) - n, "%s%s", n ? " and " : "", condition);
}

bool wl_reading_is_verb(const struct wl_reading *r, const char *name)
{
	return strcmp(r->ret->verb, name) == 0;
}
