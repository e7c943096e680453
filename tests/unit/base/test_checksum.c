/* SPDX-License-Identifier: MIT */
#include "base/file/checksum.h"

#include <stdlib.h>
#include <string.h>

#include "support/unit.h"

enum { N = 3 * WL_SUM_ROWS + 5 };

static uint32_t *numbers(void)
{
	uint32_t *v = malloc(N * sizeof(*v));

	assert_non_null(v);
	for (uint32_t i = 0; i < N; i++)
		v[i] = i * 7;
	return v;
}

static void every_changed_bit_changes_the_sum(void **state)
{
	unsigned char bytes[97];
	uint64_t sum;

	(void)state;
	memset(bytes, 0x5a, sizeof(bytes));
	sum = wl_checksum(bytes, sizeof(bytes));
	for (size_t i = 0; i < sizeof(bytes) * 8; i++) {
		bytes[i / 8] ^= (unsigned char)(1 << i % 8);
		assert_true(wl_checksum(bytes, sizeof(bytes)) != sum);
		bytes[i / 8] ^= (unsigned char)(1 << i % 8);
	}
	assert_true(wl_checksum(bytes, sizeof(bytes)) == sum);
}

static void length_counts_also_where_the_rest_is_zeros(void **state)
{
	const unsigned char zeros[64] = { 0 };

	(void)state;
	for (size_t n = 0; n < sizeof(zeros); n++)
		assert_true(wl_checksum(zeros, n) != wl_checksum(zeros, n + 1));
}

static void parts_add_up_in_any_order(void **state)
{
	uint32_t *v = numbers();
	uint64_t whole = wl_checksum_rows(v, sizeof(*v), 0, N), sum;

	(void)state;
	sum = wl_checksum_rows(v, sizeof(*v), (size_t)2 * WL_SUM_ROWS, N);
	sum += wl_checksum_rows(v, sizeof(*v), 0, WL_SUM_ROWS);
	sum += wl_checksum_rows(v, sizeof(*v), WL_SUM_ROWS, (size_t)2 * WL_SUM_ROWS);
	assert_true(sum == whole);
	assert_true(wl_checksum_rows(NULL, 8, 0, 0) == 0);
	free(v);
}

static void parts_that_change_places_are_found(void **state)
{
	uint32_t *v = numbers(), *w = numbers();

	(void)state;
	memcpy(v, w + WL_SUM_ROWS, WL_SUM_ROWS * sizeof(*v));
	memcpy(v + WL_SUM_ROWS, w, WL_SUM_ROWS * sizeof(*v));
	assert_true(wl_checksum_rows(v, sizeof(*v), 0, N) != wl_checksum_rows(w, sizeof(*w), 0, N));
	free(v);
	free(w);
}

TEST_MAIN(checksum)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_changed_bit_changes_the_sum),
		cmocka_unit_test(length_counts_also_where_the_rest_is_zeros),
		cmocka_unit_test(parts_add_up_in_any_order),
		cmocka_unit_test(parts_that_change_places_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
