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

TEST(every_changed_bit_changes_the_sum)
{
	unsigned char bytes[97];
	uint64_t sum;

	memset(bytes, 0x5a, sizeof(bytes));
	sum = wl_checksum(bytes, sizeof(bytes));
	for (size_t i = 0; i < sizeof(bytes) * 8; i++) {
		bytes[i / 8] ^= (unsigned char)(1 << i % 8);
		assert_true(wl_checksum(bytes, sizeof(bytes)) != sum);
		bytes[i / 8] ^= (unsigned char)(1 << i % 8);
	}
	assert_true(wl_checksum(bytes, sizeof(bytes)) == sum);
}

TEST(length_counts_also_where_the_rest_is_zeros)
{
	const unsigned char zeros[64] = { 0 };

	for (size_t n = 0; n < sizeof(zeros); n++)
		assert_true(wl_checksum(zeros, n) != wl_checksum(zeros, n + 1));
}

TEST(parts_add_up_in_any_order)
{
	uint32_t *v = numbers();
	uint64_t whole = wl_checksum_rows(v, sizeof(*v), 0, N), sum;

	sum = wl_checksum_rows(v, sizeof(*v), (size_t)2 * WL_SUM_ROWS, N);
	sum += wl_checksum_rows(v, sizeof(*v), 0, WL_SUM_ROWS);
	sum += wl_checksum_rows(v, sizeof(*v), WL_SUM_ROWS, (size_t)2 * WL_SUM_ROWS);
	assert_true(sum == whole);
	assert_true(wl_checksum_rows(NULL, 8, 0, 0) == 0);
	free(v);
}

TEST(parts_that_change_places_are_found)
{
	uint32_t *v = numbers(), *w = numbers();

	memcpy(v, w + WL_SUM_ROWS, WL_SUM_ROWS * sizeof(*v));
	memcpy(v + WL_SUM_ROWS, w, WL_SUM_ROWS * sizeof(*v));
	assert_true(wl_checksum_rows(v, sizeof(*v), 0, N) != wl_checksum_rows(w, sizeof(*w), 0, N));
	free(v);
	free(w);
}
