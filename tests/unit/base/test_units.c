/* SPDX-License-Identifier: MIT */
#include "base/text/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/unit.h"

static void expect_ns(int64_t ns, enum wl_timeunit unit, const char *want)
{
	char buf[WL_UNITS_BUF];

	assert_string_equal(wl_fmt_ns(buf, ns, unit), want);
}

TEST(durations_pick_their_unit)
{
	expect_ns(0, WL_UNIT_AUTO, "0 ns");
	expect_ns(999, WL_UNIT_AUTO, "999 ns");
	expect_ns(1000, WL_UNIT_AUTO, "1 us");
	expect_ns(2149900, WL_UNIT_AUTO, "2.15 ms");
	expect_ns(-2149900, WL_UNIT_AUTO, "-2.15 ms");
	expect_ns(12345678, WL_UNIT_AUTO, "12.35 ms");
	expect_ns(999949, WL_UNIT_AUTO, "999.9 us");
	expect_ns(INT64_C(50123000000000), WL_UNIT_AUTO, "50123 s");
}

TEST(rounding_up_to_a_thousand_moves_to_the_next_unit)
{
	expect_ns(999950, WL_UNIT_AUTO, "1 ms");
	expect_ns(999999999, WL_UNIT_AUTO, "1 s");
	expect_ns(INT64_C(9999999999999), WL_UNIT_AUTO, "10000 s");
}

TEST(a_fixed_unit_stays_without_an_exponent)
{
	expect_ns(5, WL_UNIT_S, "0.000000005 s");
	expect_ns(123456, WL_UNIT_S, "0.0001235 s");
	expect_ns(1234567891, WL_UNIT_NS, "1234567891 ns");
	expect_ns(1234567891, WL_UNIT_US, "1234568 us");
	expect_ns(1500, WL_UNIT_MS, "0.0015 ms");
	expect_ns(INT64_MIN, WL_UNIT_NS, "-9223372036854775808 ns");
	expect_ns(INT64_MAX, WL_UNIT_AUTO, "9223372037 s");
	expect_ns(INT64_MIN, WL_UNIT_AUTO, "-9223372037 s");
}

TEST(points_in_time_keep_every_digit)
{
	char buf[WL_UNITS_BUF];

	assert_string_equal(wl_fmt_time(buf, 1234567891, WL_UNIT_AUTO), "1.234567891 s");
	assert_string_equal(wl_fmt_time(buf, 39000000000, WL_UNIT_AUTO), "39 s");
	assert_string_equal(wl_fmt_time(buf, 12500000, WL_UNIT_AUTO), "12.5 ms");
	assert_string_equal(wl_fmt_time(buf, 1, WL_UNIT_AUTO), "0.000001 ms");
	assert_string_equal(wl_fmt_time(buf, 0, WL_UNIT_AUTO), "0 s");
	assert_string_equal(wl_fmt_time(buf, -1500000000, WL_UNIT_AUTO), "-1.5 s");
	assert_string_equal(wl_fmt_time(buf, 1234567891, WL_UNIT_US), "1234567.891 us");
	assert_string_equal(wl_fmt_time(buf, INT64_MIN, WL_UNIT_S), "-9223372036.854775808 s");
}

TEST(bytes_are_powers_of_1000)
{
	char buf[WL_UNITS_BUF];

	assert_string_equal(wl_fmt_bytes(buf, 0), "0 B");
	assert_string_equal(wl_fmt_bytes(buf, 999), "999 B");
	assert_string_equal(wl_fmt_bytes(buf, 1073741824), "1.074 GB");
	assert_string_equal(wl_fmt_bytes(buf, 1070000000), "1.07 GB");
	assert_string_equal(wl_fmt_bytes(buf, 64000), "64 kB");
	assert_string_equal(wl_fmt_bytes(buf, INT64_MAX), "9.223 EB");
	assert_string_equal(wl_fmt_bytes(buf, INT64_MIN), "-9.223 EB");
}

TEST(rates_and_ratios_are_short)
{
	char buf[WL_UNITS_BUF];

	assert_string_equal(wl_fmt_rate(buf, 12.3e9), "12.3 GB/s");
	assert_string_equal(wl_fmt_rate(buf, 0), "0 B/s");
	assert_string_equal(wl_fmt_rate(buf, 0.5), "0.5 B/s");
	assert_string_equal(wl_fmt_rate(buf, -1234.5), "-1.235 kB/s");
	assert_string_equal(wl_fmt_rate(buf, 999.96), "1000 B/s");
	assert_string_equal(wl_fmt_rate(buf, 1e300), "1e+300 B/s");
	assert_string_equal(wl_fmt_ratio(buf, 0.1234), "12.3%");
	assert_string_equal(wl_fmt_ratio(buf, 1), "100.0%");
	assert_string_equal(wl_fmt_ratio(buf, -0.0001), "0.0%");
	assert_string_equal(wl_fmt_ratio(buf, -0.5), "-50.0%");
	assert_string_equal(wl_fmt_ratio(buf, 1e300), "1e+302%");
	assert_string_equal(wl_fmt_real(buf, 12.5), "12.5");
	assert_string_equal(wl_fmt_real(buf, 3), "3");
	assert_string_equal(wl_fmt_real(buf, -0.33333), "-0.3333");
	assert_string_equal(wl_fmt_real(buf, 1234567.4), "1234567");
	assert_string_equal(wl_fmt_real(buf, 1e300), "1e+300");
	assert_string_equal(wl_fmt_i64(buf, INT64_MIN), "-9223372036854775808");
}

TEST(doubles_read_back_the_same)
{
	static const double values[] = { 0,     0.1,     0.5,       1.0 / 3, 1e-300, 5e-324,
					 1e308, 123456., 0.1 + 0.2, -2.5,    1e15 };
	char buf[WL_UNITS_BUF];

	for (size_t i = 0; i < WL_COUNT(values); i++)
		assert_true(strtod(wl_fmt_f64(buf, values[i]), NULL) == values[i]);
	assert_string_equal(wl_fmt_f64(buf, 0.1), "0.1");
	assert_string_equal(wl_fmt_f64(buf, 0.1 + 0.2), "0.30000000000000004");
}

typedef int parse_fn(const char *s, int64_t *ret, struct wl_err *reterr);

static void expect_parsed(parse_fn *parse, const char *s, int64_t want)
{
	struct wl_err err = { .code = WL_OK };
	int64_t got = -1;

	if (parse(s, &got, &err) != WL_OK)
		fail_msg("%s: %s", s, err.msg);
	assert_int_equal(got, want);
}

static void expect_refused(parse_fn *parse, const char *s)
{
	struct wl_err err = { .code = WL_OK };
	int64_t got = 42;

	if (parse(s, &got, &err) != WL_E_USAGE)
		fail_msg("'%s' was taken", s);
	assert_int_equal(err.code, WL_E_USAGE);
	assert_non_null(strstr(err.msg, s));
	assert_int_equal(got, 42);
}

TEST(durations_are_read_exactly)
{
	expect_parsed(wl_parse_ns, "500ns", 500);
	expect_parsed(wl_parse_ns, "500", 500);
	expect_parsed(wl_parse_ns, "10us", 10000);
	expect_parsed(wl_parse_ns, "10\u00b5s", 10000);
	expect_parsed(wl_parse_ns, "10\u03bcs", 10000);
	expect_parsed(wl_parse_ns, "1.5ms", 1500000);
	expect_parsed(wl_parse_ns, "1.5 ms", 1500000);
	expect_parsed(wl_parse_ns, "39s", 39000000000);
	expect_parsed(wl_parse_ns, "-.25s", -250000000);
	expect_parsed(wl_parse_ns, "+0.1us", 100);
	expect_parsed(wl_parse_ns, "1.234567891s", 1234567891);
	expect_parsed(wl_parse_ns, "1.23456789100000000000000s", 1234567891);
	expect_parsed(wl_parse_ns, "9223372036.854775807s", INT64_MAX);
	expect_parsed(wl_parse_ns, "-9223372036.854775808s", INT64_MIN);
	expect_parsed(wl_parse_ns, "00000000000000000000000001s", 1000000000);
}

TEST(plain_numbers_may_be_seconds)
{
	expect_parsed(wl_parse_seconds, "120", 120000000000);
	expect_parsed(wl_parse_seconds, "0", 0);
	expect_parsed(wl_parse_seconds, "12.5", 12500000000);
	expect_parsed(wl_parse_seconds, "80ms", 80000000);
	expect_parsed(wl_parse_seconds, "7ns", 7);
	expect_parsed(wl_parse_seconds, "100.12345678987654", 100123456789); /* as Python prints */
	expect_refused(wl_parse_seconds, "12 minutes");
	expect_refused(wl_parse_seconds, "");
	expect_refused(wl_parse_seconds, "nan");
	expect_refused(wl_parse_seconds, "1.5ns");
	expect_refused(wl_parse_seconds, "9223372037");
}

TEST(what_is_no_duration_is_refused)
{
	static const char *const bad[] = {
		"",
		" ",
		"s",
		"-",
		".",
		".s",
		"1.5",
		"1.5ns",
		"10 us ",
		"10xs",
		"10usx",
		"1e3us",
		"0x10",
		"1,5ms",
		"--1ms",
		"nan",
		"inf",
		" 1ms",
		"10  us",
		"1MS",
		"1 ",
		"1.2.3s",
		"9223372036854775808",
		"9223372036.854775808s",
		"99999999999999999999999s",
		"1.2345678912s",
	};

	for (size_t i = 0; i < WL_COUNT(bad); i++)
		expect_refused(wl_parse_ns, bad[i]);
}

TEST(sizes_have_decimal_and_binary_units)
{
	expect_parsed(wl_parse_bytes, "100", 100);
	expect_parsed(wl_parse_bytes, "100B", 100);
	expect_parsed(wl_parse_bytes, "64K", 64000);
	expect_parsed(wl_parse_bytes, "64kB", 64000);
	expect_parsed(wl_parse_bytes, "64Ki", 65536);
	expect_parsed(wl_parse_bytes, "64KiB", 65536);
	expect_parsed(wl_parse_bytes, "1.5MiB", 1572864);
	expect_parsed(wl_parse_bytes, "1.5GB", 1500000000);
	expect_parsed(wl_parse_bytes, "0.5Pi", INT64_C(1) << 49);
	expect_parsed(wl_parse_bytes, "8191Pi", INT64_C(8191) << 50);
	expect_refused(wl_parse_bytes, "8192Pi");
	expect_refused(wl_parse_bytes, "1.5");
	expect_refused(wl_parse_bytes, "1.0001KiB");
	expect_refused(wl_parse_bytes, "1E");
	expect_refused(wl_parse_bytes, "1KBB");
	expect_refused(wl_parse_bytes, "1KiBx");
}

TEST(counts_and_integers_are_whole)
{
	expect_parsed(wl_parse_count, "0", 0);
	expect_parsed(wl_parse_count, "1.5M", 1500000);
	expect_parsed(wl_parse_count, "-3", -3);
	expect_refused(wl_parse_count, "1.5");
	expect_refused(wl_parse_count, "3B");
	expect_parsed(wl_parse_i64, "9223372036854775807", INT64_MAX);
	expect_parsed(wl_parse_i64, "-9223372036854775808", INT64_MIN);
	expect_refused(wl_parse_i64, "9223372036854775808");
	expect_refused(wl_parse_i64, "-9223372036854775809");
	expect_refused(wl_parse_i64, "3K");
	expect_refused(wl_parse_i64, "0x3");
}

TEST(percent_and_fraction_are_the_same_double)
{
	struct wl_err err;
	double a, b;

	assert_int_equal(wl_parse_ratio("12.3%", &a, &err), WL_OK);
	assert_int_equal(wl_parse_ratio("0.123", &b, &err), WL_OK);
	assert_true(a == b && a == 0.123);
	assert_int_equal(wl_parse_ratio("5 %", &a, &err), WL_OK);
	assert_true(a == 0.05);
	assert_int_equal(wl_parse_ratio("-150%", &a, &err), WL_OK);
	assert_true(a == -1.5);
	assert_int_equal(wl_parse_ratio("5%%", &a, &err), WL_E_USAGE);
	assert_int_equal(wl_parse_ratio("%", &a, &err), WL_E_USAGE);
	assert_int_equal(wl_parse_ratio("1e3", &a, &err), WL_E_USAGE);
	assert_int_equal(wl_parse_real("12.5", &a, &err), WL_OK);
	assert_true(a == 12.5);
	assert_int_equal(wl_parse_real("5%", &a, &err), WL_E_USAGE);
	assert_int_equal(wl_parse_rate("12.3GB/s", &a, &err), WL_OK);
	assert_true(a == 12.3e9);
	assert_int_equal(wl_parse_rate("1.5 KiB", &a, &err), WL_OK);
	assert_true(a == 1536);
	assert_int_equal(wl_parse_rate("0.25", &a, &err), WL_OK);
	assert_true(a == 0.25);
	assert_int_equal(wl_parse_rate("12GB/h", &a, &err), WL_E_USAGE);
	assert_int_equal(wl_parse_rate("12GBGBGBGBGBGB/s", &a, &err), WL_E_USAGE);
	assert_int_equal(wl_parse_rate("fast", &a, &err), WL_E_USAGE);
}

TEST(what_is_printed_can_be_typed_again)
{
	char buf[WL_UNITS_BUF];
	struct wl_err err;
	uint64_t seed = 7;

	for (int i = 0; i < 20000; i++) {
		int64_t v, back;

		seed = seed * 6364136223846793005 + 1442695040888963407;
		v = (int64_t)(seed >> (seed >> 58)) * (i % 2 ? 1 : -1);
		assert_int_equal(wl_parse_ns(wl_fmt_time(buf, v, WL_UNIT_AUTO), &back, &err),
				 WL_OK);
		assert_int_equal(back, v);
		assert_int_equal(wl_parse_ns(wl_fmt_time(buf, v, WL_UNIT_US), &back, &err), WL_OK);
		assert_int_equal(back, v);
	}
}

TEST(time_units_have_names)
{
	enum wl_timeunit unit = WL_UNIT_AUTO;
	struct wl_err err;

	assert_int_equal(wl_parse_timeunit("us", &unit, &err), WL_OK);
	assert_int_equal(unit, WL_UNIT_US);
	assert_int_equal(wl_parse_timeunit("m", &unit, &err), WL_E_USAGE);
}

TEST(counts_have_separators_from_five_digits_on)
{
	static const struct {
		int64_t v;
		const char *text;
	} cases[] = {
		{ 0, "0" },
		{ 9999, "9999" },
		{ 10000, "10,000" },
		{ -22564, "-22,564" },
		{ 123456, "123,456" },
		{ -123456, "-123,456" },
		{ 1234567, "1,234,567" },
		{ INT64_MIN, "-9,223,372,036,854,775,808" },
	};
	char buf[WL_UNITS_BUF];

	for (size_t i = 0; i < WL_COUNT(cases); i++)
		assert_string_equal(wl_fmt_count(buf, cases[i].v), cases[i].text);
}

TEST(a_precision_has_four_digits_and_keeps_zeros)
{
	static const struct {
		uint64_t of;
		int64_t v;
		const char *text;
		int needed;
	} cases[] = {
		{ 38234567, 26000000, "26.00 ms", 0 },
		{ 38234567, 1234567, "1.23 ms", 2 },
		{ 38234567, 0, "0 ms", 0 },
		{ 999949, -5, "0.0 us", 0 },
		{ 999949, 999949, "999.9 us", 1 },
		{ 999950, 999950, "1.000 ms", 0 },
		{ 999, 7, "7 ns", 0 },
		{ 1822597346, 845195010, "0.845 s", 3 },
		{ 123456000000000, 1500000000, "2 s", 0 },
	};
	char buf[WL_UNITS_BUF];

	for (size_t i = 0; i < WL_COUNT(cases); i++) {
		struct wl_precision p = wl_precision_of(cases[i].of, wl_time_names);
		uint64_t size = (uint64_t)(cases[i].v < 0 ? -cases[i].v : cases[i].v);

		assert_string_equal(wl_fmt_fixed(buf, cases[i].v, p, wl_time_names), cases[i].text);
		assert_int_equal(wl_precision_needed(size, p), cases[i].needed);
	}
}

TEST(two_points_in_time_share_a_unit)
{
	char from[WL_UNITS_BUF], to[WL_UNITS_BUF];

	wl_fmt_times(from, to, (const int64_t[]){ 845195010, 1822597346 }, WL_UNIT_AUTO);
	assert_string_equal(from, "0.845195010 s");
	assert_string_equal(to, "1.822597346 s");
	wl_fmt_times(from, to, (const int64_t[]){ -500000, 99000000 }, WL_UNIT_AUTO);
	assert_string_equal(from, "-0.5 ms");
	assert_string_equal(to, "99.0 ms");
	wl_fmt_times(from, to, (const int64_t[]){ 0, 39000000000 }, WL_UNIT_US);
	assert_string_equal(from, "0 us");
	assert_string_equal(to, "39000000 us");
}
