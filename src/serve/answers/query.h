/* SPDX-License-Identifier: MIT */
/*
 * query.h - a strict parser for the query of a request.
 *
 * "a=0&b=1500&rows=3,4,9-20": keys of lower-case letters, each at most once, values with
 * %XX and + as browsers write them. Whatever is malformed, repeated, unknown or out of range is
 * WL_E_USAGE with a message for the developer of the page: nothing is guessed.
 */
#ifndef WL_SERVE_QUERY_H
#define WL_SERVE_QUERY_H

#include "base/attr.h"
#include "base/err.h"
#include "base/memory/arena.h"

enum { WL_QUERY_MAX = 16 }; /* parameters */

struct wl_query {
	size_t n;
	struct {
		const char *key, *value; /* decoded; UTF-8 without NUL */
	} at[WL_QUERY_MAX];
};

/* text is what follows the question mark; NULL is "". Texts are owned by the arena. */
int wl_query_parse(const char *text, struct wl_arena *arena, struct wl_query *ret,
		   struct wl_err *reterr) WL_MUST_CHECK;

/* WL_E_USAGE for a key that is not in the list, separated by blanks. */
int wl_query_only(const struct wl_query *q, const char *keys, struct wl_err *reterr) WL_MUST_CHECK;

/* NULL where it is not given. */
const char *wl_query_text(const struct wl_query *q, const char *key);

/* A number that may be left out (then *ret stays as it is): decimal digits and a minus at most. */
int wl_query_i64(const struct wl_query *q, const char *key, int64_t min, int64_t max, int64_t *ret,
		 struct wl_err *reterr) WL_MUST_CHECK;

/* The same, and it must be given. */
int wl_query_need_i64(const struct wl_query *q, const char *key, int64_t min, int64_t max,
		      int64_t *ret, struct wl_err *reterr) WL_MUST_CHECK;

/* Which of the words, NULL ends, the value is; the first where it is not given. */
int wl_query_word(const struct wl_query *q, const char *key, const char *const *words, size_t *ret,
		  struct wl_err *reterr) WL_MUST_CHECK;

/* Numbers below limit, at most max of them; these two are the caller's to set. */
struct wl_number_list {
	uint32_t limit;
	size_t max;
	const uint32_t *at; /* in the order given, owned by the arena */
	size_t n;
};

/* "3,4,9-20"; none where it is not given. */
int wl_query_list(const struct wl_query *q, const char *key, struct wl_arena *arena,
		  struct wl_number_list *list, struct wl_err *reterr) WL_MUST_CHECK;

/* "-7,3,12": exactly n whole numbers. False for another text. */
bool wl_numbers_parse(const char *text, int64_t *ret, size_t n) WL_MUST_CHECK;

#endif
