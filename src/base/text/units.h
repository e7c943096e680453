/* SPDX-License-Identifier: MIT */
/*
 * units.h - numbers with units: 2149900 ns <-> "2.15 ms".
 *
 * Formatting is for people: four significant digits, never an exponent for
 * times and bytes. Parsing is for what people type: exact, checked for overflow,
 * nothing left over. LC_NUMERIC must be "C", as it is unless a program asks otherwise.
 */
#ifndef WL_BASE_UNITS_H
#define WL_BASE_UNITS_H

#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/err.h"

enum wl_timeunit { WL_UNIT_AUTO, WL_UNIT_NS, WL_UNIT_US, WL_UNIT_MS, WL_UNIT_S };

enum { WL_UNITS_BUF = 48 }; /* bytes that hold whatever the functions below write */

/* All write a terminated string to buf and return buf. */

/* A length of time: "2.15 ms", or in the given unit "0.00215 s". */
const char *wl_fmt_ns(char buf[WL_UNITS_BUF], int64_t ns, enum wl_timeunit unit);

/* A point in time, to the nanosecond: "1.234567891 s", "12.5 ms"; automatic is s or ms. */
const char *wl_fmt_time(char buf[WL_UNITS_BUF], int64_t ns, enum wl_timeunit unit);

/* Two points in time, to the nanosecond, in one unit: "0.845000000 s", "1.822597346 s". */
void wl_fmt_times(char from[WL_UNITS_BUF], char to[WL_UNITS_BUF], const int64_t ns[2],
		  enum wl_timeunit unit);

/* Powers of 1000 as nsys shows them: "1.07 GB". */
const char *wl_fmt_bytes(char buf[WL_UNITS_BUF], int64_t bytes);

/* Bytes per second: "12.3 GB/s". */
const char *wl_fmt_rate(char buf[WL_UNITS_BUF], double rate);

/* "12.3%" */
const char *wl_fmt_ratio(char buf[WL_UNITS_BUF], double ratio);

/* The same, but "<0.1%" for a ratio that would read "0.0%" and is not 0. */
#define WL_LEAST_SHARE 0.0005
const char *wl_fmt_share(char buf[WL_UNITS_BUF], double ratio);

/* A plain number: "12.5", "3", "123456": four significant digits, but all before the point. */
const char *wl_fmt_real(char buf[WL_UNITS_BUF], double v);

/* How many: "9999", "22,564". */
const char *wl_fmt_count(char buf[WL_UNITS_BUF], int64_t v);

/* Which: no separators. */
const char *wl_fmt_i64(char buf[WL_UNITS_BUF], int64_t v);

/* The shortest decimal that reads back as the same double; v must be finite. */
const char *wl_fmt_f64(char buf[WL_UNITS_BUF], double v);

/* A unit, by how many times 1000 it is of the base unit, and digits behind the point. */
struct wl_precision {
	int unit;
	int decimals;
};

/* Units 1000 apart, from the base unit on. */
struct wl_unit_names {
	const char *const *name;
	int n;
};

extern const struct wl_unit_names wl_time_names, wl_byte_names, wl_rate_names;

/* What shows a value with four significant digits, in the largest unit that leaves at least 1. */
struct wl_precision wl_precision_of(uint64_t value, struct wl_unit_names units);

/* The same in a given unit. */
struct wl_precision wl_precision_in(uint64_t value, int unit);

/* Decimals that the value takes in its unit, rounded to the precision, without zeros at the end. */
int wl_precision_needed(uint64_t value, struct wl_precision p);

/* Rounded, with all zeros: "26.00 ms". Zero has none: "0 ms". */
const char *wl_fmt_fixed(char buf[WL_UNITS_BUF], int64_t v, struct wl_precision p,
			 struct wl_unit_names units);

/*
 * All take a sign and one optional space before the unit, and fail with
 * WL_E_USAGE and a message that quotes s. A value that is no whole number of
 * the base unit is rejected rather than rounded.
 */

/* "500ns", "10us", "1.5ms", "39s"; a plain integer is nanoseconds. */
int wl_parse_ns(const char *s, int64_t *ret_ns, struct wl_err *reterr) WL_MUST_CHECK;

/*
 * The same, but a plain number other than 0 is refused: 39 in a window can be meant as
 * seconds or as milliseconds. The message shows both.
 */
int wl_parse_ns_with_unit(const char *s, int64_t *ret_ns, struct wl_err *reterr) WL_MUST_CHECK;

/*
 * The same, but a plain number is seconds: "120", "12.5". What a clock gave beyond
 * nanoseconds is dropped from it.
 */
int wl_parse_seconds(const char *s, int64_t *ret_ns, struct wl_err *reterr) WL_MUST_CHECK;

/* "100", "64K" or "64KB" (64000), "64Ki" or "64KiB" (65536), up to P and Pi. */
int wl_parse_bytes(const char *s, int64_t *ret_bytes, struct wl_err *reterr) WL_MUST_CHECK;

/* "100", "1.5M": K, M, G and T are powers of 1000. */
int wl_parse_count(const char *s, int64_t *ret_count, struct wl_err *reterr) WL_MUST_CHECK;

/* A plain decimal integer. */
int wl_parse_i64(const char *s, int64_t *ret_v, struct wl_err *reterr) WL_MUST_CHECK;

/* "5%" or "0.05". */
int wl_parse_ratio(const char *s, double *ret_ratio, struct wl_err *reterr) WL_MUST_CHECK;

/* "12.5", without a unit. */
int wl_parse_real(const char *s, double *ret_v, struct wl_err *reterr) WL_MUST_CHECK;

/* Bytes as above, then optionally "/s". */
int wl_parse_rate(const char *s, double *ret_rate, struct wl_err *reterr) WL_MUST_CHECK;

/* "ns", "us", "ms", "s" or "auto"; WL_E_USAGE otherwise. */
int wl_parse_timeunit(const char *s, enum wl_timeunit *ret_unit,
		      struct wl_err *reterr) WL_MUST_CHECK;

#endif
