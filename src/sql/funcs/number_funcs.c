/* SPDX-License-Identifier: MIT */
/* number_funcs.c - percentiles, deviations, and numbers for people. */
#include <math.h>
#include <string.h>

#include "base/memory/sort.h"
#include "base/memory/vec.h"
#include "base/text/units.h"
#include "sql/funcs/funcs_parts.h"

/* ---- percentile ---- */

/*
 * Numbers are kept as integers: whole ones as they are until a real one comes, from then on all
 * as the bits of a double, turned so that they order like it. So one selection serves both.
 */
struct ranking {
	struct wl_vec list; /* int64_t */
	double p;
	bool is_begun, is_real;
};

static int64_t bits_of(double v)
{
	int64_t bits;

	memcpy(&bits, &v, sizeof(bits));
	return bits < 0 ? bits ^ INT64_MAX : bits;
}

static double double_of(int64_t bits)
{
	double v;

	bits = bits < 0 ? bits ^ INT64_MAX : bits;
	memcpy(&v, &bits, sizeof(v));
	return v;
}

static void make_real(struct ranking *r)
{
	int64_t *at = r->list.data;

	for (size_t i = 0; i < r->list.n; i++)
		at[i] = bits_of((double)at[i]);
	r->is_real = true;
}

static void begin(sqlite3_context *to, struct ranking *r, double p)
{
	const struct wl_sql_context *ctx = sqlite3_user_data(to);

	if (r->is_begun)
		return;
	wl_vec_init(&r->list, sizeof(int64_t), ctx->budget);
	r->p = p;
	r->is_begun = true;
}

/* Begin with the first row; the percentile must be the same in all. */
static bool set_percent(sqlite3_context *to, struct ranking *r, sqlite3_value *value)
{
	int type = sqlite3_value_numeric_type(value);
	double p = sqlite3_value_double(value);

	if ((type != SQLITE_INTEGER && type != SQLITE_FLOAT) || !(p >= 0 && p <= 100)) {
		wl_sql_error(to, "percentile: p is a number from 0 to 100");
		return false;
	}
	if (r->is_begun && p != r->p) {
		wl_sql_error(to, "percentile: p must be the same in all rows of a group");
		return false;
	}
	begin(to, r, p);
	return true;
}

static void add_number(struct ranking *r, sqlite3_value *value)
{
	int64_t v;

	if (sqlite3_value_numeric_type(value) == SQLITE_FLOAT && !r->is_real)
		make_real(r);
	v = r->is_real ? bits_of(sqlite3_value_double(value)) : sqlite3_value_int64(value);
	wl_vec_push(&r->list, &v);
}

/* An argument that has to be a number; false after an error. */
static bool is_number(sqlite3_context *to, sqlite3_value *value, const char *function)
{
	int type = sqlite3_value_numeric_type(value);

	if (type == SQLITE_INTEGER || type == SQLITE_FLOAT)
		return true;
	wl_sql_error(to, "%s: x must be a number, not \"%.80s\"", function,
		     (const char *)sqlite3_value_text(value));
	return false;
}

/* Of p NULL the median. */
static void rank(sqlite3_context *to, sqlite3_value *x, sqlite3_value *p, const char *function)
{
	struct ranking *r = sqlite3_aggregate_context(to, sizeof(*r));

	if (!r) {
		sqlite3_result_error_nomem(to);
		return;
	}
	if (sqlite3_value_type(x) == SQLITE_NULL || (p && !set_percent(to, r, p)))
		return;
	if (!p)
		begin(to, r, 50);
	if (!is_number(to, x, function))
		return;
	add_number(r, x);
	if (r->list.failed)
		sqlite3_result_error_nomem(to);
}

void wl_sqlf_percentile_step(sqlite3_context *to, int n, sqlite3_value **arg)
{
	(void)n;
	rank(to, arg[0], arg[1], "percentile");
}

void wl_sqlf_median_step(sqlite3_context *to, int n, sqlite3_value **arg)
{
	(void)n;
	rank(to, arg[0], NULL, "median");
}

/*
 * The smallest rank with at least p percent at or below it, from 0. In millionths of a percent,
 * because 99.9 is no double: 99.9% of 1000 are 999 and not one more.
 */
static size_t rank_of(double p, size_t n)
{
	uint64_t parts = (uint64_t)llround(p * 1e6);
	uint64_t rank = ((uint64_t)n * parts + 99999999) / 100000000;

	return rank ? (size_t)rank - 1 : 0;
}

void wl_sqlf_percentile_final(sqlite3_context *to)
{
	struct ranking *r = sqlite3_aggregate_context(to, 0);
	int64_t v;

	if (!r || !r->is_begun)
		return; /* of no rows: NULL */
	if (!r->list.failed && r->list.n > 0) {
		v = wl_select_i64(r->list.data, r->list.n, rank_of(r->p, r->list.n));
		if (r->is_real)
			sqlite3_result_double(to, double_of(v));
		else
			sqlite3_result_int64(to, v);
	}
	wl_vec_release(&r->list);
}

void wl_sqlf_median_final(sqlite3_context *to)
{
	wl_sqlf_percentile_final(to);
}

/* ---- stddev ---- */

/* Welford's: the squares of large times would lose what they differ by. */
struct deviation {
	int64_t n;
	double mean, squares; /* of distances from the mean, summed */
};

void wl_sqlf_stddev_step(sqlite3_context *to, int n, sqlite3_value **arg)
{
	struct deviation *d = sqlite3_aggregate_context(to, sizeof(*d));
	double x, off;

	(void)n;
	if (!d) {
		sqlite3_result_error_nomem(to);
		return;
	}
	if (sqlite3_value_type(arg[0]) == SQLITE_NULL || !is_number(to, arg[0], "stddev"))
		return;
	x = sqlite3_value_double(arg[0]);
	off = x - d->mean;
	d->n++;
	d->mean += off / (double)d->n;
	d->squares += off * (x - d->mean);
}

void wl_sqlf_stddev_final(sqlite3_context *to)
{
	const struct deviation *d = sqlite3_aggregate_context(to, 0);

	if (d && d->n > 1)
		sqlite3_result_double(to, sqrt(d->squares / (double)(d->n - 1)));
}

/* ---- for people ---- */

/* A number to be written, rounded; false where it is NULL or, after an error, none. */
static bool take_number(sqlite3_context *to, sqlite3_value *value, const char *name, int64_t *ret)
{
	int type = sqlite3_value_numeric_type(value);
	double real;

	if (type == SQLITE_NULL)
		return false;
	if (type == SQLITE_INTEGER) {
		*ret = sqlite3_value_int64(value);
		return true;
	}
	real = sqlite3_value_double(value);
	if (type == SQLITE_FLOAT && fabs(real) < 0x1p62) {
		*ret = llround(real);
		return true;
	}
	wl_sql_error(to, "%s: needs a number", name);
	return false;
}

void wl_sqlf_human_ns(sqlite3_context *to, int n, sqlite3_value **arg)
{
	char buf[WL_UNITS_BUF];
	int64_t v;

	(void)n;
	if (take_number(to, arg[0], "human_ns", &v))
		sqlite3_result_text(to, wl_fmt_ns(buf, v, WL_UNIT_AUTO), -1, SQLITE_TRANSIENT);
}

void wl_sqlf_human_bytes(sqlite3_context *to, int n, sqlite3_value **arg)
{
	char buf[WL_UNITS_BUF];
	int64_t v;

	(void)n;
	if (take_number(to, arg[0], "human_bytes", &v))
		sqlite3_result_text(to, wl_fmt_bytes(buf, v), -1, SQLITE_TRANSIENT);
}
