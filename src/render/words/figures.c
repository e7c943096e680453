/* SPDX-License-Identifier: MIT */
#include "render/words/figures.h"

#include <math.h>

#include "render/words/human.h"

enum { MAX_REAL_DECIMALS = 3 };

static const double max_rate = 9e18; /* that fits in 64 bits */

/* The cells of a column as magnitudes in the base unit. */
struct range {
	uint64_t least, most; /* but zero; both 0: there is none */
};

static bool has_unit(enum wl_type type)
{
	return type == WL_T_NS || type == WL_T_TIME || type == WL_T_BYTES || type == WL_T_RATE;
}

static struct wl_unit_names names_of(enum wl_type type)
{
	return type == WL_T_BYTES  ? wl_byte_names
	       : type == WL_T_RATE ? wl_rate_names
				   : wl_time_names;
}

static struct wl_unit_names written(const struct wl_figures *f, enum wl_type type)
{
	static const char *const micro[] = { "ns", "\u00b5s", "ms", "s" };

	if (f->micro && (type == WL_T_NS || type == WL_T_TIME))
		return (struct wl_unit_names){ micro, WL_COUNT(micro) };
	return names_of(type);
}

/* The number of a cell, in the base unit; false where it is unset or too large. */
static bool number_of(enum wl_type type, struct wl_cell cell, int64_t *ret)
{
	if (!cell.set || (type == WL_T_RATE && fabs(cell.f64) >= max_rate))
		return false;
	*ret = type == WL_T_RATE ? (int64_t)llround(cell.f64) : cell.i64;
	return true;
}

static uint64_t magnitude_at(const struct wl_view *v, size_t row, size_t col)
{
	int64_t n;

	if (!number_of(v->table->cols[col].type, wl_table_at(v->table, v->rows[row], col), &n))
		return 0;
	return n < 0 ? -(uint64_t)n : (uint64_t)n;
}

static struct range find_range(const struct wl_view *v, size_t col)
{
	struct range r = { UINT64_MAX, 0 };

	for (size_t row = 0; row < v->n_rows; row++) {
		uint64_t n = magnitude_at(v, row, col);

		if (n && n < r.least)
			r.least = n;
		if (n > r.most)
			r.most = n;
	}
	return r;
}

/* The smallest number that has two digits in this precision. */
static uint64_t two_digits(struct wl_precision p)
{
	uint64_t n = 10;

	for (int i = p.decimals; i < 3 * p.unit; i++)
		n *= 10;
	return n;
}

/* Drop decimals that are zero in all cells. */
static void trim(const struct wl_view *v, size_t col, struct wl_precision *p)
{
	int needed = 0;

	for (size_t row = 0; row < v->n_rows && needed < p->decimals; row++) {
		int n = wl_precision_needed(magnitude_at(v, row, col), *p);

		needed = n > needed ? n : needed;
	}
	p->decimals = needed;
}

static void fit_lengths(struct wl_figures *f, const struct wl_view *v, size_t col)
{
	const enum wl_type type = v->table->cols[col].type;
	const struct range r = find_range(v, col);
	bool is_given = type == WL_T_NS && f->timeunit != WL_UNIT_AUTO;

	f->precision = is_given ? wl_precision_in(r.most, (int)f->timeunit - WL_UNIT_NS)
				: wl_precision_of(r.most, names_of(type));
	while (is_given && r.least < two_digits(f->precision) &&
	       f->precision.decimals < 3 * f->precision.unit)
		f->precision.decimals++;
	f->is_uniform = is_given || r.least >= two_digits(f->precision) || f->precision.unit == 0;
}

/* Exact: what is printed can be given to --window. */
static void fit_times(struct wl_figures *f, const struct wl_view *v, size_t col)
{
	static const uint64_t second = 1000000000;
	const uint64_t most = find_range(v, col).most;
	int unit = most >= second || most == 0 ? WL_UNIT_S : WL_UNIT_MS;

	if (f->timeunit != WL_UNIT_AUTO)
		unit = (int)f->timeunit;
	unit -= WL_UNIT_NS;
	f->precision = (struct wl_precision){ unit, 3 * unit };
	f->is_uniform = true;
}

/* Decimals for four digits of the largest, where that leaves two of the smallest. */
static void fit_reals(struct wl_figures *f, const struct wl_view *v, size_t col)
{
	double least = HUGE_VAL, most = 0;
	int decimals = MAX_REAL_DECIMALS, needed = 0;

	for (size_t row = 0; row < v->n_rows; row++) {
		struct wl_cell cell = wl_table_at(v->table, v->rows[row], col);
		double n = cell.set ? fabs(cell.f64) : 0;

		least = n > 0 && n < least ? n : least;
		most = n > most ? n : most;
	}
	while (decimals > 0 && most >= 10 * pow(10, MAX_REAL_DECIMALS - decimals))
		decimals--;
	f->is_uniform = most < 1e15 && least >= 10 * pow(10, -decimals);
	for (size_t row = 0; row < v->n_rows; row++) {
		struct wl_cell cell = wl_table_at(v->table, v->rows[row], col);
		double n = cell.set && f->is_uniform ? cell.f64 : 0;

		while (needed < decimals &&
		       fabs(n * pow(10, needed) - nearbyint(n * pow(10, needed))) >
			       pow(10, needed - decimals) / 2)
			needed++;
	}
	f->precision = (struct wl_precision){ 0, needed };
}

void wl_figures_fit(struct wl_figures *f, const struct wl_view *view, size_t col,
		    enum wl_timeunit unit)
{
	const enum wl_type type = view->table->cols[col].type;

	*f = (struct wl_figures){ .timeunit = unit };
	if (type == WL_T_REAL)
		fit_reals(f, view, col);
	else if (type == WL_T_TIME)
		fit_times(f, view, col);
	else if (has_unit(type))
		fit_lengths(f, view, col);
	if (f->is_uniform && has_unit(type))
		trim(view, col, &f->precision);
}

const char *wl_figures_cell(const struct wl_figures *f, const struct wl_col *col,
			    struct wl_cell cell, char buf[WL_UNITS_BUF])
{
	const char *sign = wl_human_is_increase(col, cell) ? "+" : "";
	struct wl_precision p = f->precision;
	char plain[WL_UNITS_BUF];
	int64_t n;

	if (col->type == WL_T_REAL && cell.set && f->is_uniform) {
		(void)snprintf(buf, WL_UNITS_BUF, "%s%.*f", sign, p.decimals, cell.f64);
		return buf;
	}
	if (!has_unit(col->type) || !number_of(col->type, cell, &n))
		return wl_human_cell(col, cell, f->timeunit, buf);
	if (!f->is_uniform)
		p = wl_precision_of(n < 0 ? -(uint64_t)n : (uint64_t)n, names_of(col->type));
	(void)snprintf(buf, WL_UNITS_BUF, "%s%.*s", sign, WL_UNITS_BUF - 2,
		       wl_fmt_fixed(plain, n, p, written(f, col->type)));
	return buf;
}
