/* SPDX-License-Identifier: MIT */
#include "base/memory/sort.h"

#include <stdlib.h>
#include <string.h>

#include "base/attr.h"
#include "support/random.h"
#include "support/unit.h"

enum { MAX = 5000 };

struct keys {
	uint32_t key[MAX];
	size_t *calls; /* how often it was asked */
};

static bool key_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct keys *k = ctx;

	++*k->calls;
	return k->key[a] < k->key[b];
}

/* How the numbers in [0, n) look before they are sorted. */
static uint32_t pattern(int shape, size_t i, size_t n, uint64_t *seed)
{
	switch (shape) {
	case 0:
		return random_below(seed, UINT32_MAX);
	case 1:
		return random_below(seed, 10); /* many ties */
	case 2:
		return (uint32_t)i;
	case 3:
		return (uint32_t)(n - i);
	case 4:
		return 7; /* all equal */
	case 5:
		return (uint32_t)(i < n / 2 ? i : n - i); /* organ pipe */
	case 6:
		return (uint32_t)(i < n / 2 ? n - i : i); /* its opposite */
	case 7:
		return (uint32_t)(i % 100); /* runs */
	case 8:
		return (uint32_t)(i % 2 ? n - i : i); /* two interleaved */
	default:
		return (uint32_t)(i ^ 1); /* nearly sorted */
	}
}

enum { N_SHAPES = 10 };
static const size_t sizes[] = { 1, 2, 3, 4, 5, 7, 16, 33, 100, 999, MAX };

static int by_key_and_number(const void *va, const void *vb)
{
	const uint64_t *a = va, *b = vb;

	return (*a > *b) - (*a < *b);
}

/* qsort on (key, number) is what a stable sort on key gives. */
static void expect_sorted(const struct keys *k, const uint32_t *index, size_t n)
{
	static uint64_t want[MAX];

	for (size_t i = 0; i < n; i++)
		want[i] = (uint64_t)k->key[i] << 32 | i;
	qsort(want, n, sizeof(*want), by_key_and_number);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(index[i], (uint32_t)want[i]);
}

TEST(sorting_is_stable_for_every_shape)
{
	static struct keys k;
	static uint32_t index[MAX], tmp[MAX];
	uint64_t seed = 1;
	size_t calls = 0;

	k.calls = &calls;
	for (int shape = 0; shape < N_SHAPES; shape++) {
		for (size_t s = 0; s < WL_COUNT(sizes); s++) {
			size_t n = sizes[s];

			for (uint32_t i = 0; i < n; i++) {
				k.key[i] = pattern(shape, i, n, &seed);
				index[i] = i;
			}
			calls = 0;
			wl_sort_index(index, n, tmp, key_less, &k);
			expect_sorted(&k, index, n);
			/* n log n with a run count of two looks per element and pass */
			assert_in_range(calls, 0, 3 * n * 14);
			for (uint32_t i = 0; i < n; i++)
				index[i] = i;
			wl_sort_by_u32(index, n, tmp, k.key);
			expect_sorted(&k, index, n);
		}
	}
}

TEST(sorted_input_costs_one_look)
{
	static struct keys k;
	static uint32_t index[MAX], tmp[MAX];
	size_t calls = 0;

	k.calls = &calls;
	for (uint32_t i = 0; i < MAX; i++)
		k.key[i] = index[i] = i;
	wl_sort_index(index, MAX, tmp, key_less, &k);
	assert_int_equal(calls, MAX - 1);
	/* Two runs: found once, merged once, and looked at once more. */
	for (uint32_t i = 0; i < MAX; i++)
		k.key[i] = i % (MAX / 2);
	calls = 0;
	wl_sort_index(index, MAX, tmp, key_less, &k);
	assert_in_range(calls, 0, 4 * MAX);
}

TEST(nothing_and_one_are_sorted)
{
	static struct keys k;
	uint32_t index = 3, tmp = 0;
	size_t calls = 0;

	k.calls = &calls;
	wl_sort_index(NULL, 0, NULL, key_less, &k);
	wl_sort_index(&index, 1, &tmp, key_less, &k);
	wl_sort_by_u32(NULL, 0, NULL, k.key);
	wl_sort_by_u32(&index, 1, &tmp, k.key);
	assert_int_equal(index, 3);
	assert_int_equal(calls, 0);
}

struct sorted {
	const uint32_t *v;
	uint32_t want;
};

static bool is_smaller(const void *ctx, size_t i)
{
	const struct sorted *s = ctx;

	return s->v[i] < s->want;
}

TEST(a_bound_is_how_many_come_before)
{
	static const uint32_t v[] = { 2, 4, 4, 4, 7, 9 };

	for (size_t n = 0; n <= WL_COUNT(v); n++) {
		for (uint32_t want = 0; want < 12; want++) {
			size_t before = 0;

			while (before < n && v[before] < want)
				before++;
			assert_int_equal(wl_lower_bound(n, is_smaller, &(struct sorted){ v, want }),
					 before);
		}
	}
}

static int by_number(const void *va, const void *vb)
{
	const int64_t *a = va, *b = vb;

	return (*a > *b) - (*a < *b);
}

/* Far apart, near each other, negative, and few or many. */
TEST(a_selected_number_is_that_of_the_sorted)
{
	static int64_t v[1000], sorted[1000], room[1000];
	uint64_t seed = 5;

	for (size_t n = 1; n <= 1000; n += n < 40 ? 1 : 240) {
		for (unsigned spread = 0; spread < 64; spread += 9) {
			for (size_t i = 0; i < n; i++)
				v[i] = (int64_t)((uint64_t)random_below(&seed, UINT32_MAX) << 32 |
						 random_below(&seed, UINT32_MAX)) >>
				       spread;
			memcpy(sorted, v, n * sizeof(*v));
			qsort(sorted, n, sizeof(*sorted), by_number);
			for (size_t k = 0; k < n; k += 1 + n / 20) {
				memcpy(room, v, n * sizeof(*v));
				assert_true(wl_select_i64(room, n, k) == sorted[k]);
			}
			wl_sort_i64(v, n);
			assert_memory_equal(v, sorted, n * sizeof(*v));
		}
	}
}

TEST(ranks_are_the_ceiling_of_the_share)
{
	for (size_t n = 1; n < 2000; n++) {
		for (unsigned p = 1; p <= 100; p++) {
			size_t want = (p * n + 99) / 100;

			assert_int_equal(wl_rank(n, p), want - 1);
		}
	}
	assert_int_equal(wl_rank(SIZE_MAX, 100), SIZE_MAX - 1);
	assert_int_equal(wl_rank((size_t)1 << 62, 50), ((size_t)1 << 61) - 1);
}

static bool number_less(const void *ctx, uint32_t a, uint32_t b)
{
	const uint32_t *of = ctx;

	return of[a] < of[b];
}

TEST(all_numbers_are_sorted_and_equal_ones_keep_their_order)
{
	const uint32_t of[] = { 5, 1, 5, 0 }, want[] = { 3, 1, 0, 2 };
	uint32_t index[2 * 4];

	wl_sort_all(index, 4, number_less, of);
	assert_memory_equal(index, want, sizeof(want));
	wl_sort_all(index, 0, number_less, of);
}
