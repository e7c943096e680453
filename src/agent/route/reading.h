/* SPDX-License-Identifier: MIT */
/* reading.h - a question being read for options: its words, and what was found so far. */
#ifndef WL_AGENT_ROUTE_READING_H
#define WL_AGENT_ROUTE_READING_H

#include <stdbool.h>

#include "agent/route/question.h"
#include "agent/route/route_result.h"

struct wl_analysis;

enum { WL_READING_WHERE = 400 };

struct wl_reading {
	const struct wl_question *q;
	const struct wl_analysis *of; /* NULL for a document or a command */
	struct wl_route_result *ret;
	char where[WL_READING_WHERE]; /* the filter under construction */
};

/* Copy a text into the result; NULL if it does not fit. */
const char *wl_reading_keep(struct wl_route_result *ret, const char *s);

/* Add an option, with a value or NULL; dropped if there is no room. */
void wl_reading_add(struct wl_route_result *ret, const char *option, const char *value);

/* Add a condition to --where. */
void wl_reading_where(struct wl_reading *r, const char *condition);

/* Whether the i-th word is this one, one of these (NULL ends), a number, or digits only. */
bool wl_reading_is(const struct wl_reading *r, size_t i, const char *word);
bool wl_reading_is_any(const struct wl_reading *r, size_t i, const char *const *words);
bool wl_reading_is_number(const struct wl_reading *r, size_t i);
bool wl_reading_is_count(const struct wl_reading *r, size_t i);

/* Whether the verb is this one, or has this column. */
bool wl_reading_is_verb(const struct wl_reading *r, const char *name);
bool wl_reading_has_column(const struct wl_reading *r, const char *key);
bool wl_reading_has_param(const struct wl_reading *r, const char *key);

#endif
