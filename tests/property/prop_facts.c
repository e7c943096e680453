/* SPDX-License-Identifier: MIT */
/*
 * prop_facts.c - facts come back from their file, a damaged file is refused, and a merge gives the
 * same bytes in any order and grouping.
 */
#include "facts/file.h"
#include "facts/merge.h"
#include "support/random.h"
#include "support/random_facts.h"
#include "support/unit.h"

enum { CASES = 200, SETS = 6 };

static struct wl_budget budget;

static void encode(const struct wl_facts *f, struct wl_vec *bytes)
{
	wl_vec_init(bytes, 1, &budget);
	assert_true(wl_facts_encode(f, WL_FACTS_AS_KEPT, bytes));
}

static void assert_same(const struct wl_vec *a, const struct wl_vec *b)
{
	assert_int_equal(a->n, b->n);
	assert_memory_equal(a->data, b->data, a->n);
}

static void a_file_comes_back(void **state)
{
	uint64_t seed = 1;

	(void)state;
	for (int i = 0; i < random_cases(CASES); i++) {
		struct wl_err err = { .code = WL_OK };
		struct wl_facts f, again;
		struct wl_vec bytes, other;

		random_facts(&seed, &budget, &f);
		encode(&f, &bytes);
		assert_int_equal(wl_facts_decode(bytes.data, bytes.n, "f", &budget, &again, &err),
				 WL_OK);
		assert_string_equal(wl_facts_id(&f), wl_facts_id(&again));
		encode(&again, &other);
		assert_same(&bytes, &other);
		wl_vec_release(&bytes);
		wl_vec_release(&other);
		wl_facts_release(&f);
		wl_facts_release(&again);
	}
}

static void damage(unsigned char *bytes, size_t at, uint32_t by)
{
	bytes[at] = (unsigned char)(bytes[at] ^ by);
}

/* One byte is another, or bytes are missing at the end. */
static void a_damaged_file_is_refused(void **state)
{
	uint64_t seed = 2;

	(void)state;
	for (int i = 0; i < random_cases(CASES); i++) {
		struct wl_err err = { .code = WL_OK };
		struct wl_facts f, again;
		struct wl_vec bytes;
		size_t at, n;
		int r;

		random_facts(&seed, &budget, &f);
		encode(&f, &bytes);
		wl_facts_release(&f);
		n = bytes.n;
		at = random_below(&seed, (uint32_t)n);
		if (random_below(&seed, 4) == 0)
			n = at;
		else
			damage(bytes.data, at, 1 + random_below(&seed, 255));
		r = wl_facts_decode(bytes.data, n, "f", &budget, &again, &err);
		/* Some bytes mean nothing: spaces of the first line, members that are not read. */
		if (r == WL_OK)
			wl_facts_release(&again);
		else
			assert_true(r == WL_E_FORMAT && *err.msg);
		wl_vec_release(&bytes);
	}
}

/* Merge the sets that are listed, a random number of neighbours at a time, until one is left. */
static void merge_grouped(uint64_t *seed, const struct wl_facts *set, const size_t *order, size_t n,
			  struct wl_facts *ret)
{
	if (n > 2 && random_below(seed, 3)) {
		size_t half = 1 + random_below(seed, (uint32_t)n - 1);
		struct wl_facts left, right;

		merge_grouped(seed, set, order, half, &left);
		merge_grouped(seed, set, order + half, n - half, &right);
		wl_facts_merge_begin(ret, &budget);
		wl_facts_merge_add(ret, &left);
		wl_facts_merge_add(ret, &right);
		wl_facts_release(&left);
		wl_facts_release(&right);
	} else {
		wl_facts_merge_begin(ret, &budget);
		for (size_t i = 0; i < n; i++)
			wl_facts_merge_add(ret, &set[order[i]]);
	}
	assert_true(wl_facts_merge_finish(ret));
}

static void merge_shuffled(uint64_t *seed, const struct wl_facts *set, size_t n,
			   struct wl_vec *bytes)
{
	size_t order[2 * SETS], all = n + random_below(seed, (uint32_t)n);
	struct wl_facts merged;

	/* Each of them, and some of them twice. */
	for (size_t i = 0; i < all; i++) {
		size_t other = random_below(seed, (uint32_t)i + 1);

		order[i] = order[other];
		order[other] = i % n;
	}
	merge_grouped(seed, set, order, all, &merged);
	encode(&merged, bytes);
	wl_facts_release(&merged);
}

static void a_merge_is_of_a_set(void **state)
{
	uint64_t seed = 3;

	(void)state;
	for (int i = 0; i < random_cases(CASES); i++) {
		size_t n = 1 + random_below(&seed, SETS);
		struct wl_facts set[SETS];
		struct wl_vec first, other;

		for (size_t k = 0; k < n; k++)
			random_facts(&seed, &budget, &set[k]);
		merge_shuffled(&seed, set, n, &first);
		for (int again = 0; again < 3; again++) {
			merge_shuffled(&seed, set, n, &other);
			assert_same(&first, &other);
			wl_vec_release(&other);
		}
		wl_vec_release(&first);
		for (size_t k = 0; k < n; k++)
			wl_facts_release(&set[k]);
	}
	assert_int_equal(budget.used, 0);
}

static void one_file_merged_is_itself(void **state)
{
	uint64_t seed = 4;
	size_t order[] = { 0, 0 };
	struct wl_facts f, merged;
	struct wl_vec a, b;

	(void)state;
	random_facts(&seed, &budget, &f);
	merge_grouped(&seed, &f, order, WL_COUNT(order), &merged);
	encode(&f, &a);
	encode(&merged, &b);
	assert_same(&a, &b);
	wl_vec_release(&a);
	wl_vec_release(&b);
	wl_facts_release(&f);
	wl_facts_release(&merged);
}

TEST_MAIN(facts)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_comes_back),
		cmocka_unit_test(a_damaged_file_is_refused),
		cmocka_unit_test(a_merge_is_of_a_set),
		cmocka_unit_test(one_file_merged_is_itself),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
