/* SPDX-License-Identifier: MIT */
/*
 * units_dump.c - numbers and how base/text/units.h writes them, as lines of JSON: [function, value,
 * text]. format.test.mjs repeats all of it in JavaScript.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/text/units.h"
#include "support/random.h"

enum { N_RANDOM = 20000 };

/* What a double holds: the page has no larger ones. */
#define MAX_EXACT ((INT64_C(1) << 53) - 1)

static void put_integer(int64_t v)
{
	char buf[WL_UNITS_BUF];

	printf("[\"ns\",%" PRId64 ",\"%s\"]\n", v, wl_fmt_ns(buf, v, WL_UNIT_AUTO));
	printf("[\"time\",%" PRId64 ",\"%s\"]\n", v, wl_fmt_time(buf, v, WL_UNIT_AUTO));
	printf("[\"bytes\",%" PRId64 ",\"%s\"]\n", v, wl_fmt_bytes(buf, v));
	printf("[\"count\",%" PRId64 ",\"%s\"]\n", v, wl_fmt_i64(buf, v));
}

static void put_real(double v)
{
	char buf[WL_UNITS_BUF];

	printf("[\"rate\",%.17g,\"%s\"]\n", v, wl_fmt_rate(buf, v));
	printf("[\"ratio\",%.17g,\"%s\"]\n", v, wl_fmt_ratio(buf, v));
	printf("[\"real\",%.17g,\"%s\"]\n", v, wl_fmt_real(buf, v));
}

int main(void)
{
	static const int64_t integers[] = { 0,       1,       -1,      999,     1000,
					    9999,    10005,   99995,   999949,  999950,
					    9999500, 9999499, 1000000, 2149900, MAX_EXACT };
	/* Exact halves, where rounding shows its habits. */
	static const double reals[] = { 0,          1,     -1,   0.5,      0.0625,  0.1875, 0.0005,
					0.125,      0.375, 2.5,  1000.5,   1001.5,  999.95, 12.3456,
					0.00001234, 1e15,  1e17, 123456.5, -0.0004, 0.12345 };
	uint64_t seed = 4;

	for (size_t i = 0; i < WL_COUNT(integers); i++)
		put_integer(integers[i]);
	for (size_t i = 0; i < WL_COUNT(reals); i++)
		put_real(reals[i]);
	for (int i = 0; i < N_RANDOM; i++) {
		int64_t v = random_between(&seed, -MAX_EXACT, MAX_EXACT) >> random_below(&seed, 50);

		put_integer(v);
		put_real((double)v / (double)(1 + random_below(&seed, 1 << 20)));
		put_real((double)random_below(&seed, 4096) / 2048);
	}
	return ferror(stdout) ? EXIT_FAILURE : EXIT_SUCCESS;
}
