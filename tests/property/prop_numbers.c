/* SPDX-License-Identifier: MIT */
/*
 * The check of numbers on random tables: sentences with cells of the table, in any unit and with
 * any digits, always pass; one digit changed is always caught, unless another cell reads so.
 *
 * What a cell reads as is decided by printf here, on decimal digits, and by a tolerance there.
 */
#include "agent/check/numbers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/random.h"
#include "support/unit.h"

enum { N_TABLES = 400, N_SENTENCES = 12, MAX_ROWS = 12, N_COLS = 5 };

struct unit {
	const char *name;
	double scale;
};

struct column {
	const char *key, *unit;
	struct unit units[6];
	size_t n_units;
};

static const struct column cols[N_COLS] = {
	{ "calls", NULL, { { "", 1 }, { "k", 1e3 }, { " million", 1e6 } }, 3 },
	{ "sum",
	  "ns",
	  { { " ns", 1 },
	    { " us", 1e3 },
	    { " \xC2\xB5s", 1e3 },
	    { " ms", 1e6 },
	    { "ms", 1e6 },
	    { " s", 1e9 } },
	  6 },
	{ "share", "ratio", { { " %", 1e-2 }, { "%", 1e-2 }, { " percent", 1e-2 } }, 3 },
	{ "bytes",
	  "bytes",
	  { { " B", 1 }, { " kB", 1e3 }, { " MB", 1e6 }, { " MiB", 1048576 }, { " GB", 1e9 } },
	  5 },
	{ "rate", "bytes/s", { { " MB/s", 1e6 }, { " GB/s", 1e9 }, { " GiB/s", 1073741824 } }, 3 },
};

struct table {
	double cell[MAX_ROWS][N_COLS];
	size_t n_rows;
	char json[4096];
};

static void make_table(struct table *t, uint64_t *seed)
{
	size_t at = 0;

	t->n_rows = 1 + random_below(seed, MAX_ROWS);
	at += (size_t)snprintf(
		t->json + at, sizeof(t->json) - at,
		"{\"verb\":\"kernels\",\"columns\":[\"name\",\"calls\",\"sum\",\"share\","
		"\"bytes\",\"rate\"],\"units\":{\"sum\":\"ns\",\"share\":\"ratio\","
		"\"bytes\":\"bytes\",\"rate\":\"bytes/s\"},\"rows\":[");
	for (size_t r = 0; r < t->n_rows; r++) {
		at += (size_t)snprintf(t->json + at, sizeof(t->json) - at, "%s[\"k%zu\"",
				       r ? "," : "", r);
		for (size_t c = 0; c < N_COLS; c++) {
			/* Of all sizes alike. */
			int64_t v = random_between(seed, 0, INT64_C(1) << random_below(seed, 42));

			t->cell[r][c] = c == 2 ? (double)(v % 1000001) / 1e6 : (double)v;
			at += (size_t)snprintf(t->json + at, sizeof(t->json) - at, ",%.17g",
					       t->cell[r][c]);
		}
		at += (size_t)snprintf(t->json + at, sizeof(t->json) - at, "]");
	}
	(void)snprintf(t->json + at, sizeof(t->json) - at, "]}");
}

/* A number as it is written: digits, a point, separators of thousands now and then. */
static void write_number(char *buf, size_t size, double v, int decimals, bool is_grouped)
{
	char plain[64];
	size_t n, whole, k = 0;

	(void)snprintf(plain, sizeof(plain), "%.*f", decimals, v);
	whole = strcspn(plain, ".");
	n = strlen(plain);
	for (size_t i = 0; i < n && k + 2 < size; i++) {
		if (is_grouped && i > 0 && i < whole && (whole - i) % 3 == 0)
			buf[k++] = ',';
		buf[k++] = plain[i];
	}
	buf[k] = '\0';
}

static void without_groups(char *buf)
{
	char *to = buf;

	for (; *buf; buf++) {
		if (*buf != ',')
			*to++ = *buf;
	}
	*to = '\0';
}

/* A cell of the dimension reads as these digits, in this unit. Ties may round either way. */
static bool reads_so(const struct table *t, size_t col, const struct unit *unit, const char *digits)
{
	int decimals = strchr(digits, '.') ? (int)strlen(strchr(digits, '.') + 1) : 0;

	for (size_t r = 0; r < t->n_rows; r++) {
		for (size_t c = 0; c < N_COLS; c++) {
			static const double nudges[] = { 0, 2.5e-16, -2.5e-16 };
			/* A plain number may be a ratio as such, or whole base units. */
			bool is_same = c == col || (col == 0 && c == 2);
			bool is_raw = col == 0 && decimals == 0 && unit->scale == 1 &&
				      strtod(digits, NULL) >= 1000;

			if (!is_same && !is_raw)
				continue;
			for (size_t i = 0; i < WL_COUNT(nudges); i++) {
				char buf[64];

				(void)snprintf(buf, sizeof(buf), "%.*f", decimals,
					       t->cell[r][c] / unit->scale * (1 + nudges[i]));
				if (strcmp(buf, digits) == 0)
					return true;
			}
		}
	}
	return false;
}

static size_t count_unfound(const struct table *t, const char *sentence)
{
	struct wl_evidence e = { 0 };
	struct wl_numbers_check check;
	struct wl_err err;
	size_t n;

	wl_evidence_add(&e, t->json);
	assert_int_equal(wl_numbers_check(&e, sentence, &check, &err), WL_OK);
	assert_true(check.n_numbers == 1);
	n = check.n_unfound;
	free(check.text);
	wl_evidence_release(&e);
	return n;
}

/* Where it stands does not matter. */
static void write_sentence(char *buf, size_t size, const char *number, const char *unit,
			   uint64_t *seed)
{
	static const char *const forms[][2] = {
		{ "The kernel takes ", "." }, { "", "" },
		{ "- **sum**: ", ", which" }, { "It is (", ") of all" },
		{ "about ~", " per step;" },  { "H100 with sm_90: ", " in FP8" },
		{ "| kernel | ", " |" },      { "1. First, ", "\n" },
	};
	size_t f = random_below(seed, WL_COUNT(forms));

	(void)snprintf(buf, size, "%s%s%s%s", forms[f][0], number, unit, forms[f][1]);
}

static void change_digit(char *number, uint64_t *seed)
{
	size_t n = strlen(number), at;

	do
		at = random_below(seed, (uint32_t)n);
	while (number[at] < '0' || number[at] > '9');
	number[at] = (char)('0' + (number[at] - '0' + 1 + (int)random_below(seed, 9)) % 10);
}

static size_t n_caught, n_twins;

static void try_sentence(const struct table *t, uint64_t *seed)
{
	size_t col = random_below(seed, N_COLS), row = random_below(seed, (uint32_t)t->n_rows);
	const struct unit *unit = &cols[col].units[random_below(seed, (uint32_t)cols[col].n_units)];
	int decimals = (int)random_below(seed, 5);
	char number[64], changed[64], sentence[256];
	bool is_twin;

	write_number(number, sizeof(number), t->cell[row][col] / unit->scale, decimals,
		     random_below(seed, 3) == 0);
	write_sentence(sentence, sizeof(sentence), number, unit->name, seed);
	if (count_unfound(t, sentence) != 0)
		fail_msg("right, but not found: %s\n%s", sentence, t->json);
	(void)snprintf(changed, sizeof(changed), "%s", number);
	change_digit(changed, seed);
	write_sentence(sentence, sizeof(sentence), changed, unit->name, seed);
	without_groups(changed);
	/* "007" reads as 7. */
	(void)snprintf(number, sizeof(number), "%.*f", decimals, strtod(changed, NULL));
	is_twin = reads_so(t, col, unit, number);
	if ((count_unfound(t, sentence) == 0) != is_twin)
		fail_msg("%s: %s\n%s", is_twin ? "a cell reads so" : "wrong, but found", sentence,
			 t->json);
	n_caught += !is_twin;
	n_twins += is_twin;
}

static void right_numbers_pass_and_changed_digits_are_caught(void **state)
{
	uint64_t seed = 20;

	(void)state;
	for (int i = 0; i < random_cases(N_TABLES); i++) {
		struct table t;

		make_table(&t, &seed);
		for (int k = 0; k < N_SENTENCES; k++)
			try_sentence(&t, &seed);
	}
	print_message("%zu changed digits caught, %zu read like another cell\n", n_caught, n_twins);
	assert_true(n_caught > 9 * n_twins);
}

TEST_MAIN(numbers)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(right_numbers_pass_and_changed_digits_are_caught),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
