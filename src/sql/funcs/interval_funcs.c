/* SPDX-License-Identifier: MIT */
/*
 * interval_funcs.c - unions of intervals, and sets of them.
 *
 * A row with a NULL start is left out, as aggregates do. A NULL end is an interval that was
 * under way when recording stopped: it lasts until the third argument, else until the capture
 * ended, else, where that is not known, until the last time that the group names.
 */
#include <math.h>

#include "session/open/session.h"
#include "sql/funcs/funcs_parts.h"
#include "sql/funcs/span_set.h"

/* Of one group. Zeroed by SQLite before the first row. */
struct gathering {
	struct wl_vec list; /* struct wl_interval; an end of NEVER is not known yet */
	wl_ns last;         /* the last time that was named */
	bool is_begun;
};

#define NEVER INT64_MAX

/* A point in time that sums cannot overflow with; false after an error. */
static bool take_time(sqlite3_context *to, sqlite3_value *value, wl_ns *ret)
{
	double real;

	switch (sqlite3_value_numeric_type(value)) {
	case SQLITE_INTEGER:
		*ret = sqlite3_value_int64(value);
		break;
	case SQLITE_FLOAT:
		real = sqlite3_value_double(value);
		*ret = fabs(real) <= (double)WL_TIME_MAX ? (wl_ns)real : NEVER;
		if (*ret != NEVER && (double)*ret != real) {
			wl_sql_error(to, "intervals: times are whole nanoseconds, not %g", real);
			return false;
		}
		break;
	default:
		wl_sql_error(to, "intervals: times are numbers of nanoseconds, not \"%.80s\"",
			     (const char *)sqlite3_value_text(value));
		return false;
	}
	if (*ret >= -WL_TIME_MAX && *ret <= WL_TIME_MAX)
		return true;
	wl_sql_error(to, "intervals: the time is out of range, which is 2^61 nanoseconds");
	return false;
}

/* When the capture ended, as far as one trace is asked and says it. */
static wl_ns capture_end(const struct wl_sql_context *ctx)
{
	wl_ns end = ctx->n == 1 ? wl_session_trace(ctx->source[0].session)->duration : WL_NO_TIME;

	return end == WL_NO_TIME ? NEVER : end;
}

static bool is_null(sqlite3_value *value)
{
	return sqlite3_value_type(value) == SQLITE_NULL;
}

/* The end of an interval; NEVER where only the whole group can tell. */
static bool take_end(sqlite3_context *to, int n, sqlite3_value **arg, wl_ns *ret)
{
	if (!is_null(arg[1]))
		return take_time(to, arg[1], ret);
	if (n > 2 && !is_null(arg[2]))
		return take_time(to, arg[2], ret);
	*ret = capture_end(sqlite3_user_data(to));
	return true;
}

static void gather(sqlite3_context *to, int n, sqlite3_value **arg)
{
	struct gathering *g = sqlite3_aggregate_context(to, sizeof(*g));
	struct wl_interval span;

	if (!g) {
		sqlite3_result_error_nomem(to);
		return;
	}
	if (!g->is_begun) {
		const struct wl_sql_context *ctx = sqlite3_user_data(to);

		wl_vec_init(&g->list, sizeof(struct wl_interval), ctx->budget);
		g->last = -WL_TIME_MAX;
		g->is_begun = true;
	}
	if (is_null(arg[0]) || !take_time(to, arg[0], &span.begin) ||
	    !take_end(to, n, arg, &span.end))
		return;
	g->last = span.begin > g->last ? span.begin : g->last;
	g->last = span.end != NEVER && span.end > g->last ? span.end : g->last;
	wl_vec_push(&g->list, &span);
	if (g->list.failed)
		sqlite3_result_error_nomem(to);
}

/* What the group has become; NULL without memory. Also called for a group without rows. */
static struct wl_span_set *finish(sqlite3_context *to)
{
	struct gathering *g = sqlite3_aggregate_context(to, 0);
	const struct wl_sql_context *ctx = sqlite3_user_data(to);
	struct wl_interval *at;
	struct wl_vec none;

	if (!g || !g->is_begun) {
		wl_vec_init(&none, sizeof(struct wl_interval), ctx->budget);
		return wl_span_set_new(&none);
	}
	at = g->list.data;
	for (size_t i = 0; i < g->list.n; i++)
		at[i].end = at[i].end == NEVER ? g->last : at[i].end;
	return wl_span_set_new(&g->list);
}

void wl_sqlf_union_ns_step(sqlite3_context *to, int n, sqlite3_value **arg)
{
	gather(to, n, arg);
}

void wl_sqlf_union_ns_final(sqlite3_context *to)
{
	struct wl_span_set *set = finish(to);

	if (set)
		sqlite3_result_int64(to, wl_intervals_length(&set->join));
	else
		sqlite3_result_error_nomem(to);
	wl_span_set_unref(set);
}

void wl_sqlf_intervals_step(sqlite3_context *to, int n, sqlite3_value **arg)
{
	gather(to, n, arg);
}

void wl_sqlf_intervals_final(sqlite3_context *to)
{
	wl_span_set_result(to, finish(to));
}

void wl_sqlf_interval_ns(sqlite3_context *to, int n, sqlite3_value **arg)
{
	const struct wl_span_set *set = wl_span_set_of(arg[0]);

	(void)n;
	if (set)
		sqlite3_result_int64(to, wl_intervals_length(&set->join));
	else
		wl_sql_error(to, WL_NO_SPAN_SET, "interval_ns");
}

static void combine(sqlite3_context *to, sqlite3_value **arg, enum wl_span_op op, const char *name)
{
	const struct wl_span_set *a = wl_span_set_of(arg[0]), *b = wl_span_set_of(arg[1]);

	if (a && b)
		wl_span_set_result(to, wl_span_set_combine(a, b, op));
	else
		wl_sql_error(to, WL_NO_SPAN_SET, name);
}

void wl_sqlf_interval_union(sqlite3_context *to, int n, sqlite3_value **arg)
{
	(void)n;
	combine(to, arg, WL_SPAN_UNION, "interval_union");
}

void wl_sqlf_interval_intersect(sqlite3_context *to, int n, sqlite3_value **arg)
{
	(void)n;
	combine(to, arg, WL_SPAN_INTERSECT, "interval_intersect");
}

void wl_sqlf_interval_subtract(sqlite3_context *to, int n, sqlite3_value **arg)
{
	(void)n;
	combine(to, arg, WL_SPAN_SUBTRACT, "interval_subtract");
}
