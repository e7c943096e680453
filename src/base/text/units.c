/* SPDX-License-Identifier: MIT */
/* units.c - numbers for people. What people type is read by units_parse.c. */
#include "base/text/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_POWER = 18 }; /* of ten that fits in 64 bits */
enum { PERIOD = 3 };     /* powers of ten between two units */

static const char *const time_units[] = { "ns", "us", "ms", "s" };
static const char *const byte_units[] = { "B", "kB", "MB", "GB", "TB", "PB", "EB" };
static const char *const rate_units[] = { "B/s", "kB/s", "MB/s", "GB/s", "TB/s", "PB/s", "EB/s" };

const struct wl_unit_names wl_time_names = { time_units, WL_COUNT(time_units) };
const struct wl_unit_names wl_byte_names = { byte_units, WL_COUNT(byte_units) };
const struct wl_unit_names wl_rate_names = { rate_units, WL_COUNT(rate_units) };

static uint64_t power_of_ten(int n)
{
	uint64_t p = 1;

	while (n-- > 0)
		p *= 10;
	return p;
}

static uint64_t magnitude(int64_t v)
{
	return v < 0 ? -(uint64_t)v : (uint64_t)v;
}

/* value / 10^power in decimal notation, without zeros at the end of the fraction. */
static void put_decimal(char buf[WL_UNITS_BUF], const char *sign, uint64_t value, int power,
			const char *unit)
{
	char padded[24];
	char *fraction = padded + MAX_POWER - power;

	(void)snprintf(padded, sizeof(padded), "%018" PRIu64, value % power_of_ten(power));
	for (char *end = padded + MAX_POWER; end > fraction && end[-1] == '0'; end--)
		end[-1] = '\0';
	(void)snprintf(buf, WL_UNITS_BUF, "%s%" PRIu64 "%s%s %s", sign, value / power_of_ten(power),
		       *fraction ? "." : "", fraction, unit);
}

/* To four significant digits, but never away from the digits before the point. */
static uint64_t round_to_four(uint64_t value, int power)
{
	int drop = 0;
	uint64_t step;

	while (drop < power && value / power_of_ten(drop) >= 10000)
		drop++;
	step = power_of_ten(drop);
	return (value + step / 2) / step * step;
}

/* In the largest of n units, 1000 apart, that leaves at least 1; or in the one asked for. */
static void put_scaled(char buf[WL_UNITS_BUF], int64_t v, const char *const *units, int n, int unit)
{
	uint64_t value = magnitude(v);
	int i = unit;

	if (unit < 0) {
		i = 0;
		while (i + 1 < n &&
		       round_to_four(value, i * PERIOD) >= power_of_ten((i + 1) * PERIOD))
			i++;
	}
	put_decimal(buf, v < 0 ? "-" : "", round_to_four(value, i * PERIOD), i * PERIOD, units[i]);
}

struct wl_precision wl_precision_in(uint64_t value, int unit)
{
	const int power = unit * PERIOD;
	uint64_t whole = round_to_four(value, power) / power_of_ten(power);
	int decimals = 3;

	for (; whole >= 10 && decimals > 0; whole /= 10)
		decimals--;
	return (struct wl_precision){ unit, decimals < power ? decimals : power };
}

struct wl_precision wl_precision_of(uint64_t value, struct wl_unit_names units)
{
	int unit = 0;

	while (unit + 1 < units.n &&
	       round_to_four(value, unit * PERIOD) >= power_of_ten((unit + 1) * PERIOD))
		unit++;
	return wl_precision_in(value, unit);
}

/* To the precision, in units of its last digit. */
static uint64_t round_to(uint64_t value, struct wl_precision p)
{
	uint64_t step = power_of_ten(p.unit * PERIOD - p.decimals);

	return value / step + (value % step >= step - step / 2);
}

int wl_precision_needed(uint64_t value, struct wl_precision p)
{
	uint64_t digits = round_to(value, p);

	while (p.decimals > 0 && digits % 10 == 0) {
		digits /= 10;
		p.decimals--;
	}
	return p.decimals;
}

const char *wl_fmt_fixed(char buf[WL_UNITS_BUF], int64_t v, struct wl_precision p,
			 struct wl_unit_names units)
{
	uint64_t digits = round_to(magnitude(v), p), one = power_of_ten(p.decimals);
	const char *sign = v < 0 && digits ? "-" : "";

	if (v == 0 || p.decimals == 0)
		(void)snprintf(buf, WL_UNITS_BUF, "%s%" PRIu64 " %s", sign, digits / one,
			       units.name[p.unit]);
	else
		(void)snprintf(buf, WL_UNITS_BUF, "%s%" PRIu64 ".%0*" PRIu64 " %s", sign,
			       digits / one, p.decimals, digits % one, units.name[p.unit]);
	return buf;
}

const char *wl_fmt_ns(char buf[WL_UNITS_BUF], int64_t ns, enum wl_timeunit unit)
{
	put_scaled(buf, ns, time_units, WL_COUNT(time_units), (int)unit - WL_UNIT_NS);
	return buf;
}

const char *wl_fmt_time(char buf[WL_UNITS_BUF], int64_t ns, enum wl_timeunit unit)
{
	uint64_t value = magnitude(ns);
	int i = (int)unit - WL_UNIT_NS;

	if (unit == WL_UNIT_AUTO)
		i = value >= power_of_ten(3 * PERIOD) || value == 0 ? 3 : 2;
	put_decimal(buf, ns < 0 ? "-" : "", value, i * PERIOD, time_units[i]);
	return buf;
}

void wl_fmt_times(char from[WL_UNITS_BUF], char to[WL_UNITS_BUF], const int64_t ns[2],
		  enum wl_timeunit unit)
{
	const uint64_t a = magnitude(ns[0]), b = magnitude(ns[1]), most = a > b ? a : b;
	int i = unit != WL_UNIT_AUTO               ? (int)unit - WL_UNIT_NS
		: most >= power_of_ten(3 * PERIOD) ? 3
						   : 2;
	struct wl_precision p = { i, i * PERIOD };
	int of_a = wl_precision_needed(a, p), of_b = wl_precision_needed(b, p);

	p.decimals = of_a > of_b ? of_a : of_b;
	(void)wl_fmt_fixed(from, ns[0], p, wl_time_names);
	(void)wl_fmt_fixed(to, ns[1], p, wl_time_names);
}

const char *wl_fmt_bytes(char buf[WL_UNITS_BUF], int64_t bytes)
{
	put_scaled(buf, bytes, byte_units, WL_COUNT(byte_units), -1);
	return buf;
}

const char *wl_fmt_rate(char buf[WL_UNITS_BUF], double rate)
{
	if (fabs(rate) < 1000) {
		/* Rates below a byte per second do not matter; three decimals are plenty. */
		int64_t milli = (int64_t)llround(rate * 1000);
		uint64_t value = round_to_four(magnitude(milli), PERIOD);

		put_decimal(buf, milli < 0 ? "-" : "", value, PERIOD, "B/s");
	} else if (fabs(rate) < 9e18) {
		put_scaled(buf, (int64_t)llround(rate), rate_units, WL_COUNT(rate_units), -1);
	} else {
		(void)snprintf(buf, WL_UNITS_BUF, "%.4g B/s", rate);
	}
	return buf;
}

const char *wl_fmt_ratio(char buf[WL_UNITS_BUF], double ratio)
{
	double percent = ratio * 100;

	if (fabs(percent) < 0.05)
		percent = 0; /* not "-0.0%" */
	(void)snprintf(buf, WL_UNITS_BUF, fabs(percent) < 1e15 ? "%.1f%%" : "%.4g%%", percent);
	return buf;
}

const char *wl_fmt_share(char buf[WL_UNITS_BUF], double ratio)
{
	if (ratio <= 0 || ratio >= WL_LEAST_SHARE)
		return wl_fmt_ratio(buf, ratio);
	(void)snprintf(buf, WL_UNITS_BUF, "<0.1%%");
	return buf;
}

const char *wl_fmt_real(char buf[WL_UNITS_BUF], double v)
{
	(void)snprintf(buf, WL_UNITS_BUF, fabs(v) < 1000 || fabs(v) >= 1e15 ? "%.4g" : "%.0f", v);
	return buf;
}

const char *wl_fmt_count(char buf[WL_UNITS_BUF], int64_t v)
{
	enum { SEPARATED = 10000 };
	size_t n, first;

	(void)wl_fmt_i64(buf, v);
	if (magnitude(v) < SEPARATED)
		return buf;
	/* From the right: a comma before every third digit but the first. */
	first = v < 0 ? 1 : 0;
	n = strlen(buf);
	for (size_t at = n - PERIOD; at > first; at -= PERIOD, n++) {
		memmove(buf + at + 1, buf + at, n - at + 1);
		buf[at] = ',';
		if (at < PERIOD)
			break;
	}
	return buf;
}

const char *wl_fmt_i64(char buf[WL_UNITS_BUF], int64_t v)
{
	char digits[MAX_POWER + 2]; /* from the last on */
	uint64_t rest = magnitude(v);
	size_t n = 0, at = 0;

	do {
		digits[n++] = (char)('0' + rest % 10);
		rest /= 10;
	} while (rest);
	if (v < 0)
		buf[at++] = '-';
	while (n)
		buf[at++] = digits[--n];
	buf[at] = '\0';
	return buf;
}

const char *wl_fmt_f64(char buf[WL_UNITS_BUF], double v)
{
	for (int digits = 15; digits <= 17; digits++) {
		(void)snprintf(buf, WL_UNITS_BUF, "%.*g", digits, v);
		if (strtod(buf, NULL) == v)
			break;
	}
	return buf;
}
