/* SPDX-License-Identifier: MIT */
/*
 * span_set.h - a set of intervals as a value of SQL: what it was made of, and the union of that.
 *
 * Shared by count: a value of SQLite holds one reference, a cursor that walks the set another.
 */
#ifndef WL_SQL_SPAN_SET_H
#define WL_SQL_SPAN_SET_H

#include <sqlite3.h>

#include "base/memory/vec.h"
#include "derive/kinds/intervals.h"

struct wl_span_set {
	size_t n_refs;
	struct wl_vec list;       /* struct wl_interval by begin, none of them empty */
	struct wl_intervals join; /* their union; the arena's */
	struct wl_arena arena;
};

/*
 * Take over a vector of struct wl_interval in any order; those of no length are dropped.
 * One reference; NULL when the vector's budget is exhausted, and the vector is released anyway.
 */
struct wl_span_set *wl_span_set_new(struct wl_vec *list) WL_MUST_CHECK;

enum wl_span_op { WL_SPAN_UNION, WL_SPAN_INTERSECT, WL_SPAN_SUBTRACT };

/* Of the unions of both; NULL in the same cases. */
struct wl_span_set *wl_span_set_combine(const struct wl_span_set *a, const struct wl_span_set *b,
					enum wl_span_op op) WL_MUST_CHECK;

struct wl_span_set *wl_span_set_ref(struct wl_span_set *set);
void wl_span_set_unref(void *ptr); /* accepts NULL */

/* The set of a value; NULL for another value, such as a copy. */
struct wl_span_set *wl_span_set_of(sqlite3_value *value);

/* The result of a function; takes the reference. NULL is an error of memory. */
void wl_span_set_result(sqlite3_context *to, struct wl_span_set *set);

/* What to say where a set is needed and there is none; %s is the function. */
#define WL_NO_SPAN_SET                                                                             \
	"%s: needs a set, which intervals() makes; a set is lost in WITH, views and subqueries "   \
	"in FROM: call intervals() inside the expression, or in a scalar subquery"

#endif
