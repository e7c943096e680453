/* SPDX-License-Identifier: MIT */
/* random_value.c - values at the edges of how SQLite stores them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/attr.h"
#include "support/random.h"
#include "support/random_db.h"

/* Each width of an integer, the constants, and where doubles stop being exact. */
static int64_t any_integer(uint64_t *random)
{
	static const unsigned bits[] = { 0, 1, 7, 8, 15, 16, 23, 24, 31, 32, 47, 48, 53, 62 };
	int64_t v = INT64_C(1) << bits[random_below(random, WL_COUNT(bits))];

	switch (random_below(random, 8)) {
	case 0:
		return random_below(random, 2);
	case 1:
		return random_between(random, -130, 130);
	case 2:
		return random_below(random, 2) ? INT64_MAX : INT64_MIN;
	case 3:
		return (int64_t)random_next(random) >> random_below(random, 64);
	default:
		v += random_between(random, -2, 1);
		return random_below(random, 2) ? v : -v;
	}
}

static double any_real(uint64_t *random)
{
	static const double reals[] = { 0.0,
					-0.0,
					1.0,
					-1.0,
					0.5,
					-2.25,
					1e-310,
					3.141592653589793,
					9007199254740991.0,
					9007199254740992.0,
					9007199254740994.0,
					-9007199254740993.0,
					9.3e18,
					-9.3e18,
					9223372036854774784.0,
					9223372036854775808.0,
					-9223372036854775808.0,
					-9223372036854777856.0,
					140737488355328.0,
					140737488355327.0,
					1e300,
					-1e300,
					HUGE_VAL,
					-HUGE_VAL,
					(double)NAN,
					1e15,
					65536.5 };
	uint64_t bits = random_next(random);
	double d;

	if (random_below(random, 4))
		return reals[random_below(random, WL_COUNT(reals))];
	if (random_below(random, 2))
		return (double)any_integer(random);
	memcpy(&d, &bits, sizeof(d));
	return d;
}

/* Mostly short; some need overflow pages, few of them many. */
static size_t any_length(uint64_t *random)
{
	uint32_t dice = random_below(random, 2048);

	if (dice == 0)
		return random_below(random, 4) ? random_below(random, 70000)
					       : random_below(random, 1 << 20);
	if (dice < 24)
		return random_below(random, 6000);
	if (dice < 150)
		return random_below(random, 600);
	return random_below(random, dice < 1000 ? 8 : 40);
}

enum { SHORT = 4096 };

/* Bytes that are letters, any bytes, or texts like numbers. The caller frees them. */
static unsigned char *any_bytes(uint64_t *random, size_t *ret_n)
{
	static const char *const special[] = {
		"",     "0",    "1",    "-1",    "12345678901",  "1e3",
		"2.0",  " 7 ",  "0x10", "1.5e1", "inf",          "nan",
		"NULL", "'\"`", "x\0y", "\xff",  "\xc3\xa4\xf0", "é☃😀"
	};
	size_t n = any_length(random), step = n > SHORT ? 97 : 1;
	uint32_t style = random_below(random, 8);
	const char *s = special[random_below(random, WL_COUNT(special))];
	unsigned char *bytes;

	if (style < 2)
		n = strlen(s) + (*s == 'x' ? 2 : 0);
	bytes = calloc(1, n + 1);
	if (!bytes)
		abort();
	*ret_n = n;
	if (style < 2) {
		memcpy(bytes, s, n);
		return bytes;
	}
	for (size_t i = 0; i < n; i += step)
		bytes[i] = (unsigned char)(style == 2 ? random_below(random, 256)
						      : 'a' + random_below(random, 26));
	for (size_t i = 0; i < n && step > 1 && style != 3; i++)
		bytes[i] = bytes[i] ? bytes[i] : 'z'; /* without zeros, as most texts are */
	return bytes;
}

static void bind_bytes(sqlite3_stmt *stmt, int at, uint64_t *random)
{
	size_t n;
	unsigned char *bytes = any_bytes(random, &n);
	uint32_t dice = random_below(random, 16);

	if (dice == 0)
		(void)sqlite3_bind_text16(stmt, at, bytes, (int)(n & ~(size_t)1), SQLITE_TRANSIENT);
	else if (dice < 3)
		(void)sqlite3_bind_blob(stmt, at, bytes, (int)n, SQLITE_TRANSIENT);
	else if (dice == 3)
		(void)sqlite3_bind_zeroblob(stmt, at, (int)n);
	else
		(void)sqlite3_bind_text(stmt, at, (char *)bytes, (int)n, SQLITE_TRANSIENT);
	free(bytes);
}

static void bind_any(sqlite3_stmt *stmt, int at, uint64_t *random)
{
	switch (random_below(random, 5)) {
	case 0:
		(void)sqlite3_bind_null(stmt, at);
		return;
	case 1:
		(void)sqlite3_bind_double(stmt, at, any_real(random));
		return;
	case 2:
		bind_bytes(stmt, at, random);
		return;
	default:
		(void)sqlite3_bind_int64(stmt, at, any_integer(random));
		return;
	}
}

void random_value_bind(sqlite3_stmt *stmt, int at, uint64_t *random, unsigned kind)
{
	int64_t now = INT64_C(1700000000000000000) + random_between(random, 0, 1000000000000);

	if (random_below(random, 64) == 0) {
		bind_any(stmt, at, random);
		return;
	}
	switch (kind % 10) {
	case 0: /* as a column of a trace: one width, all rows */
		(void)sqlite3_bind_int64(stmt, at, now);
		return;
	case 1:
		(void)sqlite3_bind_int64(stmt, at, random_between(random, 0, 100));
		return;
	case 2:
		(void)sqlite3_bind_int64(stmt, at, any_integer(random));
		return;
	case 3:
		(void)sqlite3_bind_null(stmt, at);
		return;
	case 4:
		(void)sqlite3_bind_double(stmt, at, any_real(random));
		return;
	case 5:
	case 6:
		bind_bytes(stmt, at, random);
		return;
	case 7:
		(void)sqlite3_bind_int64(stmt, at, random_below(random, 2));
		return;
	case 8:
		(void)sqlite3_bind_int64(stmt, at, random_between(random, -40000, 40000));
		return;
	default:
		bind_any(stmt, at, random);
		return;
	}
}
