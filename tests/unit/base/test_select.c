/* SPDX-License-Identifier: MIT */
#include "base/memory/select.h"

#include <stdlib.h>
#include <string.h>

#include "base/attr.h"
#include "support/random.h"
#include "support/unit.h"

enum { MAX = 20000 };

enum shape {
	ALL_EQUAL,
	FEW_VALUES,
	UP,
	DOWN,
	ANY,
	CLOSE,
	OUTLIERS,     /* nearly all in one bucket */
	TWO_CLUSTERS, /* far from each other */
	POWERS,       /* each round leaves nearly all in the lowest bucket */
	WITH_LARGEST,
	N_SHAPES
};

static uint32_t number(uint64_t *seed, enum shape shape, uint32_t i)
{
	switch (shape) {
	case ALL_EQUAL:
		return 77;
	case FEW_VALUES:
		return random_below(seed, 3) * 1000000;
	case UP:
		return i;
	case DOWN:
		return UINT32_MAX - i;
	case ANY:
		return (uint32_t)random_next(seed);
	case CLOSE:
		return UINT32_C(3000000000) + random_below(seed, 5000);
	case OUTLIERS:
		return random_below(seed, 1000) ? random_below(seed, 900)
						: (uint32_t)random_next(seed);
	case TWO_CLUSTERS:
		return random_below(seed, 2) * UINT32_C(4000000000) + random_below(seed, 100000);
	case POWERS:
		return UINT32_C(1) << random_below(seed, 32);
	case WITH_LARGEST:
		return random_below(seed, 2) ? UINT32_MAX : random_below(seed, 50000);
	case N_SHAPES:
		break;
	}
	return 0;
}

static int by_value(const void *va, const void *vb)
{
	const uint32_t *a = va, *b = vb;

	return (*a > *b) - (*a < *b);
}

static void expect_ranks(const uint32_t *v, const uint32_t *sorted, size_t n, const size_t *rank,
			 size_t n_ranks)
{
	static uint32_t scratch[MAX];
	uint32_t got[8];

	memcpy(scratch, v, n * sizeof(*v));
	wl_select_u32(scratch, n, rank, n_ranks, got);
	for (size_t i = 0; i < n_ranks; i++) {
		if (got[i] != sorted[rank[i]])
			fail_msg("rank %zu of %zu is %u, not %u", rank[i], n, got[i],
				 sorted[rank[i]]);
	}
}

TEST(selection_equals_sorting_for_every_shape)
{
	static const uint32_t sizes[] = { 1, 2, 3, 31, 32, 33, 34, 64, 100, 1000, 4097, MAX };
	static uint32_t v[MAX], sorted[MAX];
	uint64_t seed = 2;

	for (int shape = 0; shape < N_SHAPES; shape++) {
		for (size_t s = 0; s < WL_COUNT(sizes); s++) {
			size_t n = sizes[s];
			size_t ranks[] = {
				0, n / 3, n / 2, n / 2, n * 9 / 10, n * 99 / 100, n - 1
			};

			for (uint32_t i = 0; i < n; i++)
				v[i] = sorted[i] = number(&seed, (enum shape)shape, i);
			qsort(sorted, n, sizeof(*sorted), by_value);
			expect_ranks(v, sorted, n, ranks, WL_COUNT(ranks));
			for (size_t i = 0; i < WL_COUNT(ranks); i++)
				expect_ranks(v, sorted, n, &ranks[i], 1);
		}
	}
}

TEST(no_ranks_and_the_largest_number_are_known)
{
	uint32_t v[] = { UINT32_MAX, 0, UINT32_MAX, 1, UINT32_MAX }, got[5];

	wl_select_u32(v, 0, NULL, 0, NULL);
	wl_select_u32(v, 5, (size_t[]){ 0, 1, 2, 4 }, 4, got);
	assert_int_equal(got[0], 0);
	assert_int_equal(got[1], 1);
	assert_int_equal(got[2], UINT32_MAX);
	assert_int_equal(got[3], UINT32_MAX);
}
