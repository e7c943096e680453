/* SPDX-License-Identifier: MIT */
/*
 * units_parse.c - numbers as people type them.
 *
 * Integers are made by decimal arithmetic on the digits, so that "0.1us" is
 * 100 ns by construction and not by luck; doubles by one strtod of the digits
 * with the unit as exponent, so that "12.3%" and "0.123" are the same double.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text/units.h"

enum { MAX_DIGITS = 64 }; /* characters of a number */

struct unit {
	const char *name;
	int power10, power2; /* worth 10^power10 * 2^power2 base units; one of them is 0 */
};

/* The text apart: digits before and after the point, and what follows. */
struct number {
	bool negative;
	const char *whole, *fraction;
	size_t n_whole, n_fraction;
	const char *unit;
};

static const struct unit time_units[] = {
	{ "ns", 0, 0 },      { "us", 3, 0 }, { "\u00b5s", 3, 0 }, /* micro sign */
	{ "\u03bcs", 3, 0 },                                      /* Greek mu */
	{ "ms", 6, 0 },      { "s", 9, 0 },
};

static const struct unit count_units[] = {
	{ "K", 3, 0 },
	{ "M", 6, 0 },
	{ "G", 9, 0 },
	{ "T", 12, 0 },
};

static const struct unit byte_units[] = {
	{ "B", 0, 0 },    { "K", 3, 0 },    { "KB", 3, 0 },   { "Ki", 0, 10 },  { "KiB", 0, 10 },
	{ "M", 6, 0 },    { "MB", 6, 0 },   { "Mi", 0, 20 },  { "MiB", 0, 20 }, { "G", 9, 0 },
	{ "GB", 9, 0 },   { "Gi", 0, 30 },  { "GiB", 0, 30 }, { "T", 12, 0 },   { "TB", 12, 0 },
	{ "Ti", 0, 40 },  { "TiB", 0, 40 }, { "P", 15, 0 },   { "PB", 15, 0 },  { "Pi", 0, 50 },
	{ "PiB", 0, 50 },
};

static const struct unit ratio_units[] = { { "%", -2, 0 } };

static const struct unit one = { "", 0, 0 };

static size_t count_digits(const char *s)
{
	return strspn(s, "0123456789");
}

static bool split(const char *s, struct number *ret)
{
	struct number n = { .negative = *s == '-' };

	if (*s == '-' || *s == '+')
		s++;
	n.whole = s;
	n.n_whole = count_digits(s);
	s += n.n_whole;
	if (*s == '.') {
		n.fraction = ++s;
		n.n_fraction = count_digits(s);
		s += n.n_fraction;
	}
	if (n.n_whole + n.n_fraction == 0 || n.n_whole + n.n_fraction > MAX_DIGITS)
		return false;
	if (s[0] == ' ' && s[1] != '\0')
		s++;
	n.unit = s;
	*ret = n;
	return true;
}

/* Compare case for times, where M and m could be confused; bytes and counts do not care. */
typedef int compare_fn(const char *a, const char *b);

static const struct unit *find_unit(const struct unit *units, size_t n, const char *name,
				    compare_fn *compare)
{
	if (*name == '\0')
		return &one;
	for (size_t i = 0; i < n; i++) {
		if (compare(units[i].name, name) == 0)
			return &units[i];
	}
	return NULL;
}

static uint64_t worth(const struct unit *unit)
{
	uint64_t scale = UINT64_C(1) << unit->power2;

	for (int i = 0; i < unit->power10; i++)
		scale *= 10;
	return scale;
}

/* False when the value is no whole number or does not fit. */
static bool to_i64(const struct number *n, uint64_t scale, int64_t *ret)
{
	const uint64_t limit = (uint64_t)INT64_MAX + (n->negative ? 1 : 0);
	uint64_t value = 0, carry = 0;

	for (size_t i = 0; i < n->n_whole; i++) {
		uint64_t digit = (uint64_t)(n->whole[i] - '0');

		if (value > (limit - digit) / 10)
			return false;
		value = value * 10 + digit;
	}
	if (value > limit / scale)
		return false;
	/*
	 * Schoolbook multiplication of the fraction by scale, from its last digit:
	 * the carry out of the first is the whole part, and exact when every digit
	 * of the product is 0. scale <= 2^50, so nothing overflows.
	 */
	for (size_t i = n->n_fraction; i > 0; i--) {
		carry += (uint64_t)(n->fraction[i - 1] - '0') * scale;
		if (carry % 10 != 0)
			return false;
		carry /= 10;
	}
	value *= scale;
	if (carry > limit - value)
		return false;
	value += carry;
	*ret = n->negative ? (int64_t)-value : (int64_t)value;
	return true;
}

static double to_f64(const struct number *n, const struct unit *unit)
{
	char text[MAX_DIGITS + 16];

	(void)snprintf(text, sizeof(text), "%s%.*s.%.*se%d", n->negative ? "-" : "",
		       (int)n->n_whole, n->whole, (int)n->n_fraction,
		       n->fraction ? n->fraction : "", unit->power10);
	return ldexp(strtod(text, NULL), unit->power2);
}

static int refuse(const char *s, const char *what, struct wl_err *reterr)
{
	return wl_fail(reterr, WL_E_USAGE, "'%.60s' is not %s", s, what);
}

static int parse_integer(const char *s, const struct unit *unit, const struct number *n,
			 const char *what, int64_t *ret, struct wl_err *reterr)
{
	/* A fraction without a unit is more likely a forgotten unit than a rounding wish. */
	if (!unit || (unit == &one && n->fraction))
		return refuse(s, what, reterr);
	if (!to_i64(n, worth(unit), ret))
		return wl_fail(reterr, WL_E_USAGE,
			       "'%.60s' is too large or not a whole number of base units", s);
	return WL_OK;
}

int wl_parse_ns(const char *s, int64_t *ret_ns, struct wl_err *reterr)
{
	static const char what[] = "a duration (write 500ns, 10us, 1.5ms or 39s)";
	struct number n;

	if (!split(s, &n))
		return refuse(s, what, reterr);
	return parse_integer(s, find_unit(time_units, WL_COUNT(time_units), n.unit, strcmp), &n,
			     what, ret_ns, reterr);
}

int wl_parse_ns_with_unit(const char *s, int64_t *ret_ns, struct wl_err *reterr)
{
	struct number n;
	int r = wl_parse_ns(s, ret_ns, reterr);

	/* Zero is the same in every unit. */
	if (r < 0 || *ret_ns == 0 || !split(s, &n) || *n.unit)
		return r;
	return wl_fail(reterr, WL_E_USAGE, "'%.20s' has no unit; write %.20ss or %.20sms", s, s, s);
}

int wl_parse_seconds(const char *s, int64_t *ret_ns, struct wl_err *reterr)
{
	static const char what[] = "a duration (write 120 or 12.5 for seconds, or 80ms)";
	static const struct unit second = { "s", 9, 0 };
	const struct unit *unit = &second;
	struct number n;

	if (!split(s, &n))
		return refuse(s, what, reterr);
	if (*n.unit)
		unit = find_unit(time_units, WL_COUNT(time_units), n.unit, strcmp);
	else if (n.n_fraction > (size_t)second.power10)
		n.n_fraction = (size_t)second.power10;
	return parse_integer(s, unit, &n, what, ret_ns, reterr);
}

int wl_parse_bytes(const char *s, int64_t *ret_bytes, struct wl_err *reterr)
{
	static const char what[] = "a size (write 100, 64K, 1.5GB or 64MiB)";
	struct number n;

	if (!split(s, &n))
		return refuse(s, what, reterr);
	return parse_integer(s, find_unit(byte_units, WL_COUNT(byte_units), n.unit, strcasecmp), &n,
			     what, ret_bytes, reterr);
}

int wl_parse_count(const char *s, int64_t *ret_count, struct wl_err *reterr)
{
	static const char what[] = "a count (write 100, 64K or 1.5M)";
	struct number n;

	if (!split(s, &n))
		return refuse(s, what, reterr);
	return parse_integer(s, find_unit(count_units, WL_COUNT(count_units), n.unit, strcasecmp),
			     &n, what, ret_count, reterr);
}

int wl_parse_i64(const char *s, int64_t *ret_v, struct wl_err *reterr)
{
	static const char what[] = "a whole number";
	struct number n;

	if (!split(s, &n))
		return refuse(s, what, reterr);
	return parse_integer(s, find_unit(NULL, 0, n.unit, strcmp), &n, what, ret_v, reterr);
}

int wl_parse_ratio(const char *s, double *ret_ratio, struct wl_err *reterr)
{
	static const char what[] = "a ratio (write 5% or 0.05)";
	const struct unit *unit;
	struct number n;

	if (!split(s, &n))
		return refuse(s, what, reterr);
	unit = find_unit(ratio_units, WL_COUNT(ratio_units), n.unit, strcmp);
	if (!unit)
		return refuse(s, what, reterr);
	*ret_ratio = to_f64(&n, unit);
	return WL_OK;
}

int wl_parse_real(const char *s, double *ret_v, struct wl_err *reterr)
{
	static const char what[] = "a number (write 12.5)";
	const struct unit *unit;
	struct number n;

	if (!split(s, &n))
		return refuse(s, what, reterr);
	unit = find_unit(NULL, 0, n.unit, strcmp);
	if (!unit)
		return refuse(s, what, reterr);
	*ret_v = to_f64(&n, unit);
	return WL_OK;
}

int wl_parse_rate(const char *s, double *ret_rate, struct wl_err *reterr)
{
	static const char what[] = "a rate (write 100, 12.3GB or 12.3GB/s)";
	const struct unit *unit;
	struct number n;
	char name[8];
	size_t len;

	if (!split(s, &n))
		return refuse(s, what, reterr);
	len = strlen(n.unit);
	if (len >= 2 && strcmp(n.unit + len - 2, "/s") == 0)
		len -= 2;
	if (len >= sizeof(name))
		return refuse(s, what, reterr);
	memcpy(name, n.unit, len);
	name[len] = '\0';
	unit = find_unit(byte_units, WL_COUNT(byte_units), name, strcasecmp);
	if (!unit)
		return refuse(s, what, reterr);
	*ret_rate = to_f64(&n, unit);
	return WL_OK;
}

int wl_parse_timeunit(const char *s, enum wl_timeunit *ret_unit, struct wl_err *reterr)
{
	static const char *const names[] = {
		[WL_UNIT_AUTO] = "auto", [WL_UNIT_NS] = "ns", [WL_UNIT_US] = "us",
		[WL_UNIT_MS] = "ms",     [WL_UNIT_S] = "s",
	};

	/* nsys writes nsec, usec, msec and sec. */
	for (size_t i = 0; i < WL_COUNT(names); i++) {
		size_t n = strlen(names[i]);
		bool is_nsys = i != WL_UNIT_AUTO && strncmp(names[i], s, n) == 0 &&
			       strcmp(s + n, "ec") == 0;

		if (strcmp(names[i], s) == 0 || is_nsys) {
			*ret_unit = (enum wl_timeunit)i;
			return WL_OK;
		}
	}
	return refuse(s, "a time unit (write auto, ns, us, ms or s)", reterr);
}
