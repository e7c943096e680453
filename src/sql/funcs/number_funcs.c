/* SPDX-License-Identifier: MIT */
/* number_funcs.c - percentiles, and numbers for people. */
#include <math.h>
#include <string.h>

#include "base/sort.h"
#include "base/units.h"
#include "base/vec.h"
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
	if (!r->is_begun) {
		const struct wl_sql_context *ctx = sqlite3_user_data(to);

		wl_vec_init(&r->list, sizeof(int64_t), ctx->budget);
		r->p = p;
		r->is_begun = true;
	}
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

void wl_sqlf_percentile_step(sqlite3_context *to, int n, sqlite3_value **arg)
{
	struct ranking *r = sqlite3_aggregate_context(to, sizeof(*r));
	int type = sqlite3_value_numeric_type(arg[0]);

	(void)n;
	if (!r) {
		sqlite3_result_error_nomem(to);
		return;
	}
	if (type == SQLITE_NULL || !set_percent(to, r, arg[1]))
		return;
	if (type != SQLITE_INTEGER && type != SQLITE_FLOAT) {
		wl_sql_error(to, "percentile: x must be a number, not \"%.80s\"",
			     (const char *)sqlite3_value_text(arg[0]));
		return;
	}
	add_number(r, arg[0]);
	if (r->list.failed)
		sqlite3_result_error_nomem(to);
}

/*
 * The smallest rank with at least p percent at or below it, from 0. In millionths of a percent,
 * because 99.9 is no double: 99.9 % of 1000 are 999 and not one more.
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
