/* SPDX-License-Identifier: MIT */
/* units.c - numbers for people. What people type is read by units_parse.c. */
#include "base/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_POWER = 18 }; /* of ten that fits in 64 bits */
enum { PERIOD = 3 };     /* powers of ten between two units */

static const char *const time_units[] = { "ns", "us", "ms", "s" };
static const char *const byte_units[] = { "B", "kB", "MB", "GB", "TB", "PB", "EB" };
static const char *const rate_units[] = { "B/s", "kB/s", "MB/s", "GB/s", "TB/s", "PB/s", "EB/s" };

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

const char *wl_fmt_real(char buf[WL_UNITS_BUF], double v)
{
	(void)snprintf(buf, WL_UNITS_BUF, fabs(v) < 1000 || fabs(v) >= 1e15 ? "%.4g" : "%.0f", v);
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
